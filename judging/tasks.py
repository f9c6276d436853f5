"""Celery entry points of judging."""

from governance.background import background_task
from judging.anomaly_watch import hold_improbable_votes
from judging.deadlines import log_overdue
from judging.repeats import lock_overdue_repeats
from judging.stylometry_reading import keep_reading
from judging.votes import lock_overdue_votes


@background_task(name="judging.lock_overdue_votes")
def lock_overdue() -> None:
    lock_overdue_votes()
    lock_overdue_repeats()


@background_task(name="judging.watch_votes")
def watch_votes() -> None:
    hold_improbable_votes()


@background_task(name="judging.watch_deadlines")
def watch_deadlines() -> None:
    log_overdue()


@background_task(name="judging.read_stylometry")
def read_stylometry() -> None:
    keep_reading()
