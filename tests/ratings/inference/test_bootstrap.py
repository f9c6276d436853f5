"""Resampled judges against the sandwich."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.inference.bootstrap import bootstrap
from tests.ratings.boards import ballots, gap_error, simulate

TRUTH = [1060.0, 1015.0, 985.0, 940.0]


def test_a_hundred_refits_of_two_thousand_games_agree_with_the_fit() -> None:
    votes = simulate(TRUTH, 2000, seed=0)
    found = bootstrap(votes, fit_bradley_terry(tabulate(votes)), np.arange(2000), seed=1, replicates=100)
    error = POINTS_PER_NAT * gap_error(found.covariance(), 1, 2)
    # The standard deviation of a hundred refits is itself known to 7%.
    assert error == pytest.approx(13.7, rel=0.2)
    assert found.failed == 0


def test_resampled_judges_agree_with_the_clustered_covariance() -> None:
    votes = simulate(TRUTH, 6000, seed=2, judges=120, taste=0.8, unequal=0.3)
    estimate = fit_bradley_terry(tabulate(votes))
    by_judge = bootstrap(votes, estimate, votes.judge, seed=1, replicates=300)
    by_vote = bootstrap(votes, estimate, np.arange(6000), seed=1, replicates=150)
    clustered = judge_covariance(votes, estimate).matrix
    errors = np.sqrt(np.diag(by_judge.covariance()) / np.diag(clustered))
    assert np.allclose(errors, 1, atol=0.15)
    assert np.diag(by_vote.covariance()).mean() < 0.6 * np.diag(clustered).mean()


def test_a_percentile_interval_holds_the_estimate() -> None:
    votes = simulate(TRUTH, 1500, seed=3)
    estimate = fit_bradley_terry(tabulate(votes))
    contrast = np.array([1.0, -1.0, 0.0, 0.0])
    low, high = bootstrap(votes, estimate, votes.judge, seed=1, replicates=200).interval(contrast)
    gap = contrast @ estimate.strengths
    reach = 1.96 * gap_error(judge_covariance(votes, estimate).matrix, 0, 1)
    assert (low, high) == (pytest.approx(gap - reach, abs=reach / 2), pytest.approx(gap + reach, abs=reach / 2))


def test_replicates_without_a_maximum_are_counted_and_left_out() -> None:
    rows = [(judge, 0, 1, A_WINS) for judge in range(9)] + [(9, 0, 1, B_WINS)]
    votes = ballots(rows)
    found = bootstrap(votes, fit_bradley_terry(tabulate(votes)), votes.judge, seed=1, replicates=400)
    # The judge who preferred the other is missing from (9/10)^10 of the replicates.
    assert found.failed / 400 == pytest.approx(0.349, abs=0.08)
    assert len(found.strengths) == 400 - found.failed


def test_the_same_seed_gives_the_same_replicates_and_weights_count() -> None:
    votes = simulate(TRUTH, 500, seed=3)
    estimate = fit_bradley_terry(tabulate(votes))
    one, other = (bootstrap(votes, estimate, votes.judge, seed=4, replicates=5).strengths for _ in range(2))
    assert np.array_equal(one, other)
    halved = replace(votes, weight=np.full(500, 0.5))
    assert np.allclose(bootstrap(halved, estimate, votes.judge, seed=4, replicates=5).strengths, one, atol=1e-6)
