"""What a question costs in votes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import tabulate
from ratings.estimators.covariance import model_covariance
from ratings.inference.planning import (
    expected_maximum,
    items_to_tell_from,
    selection_inflation,
    votes_for_halfwidth,
    votes_to_detect,
)
from tests.ratings.boards import ballots, centred, gap_error, head_to_head, simulate


def test_the_numbers_of_the_methods_page() -> None:
    assert votes_for_halfwidth(10) == 4637
    assert (votes_to_detect(20), votes_to_detect(100)) == (2376, 103)
    assert (items_to_tell_from(0.55), items_to_tell_from(0.55, equal_variances=False)) == (785, 783)


@given(st.floats(2, 100))
def test_halving_an_interval_takes_four_times_the_votes(points: float) -> None:
    assert votes_for_halfwidth(points / 2) == pytest.approx(4 * votes_for_halfwidth(points), abs=3)


def test_that_many_votes_give_that_halfwidth() -> None:
    votes = ballots(head_to_head(votes_for_halfwidth(20) // 2, votes_for_halfwidth(20) // 2))
    error = gap_error(model_covariance(fit_bradley_terry(tabulate(votes))).points(centred(2)), 0, 1)
    assert 1.96 * error == pytest.approx(20, abs=0.05)


def test_ties_cost_what_they_do_not_tell() -> None:
    assert votes_to_detect(100, tie_share=0.3) == pytest.approx(votes_to_detect(100) / 0.7, abs=1)


def test_two_who_never_meet_cost_four_times_as_much() -> None:
    assert votes_to_detect(100, through_others=True) == pytest.approx(4 * votes_to_detect(100), abs=4)
    # A and B each play half of n votes against a pool that is known well: var = 4/(n/2) + 4/(n/2) = 16/n = 4 x 4/n.
    direct, each = 4 / 1000, 4 / 500
    assert (each + each) / direct == 4


def test_the_promised_power_is_reached() -> None:
    detected = 0
    for seed in range(200):
        votes = simulate([1050, 950], votes_to_detect(100), seed=seed)
        estimate = fit_bradley_terry(tabulate(votes))
        error = gap_error(model_covariance(estimate).matrix, 0, 1)
        detected += abs(estimate.strengths[0] - estimate.strengths[1]) / error > stats.norm.ppf(0.975)
    assert detected / 200 == pytest.approx(0.8, abs=0.09)


def test_the_best_of_many_equals_looks_better_than_it_is() -> None:
    assert expected_maximum(27) == pytest.approx(1.998, abs=5e-4)
    assert selection_inflation(27, 15.0) == pytest.approx(30, abs=0.05)
    assert expected_maximum(1) == pytest.approx(0, abs=1e-9)
    draws = np.random.default_rng(1).normal(size=(20_000, 5)).max(axis=1)
    assert expected_maximum(5) == pytest.approx(draws.mean(), abs=0.02)


@pytest.mark.parametrize(("points", "tie_share"), [(0, 0), (-1, 0), (10, 1.0), (10, -0.1)])
def test_questions_without_an_answer_are_refused(points: float, tie_share: float) -> None:
    with pytest.raises(ValueError, match="is positive"):
        votes_for_halfwidth(points, tie_share=tie_share)


def test_no_maximum_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        expected_maximum(0)
