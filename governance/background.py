"""Celery entry points, declared the same way everywhere.

Arguments are primary keys. A task acknowledges late, so that a killed worker's message comes back; it
therefore reloads, locks, checks the state again and returns early when somebody else was quicker.
"""

from collections.abc import Callable
from typing import Any

from celery import shared_task  # noqa: TID251  # the one place that may

#: Races, which hold two cores for minutes.
LANES = "lanes"
#: Everything else, quick by comparison.
DEFAULT = "default"


def background_task(*, queue: str = DEFAULT, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a Celery task on ``queue`` that is acknowledged when it is done."""
    return shared_task(queue=queue, acks_late=True, ignore_result=True, **options)
