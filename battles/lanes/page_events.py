"""Answers to what pages do unasked: dialogs, downloads, file choosers, failed loads, crashes.

Every handler answers at once. A dialog left open stops the page, its screenshot and its lane; a file
chooser left to the browser wedges the renderer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

from playwright.async_api import Dialog, Download, FileChooser, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import Bounds, CallTimedOut, bounded
from battles.lanes.incidents import Incidents
from battles.lanes.papers import MOST_BYTES, is_pdf, read_paper
from battles.lanes.tabs import AWAITED_KINDS, Tab
from battles.lanes.vocabulary import READ_LIMIT

#: Dialogs answered within one step. A page that asks for more has a loop in it, and would hold the lane for ever.
DIALOGS_PER_STEP = 60


class PageEvents:
    """The handlers of one lane's pages. ``floods`` are tabs whose page asks without end."""

    def __init__(self, incidents: Incidents, bounds: Bounds) -> None:
        self.floods: set[Page] = set()
        self._incidents = incidents
        self._bounds = bounds
        #: Size and type of the latest documents by their address, as their answers stated them.
        self._stated: dict[str, tuple[int | None, str]] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._reading: set[asyncio.Task[None]] = set()
        self._papers: list[str] = []

    def listen(self, tab: Tab) -> None:
        page = tab.page
        page.on("filechooser", lambda chooser: self._chooser(tab, chooser))
        page.on("download", self._download)
        page.on("request", lambda request: self._request(tab, request))
        page.on("requestfinished", lambda request: self._finished(tab, request))
        page.on("requestfailed", lambda request: self._failed(tab, request))
        page.on("response", lambda response: self._response(tab, response))

    def dialog(self, dialog: Dialog) -> None:
        """Accept a dialog; a prompt with its own default."""
        if self._incidents.count("dialog") >= DIALOGS_PER_STEP:
            self._flood(dialog.page)
            return
        facts = {"type": dialog.type, "message": dialog.message, "answer": "accepted"}
        if dialog.type == "prompt":
            facts["default"] = dialog.default_value
        self._incidents.add("dialog", **facts)
        text = dialog.default_value if dialog.type == "prompt" else None
        self._start(self._ignoring(dialog.accept(text) if text is not None else dialog.accept()))

    async def take_papers(self) -> str:
        """The text of the PDFs that came since the last call, read to their end within bounds."""
        if self._reading:
            await asyncio.wait(self._reading, timeout=self._bounds.paper + 1)
        text, self._papers = "\n\n".join(self._papers), []
        return text[:READ_LIMIT]

    async def idle(self) -> None:
        """Wait, within bounds, until every answer is given."""
        if self._running:
            await asyncio.wait(self._running, timeout=self._bounds.call)

    def _flood(self, page: Page | None) -> None:
        if page is None or page in self.floods:
            return
        self.floods.add(page)
        self._incidents.add("dialog_flood")
        self._start(self._ignoring(page.close()))

    def _chooser(self, tab: Tab, chooser: FileChooser) -> None:
        tab.chooser = chooser
        self._incidents.add("file_chooser", multiple=chooser.is_multiple())

    def _download(self, download: Download) -> None:
        size, mime = self._stated.get(download.url, (None, ""))
        if is_pdf(download.suggested_filename, mime) and (size or 0) <= MOST_BYTES:
            self._start(self._paper(download), self._reading)
            return
        facts: dict[str, Any] = {"name": download.suggested_filename, "url": download.url}
        if size:
            facts["size"] = size
        self._incidents.add("download", **facts)
        self._start(self._ignoring(download.cancel()))

    async def _paper(self, download: Download) -> None:
        paper = await read_paper(download, self._bounds.paper)
        self._papers.append(paper.text)
        self._incidents.add(
            "pdf",
            name=download.suggested_filename,
            url=download.url,
            size=paper.size,
            pages=paper.pages,
            characters=len(paper.text),
        )

    def _request(self, tab: Tab, request: Request) -> None:
        if request.resource_type in AWAITED_KINDS:
            tab.waiting_for.add(request)

    def _finished(self, tab: Tab, request: Request) -> None:
        tab.waiting_for.discard(request)

    def _failed(self, tab: Tab, request: Request) -> None:
        tab.waiting_for.discard(request)
        failure = request.failure or ""
        with contextlib.suppress(PlaywrightError):
            # An aborted load is a download, a second click, or our own history: nothing went wrong.
            if (
                request.is_navigation_request()
                and request.frame == tab.page.main_frame
                and "ERR_ABORTED" not in failure
            ):
                self._incidents.add("load_failed", url=request.url, error=failure)

    def _response(self, tab: Tab, response: Response) -> None:
        if response.request.resource_type != "document":
            return
        length = response.headers.get("content-length", "")
        mime = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        latest = dict(list(self._stated.items())[-20:])
        self._stated = {**latest, response.url: (int(length) if length.isdigit() else None, mime)}

    async def _ignoring(self, answer: Coroutine[Any, Any, None]) -> None:
        """Give an answer that may come too late: the page can be gone by then."""
        with contextlib.suppress(PlaywrightError, CallTimedOut):
            await bounded(answer, self._bounds.call, "answering a page")

    def _start(self, answer: Coroutine[Any, Any, None], among: set[asyncio.Task[None]] | None = None) -> None:
        tasks = self._running if among is None else among
        task = asyncio.ensure_future(answer)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
