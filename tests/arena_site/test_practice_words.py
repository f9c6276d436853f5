"""What a practice battle teaches after the vote; it teaches nothing before, nor of other battles."""

from __future__ import annotations

import pytest

from arena_site.practice_words import lesson
from battles.models import Battle
from battles.presentation import shown_lanes
from judging.models import Completion
from judging.votes import Ballot, cast_vote, lock_vote
from tests.battles.factories import lane_of, make_judge
from tests.judging.handing import ballot_for, checked_practice, say

pytestmark = pytest.mark.django_db


def taught(battle: Battle, choice: str):
    vote = say(battle, make_judge(), choice)
    found = lesson(battle, shown_lanes(battle), vote, {})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("passed_in", "verdict"),
    [
        ("A", "A did the task and B did not, so A is better"),
        ("B", "B did the task and A did not, so B is better"),
        ("AB", "Tie is a fair verdict"),
        ("", "Both bad is a fair verdict"),
    ],
)
def test_the_verdict_follows_from_what_the_check_found(passed_in, verdict):
    found = taught(checked_practice(passed_in), "A")
    assert verdict in found.verdict
    assert "".join(lane.slot for lane in found.lanes if lane.passed) == passed_in


@pytest.mark.parametrize(
    ("passed_in", "choice", "told"),
    [
        ("A", "A", "as the check would"),
        ("A", "B", "Look again at how A ends"),
        ("A", "tie", "choose the one that did"),
        ("A", "both_bad", "choose the one that did"),
        ("AB", "tie", "which is fair"),
        ("AB", "B", "which is fair"),
        ("AB", "both_bad", "both of these did the task"),
        ("", "both_bad", "which is fair"),
        ("", "A", "which is fair"),
        ("", "tie", "two that did not are both bad"),
    ],
)
def test_the_judges_own_choice_is_compared(passed_in, choice, told):
    assert told in taught(checked_practice(passed_in), choice).judged


@pytest.mark.parametrize(
    ("verdict", "contradicts"), [("done", {"B"}), ("not_done", {"A"}), ("partly", set()), ("cannot_tell", set())]
)
def test_what_was_said_of_each_lane_is_compared(verdict, contradicts):
    battle, judge = checked_practice("A"), make_judge()
    said = {lane_of(battle, slot).pk: verdict for slot in "AB"}
    found = lesson(battle, shown_lanes(battle), say(battle, judge, "A"), said)
    assert {lane.slot for lane in found.lanes if "otherwise" in lane.said} == contradicts
    assert all(Completion.Verdict(verdict).label in lane.said for lane in found.lanes)


def test_only_practice_battles_that_were_checked_teach():
    gold = checked_practice("A", kind=Battle.Kind.GOLD)
    assert lesson(gold, shown_lanes(gold), None, {}) is None
    unchecked = checked_practice("A")
    lanes = shown_lanes(unchecked)
    lanes[1].passed = None
    assert lesson(unchecked, lanes, None, {}) is None


def test_the_page_teaches_only_after_the_names(as_judge):
    judge, battle = make_judge(), checked_practice("A")
    client = as_judge(judge)
    page = f"/battles/{battle.pk}"
    assert "What the check found" not in client.get(page).content.decode()
    ballot = ballot_for(battle, "B")
    cast_vote(
        battle=battle,
        judge=judge,
        ballot=Ballot(choice=ballot.choice, completions={str(lane_of(battle, "B").pk): "done"}),
    )
    assert "What the check found" not in client.get(page).content.decode()
    lock_vote(battle=battle, judge=judge)
    told = client.get(page).content.decode()
    assert "What the check found" in told
    assert "you said done, the check says otherwise" in told
