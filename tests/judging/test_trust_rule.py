"""The rule that marks a judge, and how often it is wrong about one who judges well."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judging.intervals import wilson_interval
from judging.trust_rule import (
    CALLS_NEEDED,
    HONEST_ACCURACY,
    LONGEST,
    WINDOW,
    chance_of_ever_mark,
    chance_of_mark,
    most_that_marks,
    speaks_against,
    wrong_mark_words,
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
    assert chance_of_ever_mark(calls=LONGEST) == pytest.approx(0.3727, abs=5e-5)


def test_the_rules_for_judges_state_these_chances_as_they_are_computed():
    rules = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()
    assert wrong_mark_words() in " ".join(rules.split())


@pytest.mark.parametrize(("window", "needed", "calls"), [(10, 4, 10), (4, 2, 8), (4, 2, 16), (5, 3, 15)])
@pytest.mark.parametrize("accuracy", [0.5, 0.6, 0.85])
def test_the_chance_agrees_with_counting_every_sequence(monkeypatch, window, needed, calls, accuracy):
    """With windows small enough to enumerate: all sequences of calls, each with its own chance."""
    monkeypatch.setattr("judging.trust_rule.CALLS_NEEDED", needed)
    monkeypatch.setattr("judging.trust_rule.WINDOW", window)
    marked = 0.0
    for said in itertools.product([True, False], repeat=calls):
        if any(speaks_against(said[:seen]) for seen in range(needed, calls + 1)):
            marked += accuracy ** sum(said) * (1 - accuracy) ** (calls - sum(said))
    assert chance_of_ever_mark(accuracy=accuracy, calls=calls) == pytest.approx(marked, abs=1e-12)


@pytest.mark.parametrize("calls", [WINDOW, 3 * WINDOW, LONGEST])
def test_simulated_judges_meet_the_same_chance(calls):
    judges = 20_000
    right = np.random.default_rng(4).random((judges, calls)) < HONEST_ACCURACY
    walk = np.concatenate([np.zeros((judges, 1), dtype=int), right.cumsum(axis=1)], axis=1)
    marked = np.zeros(judges, dtype=bool)
    for seen in range(CALLS_NEEDED, calls + 1):
        looked_at = min(seen, WINDOW)
        marked |= walk[:, seen] - walk[:, seen - looked_at] <= most_that_marks(looked_at)
    # Four standard errors at most.
    assert marked.mean() == pytest.approx(chance_of_ever_mark(calls=calls), abs=0.014)


@settings(deadline=None, max_examples=20)
@given(st.floats(0, 1))
def test_more_calls_never_lower_the_chance(accuracy):
    chances = [chance_of_ever_mark(accuracy=accuracy, calls=calls) for calls in (0, 20, 40, 80, 120, 160)]
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(chances))


@pytest.mark.parametrize("calls", [-1, 41, 79, 240])
def test_beyond_one_window_the_chance_is_for_whole_windows(calls):
    with pytest.raises(ValueError, match="multiple"):
        chance_of_ever_mark(calls=calls)


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
