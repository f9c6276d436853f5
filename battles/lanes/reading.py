"""Reading a page beyond its view: its text, all of its elements, an enlarged part of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from battles.lanes.browser import LaneBrowser
from battles.lanes.closed_roots import DEEPEST, open_closed_roots
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Element, FrameShot
from battles.lanes.foreign_frames import ForeignFrame, foreign_frames, innermost, shown
from battles.lanes.listeners import ask_listeners
from battles.lanes.outcomes import Outcome, failed
from battles.lanes.pointer import Aim
from battles.lanes.screenshots import MIME, screenshot
from battles.lanes.tabs import Tab
from battles.lanes.viewing import Where, as_element
from battles.lanes.vocabulary import READ_LIMIT

#: An enlargement beyond this shows no more, only blur.
MOST_ENLARGED = 8

#: Smallest part that can be enlarged, in px.
SMALLEST_PART = 8


async def read(browser: LaneBrowser, arguments: Mapping[str, Any]) -> Outcome:
    """The text or the elements of the whole page, or of one element. Raises as :meth:`Tab.run`."""
    tab = await browser.front()
    ref = arguments.get("ref", "")
    place = browser.sight.places.get(ref) if ref else None
    if ref and (place is None or place.tab is not tab):
        return failed("not_found", f"There is no {ref} in the latest observation.", target={"ref": ref})
    frames: list[ForeignFrame | None] = [place.frame] if place else [None, *await shown(tab, await foreign_frames(tab))]
    if arguments["what"] == "text":
        return await _text(tab, ref, frames)
    return await _elements(browser, tab, ref, frames)


async def _text(tab: Tab, ref: str, frames: list[ForeignFrame | None]) -> Outcome:
    parts: list[str] = []
    length = 0
    for frame in frames:
        answer = await _opened(tab, frame, "readText", ref, READ_LIMIT)
        if answer.get("missing"):
            return failed("not_found", f"{ref} is no longer on the page.", target={"ref": ref})
        parts.append(answer["text"])
        length += answer["length"]
    text = "\n".join(part for part in parts if part)[:READ_LIMIT]
    cut = f"; the first {READ_LIMIT:,} are shown" if length > READ_LIMIT else ""
    return Outcome(f"The text has {length:,} characters{cut}.", text=text)


async def _elements(browser: LaneBrowser, tab: Tab, ref: str, frames: list[ForeignFrame | None]) -> Outcome:
    sight = browser.sight
    lines: list[str] = []
    more = False
    for frame in frames:
        answer = await _opened(tab, frame, "readElements", sight.next_number, ref)
        if answer.get("missing"):
            return failed("not_found", f"{ref} is no longer on the page.", target={"ref": ref})
        sight.next_number = answer["next"]
        for entry in answer["elements"]:
            sight.carried[entry["ref"]] = Where(tab, frame)
            lines.append(element_line(as_element(entry, frame)))
        more = more or answer["more"]
    sight.places |= sight.carried
    text = "\n".join(lines)
    if len(text) > READ_LIMIT:
        text = text[:READ_LIMIT].rpartition("\n")[0]
    return Outcome(_counted(lines, text.count("\n") + 1, more), text=text)


def _counted(lines: list[str], shown: int, more: bool) -> str:
    """How many elements there are, and what to do when they are not all told."""
    if not any(" canvas " not in line for line in lines):
        return "Nothing here can be named: act by positions in the picture."
    if more or shown < len(lines):
        beyond = "more than " if more else ""
        return f"There are {beyond}{len(lines)} elements to act on; the first {shown} are shown. Read one part by ref."
    return f"There are {len(lines)} elements to act on."


def element_line(element: Element) -> str:
    """One element in one line: ``[ref_3] link "Cart" (10,20,80,18)``, then its value and state."""
    parts = [
        f'[{element.ref}] {element.role} "{element.name}" ({element.x},{element.y},{element.width},{element.height})'
    ]
    if element.value:
        parts.append(f'= "{element.value}"')
    for key, value in element.state.items():
        if isinstance(value, bool):
            parts.append(key if value else f"not {key}")
        elif isinstance(value, list):
            parts.append(f"{key}: {' | '.join(str(each) for each in value)}")
        else:
            parts.append(f"{key}: {value}")
    return " ".join(parts)


async def zoom(browser: LaneBrowser, arguments: Mapping[str, Any]) -> Outcome:
    """An enlarged part of the view. Raises as :meth:`Tab.send`."""
    tab = await browser.front()
    width, height = arguments["x1"] - arguments["x0"], arguments["y1"] - arguments["y0"]
    if width < SMALLEST_PART or height < SMALLEST_PART:
        return failed("not_usable", f"The part has to be at least {SMALLEST_PART} px wide and high.")
    scale = min(VIEWPORT_WIDTH / width, VIEWPORT_HEIGHT / height, MOST_ENLARGED)
    seen = (await tab.send("Page.getLayoutMetrics"))["cssVisualViewport"]
    clip = {
        "x": seen["pageX"] + arguments["x0"],
        "y": seen["pageY"] + arguments["y0"],
        "width": width,
        "height": height,
        "scale": scale,
    }
    picture = await screenshot(tab, clip)
    shot = FrameShot(picture, MIME, round(width * scale), round(height * scale))
    return Outcome(
        f"The screenshot shows ({arguments['x0']}, {arguments['y0']}) to ({arguments['x1']}, {arguments['y1']}) "
        f"enlarged {scale:.1f} times. Positions still mean the whole view.",
        picture=shot,
    )


async def ask_at(browser: LaneBrowser, at: Aim, function: str, *arguments: Any) -> dict[str, Any]:
    """Call ``function(ref, x, y, *arguments)`` in the document that ``at`` lies in. Raises as :meth:`Tab.run`."""
    tab = await browser.front()
    place = browser.sight.places.get(at.ref)
    frame = place.frame if place else innermost(browser.sight.frames, at.x, at.y)
    dx, dy = (frame.x, frame.y) if frame else (0, 0)
    return await _run(tab, frame, function, at.ref, at.x - dx, at.y - dy, *arguments)


async def _opened(tab: Tab, frame: ForeignFrame | None, function: str, *arguments: Any) -> dict[str, Any]:
    """The answer with what closed roots hold and what listens unmarked. Raises as :meth:`Tab.run`."""
    answer = await _run(tab, frame, function, *arguments)
    world, session = (frame.world, frame.session) if frame else (await tab.own_world(), None)
    for _ in range(DEEPEST):
        if not answer.get("suspects") or not await open_closed_roots(tab, world, session):
            break
        answer = await _run(tab, frame, function, *arguments)
    if answer.get("unheard") and await ask_listeners(tab, world, session):
        answer = await _run(tab, frame, function, *arguments)
    return answer


async def _run(tab: Tab, frame: ForeignFrame | None, function: str, *arguments: Any) -> dict[str, Any]:
    if frame is None:
        answer: dict[str, Any] = await tab.run(function, *arguments)
    else:
        answer = await tab.run_in(frame.world, function, *arguments, session=frame.session)
    return answer
