"""Dialogs are answered at once, recorded and told; loops of them are cut."""

from __future__ import annotations

import time

import pytest

from battles.lanes.going import open_start_page
from battles.lanes.incidents import TOLD_EACH, in_words
from battles.lanes.page_events import DIALOGS_PER_STEP
from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("button", "title", "kind"),
    [("Confirm", "confirm true", "confirm"), ("Prompt", "prompt Ada", "prompt"), ("Alert", "alerted", "alert")],
)
def test_dialogs_are_accepted_and_told(hands: Hands, button: str, title: str, kind: str) -> None:
    hands.go("/dialogs")
    result = hands.click(button)
    assert result.ok
    assert hands.view.title == title
    (dialog,) = hands.changes("dialog")
    assert dialog["type"] == kind
    assert dialog["answer"] == "accepted"


def test_a_dialog_while_the_page_loads_does_not_stop_the_load(hands: Hands) -> None:
    assert hands.go("/alert-on-load").ok
    assert hands.view.title == "welcomed"
    assert hands.changes("dialog")[0]["message"] == "welcome"


def test_a_dialog_after_a_moment_is_answered_too(hands: Hands) -> None:
    hands.go("/dialogs")
    hands.click("Late")
    hands.do("wait", seconds=0.3)
    assert hands.look().title == "dialogs"
    assert hands.do("observe").ok


def test_thirty_alerts_are_answered_and_told_as_a_few_and_a_number(hands: Hands) -> None:
    hands.go("/thirty-alerts")
    hands.click("Go")
    assert hands.view.title == "thirty"
    told = hands.changes("dialog")
    assert [change for change in told if "message" in change][-1]["message"] == str(TOLD_EACH - 1)
    assert told[-1]["more"] == 30 - TOLD_EACH


def test_alerts_without_end_cost_the_page_its_tab_and_not_the_lane(hands: Hands) -> None:
    hands.go("/endless-alerts")
    began = time.monotonic()
    result = hands.click("Go")
    assert time.monotonic() - began < 15
    assert not result.ok
    assert result.code == "dialog_flood"
    assert hands.changes("dialog_flood")
    assert hands.changes("dialog")[-1]["more"] <= DIALOGS_PER_STEP
    assert hands.go("/second").ok, "the lane goes on in another tab"
    assert hands.view.title == "second"


def test_a_dialog_of_a_tab_behind_is_answered_and_told(hands: Hands) -> None:
    hands.go("/dialogs-behind")
    hands.click("Both")
    assert hands.view.title == "second"
    hands.do("wait", seconds=0.8)
    (dialog,) = hands.changes("dialog")
    assert dialog["message"] == "from behind"
    assert hands.do("tab", op="close").ok
    assert hands.view.title == "went on", "no dialog was left open behind the front"


def test_a_prompt_without_a_default_is_accepted_empty(hands: Hands) -> None:
    hands.go("/dialogs-behind")
    hands.click("Bare prompt")
    assert hands.view.title == "got []"


def test_no_dialog_is_held_open(hands: Hands) -> None:
    hands.go("/dialogs")
    began = time.monotonic()
    hands.click("Confirm")
    assert hands.evaluate("1 + 1") == 2, "the page answers at once, which it cannot while a dialog is open"
    assert time.monotonic() - began < 3


def test_a_page_that_storms_with_dialogs_from_the_start_is_a_failed_start_in_words(hands: Hands) -> None:
    began = time.monotonic()
    outcome = hands.loop.run(open_start_page(hands.browser, hands.pond.url("/dialogs-on-load")))
    assert not outcome.ok
    assert outcome.message == "It opens dialogs without end."
    assert time.monotonic() - began < 15


def test_the_same_storm_during_a_lane_is_told_once_and_plainly(hands: Hands) -> None:
    result = hands.go("/dialogs-on-load")
    assert result.code == "dialog_flood"
    words = " ".join([result.message, *(in_words(change) for change in hands.changes("dialog_flood"))])
    assert words == "That did not work. Go another way. The page opened dialogs without end; its tab was closed."
    assert hands.go("/second").ok


@pytest.mark.parametrize(
    "leave",
    [
        ("navigate", {"url": "SECOND"}),
        ("history", {"go": "back"}),
        ("history", {"go": "reload"}),
        ("tab", {"op": "close"}),
        ("press", {"keys": "Tab Enter"}),
    ],
    ids=["address", "back", "reload", "closing", "link"],
)
def test_no_page_can_hold_whoever_leaves_it(hands: Hands, leave: tuple[str, dict[str, str]]) -> None:
    hands.go("/")
    hands.go("/stubborn")
    hands.do("type", text="words", ref=hands.find("Draft").ref)
    verb, arguments = leave
    result = hands.do(
        verb, **{key: value.replace("SECOND", hands.pond.url("/second")) for key, value in arguments.items()}
    )
    assert result.ok
    assert not any(element.value == "words" for element in hands.view.elements), "the page was left"


def test_leaving_a_page_that_does_not_want_to_be_left(hands: Hands) -> None:
    hands.go("/unload")
    hands.do("type", text="words", ref=hands.find("Draft").ref)
    result = hands.go("/second")
    assert result.ok
    assert hands.view.title == "second"
    assert hands.changes("dialog")[0]["type"] == "beforeunload"
