"""What people read of a race that came to nothing is ours, and no browser's, driver's or provider's."""

import pytest

from battles.lanes.ending_words import (
    NO_BROWSER,
    NOT_READY,
    NOT_STORED,
    OTHER_LANE_MISSING,
    TASK_KEPT,
    VOID_WORDS,
    plain_detail,
    plain_void_reason,
    start_failed,
)
from battles.lanes.endings import NEVER_RAN, Ending
from battles.lanes.load_errors import meaning
from battles.presentation import battle_view, lane_views, shown_lanes
from tests.battles.factories import ended, make_battle, race, started, step

#: As the driver, the browser and the providers' libraries said them.
RAW = [
    "Page.goto: net::ERR_NETWORK_CHANGED at https://example.org/",
    "Target page, context or browser has been closed",
    "Protocol error (Page.navigate): Target closed.",
    "BrowserType.launch: Timeout 30000ms exceeded.",
    "KeyError: 'targetInfo'",
    "529 overloaded",
]


@pytest.mark.parametrize("raw", RAW)
@pytest.mark.parametrize("ending", sorted(NEVER_RAN))
def test_of_what_a_program_said_nothing_is_left(ending, raw):
    assert plain_detail(ending, raw) == ""
    assert plain_void_reason(f"{VOID_WORDS[ending]} {OTHER_LANE_MISSING} {raw}") == (
        f"{VOID_WORDS[ending]} {OTHER_LANE_MISSING}"
    )


@pytest.mark.parametrize("words", [NOT_READY, NO_BROWSER, OTHER_LANE_MISSING, start_failed("There is no site of it.")])
def test_what_was_written_for_people_is_whole(words):
    assert plain_detail(Ending.BROWSER_ERROR, words) == words
    whole = f"{VOID_WORDS[Ending.BROWSER_ERROR]} {words}"
    assert plain_void_reason(whole) == whole


def test_a_start_page_that_failed_in_a_browsers_words_is_said_without_them():
    for error, kept in (("net::ERR_NAME_NOT_RESOLVED at x", True), ("net::ERR_HTTP2_PROTOCOL_ERROR at x", False)):
        why = meaning(error)[1]
        said = plain_detail(Ending.BROWSER_ERROR, start_failed(why))
        assert "could not be opened" in said
        assert "not the agent" in said
        assert "ERR_" not in said
        assert (why in said) == kept


def test_what_an_agent_said_who_ran_and_what_people_wrote_stays():
    assert plain_detail(Ending.GAVE_UP, "The page says net::ERR_FAILED.") == "The page says net::ERR_FAILED."
    assert plain_void_reason("It shows an address.") == "It shows an address."
    assert plain_void_reason("") == ""


def test_a_full_disk_is_said_without_its_words():
    said = plain_void_reason(f"{NOT_STORED}: [Errno 28] No space. Left on device. {TASK_KEPT}")
    assert said == f"{NOT_STORED} on our side. {TASK_KEPT}"


@pytest.mark.django_db
@pytest.mark.parametrize("raw", RAW[:1])
def test_the_page_and_the_api_are_plain_and_the_row_keeps_what_was_said(raw):
    lane_a = [started("A"), step("A"), ended("A", ending=Ending.BROWSER_ERROR, answer="", detail=raw)]
    battle = race(make_battle(), events=[*lane_a, started("B"), step("B"), ended("B")])
    assert raw in battle.void_reason
    assert battle_view(battle).void_reason == VOID_WORDS[Ending.BROWSER_ERROR]
    lanes = shown_lanes(battle)
    assert lanes[0].detail == raw
    assert [lane.detail for original in (True, False) for lane in lane_views(battle, lanes, {}, original=original)] == (
        [""] * 4
    )
