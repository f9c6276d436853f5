"""Looking at a page: one screenshot, its elements with references, and its fingerprint, taken together."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from battles.lanes.digests import page_digest
from battles.lanes.events import Element, FrameShot
from battles.lanes.events import Tab as TabFacts
from battles.lanes.foreign_frames import ForeignFrame, foreign_frames
from battles.lanes.tabs import DocumentReplaced, Tab

if TYPE_CHECKING:
    from battles.lanes.browser import LaneBrowser

#: JPEG at this quality keeps 11 px text legible and is encoded in a few ms, against some 60 ms for WebP.
JPEG_QUALITY = 80
MIME = "image/jpeg"

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
    shooting = asyncio.ensure_future(screenshot(tab))
    try:
        facts, picture = await asyncio.gather(asking, shooting)
    finally:
        asking.cancel()
        shooting.cancel()
        await asyncio.wait({asking, shooting})
    # Only after the picture: drawing it wakes frames that were out of view, which hit tests need.
    elements, digests = await _ask_frames(browser, tab, facts)
    tab.title, tab.url = str(facts["title"])[:LONGEST_TITLE], str(facts["url"])[:LONGEST_URL]
    for note in dict.fromkeys(facts["notes"]):
        browser.incidents.add(note)
    return View(
        frame=FrameShot(image=picture, mime=MIME),
        url=tab.url,
        title=tab.title,
        tabs=[TabFacts(each.tab_id, each.title, each.url, each is tab) for each in browser.tabs],
        elements=elements,
        digest=page_digest(digests, picture, restless=facts["restless"]),
        overlay=facts["overlay"],
        start_text=facts["start"],
    )


async def screenshot(tab: Tab, clip: dict[str, float] | None = None) -> bytes:
    """The view as the browser drew it, by DevTools: no waiting for fonts, no side effects on the page.

    Raises:
        CallTimedOut, TabClosed, TabCrashed, DocumentReplaced: as :meth:`Tab.send`.
    """
    wanted: dict[str, Any] = {"format": "jpeg", "quality": JPEG_QUALITY, "optimizeForSpeed": True}
    if clip is not None:
        wanted["clip"] = clip
    answer = await tab.send("Page.captureScreenshot", wanted)
    return base64.b64decode(answer["data"])


async def _ask(browser: LaneBrowser, tab: Tab) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = await tab.run("observe", browser.sight.next_number)
    except PlaywrightError:
        # A document our script cannot walk (a raw XML feed, a viewer) still has a picture.
        return {**_NOTHING, "url": tab.url, "title": tab.title, "next": browser.sight.next_number}
    return answer


async def _ask_frames(browser: LaneBrowser, tab: Tab, facts: dict[str, Any]) -> tuple[list[Element], list[str]]:
    """All elements and document digests of the view: the page's own and those of its foreign frames."""
    sight = browser.sight
    sight.next_number = facts["next"]
    places = {entry["ref"]: Where(tab, None) for entry in facts["elements"]}
    elements = [as_element(entry) for entry in facts["elements"]]
    digests = [facts["digest"]]
    sight.frames = await foreign_frames(tab) if facts["foreign"] else []
    for frame in sight.frames:
        inner = await _ask_frame(tab, frame, sight.next_number)
        if inner is None:
            continue
        sight.next_number = inner["next"]
        places |= {entry["ref"]: Where(tab, frame) for entry in inner["elements"]}
        elements += [as_element(entry, frame) for entry in inner["elements"]]
        digests.append(inner["digest"])
    sight.places = places | sight.carried
    sight.carried = {}
    return elements, digests


_NOTHING: dict[str, Any] = {
    "elements": [],
    "digest": "",
    "foreign": 0,
    "restless": False,
    "overlay": "",
    "notes": [],
    "start": "",
}


async def _ask_frame(tab: Tab, frame: ForeignFrame, next_number: int) -> dict[str, Any] | None:
    session: CDPSession | None = frame.session
    try:
        answer: dict[str, Any] = await tab.run_in(frame.world, "observe", next_number, session=session)
    except (DocumentReplaced, PlaywrightError):
        return None
    return answer


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
