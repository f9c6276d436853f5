"""When a page counts as at rest, and when a picture begun before that may stand for it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from battles.lanes.screenshots import FRESH, EarlyPicture
from tests.battles.lanes.conftest import BOUNDS, Hands

pytestmark = pytest.mark.browser

#: Things a page does to itself 40 ms after it was told to, each noting when in ``changedAt``: before whoever watches
#: the page hears of it.
CHANGES = {
    "an element": "setTimeout(() => { changedAt = performance.now(); document.body.append('more'); }, 40)",
    "a transition": "addEventListener('transitionend', () => { changedAt = performance.now(); }, true);"
    "document.body.className = 'on'",
    "a picture": "document.addEventListener('load', () => { changedAt = performance.now(); }, true);"
    "const picture = new Image(); document.body.append(picture); setTimeout(() => { picture.src = PIXEL; }, 40)",
    "a form field": "const field = document.createElement('input'); document.body.append(field);"
    "setTimeout(() => { changedAt = performance.now(); field.value = 'x'; "
    "field.dispatchEvent(new Event('input', { bubbles: true })); }, 40)",
    "a scroll position": "document.body.style.height = '3000px'; addEventListener('scroll', () => "
    "{ changedAt = performance.now(); }, true); setTimeout(() => scrollTo(0, 100), 40)",
}
PIXEL = "'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'"

#: The page may note its own change after whoever watches it did, and be interrupted in between; a change that nobody
#: saw is off by twice that.
NOTED_LATER_MS = 20


def _settle(hands: Hands, milliseconds: int) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        answer: dict[str, Any] = await (await hands.browser.front()).run("settle", milliseconds, 2_000)
        return answer

    return hands.loop.run(ask())


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_can_be_seen_to_change_makes_an_earlier_picture_old(hands: Hands, change: str) -> None:
    hands.go("/late-paint")
    hands.evaluate(f"(() => {{ window.changedAt = 0; {CHANGES[change].replace('PIXEL', PIXEL)}; }})()")
    still = _settle(hands, 120)["still"]
    changed_at, now = hands.evaluate("[changedAt, performance.now()]")
    assert changed_at, "the page did change"
    assert still <= now - changed_at + NOTED_LATER_MS, "no stillness is claimed from before the change"


@pytest.mark.parametrize("path", ["/canvas", "/frames"])
def test_where_changes_cannot_all_be_seen_no_stillness_is_claimed(hands: Hands, path: str) -> None:
    hands.go(path)
    rest = _settle(hands, 50)
    assert rest["calm"]
    assert rest["still"] is None


def test_a_quiet_page_is_still_for_all_the_time_it_was_watched(hands: Hands) -> None:
    hands.go("/second")
    rest = _settle(hands, 80)
    assert rest["calm"]
    assert rest["still"] >= 80


def test_an_early_picture_stands_for_the_page_only_while_nothing_changed_since_it_was_begun(hands: Hands) -> None:
    async def take() -> tuple[bool, bool, bool, bytes | None, bytes | None]:
        picture = EarlyPicture(await hands.browser.front(), BOUNDS)
        await asyncio.sleep(0.3)
        unknown, changed, unchanged = picture.shows(None), picture.shows(100.0), picture.shows(10_000.0)
        at_once = await picture.take()
        await asyncio.sleep(FRESH + 0.05)
        return unknown, changed, unchanged, at_once, await picture.take()

    hands.go("/second")
    unknown, changed, unchanged, at_once, late = hands.loop.run(take())
    assert (unknown, changed, unchanged) == (False, False, True)
    assert at_once
    assert late is None, "an old one stands for nothing"


def test_a_step_does_not_keep_a_picture_of_before_it(hands: Hands) -> None:
    hands.go("/second")
    before = hands.view.frame.image
    hands.evaluate("document.body.style.background = 'teal'")
    began = time.monotonic()
    hands.do("wait", seconds=0.1)
    assert hands.view.frame.image != before
    assert time.monotonic() - began < 10
