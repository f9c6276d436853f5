"""Intervals that hold at every look."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.inference.anytime import RHO, TIGHTEST_AT_JUDGES, anytime_factor, rho_tightest_at


def test_the_formula() -> None:
    grown = 50 * 0.3**2
    assert anytime_factor(50, rho=0.3) == pytest.approx(math.sqrt((grown + 1) / grown * math.log((grown + 1) / 0.0025)))


@given(st.floats(0.05, 2))
def test_no_other_rho_is_narrower_where_it_was_tuned(rho: float) -> None:
    tuned = anytime_factor(TIGHTEST_AT_JUDGES)
    assert tuned <= anytime_factor(TIGHTEST_AT_JUDGES, rho=rho) + 1e-12
    assert rho_tightest_at(TIGHTEST_AT_JUDGES) == RHO


@pytest.mark.parametrize("judges", [1, 10, 100, 10_000])
def test_looking_every_day_costs_about_half_the_width(judges: int) -> None:
    assert anytime_factor(judges) > 1.5 * 1.96


def test_a_sequence_needs_a_judge() -> None:
    with pytest.raises(ValueError, match="needs a judge"):
        anytime_factor(0)


def test_a_mean_that_is_looked_at_two_hundred_times_stays_covered() -> None:
    rng, looks = np.random.default_rng(4), np.unique(np.geomspace(100, 4000, 200).astype(int))
    factors = np.array([anytime_factor(int(n)) for n in looks])
    ordinary = violated = 0
    for _ in range(400):
        values = rng.random(size=4000) - 0.5
        mean = np.cumsum(values)[looks - 1] / looks
        spread = np.sqrt(np.cumsum(values**2)[looks - 1] / looks - mean**2)
        statistic = np.abs(mean) / (spread / np.sqrt(looks))
        violated += (statistic > factors).any()
        ordinary += (statistic > 1.96).any()
    assert violated <= 0.05 * 400
    assert ordinary > 0.25 * 400, "which is why the ordinary interval may not be looked at every day"
