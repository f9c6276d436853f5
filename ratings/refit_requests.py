"""Asking for a refit: cheap to import, since every process that takes votes does it."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

from judging.models import Vote

logger = logging.getLogger(__name__)

#: Below this many locked votes every vote asks for a refit; above it the nightly one is soon enough.
REFIT_AT_ONCE_BELOW = 10_000
#: Votes that come within this many seconds share one refit.
GATHER_SECONDS = 2


def request_refit() -> None:
    """Ask a worker for a refit soon, while the corpus is small enough to be fitted at every vote."""
    if Vote.objects.filter(locked_at__isnull=False)[:REFIT_AT_ONCE_BELOW].count() < REFIT_AT_ONCE_BELOW:
        request_refit_at_once()


def request_refit_at_once() -> None:
    """Ask a worker for a refit soon, whatever it costs: something that was published no longer holds."""
    try:
        current_app.send_task("ratings.refit", countdown=GATHER_SECONDS, ignore_result=True)
    except OperationalError:
        logger.warning("the broker did not answer; the nightly refit will follow")
