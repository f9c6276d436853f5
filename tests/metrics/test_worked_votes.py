"""Every worked check of the measures of votes, judging and the arena, on rows of PostgreSQL."""

from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest
from django.utils import timezone

from battles.costs import TokenPrices
from battles.models import Agent, Battle
from battles.prices import enter_price
from governance.models import Withdrawal
from judging.models import Assignment, RepeatVote
from judging.visibility import REPEAT_WITHIN
from metrics.arithmetic import Sums, share_of
from metrics.catalog import CATALOG
from metrics.computing import compute
from metrics.source import Source, needs_of
from ratings.models import Board
from ratings.refit import refit
from tests.battles.factories import make_agent, make_judge, make_votable
from tests.judging.handing import offer, say
from tests.metrics.rows import baselines, counts, lane_of, ran, reading, step, vote
from tests.metrics.test_worked_steps import USAGE

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    return baselines()


def voted(pair, *choices, **fields):
    return [vote(ran(pair), choice, **fields) for choice in choices]


def test_shares_of_an_agents_votes(pair):
    voted(pair, "A", "A", "A", "B", "tie", "tie", "both_bad", "both_bad")
    assert counts("win_share") == (3, 4)
    assert counts("win_share", "bob") == (1, 4)
    assert counts("tie_share") == (2, 8)
    assert counts("both_bad_share") == (2, 8)


def test_the_winner_is_the_lanes_agent_in_whichever_slot(pair):
    vote(ran(pair[::-1]), "B")
    assert counts("win_share") == (1, 1)


def test_votes_cluster_by_judge(pair):
    judges = [make_judge() for _ in range(3)]
    for judge, choices in zip(judges, ("AAAA", "BB", "AB"), strict=True):
        voted(pair, *choices, judge=judge)
    found = reading("win_share")
    expected = share_of(Sums.of(np.array([4.0, 0, 1]), np.array([4.0, 2, 2])))
    assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper))


def test_the_rating_is_the_publications(pair):
    for choice in "AAAB":
        vote(ran(pair), choice)
    refit(board=Board.DEMO, actor="system:test")
    assert reading("rating").value - reading("rating", "bob").value == pytest.approx(190.85, abs=0.02)


def test_half_a_width_is_half_of_the_published_interval(pair):
    agents = [*pair, make_agent("cyd", kind=Agent.Kind.BASELINE)]
    judges = [make_judge() for _ in range(8)]
    for number, judge in enumerate(judges):
        for one, other in ((0, 1), (1, 2), (0, 2)):
            vote(ran((agents[one], agents[other])), "AB"[(number + one) % 3 == 0], judge=judge)
    refit(board=Board.DEMO, actor="system:test")
    found = reading("rating")
    assert reading("rating_halfwidth").value == pytest.approx((found.upper - found.lower) / 2)


def test_too_few_judges_make_no_width_and_say_so(pair):
    for judge, choices in ((make_judge(), "AAAAAA"), (make_judge(), "BBBB")):
        voted(pair, *choices, judge=judge)
    refit(board=Board.DEMO, actor="system:test")
    assert reading("rating").value is not None
    found = reading("rating_halfwidth")
    assert (found.value, found.reason) in {(None, "not_identified"), (found.value, None)}


def test_votes_that_decide_the_top(pair):
    voted(pair, *"AAAAAABBBBB")
    refit(board=Board.DEMO, actor="system:test")
    assert counts("drop_to_flip", None) == (2, 11)


def test_a_lane_is_complete_when_most_who_marked_it_say_so(pair):
    battle = ran(pair)
    for verdict in ("done", "done", "not_done"):
        vote(battle, "A", marks={"A": verdict, "B": "cannot_tell"})
    assert counts("judged_complete_share") == (1, 1)
    assert counts("judged_complete_share", "bob") == (0, 0)
    half = ran(pair)
    for verdict in ("done", "partly"):
        vote(half, "A", marks={"A": verdict})
    assert counts("judged_complete_share") == (1, 2)


def test_a_mark_in_a_vote_that_does_not_rate_is_none(pair):
    vote(ran(pair, leak_scan="leaked"), "A", marks={"A": "done"})
    assert counts("judged_complete_share") == (0, 0)


def test_false_claims(pair):
    for verdict in ("done", "done", "done", "not_done"):
        vote(ran(pair), "A", marks={"A": verdict})
    ran(pair)
    vote(ran(pair, lane_a={"ended": "gave_up"}), "B", marks={"A": "not_done"})
    assert counts("false_claim_share") == (1, 4)


def test_cost_for_each_completed_lane(pair):
    tokens = TokenPrices(Decimal(0), Decimal(250), None, None)
    enter_price(
        model_version="version-1",
        tokens=tokens,
        source="list",
        actor="operator:test",
        effective_from=timezone.now() - timedelta(days=1),
    )
    for verdict in ("done", "done", "not_done", "not_done"):
        vote(ran(pair, [step(**USAGE)]), "A", marks={"A": verdict})
    found = reading("cost_per_completion")
    assert (found.counted, found.over) == pytest.approx((1.0, 2))
    assert found.value == pytest.approx(0.5)


def test_agreement_over_battles_judged_twice(pair):
    for first, second in (("A", "A"), ("B", "B"), ("tie", "tie"), ("A", "B")):
        battle = ran(pair)
        vote(battle, first)
        vote(battle, second)
    voted(pair, "A")
    assert reading("alpha_outcome", None).value == pytest.approx(2 / 3)
    assert counts("raw_agreement", None) == (3, 4)


def test_without_variation_agreement_is_plain_and_alpha_is_nothing(pair):
    for _ in range(5):
        battle = ran(pair)
        vote(battle, "A")
        vote(battle, "A")
    found = reading("alpha_outcome", None)
    assert (found.value, found.reason) == (None, "no_variation")
    assert counts("raw_agreement", None) == (5, 5)


def test_without_a_battle_judged_twice_there_is_no_agreement(pair):
    voted(pair, "A", "B")
    found = reading("alpha_outcome", None)
    assert (found.value, found.reason) == (None, "no_data")
    assert reading("raw_agreement", None).value is None


def test_wins_of_slot_a(pair):
    voted(pair, *("A" * 13), *("B" * 12), "tie")
    assert counts("a_side_win_share", None) == (13, 25)


def test_flips_when_the_slots_are_swapped(pair):
    now = timezone.now()
    for number in range(8):
        first = vote(ran(pair), "A")
        held = {
            "battle": first.battle,
            "judge": first.judge,
            "leased_at": now,
            "leased_until": now,
            "outcome": "voted",
            "ended_at": now,
        }
        one = Assignment.objects.create(**held, comes_back=True)
        RepeatVote.objects.create(
            assignment=Assignment.objects.create(**held, swapped=True, first=one),
            battle=first.battle,
            judge=first.judge,
            receipt=first.receipt,
            choice="lane" if number != 1 else "tie",
            winner=lane_of(first.battle, "B" if number == 0 else "A") if number != 1 else None,
            locked_at=now,
        )
    assert counts("flip_share", None) == (1, 8)


def test_time_to_judge_is_focused_time(pair):
    voted(pair, "A", focus_ms=60_000)
    voted(pair, "A", "B", focus_ms=None)
    assert reading("judge_seconds", None).value == 60


def test_time_that_nobody_measured_is_not_measured(pair):
    voted(pair, "A")
    found = reading("judge_seconds", None)
    assert (found.value, found.reason) == (None, "not_measured")


def test_very_fast_votes(pair):
    ten = [step() for _ in range(10)]
    for _ in range(57):
        vote(ran(pair), "A", focus_ms=15_000)
    vote(ran(pair), "A", focus_ms=14_999)
    for opened in (4, 5):
        vote(ran(pair, ten, ten), "A", focus_ms=60_000, steps_opened=opened)
    vote(ran(pair), "A")
    assert counts("fast_vote_share", None) == (2, 60)
    vote(ran(pair, ten, ten), "A", steps_opened=0)
    assert counts("fast_vote_share", None) == (3, 61)


def test_how_much_of_the_record_was_opened(pair):
    for opened in (20, 20, 5):
        vote(ran(pair, [step()] * 10, [step()] * 10), "A", steps_opened=opened)
    vote(ran(pair), "A")
    assert counts("viewed_share", None) == (45, 60)


def test_skips(pair):
    now = timezone.now()
    for number in range(50):
        Assignment.objects.create(
            battle=ran(pair),
            judge=make_judge(),
            leased_at=now,
            leased_until=now,
            outcome="skipped" if number < 5 else "voted",
            skip_reason="too_long" if number < 5 else "",
            ended_at=now,
        )
    Assignment.objects.create(battle=ran(pair), judge=make_judge(), leased_at=now, leased_until=now)
    assert counts("skip_share", None) == (5, 50)


def test_gold_battles_answered_as_their_check_says(pair):
    for number in range(20):
        gold = ran(pair, kind=Battle.Kind.GOLD, lane_a={"passed": True}, lane_b={"passed": False})
        vote(gold, ("B", "tie")[number] if number < 2 else "A")
    assert counts("gold_pass_share", None) == (18, 20)
    assert reading("win_share").value is None


def test_votes_with_a_reason(pair):
    voted(pair, "A", note="It read the page.")
    voted(pair, "A", "A", reasons=["correct"])
    voted(pair, *("A" * 7))
    assert counts("reason_share", None) == (3, 10)


def test_votes_counted_and_left_out_add_up(pair):
    voted(pair, *("A" * 9))
    vote(ran(pair, leak_scan="leaked"), "A")
    vote(ran(pair, kind=Battle.Kind.GOLD), "A")
    found = reading("rated_share", None)
    assert (found.counted, found.over) == (9, 10)
    assert found.counted + sum(found.detail.values()) == found.over
    assert found.detail["identity_leaked"] == 1


def test_the_four_answers_add_up_to_the_rated_votes(pair):
    voted(pair, *"AAB", "tie", "both_bad", "both_bad")
    wins, over = counts("win_share")
    losses, _ = counts("win_share", "bob")
    ties, rated = counts("tie_share")
    bad, _ = counts("both_bad_share")
    assert over == wins + losses
    assert wins + losses + ties + bad == rated == 6


def test_identity_leaks(pair):
    for number in range(50):
        ran(pair, leak_scan="clean" if number else "unscannable")
    assert counts("leak_share", None) == (1, 50)


def test_effective_judges(pair):
    voted(pair, *("A" * 7), judge=make_judge())
    voted(pair, "A", "B", "B")
    assert reading("judge_effective", None).value == pytest.approx(1.92, abs=5e-3)


def test_battles_that_only_their_submitter_judged(pair):
    voted(pair, *("A" * 3), by_submitter=True)
    both = ran(pair)
    vote(both, "A", by_submitter=True)
    vote(both, "B")
    assert counts("self_judged_share", None) == (3, 4)


def test_second_opinions(pair):
    twice = ran(pair)
    vote(twice, "A")
    vote(twice, "B")
    voted(pair, "A", "A", "A")
    assert counts("redundancy_share", None) == (1, 4)


def test_battles_drawn_for_several_judges_that_were_never_offered(pair):
    old = [make_votable(agents=pair, judges_needed=needed) for needed in (3, 3, 3, 3, 1)]
    Battle.objects.update(votable_at=timezone.now() - REPEAT_WITHIN)
    make_votable(agents=pair, judges_needed=3)
    for battle in old[:3]:
        offer(battle)
    assert counts("never_offered_share", None) == (1, 4)


def test_pairs_that_have_met(pair):
    cyd = make_agent("cyd", kind=Agent.Kind.BASELINE)
    voted(pair, *("A" * 10))
    voted((pair[0], cyd), *("A" * 9))
    make_agent("left", kind=Agent.Kind.BASELINE, state="retired", retired_at=timezone.now())
    assert counts("pair_coverage", None) == (1, 3)


def test_an_agent_under_notice_may_be_drawn_until_its_last_day(pair):
    voted(pair, *("A" * 10))
    tomorrow = timezone.now() + timedelta(days=1)
    leaving = make_agent("leaving", kind=Agent.Kind.BASELINE, state="retired", retired_at=tomorrow)
    ran((pair[0], leaving))
    assert (counts("pair_coverage", None), counts("offer_ratio", None)) == ((1, 3), (0, 1))
    Agent.objects.filter(pk=leaving.pk).update(retired_at=timezone.now())
    assert (counts("pair_coverage", None), counts("offer_ratio", None)) == ((1, 1), (10, 11))


def test_the_largest_provider_and_even_offers():
    agents = [make_agent(f"m{n}", kind=Agent.Kind.BASELINE, provider=("P", "Q", "R")[n]) for n in range(3)]
    for one, other in ((0, 1), (0, 1), (0, 2), (1, 0), (0, 2)):
        ran((agents[one], agents[other]))
    assert counts("provider_share_max", None) == (5, 10)
    assert counts("offer_ratio", None) == (2, 5)


def test_offers_are_compared_since_all_could_be_drawn(pair):
    ran(pair)
    late = make_agent("late", kind=Agent.Kind.BASELINE)
    assert reading("offer_ratio", None).value is None
    ran((pair[0], late))
    assert counts("offer_ratio", None) == (0, 1)


def test_withdrawals_done_in_time(pair):
    now = timezone.now()
    for number in range(10):
        asked = now - timedelta(days=30)
        out = asked + timedelta(days=8 if number == 0 else 1)
        told = None if number == 1 else asked + timedelta(days=31 if number == 2 else 2)
        done = {"corpus_done_at": out, "licensees_done_at": max(out, told) if told else None}
        Withdrawal.objects.create(judge=make_judge(), received_at=asked, **done)
    Withdrawal.objects.create(judge=make_judge(), received_at=now, corpus_done_at=now, licensees_done_at=now)
    called_off = {"called_off_at": now, "called_off_reason": "Of another judge."}
    Withdrawal.objects.create(judge=make_judge(), received_at=now - timedelta(days=9), **called_off)
    assert counts("withdrawal_on_time", None) == (7, 10)


@pytest.mark.parametrize("settled_by", ["closing", "the only judge's vote", "time"])
def test_a_battle_that_somebody_may_still_judge_blind_moves_nothing(pair, settled_by):
    battle = make_votable(agents=pair)
    if settled_by != "the only judge's vote":
        offer(battle)
    assert counts("claimed_done_share") == (None, None)
    if settled_by == "closing":
        Battle.objects.update(state="closed", closed_at=timezone.now())
    elif settled_by == "time":
        Battle.objects.update(votable_at=timezone.now() - REPEAT_WITHIN - timedelta(minutes=1))
    else:
        say(battle, battle.task.judge, "A")
    assert counts("claimed_done_share")[1] == 1


def test_the_headline_knows_only_models_on_peoples_tasks(pair):
    models = make_agent("m1"), make_agent("m2")
    ran(pair)
    ran(models)
    ran(models, kind=Battle.Kind.LIVE)
    ran((models[0], pair[0]), kind=Battle.Kind.LIVE)
    Battle.objects.update(votable_at=timezone.now() - REPEAT_WITHIN - timedelta(minutes=1))
    found = compute(Board.HEADLINE)["claimed_done_share"]
    assert {agent: each.over for agent, each in found.items()} == {"m1": 1, "m2": 1}
    assert counts("claimed_done_share", "m1") == (3, 3)


def test_an_affiliated_agent_has_no_place_anywhere(pair):
    Agent.objects.filter(pk="bob").update(affiliated_from=timezone.now())
    ran(pair)
    found = compute(Board.DEMO)["claimed_done_share"]
    assert set(found) == {"ada"}
    assert found["ada"].value is None


def test_an_empty_arena_knows_nothing_and_says_no_data():
    found = [each for readings in compute(Board.DEMO).values() for each in readings.values()]
    assert {(each.value, each.reason) for each in found} == {(None, "no_data")}
    assert needs_of(measure.computation for measure in CATALOG).pairs
    assert Source(Board.DEMO, timezone.now(), needs_of([])).agents == ()
