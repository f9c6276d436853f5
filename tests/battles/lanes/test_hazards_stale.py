"""References to what has changed since the agent looked: used where it is now, or refused with the reason."""

from __future__ import annotations

import time

import pytest

from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser


def _change(hands: Hands) -> None:
    """Let the page change behind the agent's back, without a new look."""
    hands.evaluate("change()")


def test_an_element_that_moved_is_clicked_where_it_is(hands: Hands) -> None:
    hands.go("/stale")
    reference = hands.find("Moving").ref
    _change(hands)
    assert hands.do("click", ref=reference).ok
    assert hands.view.title == "moved clicked"
    assert hands.done is not None
    assert hands.done.target is not None
    assert hands.done.target["box"][:2] == [900, 600]


def test_an_element_that_was_replaced_is_gone_and_its_successor_has_a_reference(hands: Hands) -> None:
    hands.go("/stale")
    reference = hands.find("Replaced").ref
    _change(hands)
    result = hands.do("click", ref=reference)
    assert result.code == "not_found"
    assert "no longer on the page" in result.message
    assert hands.view.title == "stale", "nothing else was clicked instead"
    hands.do("click", ref=hands.find("Replaced").ref)
    assert hands.view.title == "new one clicked"


def test_an_element_that_was_hidden_is_refused_as_such(hands: Hands) -> None:
    hands.go("/stale")
    reference = hands.find("Hiding").ref
    _change(hands)
    result = hands.do("click", ref=reference)
    assert result.code == "not_found"
    assert "hidden" in result.message


def test_an_element_down_in_a_scroller_is_brought_into_view(hands: Hands) -> None:
    hands.go("/stale")
    line = next(line for line in hands.do("read", what="elements").text.splitlines() if "Far down" in line)
    assert hands.do("click", ref=line[1 : line.index("]")]).ok
    assert hands.view.title == "far clicked"


def test_a_page_drawn_on_a_canvas_works_by_positions_and_says_that_nothing_has_a_name(hands: Hands) -> None:
    hands.go("/canvas")
    assert {element.role for element in hands.view.elements} <= {"canvas"}
    result = hands.do("read", what="elements")
    assert result.ok
    assert "by positions" in result.message
    before = hands.view.digest
    hands.do("click", x=600, y=340)
    assert hands.view.title == "hit"
    assert hands.view.digest != before


def test_a_canvas_that_is_painted_a_moment_after_a_click_is_seen_painted(hands: Hands) -> None:
    hands.go("/canvas")
    hands.do("click", x=600, y=340)
    shown = hands.view.frame.image
    hands.do("wait", seconds=0.3)
    assert hands.view.frame.image == shown


@pytest.mark.parametrize("button", ["Grow", "Late"])
def test_what_an_action_changes_a_moment_later_is_in_the_picture(hands: Hands, button: str) -> None:
    hands.go("/late-paint")
    hands.click(button)
    shown = hands.view.frame.image
    hands.do("wait", seconds=0.3)
    assert hands.view.frame.image == shown


def test_a_menu_in_a_menu_opens_by_hovering_from_one_to_the_next(hands: Hands) -> None:
    hands.go("/nested-menu")
    hands.do("hover", ref=hands.find("File").ref)
    hands.do("hover", ref=hands.find("Export").ref)
    hands.click("As text")
    assert hands.view.title == "second"


def test_a_very_long_page_is_listed_in_part_and_says_so(hands: Hands) -> None:
    hands.go("/long")
    began = time.monotonic()
    assert 10 < len(hands.look().elements) < 100, "what is in view"
    assert time.monotonic() - began < 3
    elements = hands.do("read", what="elements")
    assert "more than 250" in elements.message
    text = hands.do("read", what="text")
    assert "the first 20,000 are shown" in text.message
    assert len(text.text) == 20_000
    hands.do("scroll", dy=20_000)
    assert hands.evaluate("scrollY") == 20_000
