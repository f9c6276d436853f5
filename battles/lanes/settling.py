"""When a page has come to rest after an action: our own rule, the same in every lane.

At rest means: no navigation under way, no window being opened, the requests begun since the action done
(pictures, fonts and media apart), and the document unchanged for a moment. Each wait has its bound, after
which we look at the page as it is. The driver's own "load" and "network idle" are not used: one picture
that never comes would cost every step its full time.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import Bounds, DocumentReplaced
from battles.lanes.screenshots import EarlyPicture
from battles.lanes.tabs import Tab

if TYPE_CHECKING:
    from battles.lanes.browser import LaneBrowser

#: Between two looks at what is under way, in seconds.
LOOK_EVERY = 0.01

#: Tries to empty the tab of a page that goes on replacing itself meanwhile.
EMPTYINGS = 5


async def settle(browser: LaneBrowser, tab: Tab) -> None:
    """Wait until ``tab``, or the tab that came to the front meanwhile, is at rest, within bounds.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: the page cannot be asked.
    """
    bounds = browser.bounds
    waiting = Patience(bounds)
    while True:
        browser.drop_early_picture()
        if tab.looping:
            await break_loop(browser, tab)
        await committed(browser, tab, waiting)
        rest = await _quiet(browser, tab, waiting)
        await _windows(browser, tab)
        front = await browser.front()
        if front is not tab:
            tab = front
            waiting = Patience(bounds)
            continue
        if tab.navigating and waiting.for_commit():
            continue
        if rest is None and waiting.for_rest():
            continue
        if tab.busy and waiting.for_rest():
            await _requests(tab, waiting)
            continue
        # A load that outlasted one step's patience (an answer that never ends) does not cost every later step the same.
        tab.loading = False
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
        if tab.looping:
            return
        await asyncio.sleep(LOOK_EVERY)
    if tab.navigating:
        await tab.stop_loading()
        browser.incidents.add("load_stopped")
    waiting.committed()


async def break_loop(browser: LaneBrowser, tab: Tab) -> None:
    """End a page that replaces itself without end, by emptying its tab.

    Stopping the load is not enough: a document stopped before it was first drawn has no picture ever after. Scripts
    rest meanwhile: on a slow machine a page's timers would replace the empty document's load again and again.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: as :meth:`Tab.send`.
    """
    await _scripts_rest(tab, True)
    try:
        emptied = await _emptied(tab, browser.bounds)
    finally:
        await _scripts_rest(tab, False)
    tab.documents.forget()
    if emptied:
        browser.incidents.add("loop_left")


async def _emptied(tab: Tab, bounds: Bounds) -> bool:
    """Whether the tab is blank and stays so: a load that the page had asked for may still replace it."""
    for _ in range(EMPTYINGS):
        with contextlib.suppress(DocumentReplaced, PlaywrightError):
            # A navigation of the browser's own is one that a script's cannot replace, once it has begun.
            await tab.call(tab.page.goto("about:blank", wait_until="commit"), "emptying a tab")
        await asyncio.sleep(bounds.quiet)
        if tab.page.url == "about:blank" and not tab.navigating:
            return True
    return False


async def _scripts_rest(tab: Tab, resting: bool) -> None:
    with contextlib.suppress(DocumentReplaced, PlaywrightError):
        await tab.send("Emulation.setScriptExecutionDisabled", {"value": resting})


async def _quiet(browser: LaneBrowser, tab: Tab, waiting: Patience) -> bool | None:
    """Whether the document became quiet; ``None`` when it was replaced meanwhile."""
    bounds = browser.bounds
    longest = min(bounds.restless, max(waiting.left(), bounds.quiet))
    early = None if tab.busy else EarlyPicture(tab, bounds)
    try:
        rest = await tab.run("settle", round(bounds.quiet * 1000), round(longest * 1000))
        for note in dict.fromkeys(rest["notes"]):
            browser.incidents.add(note)
        if early is not None and rest["calm"] and not tab.busy and early.shows(rest["still"]):
            browser.early, early = early, None
        return bool(rest["calm"])
    except DocumentReplaced:
        await asyncio.sleep(LOOK_EVERY)
        return None
    finally:
        if early is not None:
            early.drop()


async def _windows(browser: LaneBrowser, tab: Tab) -> None:
    by = time.monotonic() + browser.bounds.popup
    while tab.expected_popups and time.monotonic() < by:
        await asyncio.sleep(LOOK_EVERY)
        await browser.adopted()
    tab.expected_popups = 0
    await browser.adopted()


async def _requests(tab: Tab, waiting: Patience) -> None:
    while tab.busy and waiting.for_rest() and not tab.navigating:
        if tab.page.is_closed() or tab.crashed:
            return
        await asyncio.sleep(LOOK_EVERY)
