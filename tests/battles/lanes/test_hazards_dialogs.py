"""Dialogs are answered at once, recorded and told; loops of them are cut."""

from __future__ import annotations

import time

import pytest

from battles.lanes.incidents import TOLD_EACH
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


def test_leaving_a_page_that_does_not_want_to_be_left(hands: Hands) -> None:
    hands.go("/unload")
    hands.do("type", text="words", ref=hands.find("Draft").ref)
    result = hands.go("/second")
    assert result.ok
    assert hands.view.title == "second"
    assert hands.changes("dialog")[0]["type"] == "beforeunload"
