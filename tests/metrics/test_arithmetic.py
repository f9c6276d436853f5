"""Arithmetic of the measures against the rules they stand for and against independent implementations."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judging.agreement import Label, krippendorff_alpha
from metrics.arithmetic import (
    Sums,
    agreement_of,
    entropy_of,
    quantile_shares,
    ratio_of,
    share_of,
)
from ratings.inference.shares import clustered_share, wilson

CLUSTERS = st.lists(
    st.integers(1, 40).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))), min_size=1, max_size=40
)
LABELS = st.lists(st.lists(st.sampled_from("ABtx"), min_size=1, max_size=4), min_size=1, max_size=25)


def sums(pairs):
    x, n = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    return Sums.of(x, n)


def patterns(items):
    return np.array([[item.count(answer) for answer in "ABtx"] for item in items], dtype=float)


@given(CLUSTERS)
def test_a_share_from_sums_is_the_clustered_share_of_the_rows(pairs):
    x, n = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    found, expected = share_of(sums(pairs)), clustered_share(x, n, np.arange(len(pairs)))
    assert found.value == pytest.approx(expected.value)
    assert found.lower == pytest.approx(expected.lower, abs=1e-6)
    assert found.upper == pytest.approx(expected.upper, abs=1e-6)
    assert found.effective == pytest.approx(expected.effective_size, rel=1e-6)


@given(CLUSTERS)
def test_an_interval_holds_its_share_and_is_never_narrower_than_wilsons(pairs):
    found = share_of(sums(pairs))
    plain = wilson(found.value, sum(n for _, n in pairs))
    assert 0 <= found.lower <= found.value <= found.upper <= 1
    assert found.lower <= plain.lower + 1e-9
    assert found.upper >= plain.upper - 1e-9


def test_of_nothing_there_is_no_share_and_not_0():
    nothing = Sums(0, 0, 0, 0, 0, 0)
    assert share_of(nothing) is None
    assert ratio_of(nothing) is None


def test_one_cluster_is_worth_one_item():
    assert share_of(sums([(90, 100)])).effective == pytest.approx(1)


def test_a_ratio_of_alike_lanes_has_no_spread():
    found = ratio_of(sums([(0.25, 0.5)] * 4))
    assert (found.value, found.lower, found.upper) == pytest.approx((0.5, 0.5, 0.5))
    assert ratio_of(sums([(1, 2)])).lower is None


def test_spread_of_actions_is_the_entropy_over_that_of_seven_kinds():
    counts = np.array([5, 3, 2, 0, 0, 0, 0], dtype=float)
    assert entropy_of(counts, np.outer(counts, counts), 1, 100).value == pytest.approx(0.529, abs=5e-4)


@given(st.lists(st.lists(st.integers(0, 9), min_size=7, max_size=7), min_size=1, max_size=30))
def test_spread_of_actions_stays_between_0_and_1(lanes):
    counts = np.array(lanes, dtype=float)
    assume(counts.sum() > 0)
    sizes = counts.sum(axis=1)
    found = entropy_of(counts.sum(axis=0), counts.T @ counts, int((sizes > 0).sum()), float(sizes @ sizes))
    assert -1e-9 <= found.value <= 1 + 1e-9
    if found.lower is not None:
        assert found.lower - 1e-9 <= found.value <= found.upper + 1e-9


@pytest.mark.parametrize(
    ("items", "alpha", "equal", "pairs"),
    [
        (["AA", "BB", "tt", "AB"], 2 / 3, 3, 4),
        (["AA"] * 4 + ["AB"], 0.0, 4, 5),
        (["AA"] * 5, None, 5, 5),
        (["A", "B"], None, 0, 0),
    ],
    ids=["varied", "skewed", "no variation", "nothing judged twice"],
)
def test_agreement_of_the_worked_cases(items, alpha, equal, pairs):
    found = agreement_of(patterns(items), np.ones(len(items)))
    assert found.alpha == (None if alpha is None else pytest.approx(alpha))
    assert (found.equal, found.pairs) == (equal, pairs)


@given(LABELS)
def test_alpha_of_patterns_is_that_of_the_labels(items):
    labels = [Label(item, judge, value) for item, said in enumerate(items) for judge, value in enumerate(said)]
    expected = krippendorff_alpha(labels).value
    unique, times = np.unique(patterns(items), axis=0, return_counts=True)
    found = agreement_of(unique, times.astype(float)).alpha
    assert found == (None if expected is None else pytest.approx(expected))


@given(LABELS)
def test_the_interval_of_alpha_is_the_same_every_time(items):
    once, again = (agreement_of(patterns(items), np.ones(len(items))) for _ in range(2))
    assert once == again


@given(CLUSTERS, st.integers(1, 5))
def test_clusters_that_are_alike_can_be_summed_at_once(pairs, times):
    once = Sums.of(*(np.array(column, dtype=float) for column in zip(*pairs, strict=True)), np.full(len(pairs), times))
    assert once == sums(pairs * times)


@given(st.integers(1, 500))
def test_a_median_lies_in_its_interval(size):
    lower, upper = quantile_shares(0.5, size)
    assert lower <= 0.5 <= upper


@given(st.floats(1, 1e6))
def test_fewer_independent_values_reach_further(effective):
    lower, upper = quantile_shares(0.95, effective)
    wider = quantile_shares(0.95, effective / 2)
    assert wider[0] <= lower <= 0.95 <= upper <= wider[1] or math.isclose(upper, wider[1])
