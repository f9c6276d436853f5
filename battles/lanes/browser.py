"""A lane's browser: its tabs, what they show, and coming to rest after an action.

No call here waits without a bound, whatever a page does. What pages did by themselves is collected in
``incidents`` and told to the agent with the step's result.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import (
    Bounds,
    BrowserGone,
    CallTimedOut,
    DocumentReplaced,
    PageHung,
    TabClosed,
    TabCrashed,
    bounded,
)
from battles.lanes.incidents import Incidents
from battles.lanes.page_events import PageEvents
from battles.lanes.screenshots import EarlyPicture
from battles.lanes.settling import break_loop, committed, settle
from battles.lanes.tabs import Tab
from battles.lanes.viewing import Sight, View, look

#: Tabs a lane may have open. More is a page that opens windows in a loop, and each costs a process.
MOST_TABS = 8

#: Crashed, or flooded, pages that are replaced before the lane ends as ``page_hung``.
REVIVALS = 1

#: Times a silent page is asked for a sign of life while windows of its keep appearing.
PROBES = 5

#: Tabs that crash within this many seconds of a replacement shared the renderer that was replaced.
SAME_CRASH = 1.0

#: Looks at a page that keeps being replaced (a chain of redirects) before the last one counts.
LOOKS = 6

#: Calls that may time out while a page is looked at: it answered in between, and no step may take a minute.
TIMEOUTS = 2


class _InVain(Exception):
    """The page was replaced, or let calls time out, each time it was asked."""


def no_refusals() -> list[dict[str, Any]]:
    return []


class LaneBrowser:
    """The browser of one lane.

    Args:
        context: a fresh Playwright context with the lane's viewport; the caller closes it.
        bounds: how long anything may take.
        drain_refusals: what the egress proxy refused since the last call.
        url_refusal: why an address may not be opened, in plain words; ``None`` when it may.
    """

    def __init__(
        self,
        context: BrowserContext,
        *,
        bounds: Bounds | None = None,
        drain_refusals: Callable[[], list[dict[str, Any]]] = no_refusals,
        url_refusal: Callable[[str], str | None] = lambda url: None,
    ) -> None:
        self.context = context
        self.bounds = bounds or Bounds()
        self.incidents = Incidents()
        self.url_refusal = url_refusal
        self.sight = Sight()
        #: What the running step aimed at, for the record of a step that never comes back.
        self.aimed_at: Mapping[str, Any] | None = None
        #: The picture begun while the page came to rest, until it is used or something is done.
        self.early: EarlyPicture | None = None
        self._tabs: dict[str, Tab] = {}
        self._front: Tab | None = None
        self._numbers = 0
        self._appeared = 0
        self._revived = 0
        self._revived_at = float("-inf")
        self._gone = False
        self._events = PageEvents(self.incidents, self.bounds)
        self._adoptions: dict[Page, asyncio.Task[Tab | None]] = {}
        self._drain_refusals = drain_refusals
        self._refusals: list[dict[str, Any]] = []

    async def start(self) -> None:
        """Take over the context's first page and listen to everything.

        Raises:
            BrowserGone: the browser does not answer.
        """
        self.context.on("page", self._page_appeared)
        self.context.on("dialog", self._events.dialog)
        self.context.on("close", self._context_closed)
        try:
            existing = self.context.pages
            page = existing[0] if existing else await bounded(self.context.new_page(), self.bounds.call, "a new tab")
            await self._adoption(page)
        except (CallTimedOut, PlaywrightError) as error:
            raise BrowserGone(str(error)) from error
        self.incidents.take()

    @property
    def tabs(self) -> Sequence[Tab]:
        return tuple(self._tabs.values())

    def tab(self, tab_id: str) -> Tab | None:
        return self._tabs.get(tab_id)

    async def front(self) -> Tab:
        """The tab that the agent sees; opened anew when none is left.

        Raises:
            BrowserGone: not even a blank tab can be had.
        """
        if self._gone:
            raise BrowserGone("the browser is gone")
        if self._front is None:
            await self.open_tab()
        if self._front is None:
            raise BrowserGone("no tab can be opened")
        return self._front

    async def open_tab(self) -> Tab | None:
        """A blank tab in front; ``None`` when there are too many.

        Raises:
            BrowserGone: the browser does not answer.
        """
        if len(self._tabs) >= MOST_TABS:
            return None
        try:
            page = await bounded(self.context.new_page(), self.bounds.call, "a new tab")
            return await self._adoption(page)
        except (CallTimedOut, PlaywrightError) as error:
            raise BrowserGone(str(error)) from error

    async def bring_to_front(self, tab: Tab) -> None:
        """Make a tab the one that the agent sees. Raises as :meth:`Tab.call`."""
        self._front = tab
        await tab.call(tab.page.bring_to_front(), "switching tabs")

    async def close_tab(self, tab: Tab) -> None:
        """Close a tab; another comes to the front, a blank one after the last. Raises as :meth:`Tab.call`."""
        with contextlib.suppress(TabClosed):
            await tab.call(tab.page.close(run_before_unload=False), "closing a tab")
        self._forget(tab)
        await self.bring_to_front(await self.front())

    async def settle(self) -> None:
        """Wait until the tab in front has come to rest, within bounds.

        Raises:
            PageHung, BrowserGone: as in :meth:`observe`.
        """
        await self._surviving(lambda tab: settle(self, tab))

    def drop_early_picture(self) -> None:
        if self.early is not None:
            self.early.drop()
            self.early = None

    async def observe(self) -> View:
        """What the tab in front shows now.

        Raises:
            PageHung: it answers nothing, or crashed more often than is forgiven.
            BrowserGone: the browser itself is gone.
        """
        view: View | None = await self._surviving(lambda tab: look(self, tab))
        if view is None:
            raise PageHung("The page keeps replacing itself and cannot be looked at.")
        return view

    async def take_papers(self) -> str:
        """The text of PDFs that pages offered since the last call, within bounds."""
        return await self._events.take_papers()

    def note_refusals(self) -> list[dict[str, Any]]:
        """Refusals of the egress proxy in this step so far."""
        self._refusals += self._drain_refusals()
        return self._refusals

    def take_refusals(self) -> list[dict[str, Any]]:
        """All refusals of the step, which begin anew."""
        taken, self._refusals = self.note_refusals(), []
        return taken

    async def adopted(self) -> None:
        """Wait, within bounds, for windows that pages have opened."""
        pending = [task for task in self._adoptions.values() if not task.done()]
        if pending:
            await asyncio.wait(pending, timeout=self.bounds.call)

    async def judge_silence(self, tab: Tab) -> None:
        """After a call that timed out: return when the page does answer.

        Raises:
            PageHung: it does not.
        """
        await self._events.idle()
        for _ in range(PROBES):
            if tab.page.is_closed() or tab.crashed:
                return
            windows = self._appeared
            try:
                await committed(self, tab)
                await bounded(tab.run("at", 0, 0), self.bounds.probe, "a sign of life")
            except CallTimedOut as error:
                # A page in the middle of opening windows answers nothing, but it does move.
                if self._appeared == windows:
                    raise PageHung("The page stopped answering.") from error
            except (DocumentReplaced, TabClosed, TabCrashed, PlaywrightError):
                return
            else:
                return
        raise PageHung("The page opens windows without end.")

    async def revive(self, tab: Tab) -> None:
        """Replace a crashed tab by a new one on the same address, once in a lane.

        Tabs of one site share a renderer: those that died with the tab are closed with it, and that is one crash.

        Raises:
            PageHung: it was forgiven already.
            BrowserGone: no new tab can be had.
        """
        tab.crash()
        same_crash = (tab.crashed_at or 0.0) < self._revived_at + SAME_CRASH
        if not same_crash and self._revived >= REVIVALS:
            raise PageHung("The page crashed again.")
        for dead in [each for each in self._tabs.values() if each.crashed]:
            self._forget(dead)
            with contextlib.suppress(CallTimedOut, PlaywrightError):
                await bounded(dead.page.close(), self.bounds.call, "closing a crashed tab")
        if same_crash:
            return
        self._revived += 1
        self._revived_at = time.monotonic()
        fresh = await self.open_tab()
        if fresh is None:
            raise BrowserGone("no tab can be opened")
        self.incidents.add("tab_reopened", tab_id=fresh.tab_id, url=tab.url)
        with contextlib.suppress(CallTimedOut, TabClosed, TabCrashed, DocumentReplaced, PlaywrightError):
            await fresh.call(fresh.page.goto(tab.url, wait_until="commit"), "reopening", self.bounds.commit)
            await settle(self, fresh)

    async def _surviving(self, ask: Callable[[Tab], Any]) -> Any:
        """Put a question to the tab in front, whatever happens to that tab meanwhile; ``None`` when it is in vain."""
        try:
            return await self._persisting(ask)
        except _InVain:
            await self._break_loop(await self.front())
        with contextlib.suppress(_InVain):
            return await self._persisting(ask)
        return None

    async def _persisting(self, ask: Callable[[Tab], Any]) -> Any:
        timeouts = 0
        for _ in range(LOOKS):
            tab = await self.front()
            try:
                return await ask(tab)
            except DocumentReplaced:
                if tab.looping:
                    break
                # The successor is there in a moment; asking at once would only meet its birth.
                await asyncio.sleep(self.bounds.quiet)
            except TabClosed as closed:
                self._forget_id(closed.tab_id)
            except TabCrashed as crashed:
                await self.revive(self._tabs.get(crashed.tab_id, tab))
            except CallTimedOut:
                timeouts += 1
                if timeouts == TIMEOUTS or tab.looping:
                    break
                await self.judge_silence(tab)
        raise _InVain

    async def _break_loop(self, tab: Tab) -> None:
        with contextlib.suppress(CallTimedOut, TabClosed, TabCrashed):
            await break_loop(self, tab)

    def _page_appeared(self, page: Page) -> None:
        self._appeared += 1
        if len(self._tabs) + len(self._adoptions) >= MOST_TABS:
            self.incidents.add("tab_refused")
            self._adoptions[page] = asyncio.ensure_future(self._turn_away(page))
        else:
            self._adoption(page)

    def _adoption(self, page: Page) -> asyncio.Task[Tab | None]:
        if page not in self._adoptions:
            task = asyncio.ensure_future(self._adopt(page))
            self._adoptions[page] = task
            task.add_done_callback(lambda _: self._adoptions.pop(page, None))
        return self._adoptions[page]

    async def _turn_away(self, page: Page) -> Tab | None:
        try:
            with contextlib.suppress(CallTimedOut, PlaywrightError):
                await bounded(page.close(), self.bounds.call, "closing a window")
        finally:
            self._adoptions.pop(page, None)
        return None

    async def _adopt(self, page: Page) -> Tab | None:
        known = next((tab for tab in self._tabs.values() if tab.page is page), None)
        if known is not None:
            return known
        self._numbers += 1
        tab = Tab(f"t{self._numbers}", page, self.bounds, self.incidents.add)
        page.on("close", lambda _: self._forget(tab))
        page.on("crash", lambda _: tab.crash())
        self._events.listen(tab)
        opener = self._front
        try:
            await tab.attach()
        except (CallTimedOut, TabClosed, TabCrashed, DocumentReplaced, PlaywrightError):
            return None
        self._tabs[tab.tab_id] = tab
        self._front = tab
        if opener is not None:
            opener.expected_popups = max(0, opener.expected_popups - 1)
        self.incidents.add("tab_opened", tab_id=tab.tab_id, url=page.url)
        return tab

    def _forget(self, tab: Tab) -> None:
        if self._tabs.pop(tab.tab_id, None) is None:
            return
        if self._front is tab:
            self._front = next(reversed(self._tabs.values()), None)
        now = self._front.tab_id if self._front else "a blank tab"
        self.incidents.add("tab_closed", tab_id=tab.tab_id, now=now)

    def _forget_id(self, tab_id: str) -> None:
        if tab_id in self._tabs:
            self._forget(self._tabs[tab_id])

    def _context_closed(self, _: BrowserContext) -> None:
        self._gone = True
