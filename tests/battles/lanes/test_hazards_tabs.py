"""Windows that pages open become tabs of the lane's size, announced and limited in number."""

from __future__ import annotations

import pytest

from battles.lanes.browser import MOST_TABS
from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser


def test_a_link_to_a_new_tab_comes_to_the_front_and_is_told(hands: Hands) -> None:
    hands.go("/popups")
    hands.click("new tab")
    assert hands.view.title == "second"
    (opened,) = hands.changes("tab_opened")
    assert [tab.tab_id for tab in hands.view.tabs if tab.active] == [opened["tab_id"]]


def test_a_small_window_is_forced_to_the_size_of_every_view(hands: Hands) -> None:
    hands.go("/popups")
    hands.click("Small window")
    assert hands.view.title == "second"
    assert hands.evaluate("[innerWidth, innerHeight]") == [1280, 800]


def test_a_blank_window_is_adopted_too(hands: Hands) -> None:
    hands.go("/opens-blank")
    hands.click("Blank")
    assert len(hands.view.tabs) == 2
    assert hands.view.url == "about:blank"


def test_a_storm_of_windows_is_capped(hands: Hands) -> None:
    hands.go("/popups")
    hands.click("Storm")
    assert hands.changes("tab_refused")
    hands.do("wait", seconds=1)
    assert len(hands.view.tabs) <= MOST_TABS
    assert len(hands.browser.context.pages) <= MOST_TABS + 1
    assert hands.go("/").ok, "the lane goes on"


def test_too_many_tabs_are_refused_by_the_verb_as_well(hands: Hands) -> None:
    hands.go("/")
    for _ in range(MOST_TABS - 1):
        assert hands.do("tab", op="new").ok
    assert hands.do("tab", op="new").code == "not_usable"


def test_a_window_that_closes_itself_gives_the_front_back(hands: Hands) -> None:
    hands.go("/popups")
    hands.click("Short-lived")
    hands.do("wait", seconds=0.6)
    assert hands.view.title == "popups"
    assert len(hands.view.tabs) == 1
