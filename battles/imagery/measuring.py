"""How well the two detectors of pictures do: the shipped lines, drawn by a real Chromium, looked at by each alone."""

from __future__ import annotations

import asyncio
import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.async_api import async_playwright

from battles.imagery.page_reading import read_page
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import find_chromium
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, FrameShot
from battles.lanes.page_scripts import PAGE_SCRIPT
from governance.redaction.imagery_posture import ImageryMeasure, PictureCase
from governance.redaction.ocr import PictureOcr
from governance.redaction.pictures import Box, PictureReader, Rectangle

#: Where the parts that are personal stand; a clean line's own place.
_PLACES = """() => [...document.querySelectorAll('b')].map((part) => {
  const box = part.getBoundingClientRect();
  return [box.x, box.y, box.width, box.height];
})"""

#: Px that may stick out of a mask: the box of a text is higher than its letters.
STICKS_OUT = 3

PAGE_SCRIPT_SHA256 = hashlib.sha256(PAGE_SCRIPT.encode()).hexdigest()
"""SHA-256 of the script that the page detector runs."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The lines in a picture, the place of each one's detail (of the whole line where it is clean), and who drew it."""

    shot: FrameShot
    places: tuple[Rectangle, ...]
    browser: str


def draw(cases: Sequence[PictureCase]) -> Drawn:
    """Have Chromium draw the lines, one below the other, in a lane's view and the lane's own kind of picture."""
    return asyncio.run(_draw(cases))


def page_of(cases: Sequence[PictureCase]) -> str:
    lines = "".join(
        f'<p style="margin:8px 0;font-size:{case.px}px;line-height:1.2">{_marked(case)}</p>' for case in cases
    )
    return f'<!doctype html><title>Lines</title><body style="margin:12px;font-family:sans-serif">{lines}</body>'


def _marked(case: PictureCase) -> str:
    detail = case.detail or case.text
    before, _, after = case.text.partition(detail)
    return f'{html.escape(before)}<b style="font-weight:inherit">{html.escape(detail)}</b>{html.escape(after)}'


async def _draw(cases: Sequence[PictureCase]) -> Drawn:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=False)
        try:
            context = await chromium.new_context(viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT})
            browser = LaneBrowser(context)
            await browser.start()
            page = (await browser.front()).page
            await page.set_content(page_of(cases))
            await browser.settle()
            view = await browser.observe()
            places = await page.evaluate(_PLACES)
        finally:
            await chromium.close()
        return Drawn(view.frame, tuple(Rectangle(*place) for place in places), f"Chromium {chromium.version}")


def measure_imagery(cases: Sequence[PictureCase], drawn: Drawn) -> ImageryMeasure:
    """Look at the drawn lines with the page detector and with the picture detector, each by itself.

    Raises:
        OcrMissing: the extra that reads pictures is not installed.
    """
    by_page = read_page(PictureReader(), drawn.shot).boxes
    by_picture = PictureOcr().boxes(drawn.shot.image, width=drawn.shot.width, height=drawn.shot.height)
    kinds: dict[str, dict[str, int]] = {}
    clean = [0, 0, 0]
    missed: list[str] = []
    for case, place in zip(cases, drawn.places, strict=True):
        if not case.detail:
            touched = [any(_touches(box, place) for box in boxes) for boxes in (by_page, by_picture)]
            clean = [clean[0] + 1, clean[1] + touched[0], clean[2] + touched[1]]
            continue
        hits = [_covers(boxes, place) for boxes in (by_page, by_picture)]
        counted = kinds.setdefault(case.label, {"strings": 0, "by_page": 0, "by_picture": 0})
        counted["strings"] += 1
        counted["by_page"] += hits[0]
        counted["by_picture"] += hits[1]
        missed += [
            f"{detector}: {case.text}" for detector, hit in zip(("page", "picture"), hits, strict=True) if not hit
        ]
    return ImageryMeasure(
        strings=sum(each["strings"] for each in kinds.values()),
        by_page=sum(each["by_page"] for each in kinds.values()),
        by_picture=sum(each["by_picture"] for each in kinds.values()),
        clean=clean[0],
        clean_by_page=clean[1],
        clean_by_picture=clean[2],
        by_kind=dict(sorted(kinds.items())),
        missed=tuple(missed),
    )


def _covers(boxes: Sequence[Box], place: Rectangle) -> bool:
    """Whether the boxes leave nothing of a place readable, from its left end to its right one."""
    across = sorted(
        (box.x, box.x + box.width)
        for box in boxes
        if box.y <= place.y + STICKS_OUT and box.y + box.height >= place.y + place.height - STICKS_OUT
    )
    at = place.x + STICKS_OUT
    for left, right in across:
        if left > at:
            break
        at = max(at, right)
    return at >= place.x + place.width - STICKS_OUT


def _touches(box: Box, place: Rectangle) -> bool:
    return (
        box.x < place.x + place.width
        and place.x < box.x + box.width
        and box.y + STICKS_OUT < place.y + place.height
        and place.y + STICKS_OUT < box.y + box.height
    )
