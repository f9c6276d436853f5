"""One tab of a lane: a page, its DevTools session, and what is under way in it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from playwright.async_api import CDPSession, FileChooser, Frame, Page, Request
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import Bounds, DocumentReplaced, TabClosed, TabCrashed, TabTrouble, bounded
from battles.lanes.document_count import DocumentCount
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.page_scripts import PAGE_SCRIPT, WORLD

#: What a page needs before it can be called loaded. Pictures, fonts and media may come late or never.
AWAITED_KINDS = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})

#: A document that was replaced while it was asked: the question is put to its successor.
_REPLACED = ("Cannot find context", "context was destroyed", "navigated or closed", "Promise was collected")
#: A picture of a page that has just begun, or whose renderer has just died.
_UNDRAWN = ("Unable to capture screenshot", "Internal error")
_CLOSED = ("has been closed", "Target closed", "Session closed", "Not attached")
#: Said of a page that is gone, and of one that is between two documents.
_BETWEEN = "Not attached"

#: Schemes that a browser opens itself, if at all; any other belongs to another program, which there is none of.
OWN_SCHEMES = frozenset(
    {
        "http",
        "https",
        "about",
        "blob",
        "data",
        "javascript",
        "file",
        "filesystem",
        "chrome",
        "chrome-extension",
        "view-source",
    }
)

#: Seconds between the end of a crashed page's session and the news of the crash, generously.
CRASH_IS_TOLD_WITHIN = 0.1


class Tab:
    """A page in a lane's browser.

    ``navigating`` holds from the start of a navigation of the whole tab to its commit or failure,
    ``loading`` to the end of the load. ``waiting_for`` are requests a settled page has to have
    finished. ``expected_popups`` counts windows asked for that do not exist yet. ``tell`` is given what the page does
    by itself, as :meth:`Incidents.add`.
    """

    def __init__(self, tab_id: str, page: Page, bounds: Bounds, tell: Callable[..., None]) -> None:
        self.tab_id = tab_id
        self.page = page
        self.navigating = False
        self.loading = False
        self.crashed_at: float | None = None
        self.chooser: FileChooser | None = None
        self.expected_popups = 0
        self.documents = DocumentCount()
        self.waiting_for: set[Request] = set()
        self.frame_sessions: dict[Frame, CDPSession] = {}
        self.title = ""
        self.url = page.url
        self._bounds = bounds
        self._tell = tell
        self._session: CDPSession | None = None
        self._crash: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._main_frame = ""
        self._world: int | None = None

    @property
    def crashed(self) -> bool:
        return self.crashed_at is not None

    def crash(self) -> None:
        """Note that the renderer is gone."""
        if not self.crashed:
            self.crashed_at = time.monotonic()
            self._crash.set_result(None)

    @property
    def busy(self) -> bool:
        """Whether anything is on its way that a page at rest has to have."""
        return self.navigating or self.loading or bool(self.waiting_for)

    @property
    def looping(self) -> bool:
        """Whether its page replaces itself without end."""
        return self.documents.looping

    @property
    def main_frame(self) -> str:
        """The DevTools identifier of the page's own frame."""
        return self._main_frame

    async def attach(self) -> None:
        """Open the DevTools session, install the lane's script and force the viewport.

        Raises:
            CallTimedOut, TabClosed, TabCrashed: the page cannot be used.
        """
        session = await bounded(self.page.context.new_cdp_session(self.page), self._bounds.call, "attaching to a tab")
        self._session = session
        session.on("Page.frameStartedLoading", self._started_loading)
        session.on("Page.frameNavigated", self._navigated)
        session.on("Page.frameStoppedLoading", self._stopped_loading)
        session.on("Page.windowOpen", self._window_asked_for)
        session.on("Page.frameRequestedNavigation", self._navigation_asked_for)
        tree = await self.send("Page.getFrameTree")
        self._main_frame = tree["frameTree"]["frame"]["id"]
        await self.send("Page.enable")
        await self.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": PAGE_SCRIPT, "worldName": WORLD, "runImmediately": True},
        )
        await self.call(
            self.page.set_viewport_size({"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT}), "setting the viewport"
        )

    async def send(
        self, method: str, parameters: dict[str, Any] | None = None, session: CDPSession | None = None
    ) -> dict[str, Any]:
        """One DevTools call, bounded, by the page's own session or that of a frame in another process.

        Raises:
            CallTimedOut, TabClosed, TabCrashed, DocumentReplaced: as named.
            PlaywrightError: the browser refused the call.
        """
        via = session or self._session
        if via is None:
            raise TabClosed(self.tab_id)
        answer: dict[str, Any] = await self.call(via.send(method, parameters or {}), method)
        return answer

    async def stop_loading(self) -> None:
        """Give up the navigation under way. Raises as :meth:`send`."""
        await self.send("Page.stopLoading")
        self.navigating = self.loading = False

    async def call(self, call: Any, what: str, seconds: float | None = None) -> Any:
        """Any call about this page, bounded, with its failures told apart. Raises as :meth:`send`."""
        try:
            return await bounded(self._unless_crashed(call), seconds or self._bounds.call, what)
        except PlaywrightError as error:
            trouble = await self._trouble(str(error))
            if trouble is None:
                raise
            raise trouble(self.tab_id) from error

    async def _unless_crashed(self, call: Any) -> Any:
        """The call's result; a crash ends it at once, since a dead renderer answers nothing."""
        asking = asyncio.ensure_future(call)
        try:
            await asyncio.wait({asking, self._crash}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            raise TabCrashed(self.tab_id)
        finally:
            asking.cancel()

    async def _trouble(self, text: str) -> type[TabTrouble] | None:
        """What became of the page, by an error of the driver; ``None``: nothing, the call itself was refused."""
        if "crashed" in text:
            return TabCrashed
        if any(sign in text for sign in (*_CLOSED, *_UNDRAWN)):
            # A crash ends the session first and is told after.
            await asyncio.sleep(CRASH_IS_TOLD_WITHIN)
        if self.crashed:
            return TabCrashed
        if any(sign in text for sign in _CLOSED) and (self.page.is_closed() or _BETWEEN not in text):
            return TabClosed
        if any(sign in text for sign in (*_REPLACED, *_UNDRAWN, _BETWEEN)):
            self._world = None
            return DocumentReplaced
        return None

    async def run(self, function: str, *arguments: Any) -> Any:
        """Call a function of the lane's script in the page. Raises as :meth:`send`."""
        return await self.run_in(await self.own_world(), function, *arguments)

    async def own_world(self) -> int:
        """The lane's world in the page's own frame. Raises as :meth:`send`."""
        if self._world is None:
            self._world = await self.world_of(self._main_frame)
        return self._world

    async def run_in(self, world: int, function: str, *arguments: Any, session: CDPSession | None = None) -> Any:
        """The same in a given world, which may belong to the session of a frame in another process."""
        listed = ", ".join(json.dumps(argument) for argument in arguments)
        question = f"(async () => globalThis.lane ? {{value: await lane.{function}({listed})}} : {{}})()"
        for _ in range(2):
            answer = await self._evaluate(world, question, session)
            if "value" in answer:
                return answer["value"]
            await self._evaluate(world, f"{PAGE_SCRIPT}; ({{}})", session)
        raise DocumentReplaced(self.tab_id)

    async def world_of(self, frame: str, session: CDPSession | None = None) -> int:
        """The lane's world in a frame. Raises as :meth:`send`."""
        parameters = {"frameId": frame, "worldName": WORLD}
        answer = await self.send("Page.createIsolatedWorld", parameters, session)
        return int(answer["executionContextId"])

    async def _evaluate(self, world: int, expression: str, session: CDPSession | None) -> dict[str, Any]:
        parameters = {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True}
        answer = await self.send("Runtime.evaluate", parameters, session)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            told = details.get("exception", {}).get("description") or details.get("text", "")
            raise PlaywrightError(f"the lane's script failed in the page: {told[:300]}")
        value = answer["result"].get("value")
        return value if isinstance(value, dict) else {}

    def _started_loading(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.navigating = self.loading = True

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" not in frame:
            self._main_frame = frame["id"]
            self._world = None
            self.documents.got()
            self.navigating = False
            self.chooser = None
            self.frame_sessions.clear()
            self.url = frame["url"]

    def _stopped_loading(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.navigating = self.loading = False

    def _window_asked_for(self, event: dict[str, Any]) -> None:
        if not self._is_for_another_program(event["url"]):
            self.expected_popups += 1

    def _navigation_asked_for(self, event: dict[str, Any]) -> None:
        if self._is_for_another_program(event["url"]):
            return
        within_document = "#" in event["url"] and event["url"].partition("#")[0] == self.url.partition("#")[0]
        if event["frameId"] == self._main_frame and not within_document:
            self.documents.asked()

    def _is_for_another_program(self, url: str) -> bool:
        """Whether no browser opens the address itself; if so, that is told."""
        scheme, colon, _ = url.partition(":")
        external = bool(colon) and scheme.lower() not in OWN_SCHEMES
        if external:
            self._tell("external_program", scheme=scheme.lower())
        return external
