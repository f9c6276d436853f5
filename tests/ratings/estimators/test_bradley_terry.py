"""The maximum of the likelihood: what it must be, and what must not change it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.estimators.bradley_terry import fit_bradley_terry, near_maximum
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, PairTable, tabulate
from ratings.estimators.covariance import model_covariance
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT, gap_of_share, to_points, win_probability
from tests.ratings.boards import ballots, boards, centred, head_to_head, simulate
from tests.ratings.crowd_votes import crowd_votes, reference


def ratings_of(votes: Comparisons) -> np.ndarray:
    return to_points(fit_bradley_terry(tabulate(votes)).strengths, centred(votes.agents))


def gap_of(votes: Comparisons) -> float:
    ratings = ratings_of(votes)
    return float(ratings[0] - ratings[1])


def schedule(shares: dict[tuple[int, int], tuple[float, float]], agents: int) -> PairTable:
    """A table of (battles, share of points of the first) by pair."""
    weight = np.zeros((agents, agents, 3))
    for (a, b), (battles, share) in shares.items():
        weight[a, b] = battles * (1 - share), 0, battles * share
    return PairTable(weight)


def test_the_scale() -> None:
    assert pytest.approx(173.7178, abs=5e-5) == POINTS_PER_NAT
    assert win_probability(400) == pytest.approx(0.909, abs=5e-4)
    assert win_probability(100) == pytest.approx(0.640, abs=5e-4)
    assert gap_of_share(win_probability(123.0)) == pytest.approx(123.0)
    assert gap_of_share(0) == -math.inf


@pytest.mark.parametrize(("wins", "losses", "gap"), [(3, 1, 190.85), (1, 1, 0.0), (6, 4, 70.44), (6, 5, 31.67)])
def test_two_agents_differ_by_the_log_odds(wins: int, losses: int, gap: float) -> None:
    assert gap_of(ballots(head_to_head(wins, losses))) == pytest.approx(gap, abs=0.005)


def test_ties_are_half_a_win_and_shrink_the_gap() -> None:
    share = 0.7 / (1 + math.exp(-0.5)) + 0.15
    estimate = fit_bradley_terry(schedule({(0, 1): (1000, share)}, 2))
    gap = estimate.strengths[0] - estimate.strengths[1]
    assert gap == pytest.approx(0.3463, abs=5e-5)
    assert gap == pytest.approx((1 - 0.3) * 0.5, abs=0.004), "the rule of thumb is close, not exact"


def test_a_cycle_is_equal_under_an_equal_schedule_and_ordered_by_an_unequal_one() -> None:
    equal = fit_bradley_terry(schedule({(0, 1): (100, 0.7), (1, 2): (100, 0.7), (2, 0): (100, 0.7)}, 3))
    assert np.abs(equal.strengths).max() < 1e-12
    skewed = fit_bradley_terry(schedule({(0, 1): (800, 0.7), (1, 2): (100, 0.7), (2, 0): (100, 0.7)}, 3))
    assert (skewed.strengths[0] - skewed.strengths[1]) * POINTS_PER_NAT == pytest.approx(119, abs=0.5)


def test_known_strengths_come_back_from_a_round_robin_of_fifty_thousand() -> None:
    truth = np.array([1150.0, 1060.0, 1000.0, 930.0, 860.0])
    estimate = fit_bradley_terry(tabulate(simulate(truth.tolist(), 50_000, seed=5)))
    errors = np.sqrt(np.diag(model_covariance(estimate).points(centred(5))))
    assert np.all(np.abs(to_points(estimate.strengths, centred(5)) - truth) < 3 * errors)
    assert estimate.steps <= 8
    assert estimate.converged


@given(boards())
def test_every_agents_expected_points_equal_its_points(votes: Comparisons) -> None:
    table = tabulate(votes)
    estimate = fit_bradley_terry(table)
    chance = 1 / (1 + np.exp(estimate.strengths[None, :] - estimate.strengths[:, None]))
    expected = (table.meetings() * chance).sum(axis=1)
    assert np.allclose(expected, table.points().sum(axis=1), atol=1e-8)
    assert estimate.strengths.sum() == pytest.approx(0, abs=1e-12)
    assert estimate.converged


@given(boards(), st.randoms(use_true_random=False))
def test_c25_neither_the_order_of_the_votes_nor_the_slots_matter_to_the_last_bit(
    votes: Comparisons, chance: object
) -> None:
    order = list(range(len(votes)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    shuffled = votes.take(np.array(order))
    swapped = Comparisons(votes.agents, votes.judge, votes.b, votes.a, 2 - votes.outcome)
    assert np.array_equal(ratings_of(shuffled), ratings_of(votes))
    assert np.array_equal(ratings_of(swapped), ratings_of(votes))


@given(boards(), st.data())
def test_numbering_the_agents_anew_numbers_the_ratings_anew(votes: Comparisons, data: st.DataObject) -> None:
    place = np.array(data.draw(st.permutations(range(votes.agents))))
    renamed = Comparisons(votes.agents, votes.judge, place[votes.a], place[votes.b], votes.outcome)
    assert np.allclose(ratings_of(renamed)[place], ratings_of(votes), atol=1e-9)


@given(boards(), st.integers(2, 4))
def test_a_vote_of_weight_k_is_k_votes(votes: Comparisons, k: int) -> None:
    weight = np.ones(len(votes))
    weight[0] = k
    heavy = Comparisons(votes.agents, votes.judge, votes.a, votes.b, votes.outcome, weight)
    rows = np.concatenate([np.zeros(k - 1, dtype=np.int64), np.arange(len(votes))])
    assert np.allclose(ratings_of(heavy), ratings_of(votes.take(rows)), atol=1e-9)


@given(boards(), st.floats(0.1, 10))
def test_scaling_all_weights_changes_nothing(votes: Comparisons, scale: float) -> None:
    heavy = Comparisons(
        votes.agents, votes.judge, votes.a, votes.b, votes.outcome, np.full(len(votes), scale, dtype=np.float64)
    )
    assert np.allclose(ratings_of(heavy), ratings_of(votes), atol=1e-8)


@given(boards(), st.data())
@settings(max_examples=30)
def test_the_gauge_moves_all_ratings_together(votes: Comparisons, data: st.DataObject) -> None:
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    ranked = np.array(data.draw(st.lists(st.booleans(), min_size=votes.agents, max_size=votes.agents)))
    ranked[0] = True
    ratings = to_points(strengths, ranked / ranked.sum())
    assert ratings[ranked].mean() == pytest.approx(ANCHOR)
    moved = ratings - to_points(strengths, centred(votes.agents))
    assert np.allclose(moved, moved[0], atol=1e-9)


def test_no_number_where_the_votes_do_not_connect() -> None:
    with pytest.raises(NoFiniteMaximum, match="2 separate components") as refusal:
        fit_bradley_terry(tabulate(ballots(head_to_head(3, 1) + head_to_head(1, 1, a=2, b=3))))
    assert refusal.value.reason == "not_connected"


def test_no_huge_number_where_somebody_never_lost() -> None:
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_bradley_terry(tabulate(ballots(head_to_head(5, 0))))
    assert refusal.value.reason == "unbounded"


def test_no_position_term_where_one_slot_always_won() -> None:
    rows = [(0, 0, 1, A_WINS), (1, 1, 0, A_WINS), (2, 0, 1, A_WINS)]
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_bradley_terry(tabulate(ballots(rows)), position=True)
    assert refusal.value.reason == "unbounded"


def test_no_position_term_where_agents_never_changed_slots() -> None:
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_bradley_terry(tabulate(ballots(head_to_head(3, 2))), position=True)
    assert refusal.value.reason == "not_identified"


def test_the_position_term_is_recovered_and_does_not_leak_into_the_ratings() -> None:
    truth = [1080.0, 1010.0, 990.0, 920.0]
    estimate = fit_bradley_terry(tabulate(simulate(truth, 40_000, seed=2, position=0.4)), position=True)
    assert estimate.extra("position") == pytest.approx(0.4, abs=3 * 0.012)
    assert np.allclose(to_points(estimate.strengths, centred(4)), truth, atol=8)


def test_a_nearly_separated_board_converges() -> None:
    estimate = fit_bradley_terry(schedule({(i, i + 1): (1e6, 1 - 1e-6) for i in range(8)}, 9))
    assert estimate.converged
    assert np.allclose(-np.diff(estimate.strengths), math.log(1e6), atol=1e-3)


def test_agrees_with_a_generalized_linear_model() -> None:
    votes = simulate([1100, 1040, 1000, 960, 900], 3000, seed=11, tie_share=0.3, position=0.2)
    design = np.zeros((len(votes), 5))
    design[np.arange(len(votes)), votes.a] += 1
    design[np.arange(len(votes)), votes.b] -= 1
    for position in (False, True):
        columns = [design[:, 1:]] + ([np.ones((len(votes), 1))] if position else [])
        model = sm.GLM(votes.outcome / 2, np.hstack(columns), family=sm.families.Binomial()).fit(tol=1e-13)
        theirs = np.concatenate([[0.0], model.params[:4]])
        ours = fit_bradley_terry(tabulate(votes), position=position)
        assert np.abs(ours.strengths - (theirs - theirs.mean())).max() * POINTS_PER_NAT < 1e-8
        assert not position or ours.extra("position") == pytest.approx(model.params[4], abs=1e-10)


def test_agrees_with_other_programs_on_real_votes() -> None:
    votes, known = crowd_votes(), reference()
    table = tabulate(votes)
    plain = fit_bradley_terry(table)
    assert np.abs(to_points(plain.strengths, centred(59)) - ANCHOR - known["ratings"]).max() < 1e-8
    assert plain.log_likelihood == pytest.approx(known["log_likelihood"], abs=1e-7)
    seated = fit_bradley_terry(table, position=True)
    assert np.abs(to_points(seated.strengths, centred(59)) - ANCHOR - known["position"]["ratings"]).max() < 1e-8
    assert seated.extra("position") * POINTS_PER_NAT == pytest.approx(known["position"]["advantage"], abs=1e-8)


def test_weights_of_other_programs_give_their_ratings() -> None:
    votes, known = crowd_votes(), reference()["inverse_pair_count"]
    meetings = tabulate(votes).meetings()[votes.a, votes.b]
    weight = 1 / np.maximum(meetings, 50)
    weighted = Comparisons(59, votes.judge, votes.a, votes.b, votes.outcome, weight / weight.mean())
    assert np.abs(ratings_of(weighted) - ANCHOR - known["ratings"]).max() < 1e-8


def test_ties_only_leave_equal_strengths() -> None:
    votes = ballots([(judge, 0, 1, TIE) for judge in range(4)])
    assert gap_of(votes) == 0
    assert gap_of(ballots([(0, 0, 1, B_WINS), (1, 0, 1, A_WINS)])) == 0


def test_steps_from_a_near_fit_end_where_newton_does_and_from_a_far_one_say_so() -> None:
    votes = simulate([1100, 1030, 1000, 940], 800, seed=8, tie_share=0.2)
    estimate = fit_bradley_terry(tabulate(votes))
    fewer = tabulate(votes.take(np.arange(790)))
    found = near_maximum(fewer.points(), estimate)
    assert found is not None
    assert np.abs(found - fit_bradley_terry(fewer).strengths).max() < 1e-11
    reversed_points = tabulate(votes).points().T * 300
    assert near_maximum(reversed_points, estimate) is None
