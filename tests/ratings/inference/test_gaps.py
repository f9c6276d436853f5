"""Tests of gaps, and why overlap is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.scale import to_points
from ratings.inference.gaps import gap_errors, gap_of_intervals, gap_tests, holm
from tests.ratings.boards import centred, gap_error, simulate


def test_overlapping_intervals_that_leave_a_gap_unsettled() -> None:
    test = gap_of_intervals(1820, (1803, 1837), 1800, (1784, 1817))
    assert test.error == pytest.approx(math.hypot(8.67, 8.42), abs=0.01)
    assert test.statistic == pytest.approx(1.65, abs=0.005)
    assert test.p_value == pytest.approx(0.098, abs=0.001)


def test_overlapping_intervals_can_hide_a_gap_that_is_settled() -> None:
    test = gap_of_intervals(1825, (1808, 1842), 1797, (1781, 1813))
    assert test.p_value < 0.05, "1808 is below 1813, and yet"


def test_gaps_use_the_whole_covariance() -> None:
    votes = simulate([1080, 1030, 970, 920], 2000, seed=3, judges=30, taste=0.6)
    estimate = fit_bradley_terry(tabulate(votes))
    covariance = judge_covariance(votes, estimate)
    points, ratings = covariance.points(centred(4)), to_points(estimate.strengths, centred(4))
    tests = gap_tests(ratings, points, covariance.degrees_of_freedom)
    assert tests.error[0, 1] == pytest.approx(gap_error(points, 0, 1))
    assert tests.gap[0, 1] == pytest.approx(ratings[0] - ratings[1])
    assert np.allclose(tests.gap, -tests.gap.T)
    assert np.array_equal(tests.p_value, tests.p_value.T, equal_nan=True)
    assert np.all(tests.p_holm[~np.eye(4, dtype=bool)] >= tests.p_value[~np.eye(4, dtype=bool)])


def test_a_t_test_of_few_judges_is_more_careful_than_a_z_test() -> None:
    covariance = np.diag([40.0, 40.0])
    ratings = np.array([1010.0, 990.0])
    z, t = (gap_tests(ratings, covariance, df).p_value[0, 1] for df in (math.inf, 5.0))
    assert z < 0.05 < t
    assert np.isnan(gap_tests(ratings, covariance, 0.0).p_value[0, 1])


def test_no_error_no_test() -> None:
    covariance = np.array([[4.0, np.nan], [np.nan, np.nan]])
    tests = gap_tests(np.array([1000.0, 1010.0]), covariance, 10.0)
    assert tests.gap[1, 0] == 10
    assert np.isnan(tests.p_value[1, 0])
    same = np.array([[4.0, 4.0], [4.0, 4.0]])
    assert np.isnan(gap_errors(same)).all(), "agents that move as one have no gap to test"


@given(st.lists(st.floats(0, 1), max_size=20))
@settings(max_examples=10)  # statsmodels takes a tenth of a second for each
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    ours = holm(np.array(p_values))
    theirs = multipletests(p_values, method="holm")[1] if p_values else np.array([])
    assert np.allclose(ours, theirs)


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert np.allclose(holm(np.array([0.02, np.nan, 0.03])), [0.04, np.nan, 0.04], equal_nan=True)
