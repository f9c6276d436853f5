"""The pages in a real Chromium: nothing the sites' own policy blocks, and the one script works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from arena_site.practice.library import Library
from arena_site.practice.museum import Museum
from arena_site.practice.shop import Shop
from arena_site.practice.timetable import Timetable
from battles.lanes.chromium import find_chromium
from tests.arena_site.practice.conftest import serving

TIMEOUT_MS = 20_000

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), chromium_sandbox=False, timeout=TIMEOUT_MS
        )
        yield browser
        browser.close()


@pytest.mark.parametrize(
    ("site_class", "paths"),
    [
        (Shop, ["/", "/department/garden", "/article/cairn-flask"]),
        (Library, ["/", "/search?q=birds", "/record/10118"]),
        (Timetable, ["/", "/journeys?from=Alderhaven&to=Oxmoor", "/departures"]),
        (Museum, ["/", "/collection", "/collection/1902-4", "/tours/dyers-and-weavers/book"]),
    ],
)
def test_nothing_is_blocked_or_missing_and_nothing_scrolls_sideways(site_class, paths, chromium):
    with serving(site_class()) as port:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(TIMEOUT_MS)
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("response", lambda response: complaints.append(response.url) if response.status >= 400 else None)
        for path in paths:
            page.goto(f"http://127.0.0.1:{port}{path}")
            assert page.evaluate("document.styleSheets.length") == 1
            assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")
            assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.close()
    assert complaints == []


def test_the_swap_button_of_the_planner_exchanges_the_stations(chromium):
    with serving(Timetable()) as port:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(f"http://127.0.0.1:{port}/")
        page.get_by_label("From").fill("Marram")
        page.get_by_label("To", exact=True).fill("Dunmere")
        page.get_by_role("button", name="Swap").click()
        page.get_by_role("button", name="Find journeys").click()
        assert page.get_by_role("heading", level=1).inner_text() == "Dunmere to Marram"
        page.close()
