"""One agent's run: its browser, its sites, its loop, and exactly one ending.

A lane runs in a thread of its own, with an event loop of its own, and knows nothing of Django or of the
other lane, with which it shares a barrier and nothing else.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from playwright.async_api import Error as PlaywrightError

from battles.agents.base import Agent
from battles.agents.registry import make_agent
from battles.checks import practice_task
from battles.lanes import going
from battles.lanes.bounds import BrowserGone, PageHung, TabClosed, TabCrashed, first_line
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import Launched, LaunchFailed, NoChromium, chromium_for_lane
from battles.lanes.egress import EgressProxy, EgressUnavailable, policy_refusal
from battles.lanes.ending_words import (
    NO_BROWSER,
    NOT_READY,
    OTHER_LANE_MISSING,
    OUTLIVED,
    TOLD_TO_STOP,
    start_failed,
)
from battles.lanes.endings import NEVER_RAN, Ending
from battles.lanes.events import LaneEnded, LaneEvent, LaneOrder, LaneStarted
from battles.lanes.loop import Loop, Outcome
from battles.lanes.practice_server import PracticeServer
from battles.lanes.runtime_dir import RuntimeDirUnusable
from battles.lanes.thinking import AgentUnavailable, Thinker
from battles.lanes.viewing import View
from battles.lanes.walls import wall_of

logger = logging.getLogger(__name__)

AgentFactory = Callable[[str, Mapping[str, Any]], Agent]

#: Tries to open the start page: one failure on the way is nobody's fault, two are the site's.
START_TRIES = 2

#: How long a lane that is ready waits for the other one.
BARRIER_SECONDS = 75.0

#: From the thread's start to the shared start: a browser, and a slow site tried twice.
READY_SECONDS = 85.0

#: What closing everything may take; every single wait in it has its own bound.
CLOSE_SECONDS = 40.0

#: How often a lane looks whether it has been told to stop.
LOOK_EVERY = 0.2

#: Longest ``detail``, in characters.
LONGEST_DETAIL = 500


class StartFailed(Exception):
    """The start page cannot be had: the site's trouble or ours, never the agent's."""


class OtherLaneMissing(Exception):
    """The other lane never became ready, so there is no race."""


#: What goes wrong on our side, in words that people may read.
_OURS = (StartFailed, BrowserGone, PageHung, TabClosed, TabCrashed)

#: What is missing on this machine. The message says what to install or change, and is for operators.
_MISSING = (NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable)


def run_lane(
    order: LaneOrder,
    emit: Callable[[LaneEvent], None],
    barrier: threading.Barrier,
    stop: threading.Event,
    runtime_dir: Path,
    *,
    agent_factory: AgentFactory = make_agent,
) -> None:
    """Run one lane from nothing to :class:`LaneEnded`, which is emitted once, last, whatever happened.

    Args:
        order: what to run.
        emit: takes the events in order; called from this thread.
        barrier: passed by all lanes of the battle when their start pages are up; the clocks start there.
        stop: set by the caller to end the lane as ``lost``.
        runtime_dir: a folder for sockets and the profile; the lane uses a folder of its own inside.
        agent_factory: makes the agent of the order's adapter and settings.
    """
    lane = _Lane(order, emit, barrier, stop, runtime_dir / order.slot, agent_factory)
    try:
        ended = asyncio.run(lane.run())
    except Exception as error:
        ended = lane.ended(Outcome(Ending.BROWSER_ERROR, detail=_in_words(error)))
    emit(ended)


class _Lane:
    def __init__(
        self,
        order: LaneOrder,
        emit: Callable[[LaneEvent], None],
        barrier: threading.Barrier,
        stop: threading.Event,
        folder: Path,
        agent_factory: AgentFactory,
    ) -> None:
        self._order = order
        self._emit = emit
        self._barrier = barrier
        self._stop = stop
        self._folder = folder
        self._agent_factory = agent_factory
        self._started = False
        self._loop: Loop | None = None
        self._seconds = 0.0
        self._passed: bool | None = None

    async def run(self) -> LaneEnded:
        """Everything, ended early when the lane is told to stop or outlives all its bounds."""
        asyncio.get_running_loop().set_exception_handler(_quietly)
        work = asyncio.ensure_future(self._work())
        latest = time.monotonic() + READY_SECONDS + self._order.budget.seconds + CLOSE_SECONDS
        cut = ""
        while not cut and not (await asyncio.wait({work}, timeout=LOOK_EVERY))[0]:
            if self._stop.is_set():
                cut = TOLD_TO_STOP
            elif time.monotonic() > latest:
                cut = OUTLIVED
        if cut:
            self._leave_barrier()
            work.cancel()
            await asyncio.wait({work}, timeout=CLOSE_SECONDS)
        return self.ended(self._outcome(work, cut))

    def ended(self, outcome: Outcome) -> LaneEnded:
        """The lane's last event."""
        self._leave_barrier()
        return LaneEnded(
            slot=self._order.slot,
            ending=outcome.ending,
            answer=outcome.answer,
            detail=outcome.detail[:LONGEST_DETAIL],
            seconds=self._seconds,
            steps=self._loop.charged if self._loop else 0,
            passed=None if outcome.ending in NEVER_RAN else self._passed,
        )

    def _outcome(self, work: asyncio.Future[Outcome], cut: str) -> Outcome:
        if cut or work.cancelled():
            return Outcome(Ending.LOST, detail=cut)
        error = work.exception()
        if error is None:
            return work.result()
        if isinstance(error, OtherLaneMissing):
            return Outcome(Ending.LOST, detail=str(error))
        if isinstance(error, AgentUnavailable):
            # The reason names variables and versions: it is for operators, and people read the detail.
            logger.error("lane %s: %s", self._order.slot, error)
            return Outcome(Ending.PROVIDER_ERROR, detail=NOT_READY)
        if isinstance(error, _MISSING):
            logger.error("lane %s: %s", self._order.slot, error)
            return Outcome(Ending.BROWSER_ERROR, detail=NO_BROWSER)
        return Outcome(Ending.BROWSER_ERROR, detail=_in_words(error))

    def _leave_barrier(self) -> None:
        """Let the other lane go on with its own end, when this one will never start."""
        if not self._started:
            self._barrier.abort()

    async def _work(self) -> Outcome:
        self._folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        self._folder.chmod(0o711)
        with PracticeServer() as practice:
            allowlist = {**practice.allowlist, **self._order.egress_allow}
            async with (
                EgressProxy(allowlist, self._folder) as proxy,
                chromium_for_lane(proxy, self._folder) as launched,
            ):
                browser = LaneBrowser(
                    launched.context,
                    drain_refusals=proxy.drain_refusals,
                    url_refusal=functools.partial(policy_refusal, pinned=allowlist),
                )
                outcome = await _while_served(proxy, self._race(browser, launched))
            self._passed = self._check(practice, outcome)
        return outcome

    async def _race(self, browser: LaneBrowser, launched: Launched) -> Outcome:
        await browser.start()
        view = await self._open_start_page(browser)
        thinker = Thinker(functools.partial(self._agent_factory, self._order.adapter, self._order.agent_settings))
        try:
            await thinker.prepare()
            await self._start_together()
            self._loop = Loop(self._order, browser, thinker, view, self._emit)
            self._emit(self._started_event(view, launched))
            try:
                return await self._loop.run()
            finally:
                self._seconds = self._loop.seconds()
        finally:
            await thinker.close()

    async def _open_start_page(self, browser: LaneBrowser) -> View:
        trouble = ""
        for _ in range(START_TRIES):
            outcome = await going.open_start_page(browser, self._order.start_url)
            if outcome.ok:
                view = await browser.observe()
                trouble = going.away_in_words(browser)
                browser.incidents.take()
                browser.take_refusals()
                if view.url.startswith(("http://", "https://")):
                    return view
                continue
            trouble = outcome.message
        raise StartFailed(start_failed(trouble))

    async def _start_together(self) -> None:
        try:
            await asyncio.to_thread(self._barrier.wait, BARRIER_SECONDS)
        except threading.BrokenBarrierError as error:
            raise OtherLaneMissing(OTHER_LANE_MISSING) from error
        self._started = True

    def _started_event(self, view: View, launched: Launched) -> LaneStarted:
        return LaneStarted(
            slot=self._order.slot,
            frame=view.frame,
            url=view.url,
            title=view.title,
            page_digest=view.digest,
            sandboxed=launched.facts.sandboxed,
            isolated_network=launched.facts.isolated_network,
            overlay=view.overlay,
            wall=wall_of(view.url, view.title, view.start_text),
        )

    def _check(self, practice: PracticeServer, outcome: Outcome) -> bool | None:
        """Whether the practice task was done, by the lane's own copy of the site; ``None`` without a check."""
        task = practice_task(self._order.practice_key) if self._order.practice_key else None
        if task is None:
            return None
        return bool(task.check(practice.sites[task.host.lower()], outcome.answer))


async def _while_served(proxy: EgressProxy, race: Coroutine[Any, Any, Outcome]) -> Outcome:
    """The race's outcome, while the browser has its way out: without it an agent would fail at sites that are well.

    Raises:
        EgressUnavailable: the proxy's process ended first.
    """
    racing, gone = asyncio.ensure_future(race), asyncio.ensure_future(proxy.wait_until_gone())
    try:
        await asyncio.wait({racing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            raise EgressUnavailable("The egress proxy ended while its lane ran.")
        return racing.result()
    finally:
        racing.cancel()
        gone.cancel()
        await asyncio.gather(racing, gone, return_exceptions=True)


def _in_words(error: BaseException) -> str:
    if isinstance(error, (*_OURS, PlaywrightError)):
        return first_line(error)
    return f"{type(error).__name__}: {first_line(error)}"


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Answers to calls that were given up on arrive when nobody waits any more; that is no news."""
