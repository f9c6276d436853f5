"""What is written on a page: what can be seen is told, what cannot is not."""

from __future__ import annotations

import pytest

from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser

NOTES = "\n".join(f"line {number}" for number in range(60))


def _names(hands: Hands) -> list[str]:
    return [element.name for element in hands.view.elements]


def test_words_that_cannot_be_seen_are_not_in_the_text(hands: Hands) -> None:
    hands.go("/hidden-words")
    text = hands.do("read", what="text").text
    assert "unseen" not in text
    for words in ("plain words", "seen again", "half a sentence", "Keep", "Agreed", "pane bottom", "far below"):
        assert words in text, words


def test_words_that_are_scrolled_away_are_still_read(hands: Hands) -> None:
    hands.go("/hidden-words")
    hands.evaluate("document.getElementById('pane').scrollTop = 300")
    hands.do("scroll", dy=900)
    text = hands.do("read", what="text").text
    assert "plain words" in text
    assert "words of a pane" in text


def test_words_that_cannot_be_seen_name_nothing(hands: Hands) -> None:
    hands.go("/hidden-words")
    assert not [name for name in _names(hands) if "unseen" in name]
    assert "unseen" not in hands.do("read", what="elements").text


def test_invisible_names_of_visible_controls_are_kept(hands: Hands) -> None:
    hands.go("/hidden-words")
    listed = {(element.role, element.name) for element in hands.view.elements}
    assert {("textbox", "Search term"), ("button", "Remove"), ("link", "Emblem"), ("button", "Close it")} <= listed
    assert ("checkbox", "Agreed") in listed, "a control that is drawn by its label is a control"
    assert ("button", "Keep") in listed, "words that can be seen are the name"


def test_frames_that_cannot_be_seen_say_nothing(hands: Hands) -> None:
    hands.go("/hidden-frame")
    assert "Inside" not in _names(hands)
    assert "Inside" not in hands.do("read", what="text").text
    assert "Inside" not in hands.do("read", what="elements").text


def test_a_field_is_read_whole_by_its_reference(hands: Hands) -> None:
    hands.go("/values")
    result = hands.do("read", what="text", ref=hands.find("Notes").ref)
    assert result.text == NOTES
    assert f"{len(NOTES)} characters" in result.message
    assert hands.do("read", what="text", ref=hands.find("Name").ref).text == "Ada Lovelace"
    assert hands.do("read", what="text", ref=hands.find("Town").ref).text == "Ghent"
    assert hands.do("read", what="text", ref=hands.find("Hue").ref).text == "#ff8800"
    assert hands.do("read", what="text", ref=hands.find("Rich").ref).text == "rich words"


def test_the_text_of_a_page_has_the_values_of_its_fields(hands: Hands) -> None:
    hands.go("/values")
    text = hands.do("read", what="text").text
    assert "Name Ada Lovelace of" in text
    assert NOTES in text
    assert "Ghent" in text
    assert "Send now" in text
    assert "rich words" in text
    for words in ("Lyon", "carried", "not a value", "unseen"):
        assert words not in text, words


def test_a_password_is_not_read_from_the_text(hands: Hands) -> None:
    hands.go("/values")
    assert "hunter22" not in hands.do("read", what="text").text
    secret = hands.do("read", what="text", ref=hands.find("Secret").ref)
    assert secret.text == "••••••••"


def test_a_value_that_is_cut_in_the_list_says_so(hands: Hands) -> None:
    hands.go("/values")
    value = hands.find("Notes").value
    assert value.startswith("line 0 line 1")
    assert value.endswith(f"… ({len(NOTES)} characters)")
    assert hands.find("Name").value == "Ada Lovelace"
    assert value in hands.do("read", what="elements").text


def test_links_without_an_address_are_listed_when_they_do_something(hands: Hands) -> None:
    hands.go("/clickables")
    assert hands.do("click", ref=hands.find("<").ref).ok
    assert hands.view.title == "prev"
    hands.click("Next month")
    assert hands.view.title == "next"
    assert "No control" not in _names(hands)


def test_a_control_in_a_control_is_listed_and_other_parts_are_not(hands: Hands) -> None:
    hands.go("/clickables")
    hands.click("Delete")
    assert hands.view.title == "trash"
    inside = [each for each in hands.view.elements if each.role == "clickable" and each.width == 20]
    assert [each.name for each in inside] == ["Delete", ""], "the icon without a listener is part of its row"
    hands.do("click", ref=inside[1].ref)
    assert hands.view.title == "star"
    rows = [name for name in _names(hands) if "Row" in name]
    assert len(rows) == 1
    assert "A title" not in _names(hands)
    assert "inside" not in _names(hands)
