"""A transaction that PostgreSQL ends for certain: it is the one that closes the circle of two that wait."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import OperationalError, connection, models, transaction

from governance.deadlocks import is_deadlock
from tests.arena_site.services.conftest import wait_until

MEETS_SECONDS = 60.0
#: Whoever waits first looks for a circle so late that the other one has found it.
LATE, SOON = "5min", "10ms"


def somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        # Within a transaction one sees what one saw first.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1"
        )
        return cursor.fetchone() is not None


def lock(row: models.Model) -> None:
    type(row)._default_manager.select_for_update(no_key=True).get(pk=row.pk)


def stopped_once(act: Callable[[], Any], *, at: models.Model, meanwhile: Callable[[], object]) -> Any:
    """What an act answers that is first ended where it locks a row, whose holder waits for what the act has.

    Args:
        at: what the act locks later.
        meanwhile: waits for what the act has by then; undone in the end.
    """
    holds_its_own, stopped = threading.Event(), []

    def watching(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        wanted = "FOR NO KEY UPDATE" in sql and str(at.pk) in map(str, params or ())
        if wanted and not holds_its_own.is_set():
            holds_its_own.set()
            wait_until(somebody_waits_for_a_lock)
        try:
            return execute(sql, params, many, context)
        except OperationalError as ended:
            stopped.append(is_deadlock(ended))
            raise

    def do() -> Any:
        try:
            _look_for_circles(SOON)
            with connection.execute_wrapper(watching):
                return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            _look_for_circles(LATE)
            lock(at)
            acting = threads.submit(do)
            assert holds_its_own.wait(MEETS_SECONDS), acting.exception(0) if acting.done() else "it locks no such row"
            meanwhile()
            transaction.set_rollback(True)
        answer = acting.result(MEETS_SECONDS)
    # A slow machine may stop it again before the other one is awake.
    assert stopped
    assert all(stopped)
    return answer


def _look_for_circles(after: str) -> None:
    """For the transaction, or for the session where there is none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('deadlock_timeout', %s, %s)", [after, connection.in_atomic_block])
