"""The pointer: aiming at a point or a referenced element, clicking, dragging, turning the wheel."""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from battles.lanes.bounds import DocumentReplaced
from battles.lanes.browser import LaneBrowser
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.foreign_frames import ForeignFrame, in_view, innermost, moved
from battles.lanes.keyboard import RELEASE_SECONDS, holding
from battles.lanes.tabs import Tab

#: Moves between two points of a drag. Libraries start a drag only after several moves, some after a distance.
DRAG_MOVES = 10

#: Seconds that the moves of a drag may take. The browser gives a page the moves of one frame together, so that a
#: long path, or a slow page, shows it fewer of them, as with a quick hand. Each point has a frame of its own.
DRAG_SECONDS = 0.8
FRAME_SECONDS = 1 / 60

#: Tries to aim while the page is being replaced.
TRIES = 3

#: Inputs whose picker is drawn by the browser and takes no clicks, each with a value that can be typed.
NATIVE_PICKERS = {
    "date": "2026-12-25",
    "datetime-local": "2026-12-25T18:30",
    "month": "2026-12",
    "week": "2026-W52",
    "time": "18:30",
    "color": "#ff8800",
}

#: Types of input that say by themselves that what goes in is personal, whatever the field is called.
PERSONAL_TYPES = frozenset({"password", "email", "tel"})

Facts = Mapping[str, Any]


def asked_for(facts: Facts) -> dict[str, str]:
    """The type of an input whose words are personal, for the record of what is typed into it; else nothing."""
    return {"type": facts["kind"]} if facts.get("kind") in PERSONAL_TYPES else {}


@dataclass(frozen=True, slots=True)
class Aim:
    """Where an action goes: a point of the view, what is there, and the record of it."""

    x: int
    y: int
    facts: Facts
    ref: str = ""

    @property
    def target(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "y": self.y,
            "ref": self.ref,
            "role": self.facts.get("role", ""),
            "name": self.facts.get("name", ""),
            "box": [self.facts.get(key, 0) for key in ("x", "y", "width", "height")],
            **asked_for(self.facts),
        }

    @property
    def words(self) -> str:
        """The target as an agent is told of it."""
        role, name = self.facts.get("role", ""), self.facts.get("name", "")
        return f"{role} {name!r}" if name else role or "the page"


@dataclass(frozen=True, slots=True)
class Missed:
    """There is nothing to act on, and why."""

    message: str
    target: dict[str, Any]


async def aim(browser: LaneBrowser, arguments: Mapping[str, Any], ref_key: str = "ref") -> Aim | Missed:
    """Where the arguments of a verb point to; a referenced element is brought into view.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: the page cannot be asked.
    """
    tab = await browser.front()
    missed: dict[str, Any] = {"ref": arguments[ref_key]} if ref_key in arguments else {}
    found: Aim | Missed = Missed("The page was replaced meanwhile; look again.", missed)
    for _ in range(TRIES):
        try:
            if ref_key in arguments:
                found = await _aim_at_element(browser, tab, arguments[ref_key])
            else:
                found = await _aim_at_point(browser, tab, arguments["x"], arguments["y"])
            break
        except DocumentReplaced:
            continue
    browser.aimed_at = found.target
    return found


async def _aim_at_element(browser: LaneBrowser, tab: Tab, ref: str) -> Aim | Missed:
    place = browser.sight.places.get(ref)
    nothing = {"ref": ref}
    if place is None:
        return Missed(f"There is no {ref} in the latest observation; references change with each one.", nothing)
    if place.tab is not tab:
        return Missed(f"{ref} is on another tab.", nothing)
    frame = place.frame
    if frame is None:
        found = await tab.run("locate", ref)
    else:
        found, frame = await _locate_in_frame(browser, tab, frame, ref)
    if found.get("missing"):
        return Missed(f"{ref} is no longer on the page; see what there is now.", nothing)
    facts = _shifted(found, frame.x, frame.y) if frame else found
    described = {**Aim(facts["x"], facts["y"], facts, ref).target}
    if found.get("hidden"):
        return Missed(f"{ref} is hidden now; something may have to be opened first.", described)
    if found.get("covered"):
        by = f" by {found['by']}" if found.get("by") else ""
        return Missed(f"{ref} is covered{by}; move or close that first.", described)
    point = found["point"]
    return Aim(point["x"] + (frame.x if frame else 0), point["y"] + (frame.y if frame else 0), facts, ref)


async def _locate_in_frame(browser: LaneBrowser, tab: Tab, frame: ForeignFrame, ref: str) -> tuple[Facts, ForeignFrame]:
    for _ in range(TRIES):
        found = await tab.run_in(frame.world, "locate", ref, session=frame.session)
        frame = await moved(tab, frame)
        point = found.get("point")
        if point is None or in_view(frame, point["x"] + frame.x, point["y"] + frame.y):
            break
        await tab.run_in(frame.world, "bring", ref, session=frame.session)
        await asyncio.sleep(browser.bounds.quiet)
    return found, frame


async def _aim_at_point(browser: LaneBrowser, tab: Tab, x: int, y: int) -> Aim:
    facts = await tab.run("at", x, y)
    if facts and facts["foreign"]:
        frame = innermost(browser.sight.frames, x, y)
        if frame is not None:
            inner = await tab.run_in(frame.world, "at", x - frame.x, y - frame.y, session=frame.session)
            if inner:
                return Aim(x, y, _shifted(inner, frame.x, frame.y))
    return Aim(x, y, facts or {})


def _shifted(facts: Facts, dx: int, dy: int) -> Facts:
    return {**facts, "x": facts["x"] + dx, "y": facts["y"] + dy}


async def click(browser: LaneBrowser, at: Aim, button: str, count: int, modifiers: Sequence[str]) -> None:
    """Click, with keys held. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    mouse = tab.page.mouse
    # A move comes back with the frame that shows what it did: what hovering puts there is what a person would press.
    await tab.call(mouse.move(at.x, at.y), "moving the pointer")
    async with holding(tab, modifiers):
        await tab.call(mouse.click(at.x, at.y, button=button, click_count=count), "clicking")  # type: ignore[arg-type]  # checked by the schema's enum


async def hover(browser: LaneBrowser, at: Aim) -> None:
    """Put the pointer there. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    # Two moves: a page that watches for movement sees one even when the pointer was there already.
    await tab.call(tab.page.mouse.move(max(0, at.x - 1), at.y), "moving the pointer")
    await tab.call(tab.page.mouse.move(at.x, at.y), "moving the pointer")


async def drag(browser: LaneBrowser, points: Sequence[tuple[int, int]], modifiers: Sequence[str]) -> None:
    """Drag along the points, in small moves. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    mouse = tab.page.mouse
    async with holding(tab, modifiers):
        await tab.call(mouse.move(*points[0]), "moving the pointer")
        await tab.call(mouse.down(), "pressing the button")
        try:
            began = time.monotonic()
            for number, (start, end) in enumerate(itertools.pairwise(points)):
                left = began + DRAG_SECONDS - time.monotonic()
                at_once = _moves_at_once(left / (len(points) - 1 - number))
                moves = [_between(start, end, step / DRAG_MOVES) for step in range(1, DRAG_MOVES + 1)]
                for first in range(0, DRAG_MOVES, at_once):
                    together = [mouse.move(x, y) for x, y in moves[first : first + at_once]]
                    await tab.call(asyncio.gather(*together), "dragging")
        finally:
            await tab.call(mouse.up(), "releasing the button", RELEASE_SECONDS)


def _moves_at_once(seconds: float) -> int:
    """Moves sent for one frame, so that those between two points take about so many seconds."""
    frames = max(1, min(DRAG_MOVES, int(seconds / FRAME_SECONDS)))
    return math.ceil(DRAG_MOVES / frames)


def _between(start: tuple[int, int], end: tuple[int, int], share: float) -> tuple[float, float]:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


async def scroll(browser: LaneBrowser, at: Aim, dx: int, dy: int) -> None:
    """Turn the wheel over a point. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    await tab.call(tab.page.mouse.move(at.x, at.y), "moving the pointer")
    await tab.call(tab.page.mouse.wheel(dx, dy), "turning the wheel")


def centre() -> dict[str, int]:
    """The middle of the view, where a wheel turns when nothing else is said."""
    return {"x": VIEWPORT_WIDTH // 2, "y": VIEWPORT_HEIGHT // 2}
