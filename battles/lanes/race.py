"""A race: two lanes in threads of their own, and this thread writing down what they say."""

from __future__ import annotations

import contextlib
import contextvars
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from django.db import InterfaceError, OperationalError, close_old_connections, transaction
from structlog.contextvars import bound_contextvars

from battles.finishing import finish_battle
from battles.lanes.bounds import first_line
from battles.lanes.ending_words import TASK_KEPT
from battles.lanes.events import LaneEnded, LaneEvent, LaneOrder
from battles.lanes.frame_store import FrameStoreFull
from battles.lanes.lane import run_lane
from battles.lanes.recorder import Recorder
from battles.lanes.runtime_dir import RuntimeDirUnusable, lane_runtime_dir
from battles.models import Battle
from battles.racing import LEASE, AttemptLost, RaceTicket, renew_lease, start_attempt, void_battle

logger = logging.getLogger(__name__)

#: How often the lease is renewed: several tries fit into its length.
RENEW_EVERY = LEASE.total_seconds() / 5
#: How long a database that went away is waited for before it is asked again.
ASK_AGAIN_AFTER = 0.5
#: Said of a machine whose folders will not do.
NO_PLACE = "The browsers could not be given a place to work in on our side."
#: A lane bounds its own start; one that takes longer than this is stuck.
START_WITHIN = 180.0
#: What a lane may need after it was told to stop: closing a browser is bounded by itself.
STOP_WITHIN = 45.0

RunLane = Callable[[LaneOrder, Callable[[LaneEvent], None], threading.Barrier, threading.Event, Path], None]
Listener = Callable[[LaneEvent], None]
T = TypeVar("T")


def run_battle(
    battle_id: uuid.UUID, *, worker: str, listener: Listener | None = None, lane: RunLane = run_lane
) -> bool:
    """Race one battle from its start to votable, void or handed back.

    Args:
        battle_id: a queued battle; anything else returns at once.
        worker: who does it, for operators.
        listener: told every event after it was written, for a terminal.
        lane: what runs one lane; the real one unless a test says otherwise.

    Returns:
        Whether this call raced the battle.
    """
    ticket = start_attempt(battle_id=battle_id, worker=worker)
    if ticket is None:
        return False
    _Race(ticket, listener, lane).run()
    return True


class _Race:
    def __init__(self, ticket: RaceTicket, listener: Listener | None, lane: RunLane) -> None:
        self._ticket = ticket
        self._listener = listener
        self._lane = lane
        self._events: queue.Queue[LaneEvent] = queue.Queue()
        self._stop = threading.Event()
        self._recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
        self._renewed = time.monotonic()

    def run(self) -> None:
        """The race from its first thread to a votable battle; a void one where it cannot be kept."""
        with bound_contextvars(battle=str(self._ticket.battle_id), attempt=str(self._ticket.attempt_id)):
            self._run()

    def _run(self) -> None:
        try:
            with lane_runtime_dir() as folder:
                self._race_in(folder)
        except AttemptLost:
            return
        except FrameStoreFull as problem:
            self._give_up(str(problem))
            return
        except (RuntimeDirUnusable, OSError) as problem:
            # Names folders of this machine, and what to do about them: that is for operators.
            logger.error("battle %s: %s", self._ticket.battle_id, problem)
            self._give_up(NO_PLACE)
            return
        self._finish()

    def _finish(self) -> None:
        """Open the battle to its judges, unless somebody else has it by now."""
        with contextlib.suppress(AttemptLost):
            self._patiently(lambda: finish_battle(attempt_id=self._ticket.attempt_id, token=self._ticket.token))

    def _race_in(self, folder: Path) -> None:
        """Both lanes, with their sockets and profiles in ``folder``; every thread has ended afterwards."""
        barrier = threading.Barrier(len(self._ticket.orders))
        threads = [
            threading.Thread(
                target=contextvars.copy_context().run,
                args=(self._run_lane, order, barrier, folder),
                name=f"lane-{order.slot}",
                daemon=True,
            )
            for order in self._ticket.orders
        ]
        for thread in threads:
            thread.start()
        try:
            self._record_until_both_ended()
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(timeout=STOP_WITHIN)

    def _run_lane(self, order: LaneOrder, barrier: threading.Barrier, folder: Path) -> None:
        """One lane, in a thread of its own, whose lines in the log say which it is."""
        with bound_contextvars(lane=order.slot):
            self._lane(order, self._events.put, barrier, self._stop, folder)

    def _record_until_both_ended(self) -> None:
        ended = 0
        longest = max(order.budget.seconds for order in self._ticket.orders) + START_WITHIN + STOP_WITHIN
        deadline = time.monotonic() + longest
        while ended < len(self._ticket.orders):
            if time.monotonic() > deadline:
                # A lane that outlives every bound of its own is stuck; the reaper gives the battle to another worker.
                raise AttemptLost
            self._keep_lease()
            try:
                event = self._events.get(timeout=1.0)
            except queue.Empty:
                continue
            self._patiently(lambda event=event: self._recorder.write(event))  # type: ignore[misc]  # a bound default
            ended += isinstance(event, LaneEnded)
            if self._listener is not None:
                self._listener(event)

    def _keep_lease(self) -> None:
        if time.monotonic() - self._renewed >= RENEW_EVERY:
            self._patiently(self._renew)

    def _renew(self) -> None:
        close_old_connections()
        renew_lease(self._ticket.token)
        self._renewed = time.monotonic()

    def _patiently(self, act: Callable[[], T]) -> T:
        """Do something with the database, again and again while that is away and the lease can still be ours.

        The lanes race on meanwhile; what they say waits.

        Raises:
            AttemptLost: the database was away for longer than the lease: somebody else has the battle, or soon will.
        """
        told = False
        while True:
            try:
                return act()
            except (OperationalError, InterfaceError) as trouble:
                if time.monotonic() - self._renewed > LEASE.total_seconds():
                    raise AttemptLost from trouble
                if not told:
                    told = True
                    logger.warning(
                        "the database is away, battle %s waits: %s", self._ticket.battle_id, first_line(trouble)
                    )
            time.sleep(ASK_AGAIN_AFTER)
            close_old_connections()

    def _give_up(self, reason: str) -> None:
        """The harness cannot keep what happens, so nothing of this battle may be judged."""
        with contextlib.suppress(AttemptLost):
            self._patiently(lambda: self._void(reason))

    def _void(self, reason: str) -> None:
        with transaction.atomic():
            still = Battle.objects.select_for_update(no_key=True).filter(
                pk=self._ticket.battle_id, lease_token=self._ticket.token, state=Battle.State.RACING
            )
            if still.exists():
                void_battle(
                    battle_id=self._ticket.battle_id,
                    reason=f"{reason} {TASK_KEPT}",
                    actor="system:recorder",
                )
