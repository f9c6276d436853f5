"""Frames of other origins, which the page's own script cannot enter.

A frame of another origin on the same site shares its parent's process and DevTools session; one of another
site has a process and session of its own, and holds the frames inside it. All are entered through DevTools. Where
one lies is asked of the process that holds its element, frame by frame from the outside in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from playwright.async_api import CDPSession, Frame
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import CallTimedOut, DocumentReplaced
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.tabs import Tab

#: Frames of other origins that are looked into; advertising can bring dozens.
MOST_FRAMES = 6

#: Smallest frame worth a look, in px: below are tracking pixels.
SMALLEST = 20

_SHOWS = "function () { return !globalThis.lane || lane.shows(this); }"


@dataclass(frozen=True, slots=True)
class ForeignFrame:
    """A frame: identifier, world, session (``None``: the page's own) and the box of its content in the view.

    ``parent`` is the frame of another process that holds it, ``None`` where the page's own process does.
    """

    frame_id: str
    world: int
    session: CDPSession | None
    parent: ForeignFrame | None
    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Whether a point of the view shows this frame and not what its parents cut off."""
        inside = self.x <= x < self.x + self.width and self.y <= y < self.y + self.height
        return inside and (self.parent is None or self.parent.holds(x, y))


async def foreign_frames(tab: Tab) -> list[ForeignFrame]:
    """The visible frames of other origins, outermost first.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: as :meth:`Tab.send`.
    """
    found = await _within_process(tab, None)
    #: Frames with a process of their own, by the driver's frame.
    own: dict[Frame, ForeignFrame] = {}
    for driver_frame in tab.page.frames[1:]:
        if len(found) >= MOST_FRAMES:
            break
        session = await _session_of(tab, driver_frame)
        if session is None:
            continue
        entered = await _enter_process(tab, session, _holder(driver_frame, own))
        if entered:
            own[driver_frame] = entered
            found += [entered, *await _within_process(tab, entered)]
    return found[:MOST_FRAMES]


def innermost(frames: list[ForeignFrame], x: int, y: int) -> ForeignFrame | None:
    """The frame that a point of the view belongs to."""
    return next((frame for frame in reversed(frames) if frame.holds(x, y)), None)


async def moved(tab: Tab, frame: ForeignFrame) -> ForeignFrame:
    """The same frame where it lies now, after something was scrolled. Raises as :meth:`Tab.send`."""
    parent = await moved(tab, frame.parent) if frame.parent else None
    box = await _content_box(tab, frame.frame_id, parent)
    return replace(frame, parent=parent, x=box[0], y=box[1], width=box[2], height=box[3]) if box else frame


async def shown(tab: Tab, frames: list[ForeignFrame]) -> list[ForeignFrame]:
    """Those of the frames that can be seen by what holds them. Raises as :meth:`Tab.send`."""
    return [frame for frame in frames if await _is_shown(tab, frame)]


async def _is_shown(tab: Tab, frame: ForeignFrame) -> bool:
    session = frame.parent.session if frame.parent else None
    world = frame.parent.world if frame.parent else await tab.own_world()
    try:
        owner = await tab.send("DOM.getFrameOwner", {"frameId": frame.frame_id}, session)
        node = {"backendNodeId": owner["backendNodeId"], "executionContextId": world}
        holder = (await tab.send("DOM.resolveNode", node, session))["object"]["objectId"]
        asking = {"functionDeclaration": _SHOWS, "objectId": holder, "returnByValue": True}
        answer = await tab.send("Runtime.callFunctionOn", asking, session)
    except (PlaywrightError, DocumentReplaced):
        return True
    return answer["result"].get("value") is not False


def in_view(frame: ForeignFrame, x: int, y: int) -> bool:
    """Whether a point of a frame, in px of the view, can be seen."""
    return 0 <= x < VIEWPORT_WIDTH and 0 <= y < VIEWPORT_HEIGHT and frame.holds(x, y)


def _holder(driver_frame: Frame, own: dict[Frame, ForeignFrame]) -> ForeignFrame | None:
    above = driver_frame.parent_frame
    while above is not None and above not in own:
        above = above.parent_frame
    return own[above] if above is not None else None


async def _within_process(tab: Tab, process: ForeignFrame | None) -> list[ForeignFrame]:
    """Frames of other origins that share the process of ``process`` (``None``: the page's own)."""
    session = process.session if process else None
    try:
        tree = (await tab.send("Page.getFrameTree", None, session))["frameTree"]
    except (PlaywrightError, DocumentReplaced):
        return []
    found: list[ForeignFrame] = []
    for frame, parent in _children(tree):
        if len(found) < MOST_FRAMES and frame["securityOrigin"] != parent["securityOrigin"]:
            entered = await _enter(tab, frame["id"], session, process)
            if entered:
                found.append(entered)
    return found


def _children(tree: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for child in tree.get("childFrames", ()):
        yield child["frame"], tree["frame"]
        yield from _children(child)


async def _session_of(tab: Tab, frame: Frame) -> CDPSession | None:
    """The frame's own DevTools session; ``None`` when it lives in its parent's process."""
    known = tab.frame_sessions.get(frame)
    if known is not None:
        return known
    try:
        session: CDPSession = await tab.call(tab.page.context.new_cdp_session(frame), "attaching to a frame")
    except (PlaywrightError, DocumentReplaced):
        return None
    tab.frame_sessions[frame] = session
    return session


async def _enter_process(tab: Tab, session: CDPSession, parent: ForeignFrame | None) -> ForeignFrame | None:
    try:
        tree = await tab.send("Page.getFrameTree", None, session)
    except (PlaywrightError, DocumentReplaced, CallTimedOut):
        return None
    return await _enter(tab, tree["frameTree"]["frame"]["id"], session, parent)


async def _enter(
    tab: Tab, frame_id: str, session: CDPSession | None, parent: ForeignFrame | None
) -> ForeignFrame | None:
    try:
        box = await _content_box(tab, frame_id, parent)
        if box is None:
            return None
        return ForeignFrame(frame_id, await tab.world_of(frame_id, session), session, parent, *box)
    except (PlaywrightError, DocumentReplaced):
        return None


async def _content_box(tab: Tab, frame_id: str, parent: ForeignFrame | None) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of a frame's content in the view; ``None`` when it is too small to be meant."""
    session = parent.session if parent else None
    owner = await tab.send("DOM.getFrameOwner", {"frameId": frame_id}, session)
    box = await tab.send("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}, session)
    left, top, right, _, _, bottom = box["model"]["content"][:6]
    width, height = right - left, bottom - top
    if width < SMALLEST or height < SMALLEST:
        return None
    x, y = (parent.x, parent.y) if parent else (0, 0)
    return round(left) + x, round(top) + y, round(width), round(height)
