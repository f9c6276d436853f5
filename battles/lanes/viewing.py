"""Looking at a page: one screenshot, its elements with references, and its fingerprint, taken together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import DocumentReplaced
from battles.lanes.closed_roots import DEEPEST, open_closed_roots
from battles.lanes.digests import page_digest
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Element, FrameShot
from battles.lanes.events import Tab as TabFacts
from battles.lanes.examining import page_words
from battles.lanes.foreign_frames import ForeignFrame, foreign_frames
from battles.lanes.listeners import ask_listeners
from battles.lanes.screenshots import MIME, screenshot
from battles.lanes.tabs import Tab
from governance.redaction.pictures import PageWords

if TYPE_CHECKING:
    from battles.lanes.browser import LaneBrowser

#: Longest title and address that are kept, in characters.
LONGEST_TITLE = 300
LONGEST_URL = 2_000


@dataclass(frozen=True, slots=True)
class Where:
    """Where a referenced element lives: its tab, and the foreign frame in it, if it is in one."""

    tab: Tab
    frame: ForeignFrame | None


@dataclass(slots=True)
class Sight:
    """What the agent can name: references of the newest observation, and of a ``read`` just before it."""

    places: dict[str, Where] = field(default_factory=dict)
    carried: dict[str, Where] = field(default_factory=dict)
    frames: list[ForeignFrame] = field(default_factory=list)
    next_number: int = 1


@dataclass(frozen=True, slots=True)
class View:
    """One look at the tab in front.

    ``start_text`` is the beginning of the page's text, for the signs of a bot wall; ``overlay`` is "", "dialog"
    or "fixed" by the rule in ``in_page/page.js``.
    """

    frame: FrameShot
    url: str
    title: str
    tabs: Sequence[TabFacts]
    elements: Sequence[Element]
    digest: str
    overlay: str
    start_text: str


async def look(browser: LaneBrowser, tab: Tab) -> View:
    """Take the screenshot and ask the page, at the same time.

    Raises:
        CallTimedOut, TabClosed, TabCrashed, DocumentReplaced: as :meth:`Tab.send`.
    """
    asking = asyncio.ensure_future(_ask(browser, tab))
    shooting = asyncio.ensure_future(_picture(browser, tab))
    try:
        facts, picture = await asyncio.gather(asking, shooting)
    finally:
        asking.cancel()
        shooting.cancel()
        await asyncio.wait({asking, shooting})
    # Only after the picture: drawing it wakes frames that were out of view, which hit tests need.
    elements, digests, page = await _ask_frames(browser, tab, facts)
    tab.title, tab.url = str(facts["title"])[:LONGEST_TITLE], str(facts["url"])[:LONGEST_URL]
    for note in dict.fromkeys(facts["notes"]):
        browser.incidents.add(note)
    return View(
        frame=FrameShot(image=picture, mime=MIME, page=page),
        url=tab.url,
        title=tab.title,
        tabs=[TabFacts(each.tab_id, each.title, each.url, each is tab) for each in browser.tabs],
        elements=elements,
        digest=page_digest(digests, picture, restless=facts["restless"]),
        overlay=facts["overlay"],
        start_text=facts["start"],
    )


async def _picture(browser: LaneBrowser, tab: Tab) -> bytes:
    """The picture begun while the page came to rest, or a new one."""
    early, browser.early = browser.early, None
    if early is not None and early.tab is tab and (picture := await early.take()) is not None:
        return picture
    return await screenshot(tab)


async def _ask(browser: LaneBrowser, tab: Tab) -> dict[str, Any]:
    try:
        answer = await _observed(tab, await tab.own_world(), browser.sight.next_number, None)
    except PlaywrightError:
        # A document our script cannot walk (a raw XML feed, a viewer) still has a picture.
        return {**_NOTHING, "url": tab.url, "title": tab.title, "next": browser.sight.next_number}
    return answer


async def _observed(tab: Tab, world: int, next_number: int, session: CDPSession | None) -> dict[str, Any]:
    """What the script sees in one document, closed roots and unmarked listeners told to it."""
    answer: dict[str, Any] = await tab.run_in(world, "observe", next_number, session=session)
    for _ in range(DEEPEST):
        if not answer["suspects"] or not await open_closed_roots(tab, world, session):
            break
        notes = answer["notes"]
        answer = await tab.run_in(world, "observe", answer["next"], session=session)
        answer["notes"] = [*notes, *answer["notes"]]
    if answer["unheard"] and await ask_listeners(tab, world, session):
        notes = answer["notes"]
        answer = await tab.run_in(world, "observe", answer["next"], session=session)
        answer["notes"] = [*notes, *answer["notes"]]
    return answer


async def _ask_frames(
    browser: LaneBrowser, tab: Tab, facts: dict[str, Any]
) -> tuple[list[Element], list[str], PageWords | None]:
    """All elements, document digests and words of the view: the page's own and those of its foreign frames."""
    sight = browser.sight
    sight.next_number = facts["next"]
    places = {entry["ref"]: Where(tab, None) for entry in facts["elements"]}
    elements = [as_element(entry) for entry in facts["elements"]]
    digests = [facts["digest"]]
    examined: list[tuple[ForeignFrame | None, dict[str, Any]]] = [(None, facts["examined"])]
    sight.frames = await foreign_frames(tab) if facts["foreign"] else []
    framed: list[Element] = []
    for frame in sight.frames:
        inner = await _ask_frame(tab, frame, sight.next_number)
        if inner is None:
            continue
        sight.next_number = inner["next"]
        places |= {entry["ref"]: Where(tab, frame) for entry in inner["elements"]}
        framed += [as_element(entry, frame) for entry in inner["elements"]]
        digests.append(inner["digest"])
        examined.append((frame, inner["examined"]))
    sight.places = places | sight.carried
    sight.carried = {}
    return elements + await _uncovered(tab, framed), digests, page_words(examined) if facts["examined"] else None


def _middle(element: Element) -> tuple[int, int]:
    right, bottom = min(element.x + element.width, VIEWPORT_WIDTH), min(element.y + element.height, VIEWPORT_HEIGHT)
    return (max(element.x, 0) + right) // 2, (max(element.y, 0) + bottom) // 2


async def _uncovered(tab: Tab, framed: list[Element]) -> list[Element]:
    """Without the elements of frames that the page around them covers or cuts off, which frames cannot know."""
    if not framed:
        return []
    on_top = await tab.run("onTop", [_middle(element) for element in framed])
    return [element for element, shown in zip(framed, on_top, strict=True) if shown]


_NOTHING: dict[str, Any] = {
    "elements": [],
    "digest": "",
    "foreign": 0,
    "restless": False,
    "overlay": "",
    "notes": [],
    "start": "",
    "examined": None,
}


async def _ask_frame(tab: Tab, frame: ForeignFrame, next_number: int) -> dict[str, Any] | None:
    try:
        return await _observed(tab, frame.world, next_number, frame.session)
    except (DocumentReplaced, PlaywrightError):
        return None


def as_element(entry: dict[str, Any], frame: ForeignFrame | None = None) -> Element:
    """An element as the page's script described it, moved to where its frame lies."""
    return Element(
        ref=entry["ref"],
        role=entry["role"],
        name=entry["name"],
        x=entry["x"] + (frame.x if frame else 0),
        y=entry["y"] + (frame.y if frame else 0),
        width=entry["width"],
        height=entry["height"],
        value=entry["value"],
        state=entry["state"],
    )
