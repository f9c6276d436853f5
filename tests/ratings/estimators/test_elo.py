"""Online Elo: its arithmetic, its noise, and how far its average is from the fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.covariance import model_covariance, sandwich_covariance
from ratings.estimators.elo import elo_permuted, resting_gap_sd, run_elo, run_ticker
from ratings.estimators.elo_rule import SEED_RATING, elo_update, expected_points, ticker_k, ticker_update
from ratings.estimators.scale import POINTS_PER_NAT, to_points
from tests.ratings.boards import boards, centred, gap_error, simulate

RATING = st.floats(400, 1600)
TRUTH = [1060.0, 1015.0, 985.0, 940.0]


@given(RATING, RATING, st.sampled_from((0.0, 0.5, 1.0)), st.floats(1, 64))
def test_a_fixed_k_gives_one_side_what_it_takes_from_the_other(a: float, b: float, points: float, k: float) -> None:
    new_a, new_b = elo_update(a, b, points, k)
    assert new_a + new_b == pytest.approx(a + b)


@given(RATING, RATING, st.sampled_from((0.0, 0.5, 1.0)))
def test_an_update_is_a_step_up_the_log_likelihood(a: float, b: float, points: float) -> None:
    def log_likelihood(rating: float) -> float:
        chance = expected_points(rating, b)
        return points * math.log(chance) + (1 - points) * math.log(1 - chance)

    gradient = (log_likelihood(a + 0.01) - log_likelihood(a - 0.01)) / 0.02 * POINTS_PER_NAT
    assert gradient == pytest.approx(points - expected_points(a, b), abs=1e-6)


def test_the_tickers_k_falls_from_48_to_12_at_thirty_battles() -> None:
    assert [round(ticker_k(n), 2) for n in (0, 6, 30, 31, 1000)] == [48, 24, 12, 12, 12]


def test_the_ticker_does_not_conserve_points() -> None:
    new_a, new_b = ticker_update(1000, 1000, 0, 30, 1.0)
    assert (new_a, new_b) == (1024, 994)


def test_the_ticker_counts_each_sides_battles() -> None:
    votes = Comparisons(3, np.zeros(3, int), np.array([0, 0, 2]), np.array([1, 1, 0]), np.array([2, 2, 2]))
    ratings = run_ticker(votes)
    a, b = ticker_update(SEED_RATING, SEED_RATING, 0, 0, 1)
    a, b = ticker_update(a, b, 1, 1, 1)
    c, a = ticker_update(SEED_RATING, a, 0, 2, 1)
    assert ratings.tolist() == [a, b, c]


@pytest.mark.parametrize(("k", "spread"), [(8, 37.5), (16, 53.3), (32, 76.3)])
def test_the_gap_of_two_equal_models_never_settles(k: float, spread: float) -> None:
    assert resting_gap_sd(k) == pytest.approx(spread, abs=0.05)
    rng = np.random.default_rng(8)
    gap = np.zeros(400)
    for _ in range(2000):
        gap += 2 * k * ((rng.random(400) < 0.5) - 1 / (1 + 10 ** (-gap / 400)))
    # The standard deviation of 400 runs is itself known to about 3.5%.
    assert gap.std() == pytest.approx(spread, rel=0.11)


def test_a_k_of_32_is_worth_21_games() -> None:
    assert (2 * POINTS_PER_NAT / resting_gap_sd(32)) ** 2 == pytest.approx(21, abs=0.5)


@pytest.mark.parametrize("k", [0, -1, 700])
def test_a_k_without_a_resting_distribution_is_refused(k: float) -> None:
    with pytest.raises(ValueError, match="K must be between"):
        resting_gap_sd(k)


def test_orders_of_two_thousand_games_move_a_rating_by_fifty_points() -> None:
    votes = simulate(TRUTH, 2000, seed=0)
    assert np.all(
        (elo_permuted(votes, 32, seed=1, orders=200).spread > 44)
        & (elo_permuted(votes, 32, seed=1, orders=200).spread < 52)
    )
    assert elo_permuted(votes, 8, seed=1, orders=200).spread.mean() == pytest.approx(21, abs=1.5)


def test_the_batch_fit_of_the_same_games_is_four_times_as_sure() -> None:
    votes = simulate(TRUTH, 2000, seed=0)
    estimate = fit_bradley_terry(tabulate(votes))
    ratings = to_points(estimate.strengths, centred(4))
    for covariance in (model_covariance(estimate), sandwich_covariance(votes, estimate)):
        points = covariance.points(centred(4))
        assert gap_error(points, 1, 2) == pytest.approx(14, abs=0.6)
        assert abs(ratings[1] - ratings[2] - 30) < 1.5 * gap_error(points, 1, 2)


def test_the_average_over_orders_comes_near_the_fit() -> None:
    votes = simulate(TRUTH, 2000, seed=0)
    fit = to_points(fit_bradley_terry(tabulate(votes)).strengths, centred(4))
    average = elo_permuted(votes, 8, seed=1, orders=300)
    standard_error = average.spread / math.sqrt(300)
    assert np.all(np.abs(average.mean - fit) < 4 + 3 * standard_error)


@given(boards())
def test_permuted_elo_conserves_points_and_repeats_itself(votes: Comparisons) -> None:
    first, second = (elo_permuted(votes, 16, seed=3, orders=5).ratings for _ in range(2))
    assert np.array_equal(first, second)
    assert np.allclose(first.mean(axis=1), SEED_RATING)


@given(boards(most_agents=3, most_votes=8))
def test_each_order_is_a_run_of_online_elo(votes: Comparisons) -> None:
    one = votes.take(np.array([0]))
    assert np.allclose(elo_permuted(one, 16, seed=3, orders=2).ratings, run_elo(one, 16))
