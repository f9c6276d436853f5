"""Running episodes with the machinery of a lane: its browser behind its proxy, its verbs, its loop.

What a battle adds is left out: the second lane, the barrier and the record. What a page adds is here: its goal
becomes the instruction, and its first reward the result.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Error as PlaywrightError

from battles.agents.base import Agent
from battles.lanes import going
from battles.lanes.bounds import BrowserGone, CallTimedOut, PageHung, TabClosed, TabCrashed, bounded, first_line
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import chromium_for_lane
from battles.lanes.egress import EgressProxy, policy_refusal
from battles.lanes.endings import Ending
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Budget, LaneOrder, StepTaken
from battles.lanes.loop import Loop, Outcome
from battles.lanes.runtime_dir import lane_runtime_dir
from battles.lanes.thinking import Thinker
from battles.lanes.viewing import View
from battles.proving_ground.agents import Attended, Peek, agent_for, check_agent
from battles.proving_ground.episode import CALL_SECONDS, EpisodeFailed, Latch, connect, settled, start
from battles.proving_ground.pages import PageServer, chosen_tasks, version
from battles.proving_ground.report import EpisodeResult, Report

#: What both lanes of a battle are granted, too.
BUDGET = Budget()

#: Browsers that one episode may wear out before its task is given up as not started.
STARTS = 2

#: Longest ``detail``, in characters.
LONGEST_DETAIL = 300

#: What goes wrong with a browser and is nobody's reward; a new browser is started after it.
_TROUBLE = (BrowserGone, PageHung, TabClosed, TabCrashed, CallTimedOut, PlaywrightError, EpisodeFailed)

#: Makes the agent of one episode from the task and the oracle's peek.
MakeAgent = Callable[[str, Peek], Agent]


class Ground:
    """A browser on the pages, for any number of episodes one after the other. See :func:`open_ground`."""

    def __init__(self, browser: LaneBrowser, pages: PageServer, latch: Latch) -> None:
        self._browser = browser
        self._pages = pages
        #: What the current episode came to so far.
        self.latch = latch

    async def play(self, task: str, seed: int, make: MakeAgent, budget: Budget = BUDGET) -> EpisodeResult:
        """One episode from a fresh page to its first reward.

        Raises:
            BrowserGone, PageHung, TabClosed, TabCrashed, CallTimedOut, EpisodeFailed: the episode did not begin.
            PlaywrightError: neither, for a reason that the driver gives.
        """
        goal, view = await self.begin(task, seed)
        page = (await self._browser.front()).page
        peek = Peek(page, asyncio.get_running_loop())
        agent = Attended(make(task, peek), self.latch)
        order = LaneOrder(
            slot="A",
            instruction=goal,
            start_url=self._pages.url(task),
            agent_key="",
            adapter="",
            agent_settings={},
            budget=budget,
        )
        steps: list[StepTaken] = []
        outcome, seconds = await self._race(order, agent, view, steps.append)
        # What the page has told by now has then arrived.
        await settled(page)
        end = self.latch.first
        charged = sum(step.charged for step in steps) - agent.sent_home
        return EpisodeResult(
            task=task,
            seed=seed,
            reward=end.reward if end else None,
            ending="episode_over" if agent.sent_home else str(outcome.ending),
            steps=charged,
            seconds=round(seconds, 2),
            peeks=peek.count,
            detail=agent.trouble[:LONGEST_DETAIL] or _why(outcome, steps),
        )

    async def begin(self, task: str, seed: int) -> tuple[str, View]:
        """Start the episode of a seed; returns its goal and the first look at it. Raises as :meth:`play`."""
        browser = self._browser
        await self._fresh_tab()
        opened = await going.navigate(browser, {"url": self._pages.url(task)})
        if not opened.ok:
            raise EpisodeFailed(opened.message)
        page = (await browser.front()).page
        # Away from the stage, where nothing is under it.
        await bounded(page.mouse.move(VIEWPORT_WIDTH - 1, VIEWPORT_HEIGHT - 1), CALL_SECONDS, "moving the pointer")
        goal = await start(page, seed, self.latch)
        await browser.settle()
        view = await browser.observe()
        browser.incidents.take()
        browser.take_refusals()
        return goal, view

    async def _fresh_tab(self) -> None:
        """Leave nothing of the last episode: neither its tabs nor where their pointer was."""
        before = self._browser.tabs
        # All but one first, since there is a limit to tabs.
        for tab in before[1:]:
            await self._browser.close_tab(tab)
        if await self._browser.open_tab() is None:
            raise EpisodeFailed("No tab could be opened.")
        for tab in before[:1]:
            await self._browser.close_tab(tab)

    async def _race(
        self, order: LaneOrder, agent: Agent, view: View, emit: Callable[[StepTaken], None]
    ) -> tuple[Outcome, float]:
        thinker = Thinker(lambda: agent)
        try:
            await thinker.prepare()
            loop = Loop(order, self._browser, thinker, view, emit)
            return await loop.run(), loop.seconds()
        finally:
            await thinker.close()


def _why(outcome: Outcome, steps: Sequence[StepTaken]) -> str:
    """What an operator wants to know of an episode that was not solved."""
    failed = [step.result.message for step in steps if not step.result.ok]
    return (outcome.detail or (failed[-1] if failed else ""))[:LONGEST_DETAIL]


@asynccontextmanager
async def open_ground(folder: Path) -> AsyncIterator[Ground]:
    """A lane's browser behind a lane's proxy, which lets it reach the pages and the public net.

    Args:
        folder: a new folder from :func:`battles.lanes.runtime_dir.lane_runtime_dir`.

    Raises:
        PagesMissing: the pages are not installed.
        NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable: the browser cannot be had.
    """
    with PageServer() as pages:
        async with (
            EgressProxy(pages.allowlist, folder) as proxy,
            chromium_for_lane(proxy, folder) as launched,
        ):
            browser = LaneBrowser(
                launched.context,
                drain_refusals=proxy.drain_refusals,
                url_refusal=functools.partial(policy_refusal, pinned=pages.allowlist),
            )
            await browser.start()
            latch = Latch()
            await connect(launched.context, latch)
            yield Ground(browser, pages, latch)


def run(agent: str, tasks: list[str], seeds: int, tell: Callable[[EpisodeResult], None]) -> Report:
    """Run an agent on tasks, seeds 1 to ``seeds`` each, one episode after the other.

    Args:
        agent: one of :data:`battles.proving_ground.agents.AGENTS`.
        tasks: names of tasks; none is all of them.
        tell: told every result as it comes.

    Raises:
        NotABaseline, PagesMissing, UnknownTask: as named.
        NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable: the browser cannot be had.
    """
    check_agent(agent)
    chosen = chosen_tasks(tasks)
    episodes = [(task, seed) for task in chosen for seed in range(1, seeds + 1)]
    results = asyncio.run(_run(functools.partial(agent_for, agent), episodes, tell))
    return Report(agent=agent, pages=version(), seeds=seeds, results=results)


async def _run(
    make: MakeAgent, episodes: Sequence[tuple[str, int]], tell: Callable[[EpisodeResult], None]
) -> list[EpisodeResult]:
    asyncio.get_running_loop().set_exception_handler(_quietly)
    results: list[EpisodeResult] = []

    def take(result: EpisodeResult) -> None:
        results.append(result)
        tell(result)

    waiting = [(task, seed, STARTS) for task, seed in reversed(episodes)]
    while waiting:
        with lane_runtime_dir() as folder:
            async with open_ground(folder) as ground:
                await _until_trouble(ground, make, waiting, take)
    return results


async def _until_trouble(
    ground: Ground,
    make: MakeAgent,
    waiting: list[tuple[str, int, int]],
    take: Callable[[EpisodeResult], None],
) -> None:
    """Play what is waiting, from the end of the list, until the browser should be replaced."""
    while waiting:
        task, seed, starts = waiting.pop()
        try:
            result = await ground.play(task, seed, make)
        except _TROUBLE as trouble:
            if starts > 1:
                waiting.append((task, seed, starts - 1))
            else:
                take(EpisodeResult(task, seed, None, "not_started", 0, 0.0, 0, first_line(trouble)))
            return
        take(result)
        if result.ending in {Ending.PAGE_HUNG, Ending.BROWSER_ERROR}:
            return


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Answers to calls that were given up on arrive when nobody waits any more; that is no news."""
