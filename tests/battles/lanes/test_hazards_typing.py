"""Typing into whatever listens: fields, editors that draw their own text, pages that only hear keys."""

from __future__ import annotations

import pytest

from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser

WORDS = "Zażółć 你好 😀 한글 👩‍🔧 ñ Ω é ½"


def test_text_is_never_left_half_composed(hands: Hands) -> None:
    hands.go("/input-method")
    hands.do("type", ref=hands.find("Committed").ref, text=WORDS)
    assert hands.evaluate("committed") == WORDS
    started = hands.evaluate("compositions.filter(kind => kind === 'compositionstart').length")
    ended = hands.evaluate("compositions.filter(kind => kind === 'compositionend').length")
    assert started == ended, "no composition is left open"


def test_an_editor_that_draws_its_own_text_gets_every_character(hands: Hands) -> None:
    hands.go("/input-method")
    hands.do("type", ref=hands.find("Editor").ref, text=f"{WORDS}\nsecond line")
    assert hands.evaluate("drawn") == f"{WORDS}\nsecond line"


def test_long_text_reaches_such_an_editor_too(hands: Hands) -> None:
    hands.go("/input-method")
    text = "žluťoučký kůň 😀 " * 30
    hands.do("type", ref=hands.find("Editor").ref, text=text)
    assert hands.evaluate("drawn") == text


def test_pages_that_hear_only_keys_hear_the_letters_of_other_layouts(hands: Hands) -> None:
    hands.go("/key-listener")
    hands.do("type", text="Aż Жñ€!")
    assert hands.evaluate("downs") == ["A", "ż", " ", "Ж", "ñ", "€", "!"]
    assert hands.evaluate("written") == "Aż Жñ€!"


def test_a_letter_of_another_layout_can_be_pressed_alone_and_in_a_chord(hands: Hands) -> None:
    hands.go("/key-listener")
    assert hands.do("press", keys="ž", repeat=2).ok
    assert hands.do("press", keys="Control+ш").ok
    assert hands.evaluate("downs") == ["ž", "ž", "ctrl Control", "ctrl ш"]
    assert hands.evaluate("written") == "žž", "a chord writes nothing"


def test_rich_text_is_replaced_when_cleared_and_keeps_its_lines(hands: Hands) -> None:
    hands.go("/type")
    rich = hands.find("Rich").ref
    hands.do("type", ref=rich, text="first")
    hands.do("type", ref=hands.find("Rich").ref, text=f"{WORDS}\nsecond", clear=True)
    assert hands.evaluate("document.querySelector('[contenteditable]').innerText.trim()") == f"{WORDS}\nsecond"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2026-12-25"),
        ("datetime-local", "2026-12-25T18:30"),
        ("month", "2026-12"),
        ("week", "2026-W52"),
        ("time", "18:30"),
        ("color", "#ff8800"),
    ],
)
def test_fields_with_a_picker_take_their_value_as_it_is_suggested(hands: Hands, kind: str, value: str) -> None:
    hands.go("/pickers")
    hint = hands.do("click", ref=hands.find(kind).ref).message
    assert value in hint
    hands.do("press", keys="Escape")
    result = hands.do("type", ref=hands.find(kind).ref, text=value)
    assert hands.find(kind).value == value
    assert value in result.message
    assert hands.evaluate("heard") == [f"input {kind}", f"change {kind}"]


def test_a_date_typed_by_its_keys_begins_at_its_first_part(hands: Hands) -> None:
    hands.go("/pickers")
    hands.do("type", ref=hands.find("date").ref, text="12252026")
    assert hands.find("date").value == "2026-12-25"


def test_what_is_no_value_of_a_picker_changes_nothing_and_is_told(hands: Hands) -> None:
    hands.go("/pickers")
    result = hands.do("type", ref=hands.find("color").ref, text="reddish")
    assert hands.find("color").value == "#000000"
    assert "'#000000'" in result.message
