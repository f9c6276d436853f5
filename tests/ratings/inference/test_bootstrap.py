"""Resampled judges against the sandwich."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.seeded import SeededDraws
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


def refitted_one_by_one(votes: Comparisons, seed: int, replicates: int) -> tuple[np.ndarray, int]:
    """What the bootstrap stands for: every vote of a judge as often as the judge was drawn, fitted from nothing."""
    chance, found = SeededDraws(seed), []
    _, judge = np.unique(votes.judge, return_inverse=True)
    for _ in range(replicates):
        drawn = chance.resampled(int(judge.max()) + 1)[judge]
        kept = np.repeat(np.arange(len(votes)), drawn)
        with suppress(NoFiniteMaximum):
            found.append(fit_bradley_terry(tabulate(votes.take(kept))).strengths)
    return np.array(found).reshape(-1, votes.agents), replicates - len(found)


@pytest.mark.parametrize(
    ("agents", "votes", "judges", "unequal"), [(4, 600, 200, 0.5), (5, 80, 12, 1.0), (12, 300, 30, 0.8)]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_replicates_fitted_together_are_those_fitted_one_by_one(
    agents: int, votes: int, judges: int, unequal: float, weighted: bool
) -> None:
    points = np.linspace(1150, 850, agents).tolist()
    board = simulate(points, votes, seed=5, judges=judges, tie_share=0.2, unequal=unequal)
    if weighted:
        board = replace(board, weight=1 / (1 + np.arange(votes) % 3))
    estimate = fit_bradley_terry(tabulate(board))
    # More than are worked off together, and a number that leaves a rest.
    found = bootstrap(board, estimate, board.judge, seed=9, replicates=37)
    strengths, failed = refitted_one_by_one(board, seed=9, replicates=37)
    assert found.failed == failed
    assert np.abs(found.strengths - strengths).max() < 2e-8


def test_a_replicate_far_from_the_fit_is_found_all_the_same() -> None:
    # Two judges of opposite tastes: which of them is drawn more often moves the fit by nats.
    rows = [(0, 0, 1, A_WINS)] * 95 + [(0, 0, 1, B_WINS)] * 5 + [(1, 0, 1, B_WINS)] * 95 + [(1, 0, 1, A_WINS)] * 5
    rows += [(2, 0, 1, TIE)]
    votes = ballots(rows)
    found = bootstrap(votes, fit_bradley_terry(tabulate(votes)), votes.judge, seed=3, replicates=40)
    strengths, failed = refitted_one_by_one(votes, seed=3, replicates=40)
    assert np.abs(strengths[:, 0]).max() > 1.4
    # With the third judge alone the two are level.
    assert found.failed == failed == 0
    assert np.abs(found.strengths - strengths).max() < 2e-8
