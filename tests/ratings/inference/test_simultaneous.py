"""Critical values that hold for all agents or all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster, score_tiles
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.inference import simultaneous
from ratings.inference.intervals import ellipsoid_factor, t_quantile
from ratings.inference.simultaneous import CriticalValues, critical_values, t_draws, wild_draws, wild_factors
from tests.ratings.boards import centred, simulate

TRUTH = np.linspace(920, 1080, 8).tolist()


def values_of(votes: Comparisons, seed: int = 1) -> CriticalValues:
    estimate, judges = fit_bradley_terry(tabulate(votes)), cluster(votes, votes.judge)
    covariance = judge_covariance(votes, estimate, judges)
    return critical_values(judges, estimate, covariance, centred(votes.agents), seed=seed)


def test_the_method_follows_the_effective_number_of_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    few, some = simulate(TRUTH, 2000, seed=1, judges=9), simulate(TRUTH, 2000, seed=1, judges=60)
    assert values_of(few).method == "f_ellipsoid"
    assert values_of(few).gaps == pytest.approx(ellipsoid_factor(7, cluster(few, few.judge).effective() - 1))
    assert values_of(some).method == "score_wild_bootstrap"
    monkeypatch.setattr(simultaneous, "ENOUGH_FOR_NORMAL", 50.0)
    assert values_of(some).method == "multivariate_t"


def test_all_pairs_reach_further_than_all_agents_and_those_than_one() -> None:
    votes = simulate(TRUTH, 2000, seed=1, judges=60)
    values = values_of(votes)
    one = t_quantile(cluster(votes, votes.judge).effective() - 1)
    assert one < values.ratings < values.gaps < ellipsoid_factor(7, 59) + 0.5


def test_the_same_seed_gives_the_same_value_and_another_nearly_the_same() -> None:
    votes = simulate(TRUTH, 2000, seed=1, judges=60)
    assert values_of(votes, seed=3) == values_of(votes, seed=3)
    assert values_of(votes, seed=4).gaps == pytest.approx(values_of(votes, seed=3).gaps, rel=0.05)


def test_two_agents_have_one_gap_and_so_nearly_the_t_quantile() -> None:
    votes = simulate([1020, 980], 2000, seed=1, judges=60)
    values = values_of(votes)
    assert values.gaps == pytest.approx(values.ratings)
    assert values.gaps == pytest.approx(t_quantile(cluster(votes, votes.judge).effective() - 1), rel=0.06)


def test_wild_statistics_are_those_of_signed_scores_about_their_weighted_mean() -> None:
    votes = simulate(TRUTH[:4], 900, seed=2, judges=12, unequal=0.8, taste=0.5)
    estimate, judges = fit_bradley_terry(tabulate(votes)), cluster(votes, votes.judge)
    draws = wild_draws(judges, estimate, seed=5, draws=40)
    scores = np.concatenate([tile for _, tile in score_tiles(judges, estimate)]) @ estimate.bread
    shares, factor = judges.shares(), 12 / 11
    signs = np.empty((40, 12))
    chance = simultaneous.SeededDraws(5)
    for block, _ in score_tiles(judges, estimate):
        signs[:, block] = chance.signs(40, len(shares[block]))
    gap_scores = scores[:, 0] - scores[:, 2]
    total = signs @ gap_scores
    about_mean = signs * gap_scores - total[:, None] * shares
    expected = total**2 / (factor * np.square(about_mean).sum(axis=1))
    only_two = np.array([True, False, True, False])
    assert np.allclose(draws.largest_squared_gap(only_two), expected)
    rating = scores[:, 1] - scores.mean(axis=1)
    moved = (signs @ rating)[:, None] * shares
    wanted = (signs @ rating) ** 2 / (factor * np.square(signs * rating - moved).sum(axis=1))
    assert np.allclose(draws.squared_ratings(centred(4))[:, 1], wanted)


def test_normal_draws_have_the_covariance_and_t_draws_its_heavier_tails() -> None:
    votes = simulate(TRUTH[:4], 900, seed=2, judges=12)
    covariance = judge_covariance(votes, fit_bradley_terry(tabulate(votes)))
    draws = t_draws(covariance, seed=5, draws=20_000).error
    df = covariance.degrees_of_freedom
    assert np.allclose(np.cov(draws.T), covariance.matrix * df / (df - 2), atol=0.06 * covariance.matrix.max())


def test_agents_without_a_usable_error_count_in_no_maximum() -> None:
    votes = simulate(TRUTH[:4], 900, seed=2, judges=30)
    draws = wild_draws(cluster(votes, votes.judge), fit_bradley_terry(tabulate(votes)), seed=5, draws=50)
    nobody, everybody = np.zeros(4, dtype=bool), np.ones(4, dtype=bool)
    assert not draws.largest_squared_gap(nobody).any()
    three = draws.largest_squared_gap(np.array([True, True, True, False]))
    assert np.all(three <= draws.largest_squared_gap(everybody))


def test_wild_intervals_of_few_judges_are_near_the_t_interval_and_none_for_very_few() -> None:
    votes = simulate(TRUTH[:4], 2000, seed=3, judges=25, taste=0.5)
    estimate, judges = fit_bradley_terry(tabulate(votes)), cluster(votes, votes.judge)
    factors = wild_factors(judges, estimate, centred(4), seed=1)
    assert factors is not None
    assert np.allclose(factors, t_quantile(judges.effective() - 1), rtol=0.2)
    five = simulate(TRUTH[:4], 2000, seed=3, judges=5)
    assert wild_factors(cluster(five, five.judge), fit_bradley_terry(tabulate(five)), centred(4), seed=1) is None
