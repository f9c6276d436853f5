"""Floors, rounding and reasons: never 0 or 1 for what is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.reading import Floor, Reading, Why, publishable
from ratings.inference.status import items_to_resolve

HALF = {"value": 0.5, "lower": 0.4, "upper": 0.6}


@pytest.mark.parametrize("floor", [Floor.LANES, Floor.VOTES, Floor.STEPS, Floor.BATTLES])
def test_a_value_under_its_floor_is_withheld_and_at_it_published(floor):
    below = publishable(Reading(**HALF, size=floor.least - 1), floor, 2)
    assert (below.value, below.lower, below.upper, below.reason) == (None, None, None, Why.BELOW_FLOOR)
    assert publishable(Reading(**HALF, size=floor.least), floor, 2).value == 0.5


def test_floors_are_those_that_are_promised():
    assert (Floor.LANES.least, Floor.VOTES.least, Floor.STEPS.least) == (20, 30, 20)


@given(st.sampled_from(Why), st.sampled_from(Floor), st.integers(0, 500))
def test_what_is_not_known_has_a_reason_and_no_number(why, floor, size):
    shown = publishable(Reading(reason=why, size=size), floor, 2)
    assert (shown.value, shown.lower, shown.upper, shown.reason) == (None, None, None, why)


def test_a_share_is_underpowered_below_969_independent_items():
    assert items_to_resolve() == 969
    few, enough = (publishable(Reading(**HALF, size=2000, effective=n), Floor.LANES, 2) for n in (968, 969))
    assert (few.underpowered, enough.underpowered) == (True, False)
    assert publishable(Reading(**HALF, size=2000), Floor.LANES, 2).underpowered is None


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_what_is_published_is_rounded(value, lower, upper):
    shown = publishable(Reading(value, lower, upper, size=100), Floor.LANES, 2)
    assert all(round(end, 2) == end for end in (shown.value, shown.lower, shown.upper))


def test_a_number_without_an_interval_keeps_the_reason():
    shown = publishable(Reading(0.5, reason=Why.NOT_IDENTIFIED, size=100), Floor.LANES, 2)
    assert (shown.value, shown.lower, shown.reason) == (0.5, None, Why.NOT_IDENTIFIED)
