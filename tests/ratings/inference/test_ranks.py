"""Ranges of ranks and cautious places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.inference.ranks import places, rank_ranges, rank_ranges_of_intervals

NAN, INF = np.nan, np.inf


def test_c27_places_from_intervals() -> None:
    lower, upper = np.array([1100, 1090, 900, NAN]), np.array([1200, 1150, 1000, NAN])
    assert places(lower, upper) == (1, 1, 3, None)


def test_a_hair_of_overlap_shares_first_place() -> None:
    assert places(np.array([1803.4, 1770.0]), np.array([1840.0, 1804.5])) == (1, 1)
    assert places(np.array([1804.6, 1770.0]), np.array([1840.0, 1804.5])) == (1, 2)


def test_a_rating_without_an_interval_shares_every_place() -> None:
    assert places(np.array([1100, -INF]), np.array([1200, INF])) == (1, 1)


def test_ranks_from_separate_intervals() -> None:
    ranks = rank_ranges_of_intervals(np.array([1790, 1780, 1700]), np.array([1830, 1810, 1760]))
    assert list(zip(ranks.best, ranks.worst, strict=True)) == [(1, 2), (1, 2), (3, 3)]


def test_gaps_may_settle_what_separate_intervals_leave_open() -> None:
    ratings = np.array([1020.0, 1000.0])
    ranks = rank_ranges(ratings, np.full((2, 2), 15.0))
    assert list(zip(ranks.best, ranks.worst, strict=True)) == [(1, 1), (2, 2)]


def test_unknown_gaps_and_agents_outside_leave_ranks_open() -> None:
    halfwidth = np.array([[NAN, 1.0, NAN], [1.0, NAN, NAN], [NAN, NAN, NAN]])
    ranks = rank_ranges(np.array([1020.0, 1000.0, 900.0]), halfwidth, others=1)
    assert list(zip(ranks.best, ranks.worst, strict=True)) == [(1, 3), (2, 4), (1, 4)]


@given(st.lists(st.floats(800, 1200), min_size=1, max_size=8), st.floats(0, 200))
def test_every_agents_own_rank_is_in_its_range(ratings: list[float], halfwidth: float) -> None:
    values = np.array(ratings)
    ranks = rank_ranges(values, np.full((len(values), len(values)), halfwidth))
    for i, value in enumerate(values):
        assert 1 <= ranks.best[i] <= 1 + (values > value).sum()
        assert len(values) >= ranks.worst[i] >= len(values) - (values < value).sum()


@pytest.mark.parametrize("shift", [0.0, 250.0])
def test_ranks_do_not_depend_on_the_anchor(shift: float) -> None:
    ratings = np.array([1050.0, 1000.0, 990.0]) + shift
    assert rank_ranges(ratings, np.full((3, 3), 30.0)).best.tolist() == [1, 2, 2]
