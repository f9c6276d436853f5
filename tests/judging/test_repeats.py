"""The second look: the same recordings, slots swapped, both blind, and a vote that no fit reads."""

from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.models import Battle
from governance import limits
from governance.errors import Conflict, Gone, TooMany
from governance.limits import spent_instants
from governance.withdrawals import withdraw_everything
from judging.access import NoSuchBattle
from judging.calibration import scored_calls
from judging.models import Assignment, RepeatCompletion, RepeatVote, Vote
from judging.objections import mark_impossible, skip
from judging.pool import next_for_judge
from judging.presentation import own_vote, vote_view
from judging.repeats import (
    VOTES_BETWEEN,
    cast_repeat,
    consistency,
    due_second_look,
    lock_overdue_repeats,
    lock_repeat,
    second_look,
    shown_slot,
)
from judging.visibility import REPEAT_WITHIN, identity_visibility
from judging.votes import Ballot, VoteRefused
from ratings.corpus import read_corpus
from ratings.models import Board
from tests.battles.factories import lane_of, make_votable, minutes_ago
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.production]


class Always:
    """No gold, and every battle comes back."""

    def __init__(self):
        self.draws = 0

    def random(self):
        self.draws += 1
        return 1.0 if self.draws == 1 else 0.0


class Never:
    def random(self):
        return 1.0


@pytest.fixture
def judge():
    return make_signed_in(practised=3)


@pytest.fixture
def judged(judge):
    """A battle with one seat that this judge voted A on, which is to come back."""
    battle = offer(make_votable())
    assert next_for_judge(judge=judge, chance=Always()).assignment.comes_back
    say(battle, judge, "A")
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    return battle


def vote_in_between(judge, times=VOTES_BETWEEN):
    for _ in range(times):
        battle = offer(make_votable())
        hand_to(battle, judge, minutes=-1)
        say(battle, judge, "tie")


@pytest.fixture
def again(judge, judged):
    """The second look, in hand."""
    vote_in_between(judge)
    answer = next_for_judge(judge=judge, chance=Never())
    assert answer.battle == judged
    return answer.assignment


def test_it_comes_back_after_some_other_votes_with_its_slots_swapped(judge, judged):
    vote_in_between(judge, VOTES_BETWEEN - 1)
    assert due_second_look(judge, timezone.now()) is None
    vote_in_between(judge, 1)
    answer = next_for_judge(judge=judge, chance=Never())
    assert (answer.reason, answer.battle) == ("handed_out", judged)
    assert answer.assignment.swapped
    assert answer.assignment.first == Assignment.objects.get(judge=judge, comes_back=True)
    lanes = {slot: lane_of(judged, slot) for slot in "AB"}
    assert {slot: shown_slot(lane, swapped=True) for slot, lane in lanes.items()} == {"A": "B", "B": "A"}


def test_both_looks_are_blind_and_the_second_lock_shows_the_names(judge, judged, again):
    assert not identity_visibility(judged, judge).names
    assert own_vote(judged, judge) is None
    cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "B"))
    assert not identity_visibility(judged, judge).names
    lock_repeat(battle=judged, judge=judge)
    assert identity_visibility(judged, judge).names
    assert own_vote(judged, judge).winner == lane_of(judged, "A")


def test_the_second_vote_is_stored_apart_and_rates_nobody(judge, judged, again):
    before = read_corpus(Board.DEMO).digest
    lane = str(lane_of(judged, "B").pk)
    cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "B", completions={lane: "done"}))
    lock_repeat(battle=judged, judge=judge)
    assert read_corpus(Board.DEMO).digest == before
    assert Vote.objects.filter(battle=judged).count() == 1
    assert RepeatCompletion.objects.get().verdict == "done"
    again.refresh_from_db()
    assert again.outcome == "voted"


def test_the_words_of_the_second_vote_are_those_of_the_swapped_page(judge, judged, again):
    cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "B"))
    view = vote_view(own_vote(judged, judge))
    assert (view.choice, view.words) == (str(lane_of(judged, "B").pk), "A is better")


def test_it_can_be_revised_until_it_is_locked(judge, judged, again):
    first = cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))
    same = cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))
    changed = cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "A"))
    assert first.pk == same.pk == changed.pk
    assert changed.winner == lane_of(judged, "A")
    locked = lock_repeat(battle=judged, judge=judge)
    assert lock_repeat(battle=judged, judge=judge).locked_at == locked.locked_at
    assert cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "A")) == locked
    with pytest.raises(Conflict) as refusal:
        cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))
    assert refusal.value.code == "vote_locked"


def test_it_is_final_after_ten_minutes(judge, judged, again):
    vote = cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))
    assert lock_overdue_repeats() == 0
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert lock_overdue_repeats() == 1
    vote.refresh_from_db()
    assert vote.locked_at == vote.locks_at
    assert second_look(judged, judge) is None


def test_a_lease_that_ran_out_comes_again_and_is_the_same_row(judge, judged, again):
    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        with pytest.raises(Conflict) as refusal:
            cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))
        assert refusal.value.code == "lease_over"
        assert next_for_judge(judge=judge, chance=Never()).assignment == again


def test_impossible_at_the_second_look_settles_it_and_adds_no_judges_word(judge):
    battle = offer(make_votable(judges_needed=3))
    assert next_for_judge(judge=judge, chance=Always()).battle == battle
    say(battle, judge, "A")
    vote_in_between(judge)
    assert next_for_judge(judge=judge, chance=Never()).assignment.swapped
    other = make_signed_in()
    hand_to(battle, other)
    mark_impossible(battle=battle, judge=other)
    mark_impossible(battle=battle, judge=judge)
    battle.refresh_from_db()
    assert (battle.state, identity_visibility(battle, judge).names) == (Battle.State.RESOLVED, True)
    third = make_signed_in()
    hand_to(battle, third)
    mark_impossible(battle=battle, judge=third)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID


def test_what_the_others_said_stays_a_secret_until_the_second_look_is_done(judge):
    battle = offer(make_votable(judges_needed=3))
    assert next_for_judge(judge=judge, chance=Always()).battle == battle
    say(battle, judge, "A")
    for _ in range(2):
        other = make_signed_in()
        hand_to(battle, other)
        say(battle, other, "B")
        assert scored_calls(other) == []
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    assert scored_calls(judge) == []
    vote_in_between(judge)
    next_for_judge(judge=judge, chance=Never())
    cast_repeat(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    assert scored_calls(judge) == []
    lock_repeat(battle=battle, judge=judge)
    assert [call.right for call in scored_calls(judge)] == [False]


def test_the_second_look_has_a_time_of_its_own(judge, judged, again):
    Vote.objects.filter(battle=judged, judge=judge).update(focus_ms=40_000)
    cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie", focus_ms=55_000))
    assert RepeatVote.objects.get().focus_ms == 15_000


@pytest.mark.parametrize("seconds", [-1, 0, 1])
def test_both_looks_end_after_fourteen_days_to_the_second(judge, judged, seconds):
    vote_in_between(judge)
    handed = Assignment.objects.get(judge=judge, comes_back=True).leased_at
    with time_machine.travel(handed + REPEAT_WITHIN + timedelta(seconds=seconds), tick=False):
        over = seconds >= 0
        assert (due_second_look(judge, timezone.now()) is None) is over
        assert identity_visibility(judged, judge).names is over


def test_skipping_the_second_look_settles_it(judge, judged, again):
    skip(battle=judged, judge=judge, reason="other")
    assert identity_visibility(judged, judge).names
    assert next_for_judge(judge=judge, chance=Never()).reason == "nothing_waits"


def test_nobody_else_has_a_second_look(judge, judged, again):
    with pytest.raises(NoSuchBattle):
        cast_repeat(battle=judged, judge=make_signed_in(), ballot=Ballot(choice="tie"))
    with pytest.raises(Conflict):
        lock_repeat(battle=judged, judge=judge)
    with pytest.raises(VoteRefused):
        cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="C"))


def test_a_void_battle_takes_no_second_vote(judge, judged, again):
    Battle.objects.filter(pk=judged.pk).update(state="void", voided_at=timezone.now())
    with pytest.raises(Gone):
        cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie"))


def test_following_the_pane_is_counted(judge, judged, again):
    # A both times: the first lane, then the second one, which is shown there now.
    cast_repeat(battle=judged, judge=judge, ballot=ballot_for(judged, "B"))
    assert consistency(judge).repeats == 0
    lock_repeat(battle=judged, judge=judge)
    found = consistency(judge)
    assert (found.repeats, found.same, found.followed_pane) == (1, 0, 1)
    assert consistency() == found


def test_a_withdrawal_takes_the_second_vote_too(judge, judged, again):
    cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="tie", note="Nearly the same."))
    withdraw_everything(judge=judge)
    vote = RepeatVote.objects.get()
    assert (vote.note, vote.withdrawn_at is None) == ("", False)
    assert consistency(judge).repeats == 0


def test_a_swapped_assignment_always_repeats_another(judge):
    with pytest.raises(IntegrityError), transaction.atomic():
        hand_to(make_votable(), judge, swapped=True)


def test_revising_the_second_vote_counts_in_the_limit_and_meets_it(judge, judged, again, monkeypatch):
    given = len(spent_instants(judge, minutes_ago(60)))
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", given + 3)
    for choice in ("tie", "both_bad", "tie"):
        cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice=choice))
    with pytest.raises(TooMany):
        cast_repeat(battle=judged, judge=judge, ballot=Ballot(choice="both_bad"))
