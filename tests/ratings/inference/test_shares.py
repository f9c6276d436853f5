"""Shares of items that resemble each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from ratings.inference.shares import clustered_share, wilson


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_agrees_with_statsmodels(counted: int, over: int) -> None:
    counted = min(counted, over)
    ours = wilson(counted / over, over)
    assert (ours.lower, ours.upper) == pytest.approx(proportion_confint(counted, over, method="wilson"), abs=1e-12)
    assert 0 <= ours.lower <= ours.value <= ours.upper <= 1


@pytest.mark.parametrize(("share", "size"), [(0.5, 0), (1.2, 10), (-0.1, 10)])
def test_no_interval_for_what_is_no_share(share: float, size: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        wilson(share, size)


def test_items_of_their_own_are_worth_about_their_number() -> None:
    rng = np.random.default_rng(3)
    counted = (rng.random(400) < 0.3).astype(float)
    found = clustered_share(counted, np.ones(400), np.arange(400))
    assert found.effective_size == pytest.approx(400, rel=0.01)
    assert found.value == counted.mean()


def test_judges_who_always_answer_alike_are_worth_one_item_each() -> None:
    rng = np.random.default_rng(3)
    judge = np.repeat(np.arange(50), 20)
    counted = (rng.random(50) < 0.4)[judge].astype(float)
    found = clustered_share(counted, np.ones(1000), judge)
    assert found.effective_size == pytest.approx(50, rel=0.05)
    plain = wilson(found.value, 1000)
    assert found.upper - found.lower > 4 * (plain.upper - plain.lower)


def test_a_share_of_none_or_all_takes_every_cluster_as_one_item() -> None:
    judge = np.repeat(np.arange(10), 30)
    found = clustered_share(np.zeros(300), np.ones(300), judge)
    assert (found.value, found.effective_size) == (0, 10)
    assert found.upper == pytest.approx(wilson(0, 10).upper)


def test_one_cluster_is_one_item() -> None:
    found = clustered_share(np.array([1.0, 0, 0, 1]), np.ones(4), np.zeros(4, dtype=int))
    assert found.effective_size == 1


def test_nothing_to_count_over_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to take a share of"):
        clustered_share(np.zeros(1), np.zeros(1), np.zeros(1, dtype=int))


def test_the_interval_covers_when_judges_differ() -> None:
    rng, covered = np.random.default_rng(11), 0
    for _ in range(300):
        leaning = rng.beta(3, 7, size=30)
        judge = rng.choice(30, 600, p=np.full(30, 1 / 30))
        counted = (rng.random(600) < leaning[judge]).astype(float)
        found = clustered_share(counted, np.ones(600), judge)
        covered += found.lower <= 0.3 <= found.upper
    assert covered >= 0.92 * 300
