"""Calibration and trust: what is scored, when a judge is out, and who decides."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.models import Battle
from battles.racing import void_battle
from governance.errors import ArenaError, Conflict
from governance.models import JournalEntry
from governance.withdrawals import withdraw_everything
from judging.accounts import bind_device
from judging.calibration import calibration, majority, scored_calls
from judging.deadlines import queues
from judging.models import HeldLabel, TrustChange, Vote
from judging.pool import next_for_judge
from judging.receivers import on_vote_locked
from judging.trust import (
    HOLD_DECIDED_WITHIN,
    ReasonNeeded,
    ReasonRefused,
    State,
    decide_hold,
    distance_to_decision,
    hold_label,
    open_holds,
    reinstate_judge,
    settle_trust,
    suspend_judge,
    trust_state,
)
from judging.trust_rule import CALLS_NEEDED
from tests.battles.factories import lane_of, make_agent, make_judge, make_task, make_votable
from tests.judging.handing import checked_practice, hand_to, make_signed_in, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]

OPERATOR = "operator:1"


def call_gold(judge, *calls):
    """One gold battle for each call, right or wrong, locked a second after the other."""
    for right in calls:
        gold = checked_practice("A", kind=Battle.Kind.GOLD)
        Vote.objects.create(
            battle=gold,
            judge=judge,
            receipt=judge.receipts.first(),
            choice="lane",
            winner=lane_of(gold, "A" if right else "B"),
            by_submitter=False,
            locked_at=timezone.now(),
        )


class TestCalibration:
    def test_a_gold_battle_is_scored_against_its_check_once_it_is_locked(self):
        judge = make_signed_in()
        for choice in ("A", "B", "tie"):
            gold = checked_practice("A", kind=Battle.Kind.GOLD)
            hand_to(gold, judge)
            say(gold, judge, choice, lock=False)
        assert scored_calls(judge) == []
        Vote.objects.update(locked_at=timezone.now())
        found = calibration(judge)
        assert [call.right for call in found.calls] == [True, False, False]
        assert (found.right, found.accuracy) == (1, pytest.approx(1 / 3))
        assert found.lower < 1 / 3 < found.upper

    def test_without_a_call_there_is_no_accuracy(self):
        found = calibration(make_judge())
        assert (found.calls, found.accuracy, found.lower) == ((), None, None)

    def test_a_judge_is_scored_by_the_others_and_never_by_themselves(self):
        battle = make_votable(judges_needed=3)
        judges = [seated(battle) for _ in range(3)]
        for judge, choice in zip(judges, ("A", "A", "B"), strict=True):
            assert scored_calls(judges[0]) == []
            say(battle, judge, choice)
        # The two who said A had one A and one B beside them; the third had two A.
        assert [len(scored_calls(judge)) for judge in judges] == [0, 0, 1]
        call = scored_calls(judges[2])[0]
        assert (call.source, call.right, call.expected) == ("majority", False, str(lane_of(battle, "A").pk))

    def test_the_submitters_vote_is_nobodys_majority(self):
        battle = make_votable(judges_needed=3)
        say(battle, battle.task.judge, "B")
        judges = [seated(battle) for _ in range(3)]
        for judge in judges:
            say(battle, judge, "A")
        assert [call.right for call in scored_calls(judges[0])] == [True]
        assert scored_calls(battle.task.judge) == []

    @pytest.mark.parametrize(
        ("others", "verdict"),
        [
            (["A", "A"], "A"),
            (["A", "B"], None),
            (["A"], None),
            ([], None),
            (["A", "A", "B"], "A"),
            (["A", "B", "T"], None),
        ],
    )
    def test_the_majority_of_the_others(self, others, verdict):
        assert majority(others) == verdict

    def test_a_gold_battle_that_an_operator_voided_is_scored_no_more(self):
        judge = make_signed_in()
        call_gold(judge, True, False)
        void_battle(battle_id=Vote.objects.last().battle_id, reason="Its check was wrong.", actor=OPERATOR)
        assert [call.right for call in scored_calls(judge)] == [True]

    def test_a_withdrawn_vote_is_scored_no_more(self):
        judge = make_signed_in()
        call_gold(judge, True)
        Vote.objects.update(withdrawn_at=timezone.now())
        assert scored_calls(judge) == []


class TestTheRule:
    def test_a_new_judge_becomes_trusted_or_untrusted_with_the_twentieth_call(self):
        good, bad = make_signed_in(), make_signed_in()
        call_gold(good, *[True] * (CALLS_NEEDED - 1))
        assert settle_trust(judge=good) is None
        assert distance_to_decision(good) == (19, 20)
        assert trust_state(good) == State.NEW
        call_gold(good, True)
        call_gold(bad, *[True] * 8, *[False] * 12)
        assert settle_trust(judge=good).state == State.TRUSTED
        change = settle_trust(judge=bad)
        assert (change.before, change.state, change.calls, change.right) == ("new", "untrusted", 20, 8)
        assert settle_trust(judge=bad) is None
        assert JournalEntry.objects.filter(action="judging:judge:untrusted", subject=bad.pk).count() == 1

    def test_better_calls_bring_a_judge_back(self):
        judge = make_signed_in()
        call_gold(judge, *[False] * 20)
        settle_trust(judge=judge)
        call_gold(judge, *[True] * 20)
        assert settle_trust(judge=judge).state == State.TRUSTED
        assert list(judge.trust_changes.order_by("id").values_list("state", flat=True)) == ["untrusted", "trusted"]

    def test_a_locked_gold_vote_settles_by_itself(self):
        judge = make_signed_in()
        call_gold(judge, *[False] * 20)
        on_vote_locked(vote_id=Vote.objects.filter(judge=judge).last().pk)
        assert trust_state(judge) == State.UNTRUSTED

    def test_a_redundant_battle_settles_all_its_judges_when_it_closes(self, monkeypatch):
        settled = []
        monkeypatch.setattr("judging.receivers.settle_trust", lambda *, judge: settled.append(judge))
        battle = make_votable(judges_needed=3)
        judges = [seated(battle) for _ in range(3)]
        for judge in judges:
            vote = say(battle, judge, "A")
            on_vote_locked(vote_id=vote.pk)
        assert set(settled) == set(judges)
        assert len(settled) == 3


class TestOperators:
    def test_suspending_and_reinstating_need_a_reason_and_keep_the_history(self):
        judge = make_judge()
        with pytest.raises(ReasonNeeded):
            suspend_judge(judge=judge, actor=OPERATOR, reason="  ")
        suspend_judge(judge=judge, actor=OPERATOR, reason="Votes every four seconds.")
        with pytest.raises(Conflict):
            suspend_judge(judge=judge, actor=OPERATOR, reason="Again.")
        reinstate_judge(judge=judge, actor=OPERATOR, reason="It was a shared computer.")
        with pytest.raises(Conflict):
            reinstate_judge(judge=judge, actor=OPERATOR, reason="Again.")
        history = judge.trust_changes.order_by("id").values_list("before", "state", "actor")
        assert list(history) == [("new", "suspended", OPERATOR), ("suspended", "new", OPERATOR)]

    @pytest.mark.parametrize(
        ("reason", "code"),
        [("x" * 501, "reason_too_long"), ("Rings \a bell.", "control_characters"), ("\ud800", "control_characters")],
    )
    def test_a_reason_that_cannot_be_kept_as_it_is_is_refused(self, reason, code):
        judge = make_judge()
        with pytest.raises(ReasonRefused) as refusal:
            suspend_judge(judge=judge, actor=OPERATOR, reason=reason)
        assert refusal.value.code == code
        assert trust_state(judge) == State.NEW

    def test_a_reason_at_its_longest_is_kept_whole(self):
        assert suspend_judge(judge=make_judge(), actor=OPERATOR, reason="x" * 500).reason == "x" * 500

    def test_a_suspended_judge_gives_back_what_they_hold_and_takes_no_seat(self):
        battle = make_votable()
        judge, other = seated(battle), make_signed_in(practised=3)
        suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
        assert next_for_judge(judge=other).battle == battle
        with pytest.raises(Conflict) as refusal:
            say(battle, judge, "A")
        assert refusal.value.code == "suspended"
        say(battle, other, "B")
        assert [vote.judge for vote in battle.votes.all()] == [other]

    def test_a_suspended_judge_still_votes_on_their_own_and_on_practice_battles(self):
        judge = make_signed_in()
        suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
        own, practice = make_votable(task=make_task(judge)), make_votable(kind=Battle.Kind.PRACTICE)
        for battle in (own, practice):
            say(battle, judge, "tie")
        assert judge.votes.count() == 2

    def test_the_rule_does_not_touch_a_suspended_judge(self):
        judge = make_signed_in()
        suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
        call_gold(judge, *[True] * 40)
        assert settle_trust(judge=judge) is None
        assert trust_state(judge) == State.SUSPENDED

    def test_after_reinstating_only_later_calls_count(self):
        judge = make_signed_in()
        call_gold(judge, *[False] * 20)
        settle_trust(judge=judge)
        reinstate_judge(judge=judge, actor=OPERATOR, reason="The checks were wrong.")
        assert settle_trust(judge=judge) is None
        assert distance_to_decision(judge) == (0, 20)
        assert trust_state(judge) == State.NEW

    def test_the_history_cannot_be_edited(self):
        judge = make_judge()
        suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            TrustChange.objects.update(state="trusted")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            TrustChange.objects.all().delete()


class TestHolds:
    @pytest.fixture
    def vote(self):
        battle = make_votable(agents=(make_agent(), make_agent()))
        return say(battle, seated(battle), "A")

    def test_a_held_label_is_decided_within_a_week(self, vote):
        held = hold_label(vote=vote, actor="system:anomaly", reason="Improbable sequence.")
        assert held.due_at - held.held_at == HOLD_DECIDED_WITHIN == timedelta(days=7)
        assert list(open_holds()) == [held]
        decide_hold(held=held, decision="released", actor=OPERATOR, reason="It is a careful judge.")
        assert not open_holds().exists()

    def test_one_hold_at_a_time_and_one_decision(self, vote):
        held = hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
        with pytest.raises(Conflict):
            hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
        with pytest.raises(ArenaError):
            decide_hold(held=held, decision="perhaps", actor=OPERATOR, reason="Hm.")
        with pytest.raises(ReasonNeeded):
            decide_hold(held=held, decision="excluded", actor=OPERATOR, reason="")
        decide_hold(held=held, decision="excluded", actor=OPERATOR, reason="A script.")
        with pytest.raises(Conflict):
            decide_hold(held=held, decision="released", actor=OPERATOR, reason="No.")
        with pytest.raises(Conflict):
            hold_label(vote=vote, actor=OPERATOR, reason="Excluded already.")

    def test_a_held_label_that_is_taken_back_waits_for_nobody_and_released_or_not_it_stays_out(self, vote):
        held = hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
        decide_hold(held=held, decision="released", actor=OPERATOR, reason="Fine.")
        again = hold_label(vote=vote, actor=OPERATOR, reason="Odd again.")
        assert list(open_holds()) == [again]
        withdraw_everything(judge=vote.judge)
        assert not open_holds().exists()
        assert [queue.waiting for queue in queues()] == [0, 0]
        decide_hold(held=again, decision="released", actor=OPERATOR, reason="Fine.")
        with pytest.raises(Conflict) as refusal:
            hold_label(vote=vote, actor=OPERATOR, reason="Odd once more.")
        assert refusal.value.code == "withdrawn"

    def test_a_released_label_can_be_held_again(self, vote):
        held = hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
        decide_hold(held=held, decision="released", actor=OPERATOR, reason="Fine.")
        hold_label(vote=vote, actor=OPERATOR, reason="Odd again.")
        assert HeldLabel.objects.filter(vote=vote).count() == 2


def test_distrust_follows_a_person_who_signs_in():
    device = make_judge()
    suspend_judge(judge=device, actor=OPERATOR, reason="A script.")
    account = make_signed_in()
    judge = bind_device(device=device, account=account.account.account, actor="system:test")
    assert (judge, trust_state(judge)) == (account, State.SUSPENDED)
