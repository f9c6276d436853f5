"""The pool: who is handed what, one seat for one judge, and nobody can tell what they hold."""

import random
import threading
from collections import Counter
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from scipy import stats

from battles.matchmaking import REDUNDANT_SHARE, draw_judges_needed
from battles.models import Battle
from governance.consent import ConsentNeeded
from governance.errors import Conflict, TooMany
from governance.limits import LABELS_AN_HOUR
from governance.models import JournalEntry
from governance.withdrawals import act_on, read_wanted, request_withdrawal
from judging import pool
from judging.access import NoSuchBattle
from judging.models import Assignment, Offer, Vote
from judging.objections import report_problem, skip
from judging.pool import (
    FLIP_SHARE,
    GOLD_SHARE,
    PRACTICE_NEEDED,
    OfferRefused,
    next_for_judge,
    offer_battle,
    shown_kind,
)
from judging.seats import LEASE, seats_free
from judging.trust import suspend_judge
from judging.votes import lock_overdue_votes
from tests.battles.factories import make_battle, make_judge, make_votable
from tests.judging.handing import agree, checked_practice, hand_to, make_signed_in, offer, say, sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.production]


class Chance:
    """Draws that are given in advance; 1.0 afterwards, which is neither gold nor a second look."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def random(self):
        return self.draws.pop(0) if self.draws else 1.0


NEVER = Chance()


def take_back_votes(judge):
    actor = f"judge:{judge.pk}"
    asked = request_withdrawal(judge=judge, actor=actor, wanted=read_wanted("kind:vote"))
    act_on(withdrawal=asked, actor=actor)


@pytest.fixture
def named(settings):
    settings.ARENA_LEGAL_NAME = "Ringside Example Ltd"


@pytest.fixture
def judge(db):
    return make_signed_in(practised=PRACTICE_NEEDED)


def handed(judge, chance=NEVER):
    return next_for_judge(judge=judge, chance=chance)


class TestOffering:
    def test_a_submitter_offers_before_knowing_whose_it_was_and_twice_is_once(self, named):
        battle = make_votable()
        submitter = battle.task.judge
        first = offer_battle(battle=battle, judge=submitter)
        assert offer_battle(battle=battle, judge=submitter) == first
        assert Offer.objects.count() == 1
        assert JournalEntry.objects.filter(action="judging:battle:offer").count() == 1

    def test_it_may_be_offered_while_it_races(self, named):
        battle = make_battle()
        assert offer_battle(battle=battle, judge=battle.task.judge).battle == battle

    def test_without_a_legal_name_nothing_leaves_its_poster(self):
        battle = make_votable()
        with pytest.raises(OfferRefused) as refusal:
            offer_battle(battle=battle, judge=battle.task.judge)
        assert refusal.value.code == "no_legal_name"

    def test_consent_to_the_local_sentence_is_no_consent_to_others_reading_it(self, settings):
        battle = make_votable()
        submitter = battle.task.judge
        settings.ARENA_LEGAL_NAME = "Ringside Example Ltd"
        with pytest.raises(ConsentNeeded):
            offer_battle(battle=battle, judge=submitter)
        agree(submitter)
        assert offer_battle(battle=battle, judge=submitter).receipt.text.grantee == "Ringside Example Ltd"

    def test_after_the_submitters_own_lock_it_is_too_late(self, named):
        battle = make_votable()
        say(battle, battle.task.judge, "A")
        with pytest.raises(OfferRefused) as refusal:
            offer_battle(battle=battle, judge=battle.task.judge)
        assert refusal.value.code == "names_seen"

    def test_a_vote_that_became_final_by_itself_counts_as_locked(self, named):
        battle = make_votable()
        say(battle, battle.task.judge, "A", lock=False)
        with time_machine.travel(timezone.now() + timedelta(minutes=11)), pytest.raises(OfferRefused):
            offer_battle(battle=battle, judge=battle.task.judge)

    def test_nobody_offers_anothers_battle_or_a_practice_battle(self, named):
        with pytest.raises(NoSuchBattle):
            offer_battle(battle=make_votable(), judge=make_judge())
        with pytest.raises(NoSuchBattle):
            offer_battle(battle=make_votable(kind=Battle.Kind.PRACTICE), judge=make_judge())

    def test_a_battle_that_is_over_cannot_be_offered(self, named):
        battle = make_votable()
        Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
        with pytest.raises(Conflict):
            offer_battle(battle=battle, judge=battle.task.judge)


class TestWhoIsHandedSomething:
    def test_practice_comes_first_and_says_how_far_one_is(self):
        offer(make_votable())
        judge = make_signed_in(practised=1)
        practice = make_votable(kind=Battle.Kind.PRACTICE)
        answer = handed(judge)
        assert (answer.reason, answer.battle, answer.assignment) == ("practice_first", practice, None)
        assert (answer.practice_done, answer.practice_needed) == (1, 3)

    def test_whoever_has_practised_signs_in_first(self):
        offer(make_votable())
        judge = make_judge()
        for _ in range(PRACTICE_NEEDED):
            say(make_votable(kind=Battle.Kind.PRACTICE), judge, "tie")
        assert handed(judge).reason == "sign_in_first"
        assert handed(sign_in(judge)).reason == "handed_out"

    def test_a_suspended_judge_is_handed_nothing(self, judge):
        offer(make_votable())
        suspend_judge(judge=judge, actor="operator:1", reason="Votes come from a script.")
        assert handed(judge).reason == "suspended"

    def test_a_judge_at_the_limit_keeps_no_battle_from_others(self, judge):
        battle = offer(make_votable())
        for _ in range(LABELS_AN_HOUR):
            Vote.objects.create(
                battle=make_battle(), judge=judge, receipt=judge.receipts.get(), choice="tie", by_submitter=False
            )
        with pytest.raises(TooMany):
            handed(judge)
        assert seats_free(battle) == 1

    def test_the_one_that_waited_longest_comes_first_for_half_an_hour(self, judge):
        first, _ = offer(make_votable()), offer(make_votable())
        answer = handed(judge)
        assert (answer.reason, answer.battle) == ("handed_out", first)
        lease = answer.assignment.leased_until - answer.assignment.leased_at
        assert lease == LEASE == timedelta(minutes=30)

    def test_asking_again_gives_the_same_battle(self, judge):
        offer(make_votable())
        offer(make_votable())
        first, again = handed(judge), handed(judge)
        assert (again.reason, again.assignment) == ("in_hand", first.assignment)
        assert Assignment.objects.count() == 1

    def test_what_is_not_for_this_judge(self, judge):
        own = make_votable()
        type(own.task).objects.filter(pk=own.task_id).update(judge=judge)
        offer(own)
        make_votable()
        voted = offer(make_votable(judges_needed=3))
        hand_to(voted, judge, minutes=-1)
        say(voted, judge, "A")
        leaked = offer(make_votable())
        Battle.objects.filter(pk=leaked.pk).update(leak_scan="leaked")
        reported = offer(make_votable())
        report_problem(battle=reported, judge=reported.task.judge, kind="private")
        taken = offer(make_votable())
        hand_to(taken, make_signed_in())
        assert handed(judge).reason == "nothing_waits"

    def test_a_skipped_battle_goes_to_others_and_not_back(self, judge):
        battle = offer(make_votable())
        handed(judge)
        skip(battle=battle, judge=judge, reason="language")
        assert handed(judge).reason == "nothing_waits"
        assert handed(make_signed_in(practised=3)).battle == battle

    def test_a_lease_that_runs_out_frees_the_seat_and_may_come_again(self, judge):
        battle = offer(make_votable())
        handed(judge)
        other = make_signed_in(practised=3)
        assert handed(other).reason == "nothing_waits"
        with time_machine.travel(timezone.now() + timedelta(minutes=31)):
            assert handed(other).battle == battle
            assert handed(judge).reason == "nothing_waits"
        with time_machine.travel(timezone.now() + timedelta(minutes=62)):
            assert handed(judge).battle == battle

    def test_a_battle_that_became_void_or_hidden_is_no_longer_in_hand(self, judge):
        battle, other = offer(make_votable()), offer(make_votable())
        assert handed(judge).battle == battle
        Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
        assert handed(judge).battle == other
        report_problem(battle=other, judge=other.task.judge, kind="broken")
        assert handed(judge).reason == "nothing_waits"
        assert set(Assignment.objects.filter(judge=judge).values_list("outcome", flat=True)) == {"taken_back"}


class TestSeats:
    def test_a_vote_consumes_the_seat_and_the_submitters_does_not(self, judge):
        battle = offer(make_votable())
        say(battle, battle.task.judge, "tie")
        assert handed(judge).battle == battle
        vote = say(battle, judge, "A", lock=False)
        assert Assignment.objects.get(judge=judge).outcome == "voted"
        assert vote.by_submitter is False
        assert handed(make_signed_in(practised=3)).reason == "nothing_waits"

    def test_a_redundant_battle_is_handed_out_until_it_has_its_judges(self):
        battle = offer(make_votable(judges_needed=3))
        judges = [make_signed_in(practised=3) for _ in range(4)]
        for judge in judges[:3]:
            assert handed(judge).battle == battle
        assert handed(judges[3]).reason == "nothing_waits"
        for judge in judges[:3]:
            say(battle, judge, "B")
        battle.refresh_from_db()
        assert battle.state == Battle.State.CLOSED

    @pytest.mark.parametrize("lock", [False, True])
    def test_a_vote_that_was_taken_back_frees_its_seat_and_closes_nothing(self, lock):
        battle = offer(make_votable(judges_needed=3))
        first, *others = judges = [make_signed_in(practised=3) for _ in range(4)]
        for judge in judges[:3]:
            assert handed(judge).battle == battle
        say(battle, first, "A", lock=lock)
        say(battle, others[0], "A")
        take_back_votes(first)
        say(battle, others[1], "A")
        with time_machine.travel(timezone.now() + timedelta(minutes=11)):
            lock_overdue_votes()
            battle.refresh_from_db()
            assert battle.state == Battle.State.RESOLVED
            assert handed(others[2]).battle == battle
            say(battle, others[2], "B")
        battle.refresh_from_db()
        assert battle.state == Battle.State.CLOSED

    def test_whoever_took_a_vote_back_votes_again_only_while_the_seat_is_free(self):
        battle = offer(make_votable())
        first, second = make_signed_in(practised=3), make_signed_in(practised=3)
        handed(first)
        say(battle, first, "A", lock=False)
        take_back_votes(first)
        say(battle, first, "B", lock=False)
        take_back_votes(first)
        assert handed(second).battle == battle
        with pytest.raises(Conflict) as refusal:
            say(battle, first, "A", lock=False)
        assert refusal.value.code == "seat_taken"
        assert Vote.objects.get(judge=first, battle=battle).withdrawn_at is not None

    def test_a_judge_has_one_battle_in_hand(self, judge):
        hand_to(offer(make_votable()), judge)
        with pytest.raises(IntegrityError), transaction.atomic():
            hand_to(offer(make_votable()), judge)

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize(("needed", "battles"), [(3, 1), (1, 5)])
    def test_eight_judges_at_once_never_overfill_a_seat_and_leave_none_empty(self, needed, battles):
        offered = [offer(make_votable(judges_needed=needed)) for _ in range(battles)]
        answers = at_once(8, [make_signed_in(practised=3) for _ in range(8)])
        held = Counter(answer.battle for answer in answers if answer.assignment)
        assert held == Counter(dict.fromkeys(offered, needed))
        assert Counter(answer.reason for answer in answers)["nothing_waits"] == 8 - needed * battles

    @pytest.mark.django_db(transaction=True)
    def test_eight_tabs_of_one_judge_hold_one_battle(self):
        for _ in range(3):
            offer(make_votable())
        judge = make_signed_in(practised=3)
        answers = at_once(8, [judge] * 8)
        assert len({answer.assignment for answer in answers}) == 1
        assert Assignment.objects.filter(judge=judge).count() == 1


def at_once(threads, judges):
    """What each judge is handed when all ask at the same moment."""
    answers, failures = [], []
    barrier = threading.Barrier(threads)

    def ask(judge):
        try:
            barrier.wait(timeout=30)
            answers.append(next_for_judge(judge=judge, chance=Chance()))
        except Exception as error:  # whatever it is, the test must see it
            failures.append(error)
        finally:
            connection.close()

    running = [threading.Thread(target=ask, args=(judge,)) for judge in judges]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=60)
    assert failures == []
    return answers


class TestMixedIn:
    def test_gold_is_mixed_in_at_its_stated_rate(self, judge):
        gold = checked_practice("B", kind=Battle.Kind.GOLD)
        live = offer(make_votable())
        assert handed(judge, Chance(GOLD_SHARE - 0.001)).battle == gold
        skip(battle=gold, judge=judge, reason="other")
        assert handed(judge, Chance(GOLD_SHARE)).battle == live

    def test_gold_of_unknown_outcome_is_no_gold(self, judge):
        for passed in ("", "AB"):
            checked_practice(passed, kind=Battle.Kind.GOLD)
        assert handed(judge, Chance(0.0)).reason == "nothing_waits"

    def test_gold_has_no_seats_and_never_closes(self, judge):
        gold = checked_practice("A", kind=Battle.Kind.GOLD)
        for one in (judge, make_signed_in(practised=3)):
            assert handed(one, Chance(0.0)).battle == gold
            say(gold, one, "A")
        gold.refresh_from_db()
        assert gold.state == Battle.State.RESOLVED
        assert handed(judge, Chance(0.0)).reason == "nothing_waits"

    def test_whether_it_comes_back_is_drawn_when_it_is_handed_out(self, judge):
        offer(make_votable())
        assert handed(judge, Chance(1.0, FLIP_SHARE - 0.001)).assignment.comes_back
        other = make_signed_in(practised=3)
        offer(make_votable())
        assert not handed(other, Chance(1.0, FLIP_SHARE)).assignment.comes_back

    def test_a_judge_cannot_tell_which_kind_they_hold(self):
        kinds = {shown_kind(Battle(kind=kind)) for kind in ("live", "gold", "calibration")}
        assert kinds == {"live"}
        assert shown_kind(Battle(kind="practice")) == "practice"

    def test_the_shares_are_stated_and_small(self):
        assert (pool.GOLD_SHARE, pool.FLIP_SHARE) == (0.05, 0.05)


def test_one_battle_in_ten_is_drawn_to_need_three_judges():
    rng = random.Random(11)
    drawn = Counter(draw_judges_needed(rng) for _ in range(20_000))
    assert set(drawn) == {1, 3}
    assert REDUNDANT_SHARE == 0.10
    assert stats.binomtest(drawn[3], 20_000, 0.10).pvalue > 1e-4
