"""The operator's limit on what a battle may cost, kept call by call."""

from __future__ import annotations

from decimal import Decimal

import pytest

from battles.agents.base import ProviderFailure
from battles.agents.hosted.agent import OVER_THE_LIMIT
from battles.agents.hosted.spending import SpendMeter, meter_of
from battles.agents.registry import make_agent
from battles.costs import TokenPrices, cost_of
from battles.lanes.events import Usage
from tests.battles.agents.hosted.conftest import row
from tests.battles.agents.hosted.talk import Talk

PRICES = TokenPrices(input_plain=Decimal(1_000_000), output=Decimal(1_000_000))
CLICK = ("click", {"x": 10, "y": 20})


def spending(limit: str) -> dict:
    return {"spending": {"limit": limit, "prices": PRICES.as_settings()}}


def test_a_lane_ends_before_the_call_that_would_come_after_its_limit(dialect, provider_of):
    wire_usage, usage = dialect.usages[0]
    each = cost_of(usage, PRICES)
    provider = provider_of(dialect, dialect.calls(CLICK, usage=wire_usage))
    agent = make_agent(dialect.adapter, {**row(provider), **spending(str(each + each / 2))})
    talk = Talk(agent)
    talk.step()
    talk.step()
    with pytest.raises(ProviderFailure, match=OVER_THE_LIMIT):
        talk.step()
    assert len(provider.requests) == 2
    agent.close()


def test_without_a_limit_there_is_no_meter():
    assert meter_of({"model_version": "m-1"}) is None


def test_calls_of_unknown_usage_are_not_counted():
    meter = SpendMeter(Decimal(1), PRICES)
    meter.add(None)
    meter.add(Usage())
    assert meter.spent == 0
    meter.add(Usage(input_plain=1, output=0))
    assert meter.is_reached()
