"""The clock of an arena: any number of ``beat`` processes may run, and one of them sends what is due.

That one holds a lease in the database. When work was last sent is in the database too, and each sending is claimed
there by compare-and-set in the transaction that sends it. So a clock that was stopped and comes back, thinking that
the lease is still its own, sends nothing twice; and a host that goes takes no memory of the night's work with it. Only
a clock that is killed after the broker took a message and before the database heard of it has it sent again, which is
why whatever is scheduled may be done twice.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from datetime import timedelta
from typing import Any

from celery.beat import ScheduleEntry, Scheduler, SchedulingError
from django.db import Error, connection, connections, transaction
from django.db.models import F

from arena_site.models import Clock, ScheduledRun

logger = logging.getLogger(__name__)

#: How long a clock that says nothing is waited for. A tick takes milliseconds; a database that fails over, seconds.
LEASE = timedelta(seconds=6)
#: How often one that waits looks, and how long one pauses that cannot send.
PAUSE_SECONDS = 1.0
#: The lease is renewed no more often than this.
RENEW_SECONDS = 1.0

TAKE = """
    INSERT INTO arena_site_clock (id, holder, until, ticked_at)
    VALUES (1, %s, clock_timestamp() + %s::interval, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until, ticked_at = excluded.ticked_at
    WHERE arena_site_clock.holder = excluded.holder OR arena_site_clock.until < clock_timestamp()
    RETURNING id
"""


class SharedSchedule(Scheduler):
    """Celery's scheduler with its memory in the database and a lease on being the one that sends."""

    #: Each sending takes a connection of the application's own, which gives up soon: this one would wait for the broker
    #: for minutes, and tick for nobody meanwhile.
    producer = None  # type: ignore[assignment]

    def __init__(self, *args: Any, **options: Any) -> None:
        self.holder = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
        self._loaded = False
        self._pausing = False
        self._waiting = False
        self._renewed: float | None = None
        super().__init__(*args, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send at most one piece of work; returns the seconds until the next look.

        A database or a broker that is away is waited for.
        """
        try:
            if not self._holds():
                if self._loaded:
                    logger.warning("another clock has taken over")
                elif not self._waiting:
                    logger.info("another clock is at work; this one waits")
                self._loaded, self._waiting = False, True
                return PAUSE_SECONDS
            if not self._loaded:
                self._load()
            delay: float = super().tick(*args, **options)
        except Error as problem:
            logger.warning("the clock waits for the database: %s", type(problem).__name__)
            self._start_over()
            connection.close()
            return PAUSE_SECONDS
        if self._pausing:
            self._pausing = False
            return PAUSE_SECONDS
        return delay

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Claim a piece of work and send it, both or neither; killed in between, it is sent and not claimed."""
        name, before = str(entry.name), entry.last_run_at
        now = self.schedule[name].last_run_at
        assert before is not None, "an entry that was loaded has run, or counts from when it was"
        try:
            with transaction.atomic():
                claimed = ScheduledRun.objects.filter(pk=name, last_run_at=before)
                if not claimed.update(last_run_at=now, runs=F("runs") + 1):
                    self._start_over()
                    return
                self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as problem:
            logger.warning("scheduled work waits for the broker: %s (%s)", entry.name, type(problem.__cause__).__name__)
            self._start_over()
            self._pausing = True

    def close(self) -> None:
        """Let go of the lease, so that another clock takes over at once.

        Called from a signal's handler as well, in the middle of anything: hence a connection of its own.
        """
        own = connections.create_connection("default")
        try:
            with own.cursor() as cursor:
                cursor.execute("SET lock_timeout = '1s'")
                cursor.execute("UPDATE arena_site_clock SET until = clock_timestamp() WHERE holder = %s", [self.holder])
        except Error:
            logger.warning("the clock could not say that it stops; another one takes over within %s", LEASE)
        finally:
            own.close()

    def _holds(self) -> bool:
        """Renew the lease or take a free one; whether it is ours."""
        now = time.monotonic()
        if self._loaded and self._renewed is not None and now - self._renewed < RENEW_SECONDS:
            return True
        with connection.cursor() as cursor:
            cursor.execute(TAKE, [self.holder, f"{LEASE.total_seconds()} s"])
            held = cursor.fetchone() is not None
        self._renewed = now if held else None
        return held

    def _load(self) -> None:
        """Begin where whoever was the clock before left off; what is new counts from now."""
        ScheduledRun.objects.exclude(pk__in=self.schedule).delete()
        ScheduledRun.objects.bulk_create(
            [ScheduledRun(name=name, last_run_at=entry.default_now()) for name, entry in self.schedule.items()],
            ignore_conflicts=True,
        )
        for run in ScheduledRun.objects.filter(pk__in=self.schedule):
            self.schedule[run.name].last_run_at = run.last_run_at
        self._heap = None
        self._loaded, self._waiting = True, False
        logger.info("this is the clock now: %s", self.holder)

    def _start_over(self) -> None:
        """Read from the database again when everything was last sent."""
        self._loaded = False
        self._renewed = None


def seconds_since_tick() -> float | None:
    """How long ago any clock was at work; None when none ever was."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp() - ticked_at)::float FROM arena_site_clock")
        row = cursor.fetchone()
    return None if row is None else max(0.0, row[0])


def clock_holder() -> str:
    """Host, process and run of the clock, for operators; empty when there is none."""
    return Clock.objects.values_list("holder", flat=True).first() or ""
