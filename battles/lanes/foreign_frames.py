"""Frames of other origins, which the page's own script cannot enter.

A frame of another origin on the same site shares the page's process and DevTools session; one of another
site has a process and session of its own. Both are entered through DevTools, and their place in the view is
that of the element that holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from playwright.async_api import CDPSession, Frame
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import CallTimedOut
from battles.lanes.tabs import DocumentReplaced, Tab

#: Frames of other origins that are looked into; advertising can bring dozens.
MOST_FRAMES = 6

#: Smallest frame worth a look, in px: below are tracking pixels.
SMALLEST = 20


@dataclass(frozen=True, slots=True)
class ForeignFrame:
    """A frame: identifier, world, session (``None``: the page's own) and the box of its content in the view."""

    frame_id: str
    world: int
    session: CDPSession | None
    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


async def foreign_frames(tab: Tab) -> list[ForeignFrame]:
    """The visible frames of other origins, outermost first.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: as :meth:`Tab.send`.
    """
    found: list[ForeignFrame] = []
    tree = (await tab.send("Page.getFrameTree"))["frameTree"]
    for frame, parent in _children(tree):
        if len(found) < MOST_FRAMES and frame["securityOrigin"] != parent["securityOrigin"]:
            entered = await _enter(tab, frame["id"], None)
            if entered:
                found.append(entered)
    for playwright_frame in tab.page.frames[1:]:
        if len(found) >= MOST_FRAMES:
            break
        session = await _session_of(tab, playwright_frame)
        if session is not None:
            entered = await _enter_other_process(tab, session)
            if entered:
                found.append(entered)
    return found


async def moved(tab: Tab, frame: ForeignFrame) -> ForeignFrame:
    """The same frame where it lies now, after something was scrolled. Raises as :meth:`Tab.send`."""
    box = await _content_box(tab, frame.frame_id)
    return replace(frame, x=box[0], y=box[1], width=box[2], height=box[3]) if box else frame


def _children(tree: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for child in tree.get("childFrames", ()):
        yield child["frame"], tree["frame"]
        yield from _children(child)


async def _session_of(tab: Tab, frame: Frame) -> CDPSession | None:
    """The frame's own DevTools session; ``None`` when it lives in the page's process."""
    known = tab.frame_sessions.get(frame)
    if known is not None:
        return known
    try:
        session: CDPSession = await tab.call(tab.page.context.new_cdp_session(frame), "attaching to a frame")
    except (PlaywrightError, DocumentReplaced):
        return None
    tab.frame_sessions[frame] = session
    return session


async def _enter(tab: Tab, frame_id: str, session: CDPSession | None) -> ForeignFrame | None:
    try:
        box = await _content_box(tab, frame_id)
        if box is None:
            return None
        return ForeignFrame(frame_id, await tab.world_of(frame_id, session), session, *box)
    except (PlaywrightError, DocumentReplaced):
        return None


async def _enter_other_process(tab: Tab, session: CDPSession) -> ForeignFrame | None:
    try:
        tree = await tab.call(session.send("Page.getFrameTree"), "a frame's tree")
    except (PlaywrightError, DocumentReplaced, CallTimedOut):
        return None
    return await _enter(tab, tree["frameTree"]["frame"]["id"], session)


async def _content_box(tab: Tab, frame_id: str) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of a frame's content in the view, when it is held by the page's own process."""
    owner = await tab.send("DOM.getFrameOwner", {"frameId": frame_id})
    model = (await tab.send("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}))["model"]
    left, top, right, _, _, bottom = model["content"][:6]
    width, height = right - left, bottom - top
    if width < SMALLEST or height < SMALLEST:
        return None
    return round(left), round(top), round(width), round(height)
