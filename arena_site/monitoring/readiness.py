"""Whether this host can serve: each part is asked in a thread of its own, and none is waited for long.

A question that hangs is not asked a second time before it has ended, so that a database that swallows packets costs one
thread and not one a request.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from arena_site.clock import LEASE, seconds_since_tick
from battles.lanes.frame_store import frame_storage
from governance.background import LANES
from governance.dataset.stores import snapshot_store

OK, DOWN, LATE, READ_ONLY = "ok", "down", "late", "read-only"
#: All parts are asked at once, and this is how long they may take.
PATIENCE_SECONDS = 3.0
#: An answer is good for so long: whoever asks more often gets the same.
FRESH_SECONDS = 2.0
#: A clock that was taken over is back within its lease; three of them without a tick say that there is none.
CLOCK_SECONDS = 3 * LEASE.total_seconds()


@dataclass(slots=True)
class Part:
    """One question.

    Attributes:
        ask: returns a state, or raises whatever there is to raise, which counts as ``down``.
        needed: whether the site can serve nobody without it.
    """

    ask: Callable[[], str]
    needed: bool
    state: str = DOWN
    asked_at: float | None = None
    _thread: threading.Thread | None = field(default=None, repr=False)

    def begin(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        if self.asked_at is not None and time.monotonic() - self.asked_at < FRESH_SECONDS:
            return
        self._thread = threading.Thread(target=self._find_out, name="readiness", daemon=True)
        self._thread.start()

    def end(self, deadline: float) -> str:
        """The state; ``down`` when it is not known in time."""
        if self._thread is None:
            return self.state
        self._thread.join(max(0.0, deadline - time.monotonic()))
        return DOWN if self._thread.is_alive() else self.state

    def _find_out(self) -> None:
        try:
            self.state = self.ask()
        except Exception:
            # Each library has its own; which it was is in the log of whoever needed the part.
            self.state = DOWN
        finally:
            self.asked_at = time.monotonic()
            connections.close_all()


def database() -> str:
    """Whether it takes what is written: a standby, or a server that was told to take nothing, takes no vote."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean")
        (only_read,) = cursor.fetchone()
    return READ_ONLY if only_read else OK


def migrations() -> str:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return LATE if executor.migration_plan(executor.loader.graph.leaf_nodes()) else OK


def broker() -> str:
    with current_app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, timeout=2)
    return OK


def frames() -> str:
    frame_storage().probe()
    return OK


def snapshots() -> str:
    snapshot_store().probe()
    return OK


def static_files() -> str:
    return OK if (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file() else DOWN


def clock() -> str:
    age = seconds_since_tick()
    return OK if age is not None and age < CLOCK_SECONDS else LATE


def workers() -> str:
    """Whether a worker takes races. Those that are asked answer within a second."""
    answers = current_app.control.inspect(timeout=1.0).active_queues() or {}
    taken = {queue["name"] for queues in answers.values() for queue in queues}
    return OK if LANES in taken else LATE


PARTS: dict[str, Part] = {
    "database": Part(database, needed=True),
    "migrations": Part(migrations, needed=True),
    "static": Part(static_files, needed=True),
    "broker": Part(broker, needed=False),
    "frames": Part(frames, needed=False),
    # In the data folder they are written by other hosts than the one that is asked, if by any.
    **({"snapshots": Part(snapshots, needed=False)} if "snapshots" in settings.STORAGES else {}),
    "clock": Part(clock, needed=False),
    "workers": Part(workers, needed=False),
}


def readiness(parts: dict[str, Part] | None = None) -> tuple[str, dict[str, str]]:
    """How the parts are, and what that comes to.

    Returns:
        ``ok``, ``degraded`` (pages are served and votes taken, something else is not as it should be) or ``down``; and
        the state of each part: ``ok``, ``late`` (it is behind, or nobody is there to do it), ``read-only`` or ``down``.
    """
    parts = PARTS if parts is None else parts
    deadline = time.monotonic() + PATIENCE_SECONDS
    for part in parts.values():
        part.begin()
    states = {name: part.end(deadline) for name, part in parts.items()}
    if any(parts[name].needed and state != OK for name, state in states.items()):
        return DOWN, states
    return (OK if set(states.values()) == {OK} else "degraded"), states
