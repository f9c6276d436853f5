"""Quantiles and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ratings.inference.intervals import ellipsoid_factor, intervals, t_quantile


def test_many_judges_bring_the_normal_quantile_and_few_a_wider_one() -> None:
    assert t_quantile(math.inf) == pytest.approx(1.96, abs=5e-4)
    assert t_quantile(1e7) == pytest.approx(1.96, abs=5e-4)
    assert t_quantile(9) == pytest.approx(2.262, abs=5e-4)
    assert t_quantile(math.inf, sides=1) == pytest.approx(1.645, abs=5e-4)
    assert t_quantile(0) == math.inf


@given(st.floats(0.01, 1e7), st.floats(0.01, 0.9999), st.sampled_from([1, 2]))
def test_quantiles_are_those_of_the_distributions(df: float, confidence: float, sides: int) -> None:
    level = 1 - (1 - confidence) / sides
    assert t_quantile(df, confidence=confidence, sides=sides) == pytest.approx(stats.t.ppf(level, df), rel=1e-12)
    assert t_quantile(math.inf, confidence=confidence, sides=sides) == pytest.approx(stats.norm.ppf(level), rel=1e-12)


def test_eight_models_at_once_are_nearly_twice_as_wide_as_one() -> None:
    assert ellipsoid_factor(7, math.inf) / t_quantile(math.inf) == pytest.approx(1.91, abs=0.005)


@given(st.integers(1, 30), st.floats(1, 500))
def test_the_ellipsoid_is_never_narrower_than_one_interval(parameters: int, df: float) -> None:
    assert ellipsoid_factor(parameters, df) >= t_quantile(df) - 1e-9
    assert ellipsoid_factor(1, df) == pytest.approx(t_quantile(df))


def test_an_ellipsoid_needs_something_to_contrast() -> None:
    with pytest.raises(ValueError, match="free parameter"):
        ellipsoid_factor(0, 10)
    assert ellipsoid_factor(3, 0) == math.inf


def test_no_interval_without_an_error_or_a_finite_factor() -> None:
    ratings, errors = np.array([1010.0, 990.0]), np.array([5.0, np.nan])
    found = intervals(ratings, errors, 2.0)
    assert (found.lower[0], found.upper[0]) == (1000, 1020)
    assert np.isnan([found.lower[1], found.upper[1]]).all()
    assert np.isnan(intervals(ratings, errors, math.inf).lower).all()
    own = intervals(ratings, np.array([5.0, 5.0]), np.array([2.0, 3.0]))
    assert own.upper.tolist() == [1020, 1005]
