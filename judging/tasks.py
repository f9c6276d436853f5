"""Celery entry points of judging."""

from governance.background import background_task
from judging.repeats import lock_overdue_repeats
from judging.stylometry_reading import keep_reading
from judging.votes import lock_overdue_votes


@background_task(name="judging.lock_overdue_votes")
def lock_overdue() -> None:
    lock_overdue_votes()
    lock_overdue_repeats()


@background_task(name="judging.read_stylometry")
def read_stylometry() -> None:
    keep_reading()
