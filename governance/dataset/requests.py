"""Asking for a snapshot from a page: it is made in the background, in the name of whoever asked."""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from governance.background import DEFAULT
from governance.dataset.home import require_legal_name
from governance.errors import Conflict
from governance.journal import record
from governance.models import JournalEntry

logger = logging.getLogger(__name__)

ASKED = "governance:snapshot:ask"
#: Sent by its name: whoever runs it loads what writes files, and whoever asks need not.
BUILD_TASK = "governance.build_snapshot"


class BrokerAway(Conflict):
    code = "broker_away"

    def __init__(self) -> None:
        super().__init__("The workers cannot be reached just now. Please try again, or use manage.py snapshot build.")


@transaction.atomic
def ask_for_snapshot(*, actor: str, reason: str) -> JournalEntry:
    """Have a snapshot made.

    Raises:
        ExportRefused: no legal name is set.
    """
    require_legal_name()
    entry = record(actor=actor, action=ASKED, subject="snapshot", reason=reason)
    transaction.on_commit(partial(_ring, str(entry.pk)))
    return entry


def _ring(entry: str) -> None:
    try:
        current_app.send_task(BUILD_TASK, args=[entry], queue=DEFAULT)
    except OperationalError as problem:
        raise BrokerAway from problem
