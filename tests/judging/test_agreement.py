"""Agreement: the worked cases, an independent derivation of alpha, and what holds for any labels."""

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from judging.agreement import (
    NO_PAIRS,
    NO_VARIATION,
    Label,
    cohen_kappas,
    krippendorff_alpha,
    percent_agreement,
)

ORDER = ("not_done", "partly", "done")
arithmetic = settings(deadline=None, max_examples=80)


def labels_of(*judges):
    """One row a judge, one column an item; None where a judge said nothing."""
    return [
        Label(item, judge, value)
        for judge, row in enumerate(judges)
        for item, value in enumerate(row)
        if value is not None
    ]


def test_two_judges_without_a_common_battle_have_no_agreement_rather_than_none():
    labels = [Label("b1", "j1", "A"), Label("b2", "j1", "B"), Label("b3", "j2", "A"), Label("b4", "j2", "B")]
    alpha, raw = krippendorff_alpha(labels, seed=1), percent_agreement(labels)
    assert (alpha.value, alpha.reason, alpha.pairable) == (None, NO_PAIRS, 0)
    assert (raw.value, raw.reason) == (None, NO_PAIRS)
    assert cohen_kappas(labels) == []


@pytest.mark.parametrize(
    ("judges", "alpha", "reason", "raw"),
    [
        (("AAAAA", "AAAAA"), None, NO_VARIATION, 1.0),
        (("AAAAA", "AAAAB"), 0.0, "", 0.8),
        (([1, 1, 2], [1, 1, None], [None, 1, 2]), 1.0, "", 1.0),
        (("ABTA", "ABTB"), 0.667, "", 0.75),
    ],
)
def test_no_variation_and_skew(judges, alpha, reason, raw):
    labels = labels_of(*judges)
    found = krippendorff_alpha(labels)
    assert found.reason == reason
    assert found.value == (None if alpha is None else pytest.approx(alpha, abs=5e-4))
    assert percent_agreement(labels).value == pytest.approx(raw)


def test_krippendorffs_own_example():
    """Four observers, twelve units, missing values: nominal 0.743, ordinal 0.815 (Krippendorff 2011, part C)."""
    rows = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    labels = labels_of(*([None if value == "." else int(value) for value in row.split()] for row in rows))
    assert krippendorff_alpha(labels).value == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(labels, level="ordinal", order=(1, 2, 3, 4, 5)).value == pytest.approx(0.815, abs=5e-4)


def alpha_by_definition(labels, order=None):
    """Alpha from the coincidence matrix, value by value, without arrays."""
    items = {}
    for item, _, value in labels:
        items.setdefault(item, []).append(value)
    matrix = Counter()
    for values in items.values():
        for (i, one), (j, other) in itertools.product(enumerate(values), repeat=2):
            if i != j:
                matrix[one, other] += 1 / (len(values) - 1)
    margins = Counter()
    for (one, _), times in matrix.items():
        margins[one] += times
    total = sum(margins.values())

    def distance(one, other):
        if order is None or one == other:
            return float(one != other)
        low, high = sorted((order.index(one), order.index(other)))
        between = sum(margins[order[rank]] for rank in range(low, high + 1))
        return (between - (margins[one] + margins[other]) / 2) ** 2

    observed = sum(times * distance(one, other) for (one, other), times in matrix.items()) / total
    expected = sum(
        margins[one] * margins[other] * distance(one, other) for one, other in itertools.product(margins, repeat=2)
    )
    return 1 - observed / (expected / (total * (total - 1)))


boards = st.lists(st.lists(st.sampled_from([*ORDER, None]), min_size=8, max_size=8), min_size=2, max_size=5).map(
    lambda rows: labels_of(*rows)
)


@arithmetic
@given(boards)
def test_alpha_is_what_its_definition_says(labels):
    for level, order in (("nominal", None), ("ordinal", ORDER)):
        found = krippendorff_alpha(labels, level=level, order=order or ())
        if found.value is None:
            assert found.reason in {NO_PAIRS, NO_VARIATION}
        else:
            assert found.value == pytest.approx(alpha_by_definition(labels, order), abs=1e-12)
            assert found.value <= 1


@arithmetic
@given(boards, st.randoms())
def test_neither_order_nor_names_matter(labels, chance):
    shuffled = [Label(f"i{item}", f"j{judge}", value) for item, judge, value in labels]
    chance.shuffle(shuffled)
    one, other = krippendorff_alpha(labels), krippendorff_alpha(shuffled)
    assert (one.reason, one.pairable) == (other.reason, other.pairable)
    assert one.value == (None if other.value is None else pytest.approx(other.value, abs=1e-12))


@arithmetic
@given(st.lists(st.sampled_from(ORDER), min_size=2, max_size=20), st.integers(2, 4))
def test_judges_who_always_agree_have_one_or_no_variation(values, judges):
    found = krippendorff_alpha(labels_of(*[values] * judges))
    assert found.value == (pytest.approx(1.0) if len(set(values)) > 1 else None)


@arithmetic
@given(st.lists(st.tuples(st.sampled_from("ABT"), st.sampled_from("ABT")), min_size=2, max_size=30))
def test_kappa_is_that_of_an_independent_implementation(pairs):
    one, other = zip(*pairs, strict=True)
    found = cohen_kappas(labels_of(one, other))[0]
    table = [[sum(pair == (row, column) for pair in pairs) for column in "ABT"] for row in "ABT"]
    if found.value is None:
        assert (found.reason, len(set(one) | set(other))) == (NO_VARIATION, 1)
    else:
        assert found.value == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)
    assert found.common == len(pairs)


def test_the_interval_is_repeatable_holds_the_value_and_narrows_with_battles():
    few, many = labels_of("ABTAABBA" * 2, "ABTABBBA" * 2), labels_of("ABTAABBA" * 40, "ABTABBBA" * 40)
    first, again = krippendorff_alpha(few, seed=7), krippendorff_alpha(few, seed=7)
    assert first == again
    assert first.lower < first.value < first.upper
    larger = krippendorff_alpha(many, seed=7)
    wide, narrow = first.upper - first.lower, larger.upper - larger.lower
    # Twenty times the battles: about sqrt(20) times narrower.
    assert narrow == pytest.approx(wide / math.sqrt(20), rel=0.3)


def test_an_interval_that_most_resamples_cannot_give_is_none_with_its_reason(monkeypatch):
    lone = labels_of("A" * 9 + "B", "A" * 9 + "B")
    assert krippendorff_alpha(lone, seed=1).lower is not None
    # A third of the resamples miss the one battle that differs.
    monkeypatch.setattr("judging.agreement.RESAMPLES_NEEDED", 0.9)
    found = krippendorff_alpha(lone, seed=1)
    assert (found.value, found.lower, found.upper, found.reason) == (1.0, None, None, NO_VARIATION)


def test_one_judge_says_one_thing_of_an_item():
    with pytest.raises(ValueError, match="twice"):
        krippendorff_alpha([Label(1, 1, "A"), Label(1, 1, "B")])


def test_an_ordinal_value_needs_a_rank():
    with pytest.raises(ValueError, match="order"):
        krippendorff_alpha(labels_of(["done", "maybe"], ["done", "done"]), level="ordinal", order=ORDER)
