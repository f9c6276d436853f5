"""The rule that marks a judge, and how often it is wrong about one who judges well."""

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judging.intervals import wilson_interval
from judging.trust_rule import (
    CALLS_NEEDED,
    HONEST_ACCURACY,
    WINDOW,
    chance_of_ever_mark,
    chance_of_mark,
    most_that_marks,
    speaks_against,
)


def test_nineteen_calls_decide_nothing_and_twenty_do():
    assert speaks_against([False] * (CALLS_NEEDED - 1)) is None
    assert speaks_against([False] * CALLS_NEEDED) is True


def test_the_bound_itself_does_not_mark():
    assert speaks_against([True] * 9 + [False] * 11) is False
    assert speaks_against([True] * 8 + [False] * 12) is True
    assert (most_that_marks(20), most_that_marks(40)) == (8, 17)


def test_only_the_last_forty_calls_count():
    assert speaks_against([False] * 100 + [True] * WINDOW) is False
    assert speaks_against([True] * 100 + [False] * 23 + [True] * 17) is True


@settings(deadline=None)
@given(st.integers(CALLS_NEEDED, WINDOW), st.floats(0.05, 0.95))
def test_the_chance_of_one_look_is_the_binomial_tail(calls, accuracy):
    tail = stats.binom.cdf(most_that_marks(calls), calls, accuracy)
    assert chance_of_mark(accuracy=accuracy, calls=calls) == pytest.approx(tail, abs=1e-12)


def test_the_published_chances_for_a_judge_of_accuracy_sixty_percent():
    assert HONEST_ACCURACY == 0.60
    assert chance_of_mark(calls=20) == pytest.approx(0.0565, abs=5e-5)
    assert chance_of_mark() == pytest.approx(0.0189, abs=5e-5)
    assert chance_of_ever_mark() == pytest.approx(0.1335, abs=5e-5)


def test_the_rules_for_judges_state_these_chances():
    rules = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()
    for chance in (chance_of_mark(calls=CALLS_NEEDED), chance_of_mark(), chance_of_ever_mark()):
        assert f"{chance:.1%}" in rules


def test_the_walk_agrees_with_counting_every_sequence(monkeypatch):
    """With windows small enough to enumerate: all sequences of calls, each with its own chance."""
    monkeypatch.setattr("judging.trust_rule.CALLS_NEEDED", 4)
    monkeypatch.setattr("judging.trust_rule.WINDOW", 10)
    accuracy, marked = 0.6, 0.0
    for calls in itertools.product([True, False], repeat=10):
        if any(speaks_against(calls[:seen]) for seen in range(4, 11)):
            marked += accuracy ** sum(calls) * (1 - accuracy) ** (10 - sum(calls))
    assert chance_of_ever_mark(accuracy=accuracy, calls=10) == pytest.approx(marked, abs=1e-12)


def test_a_simulated_judge_meets_the_same_chance():
    rng = random.Random(4)
    runs = 4_000
    marked = 0
    for _ in range(runs):
        calls = [rng.random() < HONEST_ACCURACY for _ in range(WINDOW)]
        marked += any(speaks_against(calls[:seen]) for seen in range(CALLS_NEEDED, WINDOW + 1))
    assert marked / runs == pytest.approx(chance_of_ever_mark(), abs=0.02)


@pytest.mark.parametrize("calls", [19, 41])
def test_the_rule_looks_at_twenty_to_forty_calls(calls):
    with pytest.raises(ValueError, match="calls"):
        chance_of_mark(calls=calls)


@settings(deadline=None)
@given(st.integers(1, 200).flatmap(lambda calls: st.tuples(st.integers(0, calls), st.just(calls))))
def test_wilsons_interval_is_that_of_an_independent_implementation(counts):
    right, calls = counts
    reference = stats.binomtest(right, calls).proportion_ci(method="wilson")
    assert wilson_interval(right, calls) == pytest.approx((reference.low, reference.high), abs=1e-9)


@pytest.mark.parametrize(("right", "calls"), [(0, 0), (2, 1), (-1, 3)])
def test_a_share_of_nothing_has_no_interval(right, calls):
    with pytest.raises(ValueError, match="no share"):
        wilson_interval(right, calls)
