"""The clients of ``bench.load``: judges who take from the pool, vote and lock, and watchers of a race that runs.

Open loop: judges arrive by a clock of their own, whatever the site does, and the first answer is timed from the instant
at which it was due. What is late is thereby counted as late, and not left out.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx2

CSRF = "b" * 32
LANE = re.compile(r'name="completion_([0-9a-f-]{36})"')
KEY = re.compile(r'name="idempotency_key" value="([^"]+)"')
SEEN = re.compile(r'id="live-seen" value="([^"]*)"')
FRAME = re.compile(r"/battles/[0-9a-f-]{36}/frames/[0-9a-f-]{36}")
STOP_POLLING = 286
PATIENCE_SECONDS = 60.0
#: Whoever came last has voted and locked by then, unless there is a backlog.
DRAIN_SECONDS = 180.0
#: What a browser fetches of a battle before its judge looks further: the first pictures of both lanes.
FIRST_FRAMES = 2


@dataclass(slots=True)
class Told:
    """What clients saw: seconds by kind of request, answers that nobody should get, and votes that were accepted."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: Counter[str] = field(default_factory=Counter)
    voted: set[tuple[str, str]] = field(default_factory=set)
    locked: set[tuple[str, str]] = field(default_factory=set)

    def note(self, kind: str, since: float, answer: httpx2.Response, *fine: int) -> bool:
        """Whether the answer is one of these statuses; its time counts either way."""
        self.seconds[kind].append(time.perf_counter() - since)
        if answer.status_code in fine:
            return True
        self.wrong[f"{kind}: {answer.status_code}"] += 1
        return False


class Crowd:
    """Everybody who uses the site at ``address`` at the same time."""

    def __init__(self, address: str, cookie: str, judges: list[str]) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        self._client = httpx2.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS, limits=limits)
        self._cookie = cookie
        self._idle: asyncio.Queue[str] = asyncio.Queue()
        for judge in judges:
            self._idle.put_nowait(judge)
        self.told = Told()

    async def close(self) -> None:
        await self._client.aclose()

    def _headers(self, judge: str) -> dict[str, str]:
        return {"Cookie": f"{self._cookie}={judge}; csrftoken={CSRF}", "X-CSRFToken": CSRF}

    async def judge_for(self, seconds: float, *, every: float, thinks: float) -> None:
        """Judges arrive ``every`` so many seconds in the mean, by chance, for so long."""
        chance = random.Random(1)
        began = due = time.perf_counter()
        at_work: set[asyncio.Task[None]] = set()
        while due - began < seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = asyncio.create_task(self._one_battle(due, thinks))
            at_work.add(task)
            task.add_done_callback(at_work.discard)
            due += chance.expovariate(1 / every)
        if at_work:
            _, waiting = await asyncio.wait(at_work, timeout=DRAIN_SECONDS)
            for task in waiting:
                task.cancel()
            if waiting:
                self.told.wrong[f"still at work {DRAIN_SECONDS:.0f} s after the last arrival"] += len(waiting)

    async def _one_battle(self, due: float, thinks: float) -> None:
        judge = await self._idle.get()
        try:
            page = await self._take(judge, due)
            if page is None:
                return
            await asyncio.sleep(thinks)
            if await self._vote(judge, *page):
                await asyncio.sleep(thinks / 10)
                await self._lock(judge, *page)
        except httpx2.HTTPError as error:
            self.told.wrong[f"no answer: {type(error).__name__}"] += 1
        finally:
            self._idle.put_nowait(judge)

    async def _take(self, judge: str, due: float) -> tuple[str, dict[str, str]] | None:
        answer = await self._client.get("/judge", headers=self._headers(judge))
        if not self.told.note("next battle", due, answer, HTTPStatus.FOUND):
            return None
        path = answer.headers["Location"]
        since = time.perf_counter()
        answer = await self._client.get(path, headers=self._headers(judge))
        if not self.told.note("battle page", since, answer, HTTPStatus.OK):
            return None
        text = answer.text
        for frame in list(dict.fromkeys(FRAME.findall(text)))[:FIRST_FRAMES]:
            since = time.perf_counter()
            answer = await self._client.get(frame, headers=self._headers(judge))
            self.told.note("frame", since, answer, HTTPStatus.OK)
        lanes, key = list(dict.fromkeys(LANE.findall(text))), KEY.search(text)
        if len(lanes) != 2 or key is None:
            self.told.wrong["battle page: no form"] += 1
            return None
        form = {"choice": random.choice([*lanes, "tie"]), "confidence": "high", "idempotency_key": key[1]}
        return path, form | {f"completion_{lane}": "done" for lane in lanes} | {"focused_ms": "8000"}

    async def _vote(self, judge: str, path: str, form: dict[str, str]) -> bool:
        since = time.perf_counter()
        answer = await self._client.post(
            f"{path}/vote", data=form, headers=self._headers(judge) | {"HX-Request": "true"}
        )
        if not self.told.note("vote", since, answer, HTTPStatus.OK):
            return False
        if "Saved:" not in answer.text:
            self.told.wrong["vote: not saved"] += 1
            return False
        self.told.voted.add((path, judge))
        return True

    async def _lock(self, judge: str, path: str, form: dict[str, str]) -> None:
        since = time.perf_counter()
        answer = await self._client.post(f"{path}/lock", data=form, headers=self._headers(judge))
        if self.told.note("lock", since, answer, HTTPStatus.SEE_OTHER):
            self.told.locked.add((path, judge))

    async def all_at_once(self, judges: list[str]) -> None:
        """Everybody takes a battle; then all votes are sent in the same instant, each twice, as a double click is."""
        pages = await asyncio.gather(*(self._take(judge, time.perf_counter()) for judge in judges))
        held = [(judge, *page) for judge, page in zip(judges, pages, strict=True) if page is not None]
        await asyncio.gather(*(self._vote(*one) for one in held for _ in range(2)))
        await asyncio.gather(*(self._lock(*one) for one in held))

    async def watch_for(self, seconds: float, watchers: int, running: Callable[[], uuid.UUID | None]) -> None:
        """So many people watch the race that runs, each asking once a second as the page does."""
        over = time.perf_counter() + seconds
        await asyncio.gather(*(self._watch(over, number / watchers, running) for number in range(watchers)))

    async def _watch(self, over: float, phase: float, running: Callable[[], uuid.UUID | None]) -> None:
        due = time.perf_counter() + phase
        battle, seen, known = running(), "", set[str]()
        while due < over:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if time.perf_counter() > over + 1.0:
                self.told.wrong["live refresh: never sent"] += int(over - due) + 1
                break
            try:
                answer = await self._client.get(f"/battles/{battle}/live", params={"seen": seen})
                ended = answer.status_code == STOP_POLLING
                self.told.note("live refresh", due, answer, HTTPStatus.OK, HTTPStatus.NO_CONTENT, STOP_POLLING)
                found = SEEN.search(answer.text)
                seen = found[1] if found else seen
                for frame in set(FRAME.findall(answer.text)) - known:
                    known.add(frame)
                    since = time.perf_counter()
                    picture = await self._client.get(frame)
                    self.told.note("frame, live", since, picture, HTTPStatus.OK)
                if ended:
                    battle, seen, known = running(), "", set()
            except httpx2.HTTPError as error:
                self.told.wrong[f"no answer: {type(error).__name__}"] += 1
            due += 1.0
