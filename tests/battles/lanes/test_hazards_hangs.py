"""Pages that hang, crash, stay busy or never finish loading."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.async_api import Browser, async_playwright

from battles.lanes.bounds import PageHung
from battles.lanes.browser import SAME_CRASH, LaneBrowser
from battles.lanes.chromium import find_chromium
from battles.lanes.incidents import in_words
from tests.battles.lanes.conftest import BOUNDS, Hands, Loop
from tests.battles.lanes.pond_site import Pond

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/hang", "/hang-later"])
def test_an_endless_loop_is_found_out_in_bounded_time(hands: Hands, path: str) -> None:
    hands.go(path)
    began = time.monotonic()
    with pytest.raises(PageHung):
        hands.click("Hang")
    assert time.monotonic() - began < BOUNDS.call + BOUNDS.probe + 4


def test_a_page_that_is_busy_for_a_second_is_waited_for(hands: Hands) -> None:
    hands.go("/busy")
    assert hands.click("Work").ok
    assert hands.view.title == "busy done"


def _crash(hands: Hands) -> None:
    """End the renderer of the tab in front, as running out of memory does. The call itself is never answered."""

    async def crash() -> None:
        page = (await hands.browser.front()).page
        session = await page.context.new_cdp_session(page)
        crashed = asyncio.Event()
        page.once("crash", lambda _: crashed.set())
        asking = asyncio.ensure_future(session.send("Page.crash"))
        await asyncio.wait_for(crashed.wait(), 5)
        asking.cancel()

    hands.loop.run(crash())


def test_a_crashed_tab_is_opened_again_once_on_the_same_address(hands: Hands) -> None:
    hands.go("/oom")
    _crash(hands)
    hands.look()
    assert hands.view.title == "crash"
    assert "home" in [element.name for element in hands.view.elements]
    reopened = [change for change in hands.browser.incidents.take() if change["kind"] == "tab_reopened"]
    assert reopened[0]["url"].endswith("/oom")
    hands.do("wait", seconds=SAME_CRASH + 0.2)
    _crash(hands)
    with pytest.raises(PageHung):
        hands.look()


def test_a_crash_during_a_step_is_that_steps_result(hands: Hands) -> None:
    hands.go("/oom")
    reference = hands.find("Still here").ref
    _crash(hands)
    result = hands.do("click", ref=reference)
    assert result.code == "tab_crashed"
    assert hands.changes("tab_reopened")
    assert hands.view.title == "crash"


def test_tabs_that_die_in_one_crash_are_one_crash(hands: Hands) -> None:
    hands.go("/popups")
    hands.click("Small window")
    assert len(hands.view.tabs) == 2
    _crash(hands)
    assert hands.look().title == "second"
    assert len(hands.view.tabs) == 1


@pytest.mark.parametrize("path", ["/slow-picture", "/slow-font"])
def test_what_never_arrives_does_not_hold_the_page(hands: Hands, path: str) -> None:
    began = time.monotonic()
    assert hands.go(path).ok
    assert time.monotonic() - began < BOUNDS.settle + 2.5
    assert len(hands.view.frame.image) > 1000


def test_a_site_that_never_answers_is_a_result(make_hands: Callable[..., Hands]) -> None:
    bounds = type(BOUNDS)(call=4.0, probe=1.5, commit=1.5)
    hands = make_hands(bounds)
    result = hands.go("/never")
    assert result.code == "timed_out"


def test_a_link_to_a_site_that_never_answers_is_given_up(make_hands: Callable[..., Hands]) -> None:
    bounds = type(BOUNDS)(call=4.0, probe=1.5, commit=1.5)
    hands = make_hands(bounds)
    hands.go("/links")
    assert hands.click("Never").ok
    assert hands.changes("load_stopped")
    assert hands.view.title == "links", "the page stays, and answers"


def test_what_a_click_fetches_is_waited_for(hands: Hands) -> None:
    hands.go("/slow-fetch")
    hands.click("Load")
    assert "late words" in hands.do("read", what="text").text


def test_a_slow_page_behind_a_link_is_waited_for(hands: Hands) -> None:
    hands.go("/links")
    hands.click("Slow page")
    assert hands.view.title == "slow page"


def test_a_page_that_changes_without_end_is_looked_at_after_a_moment(hands: Hands) -> None:
    began = time.monotonic()
    hands.go("/ticker")
    assert time.monotonic() - began < BOUNDS.settle + 2


def test_a_redirect_by_script_is_followed_before_we_look(hands: Hands) -> None:
    hands.go("/redirect-chain")
    assert hands.view.title == "second"


def test_a_page_whose_answer_never_ends_costs_its_patience_once(hands: Hands) -> None:
    began = time.monotonic()
    assert hands.go("/drip").ok
    assert time.monotonic() - began < BOUNDS.settle + 2.5
    began = time.monotonic()
    hands.do("hover", x=600, y=400)
    assert time.monotonic() - began < BOUNDS.settle, "later steps do not wait for the same load again"
    hands.click("Onwards")
    assert hands.view.title == "second"


@pytest.mark.parametrize("by", ["address", "link"])
def test_redirects_without_end_are_a_result(hands: Hands, by: str) -> None:
    hands.go("/loops")
    result = hands.go("/round") if by == "address" else hands.click("Redirects")
    told = [result.message, *(in_words(change) for change in hands.changes("load_failed"))]
    assert any("The site redirects without end." in words for words in told)
    assert hands.go("/second").ok


@pytest.mark.parametrize("link", ["Refreshes", "Scripts", "Timers"])
def test_a_page_that_replaces_itself_without_end_is_ended(hands: Hands, link: str) -> None:
    hands.go("/loops")
    hands.click(link)
    told = []
    # A loop is so many documents in so many seconds, and a busy machine brings them slowly.
    for _ in range(60):
        told += [change["kind"] for change in hands.done.result.changes]
        if told:
            break
        began = time.monotonic()
        hands.do("hover", x=5, y=5)
        assert time.monotonic() - began < BOUNDS.call + BOUNDS.settle + 2
    assert told == ["loop_left"]
    assert hands.view.url == "about:blank"
    assert hands.go("/second").ok
    assert hands.view.title == "second", "the lane goes on"


QUICK = 14


def _kinds(hands: Hands) -> list[str]:
    return [change["kind"] for change in hands.done.result.changes]


@pytest.mark.parametrize("way", ["address", "history", "link", "keys"])
def test_a_quick_agent_is_no_loop(hands: Hands, way: str) -> None:
    hands.go("/")
    hands.go("/second")
    told: list[str] = []
    for number in range(QUICK):
        there = number % 2
        if way == "address":
            hands.go("/second" if there else "/")
        elif way == "history":
            hands.do("history", go="forward" if there else "back")
        elif way == "link":
            hands.click("second page" if there else "home page")
        else:
            hands.do("press", keys="Tab Enter")
        told += _kinds(hands)
    assert told == []
    assert hands.view.title in {"home", "second"}


def test_what_a_page_does_after_a_step_asked_for_it_counts(make_hands: Callable[..., Hands]) -> None:
    hands = make_hands()
    tab = hands.loop.run(hands.browser.front())
    hands.go("/redirect-chain")
    tab.documents.forget()
    hands.go("/redirect-chain")
    assert tab.documents.counted == 1, "the redirect of the page, and not the address that was asked for"


@pytest.mark.parametrize("path", ["/script-loop", "/meta-loop"])
def test_a_loop_that_an_address_leads_to_is_still_ended(hands: Hands, path: str) -> None:
    hands.go(path)
    told = _kinds(hands)
    for _ in range(60):
        if told:
            break
        hands.do("press", keys="Shift")
        told += _kinds(hands)
    assert set(told) == {"loop_left"}


@pytest.fixture
def small_heap(loop: Loop) -> Iterator[Browser]:
    """A browser whose pages may keep 64 MB, so that one runs out of memory within a second."""
    playwright = loop.run(async_playwright().start(), 60)
    starting = playwright.chromium.launch(
        executable_path=find_chromium(), chromium_sandbox=False, args=["--js-flags=--max-old-space-size=64"]
    )
    browser = loop.run(starting, seconds=60)
    yield browser
    loop.run(browser.close())
    loop.run(playwright.stop())


def test_a_page_that_really_runs_out_of_memory_is_opened_again(loop: Loop, small_heap: Browser, pond: Pond) -> None:
    browser = LaneBrowser(loop.run(small_heap.new_context()), bounds=replace(BOUNDS, call=15.0))
    loop.run(browser.start())
    hands = Hands(loop, browser, pond)
    hands.go("/heap")
    result = hands.click("Take all")
    assert result.code == "tab_crashed"
    assert hands.changes("tab_reopened")
    assert hands.view.title == "heap"
    hands.click("Second")
    assert hands.view.title == "second", "the reopened page is used like any other"


def test_an_endless_animation_neither_blocks_nor_counts_as_change(hands: Hands) -> None:
    hands.go("/animation")
    before = hands.view.digest
    hands.click("Nothing")
    document_before, _, pixels = before.partition(".")
    assert pixels == "~"
    hands.do("observe")
    assert hands.view.digest.endswith(".~")
    assert document_before != ""
