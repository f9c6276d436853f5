"""Casting, revising, locking: what a judge can do, and what can go wrong."""

import threading
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from battles.models import Battle
from governance import limits
from governance.consent import ConsentNeeded, receipt_in_force
from governance.errors import Conflict, Gone, TooMany
from governance.limits import LABELS_AN_HOUR
from governance.withdrawals import act_on, read_wanted, request_withdrawal
from judging.access import NoSuchBattle
from judging.models import RefusedVote, Vote
from judging.rubric import current_rubric
from judging.votes import Ballot, VoteRefused, cast_vote, lock_overdue_votes, lock_vote
from tests.battles.factories import lane_of, make_battle, make_judge, make_votable
from tests.judging.handing import agree, ballot_for, hand_to, make_signed_in, offer, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def test_the_first_vote_resolves_the_battle_and_names_the_lane():
    battle = make_votable()
    judge = seated(battle)
    vote = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "B"))
    battle.refresh_from_db()
    assert battle.state == Battle.State.RESOLVED
    assert vote.winner.agent == battle.agent_b


@pytest.mark.parametrize("choice", ["tie", "both_bad"])
def test_a_vote_without_a_preference_names_no_lane(choice):
    battle = make_votable()
    vote = cast_vote(battle=battle, judge=seated(battle), ballot=Ballot(choice=choice))
    assert (vote.choice, vote.winner) == (choice, None)


def test_the_same_key_twice_is_one_vote():
    battle = make_votable()
    judge = seated(battle)
    first = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"), idempotency_key="k1")
    again = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"), idempotency_key="k1")
    assert again == first
    assert (Vote.objects.count(), first.revisions.count()) == (1, 0)


def test_a_changed_mind_under_a_reused_key_is_not_dropped():
    battle = make_votable()
    judge = seated(battle)
    cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"), idempotency_key="k1")
    again = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "B"), idempotency_key="k1")
    assert again.winner == lane_of(battle, "B")
    assert again.revisions.count() == 1


def test_the_same_vote_again_after_the_lock_is_the_stored_one():
    battle = make_votable()
    judge = seated(battle)
    first = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"), idempotency_key="k1")
    lock_vote(battle=battle, judge=judge)
    assert cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"), idempotency_key="k1") == first


def test_other_keys_with_the_same_choice_change_nothing():
    battle = make_votable()
    judge = seated(battle)
    first = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"), idempotency_key="k1")
    again = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"), idempotency_key="k2")
    assert again == first
    assert Vote.objects.count() == 1
    assert first.revisions.count() == 0


def test_a_revision_keeps_what_was_said_before():
    battle = make_votable()
    judge = seated(battle)
    lane = str(lane_of(battle, "A").pk)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie", completions={lane: "partly"}))
    vote = cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A", completions={lane: "done"}))
    assert vote.winner == lane_of(battle, "A")
    assert vote.completions.get().verdict == "done"
    earlier = vote.revisions.get()
    assert (earlier.choice, earlier.completions) == ("tie", {lane: "partly"})


def test_a_locked_vote_cannot_be_revised_and_locking_twice_is_locking_once():
    battle = make_votable(judges_needed=3)
    judge = seated(battle)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    locked = lock_vote(battle=battle, judge=judge)
    assert lock_vote(battle=battle, judge=judge).locked_at == locked.locked_at
    with pytest.raises(Conflict) as refusal:
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="both_bad"))
    assert refusal.value.code == "vote_locked"


def test_a_vote_is_final_after_ten_minutes():
    battle = make_votable(judges_needed=3)
    judge = seated(battle)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    with time_machine.travel(timezone.now() + timedelta(minutes=9, seconds=59), tick=False):
        assert lock_overdue_votes() == 0
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="both_bad"))
    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=1), tick=False):
        with pytest.raises(Conflict):
            cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
        assert lock_overdue_votes() == 1
    vote = Vote.objects.get()
    assert vote.locked_at == vote.cast_at + timedelta(minutes=10)


def test_the_battle_closes_when_its_seats_are_locked_and_the_submitter_fills_none():
    battle = make_votable()
    submitter, judge = battle.task.judge, seated(battle)
    cast_vote(battle=battle, judge=submitter, ballot=Ballot(choice="tie"))
    lock_vote(battle=battle, judge=submitter)
    battle.refresh_from_db()
    assert battle.state == Battle.State.RESOLVED
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    lock_vote(battle=battle, judge=judge)
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED


def test_a_vote_after_the_battle_closed_is_refused_and_logged():
    battle = make_votable()
    judge = seated(battle)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    lock_vote(battle=battle, judge=judge)
    with pytest.raises(Gone, match="closed at"):
        cast_vote(battle=battle, judge=battle.task.judge, ballot=Ballot(choice="tie"))
    assert RefusedVote.objects.get().reason == "closed"
    assert Vote.objects.count() == 1


def test_slots_swapped_the_verdict_follows_the_lane():
    battle = make_votable()
    judge = seated(battle)
    # Slot A shows the second agent: the judge who presses A names that lane.
    lane = lane_of(battle, "A")
    vote = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice=str(lane.pk)))
    type(lane).objects.filter(pk=lane_of(battle, "B").pk).update(slot="x")
    type(lane).objects.filter(pk=lane.pk).update(slot="B")
    vote.refresh_from_db()
    assert vote.winner.agent == battle.agent_a


def test_a_strangers_vote_on_a_private_battle_is_refused_as_if_there_were_none():
    battle = make_votable()
    with pytest.raises(NoSuchBattle):
        cast_vote(battle=battle, judge=make_signed_in(), ballot=Ballot(choice="tie"))
    offer(battle)
    with pytest.raises(NoSuchBattle):
        cast_vote(battle=battle, judge=make_signed_in(), ballot=Ballot(choice="tie"))
    assert Vote.objects.count() == 0


def test_a_lease_that_ran_out_still_votes_while_the_seat_is_free():
    battle, judge = offer(make_votable()), make_signed_in()
    assignment = hand_to(battle, judge, minutes=-1)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    assignment.refresh_from_db()
    assert assignment.outcome == "voted"


def test_a_lease_that_ran_out_does_not_take_the_next_judges_seat():
    battle, judge = offer(make_votable()), make_signed_in()
    hand_to(battle, judge, minutes=-1)
    seated(battle)
    with pytest.raises(Conflict) as refusal:
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    assert refusal.value.code == "seat_taken"


def test_the_version_of_the_rubric_is_stored_and_never_guessed():
    battle = make_votable(judges_needed=3)
    rubric = current_rubric()
    shown = cast_vote(battle=battle, judge=seated(battle), ballot=Ballot(choice="tie", rubric=rubric.pk))
    unknown = cast_vote(battle=battle, judge=seated(battle), ballot=Ballot(choice="tie"))
    assert (shown.rubric, unknown.rubric) == (rubric, None)


def test_a_revision_keeps_the_time_that_was_measured_before():
    battle = make_votable()
    judge = seated(battle)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie", focus_ms=9000, steps_opened=4))
    vote = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="both_bad", focus_ms=12_000))
    assert (vote.focus_ms, vote.steps_opened) == (12_000, 4)


def test_a_race_that_runs_takes_no_votes():
    with pytest.raises(Conflict) as refusal:
        cast_vote(battle=make_battle(), judge=make_judge(), ballot=Ballot(choice="tie"))
    assert refusal.value.code == "not_votable"


def test_a_void_battle_takes_no_votes():
    battle = make_votable()
    Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
    with pytest.raises(Gone):
        cast_vote(battle=battle, judge=make_judge(), ballot=Ballot(choice="tie"))


def test_nothing_is_stored_without_consent():
    battle = make_votable()
    judge = seated(battle, consented=False)
    with pytest.raises(ConsentNeeded):
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    battle.refresh_from_db()
    assert Vote.objects.count() == 0
    assert battle.state == Battle.State.VOTABLE


def test_a_lane_of_another_battle_cannot_win():
    battle, other = make_votable(), make_votable()
    with pytest.raises(VoteRefused):
        cast_vote(battle=battle, judge=make_judge(), ballot=ballot_for(other, "A"))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"choice": "C"}, "unknown_choice"),
        ({"choice": ""}, "unknown_choice"),
        ({"choice": "tie", "completions": {"nobody": "done"}}, "unknown_completion"),
        ({"choice": "tie", "confidence": "total"}, "bad_confidence"),
        ({"choice": "tie", "reasons": ["because"]}, "unknown_reason"),
        ({"choice": "tie", "note": "x" * 2001}, "note_too_long"),
        ({"choice": "tie", "note": "bell \a"}, "control_characters"),
        ({"choice": "tie", "note": "nul \0"}, "control_characters"),
        ({"choice": "tie", "rubric": 999}, "unknown_rubric"),
    ],
)
def test_a_ballot_that_cannot_be_cast_says_why(fields, code):
    battle = make_votable()
    with pytest.raises(VoteRefused) as refusal:
        cast_vote(battle=battle, judge=make_judge(), ballot=Ballot(**fields))
    assert refusal.value.code == code
    assert Vote.objects.count() == 0


def test_one_judge_gives_at_most_sixty_labels_an_hour():
    battle = make_votable()
    judge = seated(battle)
    receipt = judge.receipts.get()
    for _ in range(LABELS_AN_HOUR):
        Vote.objects.create(battle=make_battle(), judge=judge, receipt=receipt, choice="tie", by_submitter=False)
    with pytest.raises(TooMany) as refusal:
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    assert 3590 <= refusal.value.retry_after <= 3601


@pytest.mark.django_db(transaction=True)
def test_eight_threads_with_the_same_vote_make_one_row():
    battle = make_votable()
    judge = seated(battle)
    ballot = ballot_for(battle, "A")
    failures = []
    barrier = threading.Barrier(8)

    def vote(number):
        try:
            barrier.wait(timeout=30)
            cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=f"k{number % 2}")
        except Exception as error:  # whatever it is, the test must see it
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=vote, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failures == []
    assert Vote.objects.filter(battle=battle).count() == 1


@pytest.mark.django_db(transaction=True)
def test_votes_locks_and_late_votes_at_once_wait_for_each_other_and_never_deadlock():
    battle = make_votable(judges_needed=3)
    judges = [seated(battle) for _ in range(3)]
    unexpected = []
    barrier = threading.Barrier(12)

    def act(number):
        judge = judges[number % 3]
        try:
            barrier.wait(timeout=30)
            if number % 4 == 3:
                lock_vote(battle=battle, judge=judge)
            else:
                ballot = Ballot(choice=("tie", "both_bad")[number % 2])
                cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=f"k{number}")
        except (Conflict, Gone):
            pass
        except Exception as error:  # whatever it is, the test must see it
            unexpected.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert unexpected == []
    assert Vote.objects.count() <= 3


def test_a_revision_counts_in_the_limit_and_meets_it(monkeypatch):
    battle = make_votable()
    judge = seated(battle)
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", 3)
    for choice in ("tie", "both_bad", "tie"):
        vote = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice=choice))
    with pytest.raises(TooMany):
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="both_bad"))
    assert cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie")) == vote
    assert vote.revisions.count() == 2


def test_a_withdrawn_vote_comes_back_under_the_sentence_in_force_alone(settings):
    battle = make_votable()
    judge = seated(battle)
    first = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    asked = request_withdrawal(judge=judge, actor=f"judge:{judge.pk}", wanted=read_wanted("kind:vote"))
    act_on(withdrawal=asked, actor="system:test")
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    with pytest.raises(ConsentNeeded):
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    first.refresh_from_db()
    assert first.withdrawn_at is not None
    agree(judge)
    again = cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    assert again.pk == first.pk
    assert again.withdrawn_at is None
    assert again.receipt == receipt_in_force(judge) != first.receipt
