"""Improbable voting is put aside once, for an operator, and what was released stays released."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.models import Battle
from governance.models import JournalEntry
from judging.anomaly_watch import OTHERS_NEEDED, crowd_habits, hold_improbable_votes, others_of
from judging.improbable_runs import FALSE_ALARM, PANE_SHARE, run_needed
from judging.models import Assignment, HeldLabel, Vote
from judging.tasks import watch_votes
from judging.trust import decide_hold, flag_judge, released_from, trust_state
from tests.battles.factories import lane_of, make_agent, make_judge, make_votable, minutes_ago

pytestmark = pytest.mark.django_db

OPERATOR = "operator:1"
PANES = run_needed(PANE_SHARE, chance=FALSE_ALARM / 2)


@pytest.fixture
def battles():
    """So many votable battles as are asked for, all of one pair; the same ones every time."""
    agents = make_agent(), make_agent()
    made = []

    def first(number):
        made.extend(make_votable(agents=agents, kind=Battle.Kind.PRACTICE) for _ in range(number - len(made)))
        return made[:number]

    return first


def voted(judge, battle, choice, *, seconds=60.0):
    """A final vote cast after so many focused seconds."""
    lane = lane_of(battle, choice) if choice in {"A", "B"} else None
    return Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.get(),
        choice="lane" if lane else choice,
        winner=lane,
        by_submitter=False,
        focus_ms=None if seconds is None else int(seconds * 1000),
        locked_at=timezone.now(),
    )


@pytest.fixture
def crowd(battles):
    """Enough others who take a minute."""
    for number in range(OTHERS_NEEDED):
        for battle, choice in zip(battles(2), "AB", strict=True):
            voted(make_judge(), battle, choice, seconds=50 + number)


def hurried(judge, battles, choices="ABABA"):
    return [voted(judge, battle, choice, seconds=1) for battle, choice in zip(battles, choices, strict=True)]


def test_votes_that_nobody_can_have_read_are_put_aside_for_an_operator(battles, crowd):
    judge = make_judge()
    votes = hurried(judge, battles(5))
    held = hold_improbable_votes()
    assert {hold.vote_id for hold in held} == {vote.pk for vote in votes}
    assert {hold.held_by for hold in held} == {"system:haste"}
    assert held[0].due_at - held[0].held_at == timedelta(days=7)
    assert "5 votes in a row were given in less than 5.2 s each, where others take 52 s" in held[0].reason
    assert "Chance for an honest judge" in held[0].reason
    assert trust_state(judge) == "new"
    assert JournalEntry.objects.get(action="judging:judge:flag").subject == judge.pk


def test_running_again_holds_nothing_twice_and_only_what_is_new_in_the_same_run(battles, crowd):
    judge = make_judge()
    hurried(judge, battles(5))
    watch_votes()
    assert HeldLabel.objects.count() == 5
    watch_votes()
    assert HeldLabel.objects.count() == 5
    sixth = voted(judge, battles(6)[5], "B", seconds=1)
    assert [hold.vote for hold in hold_improbable_votes()] == [sixth]


def test_what_an_operator_released_is_not_held_again_for_the_same_evidence(battles, crowd):
    judge = make_judge()
    hurried(judge, battles(5))
    for hold in hold_improbable_votes():
        decide_hold(held=hold, decision="released", actor=OPERATOR, reason="Knows these sites by heart.")
    assert hold_improbable_votes() == []
    voted(judge, battles(6)[5], "B", seconds=1)
    assert hold_improbable_votes() == []
    assert released_from("haste").count() == 5
    # Another detector has evidence of its own.
    assert len(flag_judge(judge=judge, votes=list(judge.votes.all()), detector="sequence", reason="Odd.")) == 6


def test_what_was_kept_out_still_counts_as_part_of_the_run(battles, crowd):
    judge = make_judge()
    hurried(judge, battles(5))
    for hold in hold_improbable_votes():
        decide_hold(held=hold, decision="excluded", actor=OPERATOR, reason="A script.")
    voted(judge, battles(6)[5], "B", seconds=1)
    assert len(hold_improbable_votes()) == 1


def test_a_page_that_claims_a_minute_cannot_beat_the_lease(battles, crowd):
    judge = make_judge()
    for battle in battles(5):
        vote = voted(judge, battle, "A", seconds=60)
        leased = vote.cast_at - timedelta(seconds=2)
        Assignment.objects.create(
            battle=battle,
            judge=judge,
            leased_at=leased,
            leased_until=leased + timedelta(minutes=30),
            outcome="voted",
            ended_at=vote.cast_at,
        )
    assert {hold.held_by for hold in hold_improbable_votes()} == {"system:haste"}


def test_votes_that_were_read_or_not_timed_are_left_alone(battles, crowd):
    for seconds in (60, None):
        judge = make_judge()
        for battle, choice in zip(battles(6), "ABABAB", strict=True):
            voted(judge, battle, choice, seconds=seconds)
    assert hold_improbable_votes() == []


def test_the_same_pane_always_is_put_aside(battles):
    judge = make_judge()
    for battle in battles(PANES):
        voted(judge, battle, "B")
    assert {hold.held_by for hold in hold_improbable_votes()} == {"system:one-pane"}
    assert HeldLabel.objects.count() == PANES


def test_votes_that_were_taken_back_or_are_not_final_or_old_are_not_looked_at(battles, crowd):
    for fields in (
        {"locked_at": None},
        {"withdrawn_at": timezone.now()},
        {"locked_at": minutes_ago(60 * 24 * 3)},
    ):
        judge = make_judge()
        hurried(judge, battles(5))
        Vote.objects.filter(judge=judge).update(**fields)
    assert hold_improbable_votes() == []


def test_without_others_nothing_is_said_about_haste(battles):
    hurried(make_judge(), battles(5))
    assert hold_improbable_votes() == []


def test_everybody_counts_once_among_the_others(battles, crowd):
    prolific, judge = make_judge(), make_judge()
    for battle in battles(12):
        voted(prolific, battle, "tie", seconds=1)
    others = others_of(judge.pk, crowd_habits())
    assert others.median_seconds == pytest.approx(51.5, abs=1)
    assert others.tie == pytest.approx(1 / (2 * OTHERS_NEEDED + 1))
