"""One episode: started with a seed, its goal read, its first end latched. All of it is the runner's business.

What happens here goes through the page's own world, which no verb reaches.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import CallTimedOut, bounded, first_line

#: Name of the function by which a page tells the runner that an episode ended.
END_BINDING = "provingGroundEnd"

#: Bound of one call to the page, and of waiting for it to be ready, in seconds.
CALL_SECONDS = 10.0
READY_SECONDS = 15.0
LOOK_EVERY = 0.02

#: Far beyond any lane's clock, in ms. The pages' own clocks (10 s and more of wall time) would end the episode of
#: every agent that thinks.
EPISODE_MS = 3_600_000

_LOADED = "() => document.readyState === 'complete' && !!(window.core && core.cover_div)"
_READY = "() => WOB_TASK_READY"
_GOAL = "() => { const goal = core.getUtterance(); return String(typeof goal === 'string' ? goal : goal.utterance); }"

#: The page is asked to end an episode through ``core.endEpisode`` only; without a running timer it ends nothing.
_START = f"""([seed, number]) => {{
  const end = core.endEpisode;
  core.endEpisode = function (reward, proportional, reason) {{
    if (core.EP_TIMER !== null) {END_BINDING}(number, Number(reward), String(reason ?? ''));
    return end.apply(this, arguments);
  }};
  core.EPISODE_MAX_TIME = {EPISODE_MS};
  Math.seedrandom(String(seed));
  core.startEpisodeReal();
}}"""


class EpisodeFailed(Exception):
    """The page could not be started; nobody's reward."""


@dataclass(frozen=True, slots=True)
class End:
    """How an episode ended: the page's raw reward, -1 to 1 without its discount for time, and its reason, if any."""

    reward: float
    reason: str


class Latch:
    """Keeps the first end of the current episode. Later ones are counted and change nothing.

    A page ends an episode by covering itself with a START button; an agent that presses it begins, and may end,
    a second one, which counts for nothing.
    """

    def __init__(self) -> None:
        self._number = 0
        self.first: End | None = None
        self.ends = 0

    def renew(self) -> int:
        """Begin a new episode; returns its number. Ends that name another one are ignored from here on."""
        self._number += 1
        self.first = None
        self.ends = 0
        return self._number

    def take(self, number: int, reward: float, reason: str) -> None:
        """Take in that episode ``number`` ended."""
        if number != self._number:
            return
        self.ends += 1
        if self.first is None:
            self.first = End(reward, reason)


async def connect(context: BrowserContext, latch: Latch) -> None:
    """Let every page of a browser tell ``latch`` about ends."""

    def told(source: Any, number: int, reward: float, reason: str) -> None:
        latch.take(number, reward, reason)

    await bounded(context.expose_binding(END_BINDING, told), CALL_SECONDS, "binding")


async def start(page: Page, seed: int, latch: Latch) -> str:
    """Start the episode of ``seed`` on a page that is loading or loaded; returns the goal.

    Raises:
        EpisodeFailed: the page is none of MiniWoB's, or not ready in time.
    """
    try:
        await _until(page, _LOADED)
        await bounded(page.evaluate(_START, [seed, latch.renew()]), CALL_SECONDS, "starting")
        await _until(page, _READY)
        return str(await bounded(page.evaluate(_GOAL), CALL_SECONDS, "reading the goal"))
    except (CallTimedOut, PlaywrightError) as problem:
        raise EpisodeFailed(first_line(problem)) from problem


async def _until(page: Page, condition: str) -> None:
    by = time.monotonic() + READY_SECONDS
    while not await bounded(page.evaluate(condition), CALL_SECONDS, "asking the page"):
        if time.monotonic() > by:
            raise CallTimedOut("the page was not ready in time")
        await asyncio.sleep(LOOK_EVERY)


async def settled(page: Page) -> None:
    """Return when everything the page has told before this call has arrived."""
    try:
        await bounded(page.evaluate("() => true"), CALL_SECONDS, "a last word")
    except (CallTimedOut, PlaywrightError):
        # A page that is gone or hangs tells nothing more.
        return
