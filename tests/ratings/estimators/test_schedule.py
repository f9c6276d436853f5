"""Weights that undo the schedule of the draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, Comparisons, tabulate
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.schedule import FEWEST_DRAWS, adjust_for_schedule

#: Pairs of three agents and the probability with which each is drawn.
PAIRS = np.array([[0, 1], [1, 2], [2, 0]])
LOPSIDED = np.array([0.8, 0.1, 0.1])


def drawn_cycle(battles: int, seed: int, schedule: np.ndarray) -> tuple[Comparisons, np.ndarray]:
    """Battles of a 70% three-cycle of equals: A beats B beats C beats A."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(3, battles, p=schedule)
    outcome = np.where(rng.random(battles) < 0.7, A_WINS, B_WINS)
    votes = Comparisons(3, rng.integers(0, 300, battles), PAIRS[drawn, 0], PAIRS[drawn, 1], outcome)
    return votes, schedule[drawn]


def gap_of(votes: Comparisons) -> float:
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    return float(strengths[0] - strengths[1]) * POINTS_PER_NAT


def test_an_unequal_schedule_orders_equals_and_the_weights_undo_it() -> None:
    votes, probability = drawn_cycle(60_000, 1, LOPSIDED)
    adjusted = adjust_for_schedule(votes, probability, np.full((3, 3), 60_000.0))
    assert gap_of(votes) == pytest.approx(119, abs=6)
    assert gap_of(adjusted.votes) == pytest.approx(0, abs=8)
    assert adjusted.effective_votes < 0.6 * 60_000
    assert adjusted.votes.weights().sum() == pytest.approx(60_000)


def test_an_equal_schedule_needs_no_weights() -> None:
    votes, probability = drawn_cycle(900, 2, np.full(3, 1 / 3))
    adjusted = adjust_for_schedule(votes, probability, np.full((3, 3), 900.0))
    assert np.allclose(adjusted.votes.weights(), 1)
    assert adjusted.effective_votes == pytest.approx(900)
    assert adjusted.largest == pytest.approx(1)


def test_an_agent_that_joined_late_weighs_as_much_per_draw_it_could_be_in() -> None:
    early, p_early = drawn_cycle(40_000, 3, np.array([1.0, 0.0, 0.0]))
    late, p_late = drawn_cycle(10_000, 4, np.array([0.2, 0.4, 0.4]))
    votes = Comparisons(
        3, *(np.concatenate([getattr(early, n), getattr(late, n)]) for n in ("judge", "a", "b", "outcome"))
    )
    draws = np.full((3, 3), 10_000.0)
    draws[0, 1] = draws[1, 0] = 50_000.0
    adjusted = adjust_for_schedule(votes, np.concatenate([p_early, p_late]), draws)
    total = tabulate(adjusted.votes).meetings()
    share = np.array([total[0, 1], total[1, 2], total[0, 2]]) / total.sum() * 2
    assert np.allclose(share, 1 / 3, atol=0.02)


def test_a_pair_that_could_hardly_be_drawn_is_refused() -> None:
    votes, probability = drawn_cycle(600, 5, np.full(3, 1 / 3))
    draws = np.full((3, 3), 600.0)
    draws[1, 2] = draws[2, 1] = FEWEST_DRAWS - 1
    adjusted = adjust_for_schedule(votes, probability, draws)
    assert adjusted.refused == ((1, 2),)
    assert tabulate(adjusted.votes).meetings()[1, 2] == 0
    assert len(adjusted.kept) == len(adjusted.votes) < 600
    draws[1, 2] = draws[2, 1] = FEWEST_DRAWS
    assert adjust_for_schedule(votes, probability, draws).refused == ()


def test_a_battle_judged_by_several_stays_one_battle() -> None:
    votes, probability = drawn_cycle(600, 6, LOPSIDED)
    twice = votes.take(np.repeat(np.arange(600), 2))
    twice = replace(twice, weight=np.full(1200, 0.5))
    draws = np.full((3, 3), 600.0)
    one = adjust_for_schedule(votes, probability, draws)
    other = adjust_for_schedule(twice, np.repeat(probability, 2), draws)
    assert gap_of(one.votes) == pytest.approx(gap_of(other.votes))


@pytest.mark.parametrize("probability", [0.0, 1.5, np.nan])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    votes, _ = drawn_cycle(10, 1, LOPSIDED)
    with pytest.raises(ValueError, match="above 0 and up to 1"):
        adjust_for_schedule(votes, np.full(10, probability), np.full((3, 3), 100.0))
    with pytest.raises(ValueError, match="one probability a vote"):
        adjust_for_schedule(votes, np.ones(9), np.full((3, 3), 100.0))
