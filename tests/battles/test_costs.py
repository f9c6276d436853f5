"""Costs: list prices times tokens, where nothing is counted twice and nothing unknown becomes zero."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.costs import TokenPrices, cost_of, parse_dollars
from battles.lanes.events import Usage

PRICES = TokenPrices(
    input_plain=Decimal(3), output=Decimal(15), input_cache_read=Decimal("0.3"), input_cache_write=Decimal("3.75")
)
COUNTS = ("input_plain", "input_cache_read", "input_cache_write", "output")


def test_every_kind_of_token_costs_its_own_price():
    usage = Usage(input_plain=1_200, input_cache_read=500, input_cache_write=300, output=1_000, output_reasoning=800)
    # 3600 + 150 + 1125 + 15000 millionths: the reasoning is in the output already.
    assert cost_of(usage, PRICES) == Decimal("0.019875")


@given(
    st.sampled_from(("input_plain", "output")),
    st.fixed_dictionaries({name: st.integers(0, 10**9) for name in COUNTS}),
)
def test_an_unknown_count_makes_an_unknown_cost(unknown, counts):
    assert cost_of(Usage(**(counts | {unknown: None})), PRICES) is None
    assert cost_of(Usage(**counts), PRICES) is not None


def test_cached_tokens_that_were_not_told_apart_are_within_the_plain_input():
    assert cost_of(Usage(input_plain=2_000, output=0), PRICES) == Decimal("0.006")


def test_no_usage_and_no_price_are_unknown_too():
    assert cost_of(None, PRICES) is None
    assert cost_of(Usage(1, 1, 1, 1), None) is None


def test_tokens_of_a_cache_without_a_price_of_its_own_cost_what_plain_input_does():
    plain = TokenPrices(input_plain=Decimal(2), output=Decimal(8))
    assert cost_of(Usage(100, 200, 300, 0), plain) == cost_of(Usage(600, 0, 0, 0), plain)


@given(st.lists(st.fixed_dictionaries({name: st.integers(0, 10**7) for name in COUNTS}), min_size=1, max_size=5))
def test_the_cost_of_calls_is_the_cost_of_their_sum(calls):
    together = {name: sum(call[name] for call in calls) for name in COUNTS}
    assert sum(cost_of(Usage(**call), PRICES) for call in calls) == cost_of(Usage(**together), PRICES)


@given(st.decimals(0, 1000, places=6), st.decimals(0, 1000, places=6), st.none() | st.decimals(0, 1000, places=6))
def test_prices_survive_the_way_to_a_lane(plain, output, cached):
    prices = TokenPrices(plain, output, cached, None)
    assert TokenPrices.from_settings(prices.as_settings()) == prices


@pytest.mark.parametrize(("text", "amount"), [("0.25", "0.25"), ("$3", "3"), (" 10 ", "10"), ("0", "0")])
def test_amounts_are_read_as_people_write_them(text, amount):
    assert parse_dollars(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text", ["", "free", "-1", "NaN", "Infinity", "1e9", "1,50", "3 4", "1_0", "\u0661", "1000000", "0.0000001"]
)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ValueError, match="must be an amount in USD"):
        parse_dollars(text)
