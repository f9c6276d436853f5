"""When a page has come to rest after an action: our own rule, the same in every lane.

At rest means: no navigation under way, no window being opened, the requests begun since the action done
(pictures, fonts and media apart), and the document unchanged for a moment. Each wait has its bound, after
which we look at the page as it is. The driver's own "load" and "network idle" are not used: one picture
that never comes would cost every step its full time.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from battles.lanes.bounds import Bounds
from battles.lanes.tabs import DocumentReplaced, Tab

if TYPE_CHECKING:
    from battles.lanes.browser import LaneBrowser

#: Between two looks at what is under way, in seconds.
LOOK_EVERY = 0.01


async def settle(browser: LaneBrowser, tab: Tab) -> None:
    """Wait until ``tab``, or the tab that came to the front meanwhile, is at rest, within bounds.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: the page cannot be asked.
    """
    bounds = browser.bounds
    waiting = Patience(bounds)
    while True:
        await committed(browser, tab, waiting)
        calm = await _quiet(tab, waiting, bounds)
        await _windows(browser, tab)
        front = await browser.front()
        if front is not tab:
            tab = front
            waiting = Patience(bounds)
            continue
        if tab.navigating and waiting.for_commit():
            continue
        if calm is None and waiting.for_rest():
            continue
        if (tab.waiting_for or tab.loading) and waiting.for_rest():
            await _requests(tab, waiting)
            continue
        return


class Patience:
    """How long is left: for a commit, and from the last commit to rest."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        now = time.monotonic()
        self._commit_by = now + bounds.commit
        self._rest_by = now + bounds.settle

    def committed(self) -> None:
        # A chain of redirects may not win a new wait with every link: the first bound on commits stays.
        self._rest_by = min(time.monotonic() + self._bounds.settle, self._commit_by + self._bounds.settle)

    def for_commit(self) -> bool:
        return time.monotonic() < self._commit_by

    def for_rest(self) -> bool:
        return time.monotonic() < self._rest_by

    def left(self) -> float:
        return max(0.0, self._rest_by - time.monotonic())


async def committed(browser: LaneBrowser, tab: Tab, waiting: Patience | None = None) -> None:
    """Wait for the navigation under way, and stop it when it takes too long.

    While a navigation waits for its answer, Chromium holds back every question to the page: asking would
    look like a page that hangs.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: the load cannot be stopped.
    """
    if not tab.navigating:
        return
    waiting = waiting or Patience(browser.bounds)
    while tab.navigating and waiting.for_commit() and not tab.page.is_closed() and not tab.crashed:
        await asyncio.sleep(LOOK_EVERY)
    if tab.navigating:
        await tab.stop_loading()
        browser.incidents.add("load_stopped")
    waiting.committed()


async def _quiet(tab: Tab, waiting: Patience, bounds: Bounds) -> bool | None:
    """Whether the document became quiet; ``None`` when it was replaced meanwhile."""
    longest = min(bounds.restless, max(waiting.left(), bounds.quiet))
    try:
        return bool(await tab.run("settle", round(bounds.quiet * 1000), round(longest * 1000)))
    except DocumentReplaced:
        await asyncio.sleep(LOOK_EVERY)
        return None


async def _windows(browser: LaneBrowser, tab: Tab) -> None:
    by = time.monotonic() + browser.bounds.popup
    while tab.expected_popups and time.monotonic() < by:
        await asyncio.sleep(LOOK_EVERY)
        await browser.adopted()
    tab.expected_popups = 0
    await browser.adopted()


async def _requests(tab: Tab, waiting: Patience) -> None:
    while (tab.waiting_for or tab.loading) and waiting.for_rest() and not tab.navigating:
        if tab.page.is_closed() or tab.crashed:
            return
        await asyncio.sleep(LOOK_EVERY)
