"""Faults at moments nobody chose, while battles run and people vote; what each one cost."""

import json
import os
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psycopg

from tests.arena_site.faults import victims
from tests.arena_site.faults.ground import Ground
from tests.arena_site.faults.judges import Person, Told, judge_until_stopped
from tests.arena_site.services.conftest import wait_until

#: Between a recovery and the next fault, in seconds.
CALM_SECONDS = 4.0
#: How often the next fault does not wait for the last one to be over.
IMPATIENCE = 0.4
#: How long a process of a kind is looked for; a battle's are there only while it races.
FIND_SECONDS = 240.0
#: How long a fault is waited for before it counts as not recovered from.
WAIT_SECONDS = 240.0
#: Battles that wait or race at once, at least.
AT_WORK = 2


@dataclass
class Cost:
    """Seconds that faults of one kind cost, and how many struck nothing because their process had just ended."""

    faults: int = 0
    back: list[float] = field(default_factory=list)
    racing: list[float] = field(default_factory=list)
    attempts_broken: int = 0
    missed: int = 0


class KillRun:
    """Judges at work on an arena, and somebody who kills.

    Args:
        ground: an arena that has answered.
        seed: of every choice made here.
        judges: how many people.
        pause: seconds between two acts of one person, from and to.
    """

    def __init__(self, ground: Ground, *, seed: int, judges: int, pause: tuple[float, float]) -> None:
        self.ground = ground
        self.chance = random.Random(seed)
        self.told = Told()
        self.costs: dict[str, Cost] = defaultdict(Cost)
        self._stop = threading.Event()
        self._open: list[tuple[str, str, str]] = []
        self._at_work = 0
        self._next_task = 0.0
        self._posting = True
        self._lock = threading.Lock()
        root = f"http://127.0.0.1:{ground.arena.port}"
        people = [Person(root, self.told, random.Random(seed * 1000 + n), self._stop) for n in range(judges)]
        work = [
            threading.Thread(target=judge_until_stopped, args=(person, self._open_to, self._wants_task, pause))
            for person in people
        ]
        self._threads = [*work, threading.Thread(target=self._look)]

    def start(self, seconds: float) -> None:
        """Set everybody to work and wait until there is something to break."""
        for thread in self._threads:
            thread.start()
        wait_until(self._running_attempt, seconds)

    def kill_many(self, kinds: list[str]) -> None:
        for number, kind in enumerate(kinds, 1):
            time.sleep(self.chance.uniform(0, CALM_SECONDS))
            self._kill(kind, number, len(kinds))

    def finish(self, seconds: float, *, votes: int) -> None:
        """Let every battle come to an end, people vote so often at least, and everybody go home.

        Args:
            seconds: that the battles may take, and the votes.
            votes: fewer say that nobody could.
        """
        self._posting = False
        try:
            wait_until(self._over, seconds)
            wait_until(lambda: len(self.told.votes) >= votes, seconds)
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def _kill(self, kind: str, number: int, of: int) -> None:
        cost = self.costs[kind]
        racing = self._running_attempt() if kind in victims.OF_RACES else ""
        at, back = self._strike(kind)
        cost.faults += 1
        if self.chance.random() < IMPATIENCE:
            print(f"{number} of {of}: {kind}, and on", flush=True)
            return
        recovered = victims.wait_for(back, WAIT_SECONDS)
        if recovered is not None:
            cost.back.append(recovered)
        raced = None
        if racing:
            waited = time.time() - at
            raced = victims.wait_for(lambda: victims.steps_since(self.ground, at + 0.5), WAIT_SECONDS - waited)
            cost.racing.append(WAIT_SECONDS if raced is None else raced + waited)
            cost.attempts_broken += self._is_broken(racing)
        print(f"{number} of {of}: {kind}, back {recovered}, racing {cost.racing[-1] if racing else '-'}", flush=True)
        assert recovered is not None, f"{kind} did not come back"

    def _strike(self, kind: str) -> tuple[float, victims.Back]:
        """Kill one process of a kind; one that has ended meanwhile was nobody's fault, and another is found.

        Returns:
            When, and what says that its work is done again.
        """
        deadline = time.monotonic() + FIND_SECONDS
        while time.monotonic() < deadline:
            if victim := victims.find(self.ground, kind, self.chance):
                back = victims.back_at_work(self.ground, kind, victim)
                self.told.after = kind
                try:
                    at = time.time()
                    os.kill(victim, victims.KILL)
                except ProcessLookupError:
                    self.costs[kind].missed += 1
                else:
                    return at, back
            time.sleep(0.05)
        raise AssertionError(f"no {kind} was there to kill for {FIND_SECONDS:.0f} s")

    def _running_attempt(self) -> str:
        try:
            rows = self.ground.query("SELECT id::text FROM battles_attempt WHERE outcome = 'running'")
        except psycopg.Error:
            return ""
        return str(rows[0][0]) if rows else ""

    def _is_broken(self, attempt: str) -> bool:
        try:
            [(outcome,)] = self.ground.query("SELECT outcome FROM battles_attempt WHERE id = %s", attempt)
        except psycopg.Error:
            return False
        return bool(outcome == "broken")

    def _look(self) -> None:
        while not self._stop.wait(1.0):
            try:
                rows = self.ground.query(
                    "SELECT battle.id::text, battle.kind, coalesce(task.judge_id, '') FROM battles_battle battle "
                    "JOIN battles_task task ON task.id = battle.task_id WHERE battle.state IN ('votable', 'resolved')"
                )
                [(at_work,)] = self.ground.query(
                    "SELECT count(*) FROM battles_battle WHERE state IN ('queued', 'racing')"
                )
            except psycopg.Error:
                continue
            self._open, self._at_work = rows, at_work

    def _open_to(self, judge: str) -> list[str]:
        return [battle for battle, kind, owner in self._open if kind == "practice" or (judge and owner == judge)]

    def _wants_task(self) -> bool:
        with self._lock:
            if not self._posting or self._at_work >= AT_WORK or time.monotonic() < self._next_task:
                return False
            self._next_task = time.monotonic() + 5.0
            return True

    def _over(self) -> bool:
        try:
            return self.ground.query("SELECT 1 FROM battles_battle WHERE state IN ('queued', 'racing')") == []
        except psycopg.Error:
            return False

    def table(self) -> str:
        """What each kind of fault cost, as a table of Markdown."""
        lines = [
            "| killed | faults | back, median / longest (s) | racing on (s) | attempts spent | seen by clients |",
            "|---|---:|---|---|---:|---|",
        ]
        for kind in sorted(self.costs, key=victims.KINDS.index):
            cost = self.costs[kind]
            seen = [f"{n} x {what}" for (after, what), n in sorted(self.told.troubles.items()) if after == kind]
            lines.append(
                f"| {kind} | {cost.faults} | {spread(cost.back)} | {spread(cost.racing)} | {cost.attempts_broken} "
                f"| {', '.join(seen) or 'nothing'} |"
            )
        return "\n".join(lines)

    def keep(self, file: Path, **more: object) -> None:
        document = {
            "costs": {kind: vars(cost) for kind, cost in self.costs.items()},
            "votes": len(self.told.votes),
            "locked": len(self.told.locked),
            "tasks": len(self.told.tasks),
            "requests": self.told.requests,
            "refused": self.told.refused,
            "troubles": [[*key, count] for key, count in self.told.troubles.items()],
            **more,
        }
        file.write_text(json.dumps(document, indent=1))


def spread(seconds: list[float]) -> str:
    return f"{median(seconds):.1f} / {max(seconds):.1f}" if seconds else "-"


def draw_kinds(count: int, seed: int) -> list[str]:
    """So many faults, every kind as often as the others, in an order nobody chose."""
    chance = random.Random(seed)
    kinds = [victims.KINDS[n % len(victims.KINDS)] for n in range(count)]
    chance.shuffle(kinds)
    return kinds
