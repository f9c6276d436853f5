"""A lane's share of what the operator lets a battle cost."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from battles.costs import TokenPrices, cost_of
from battles.lanes.events import Usage


class SpendMeter:
    """Adds up what a lane's calls cost by list price. Calls of unknown usage cannot be counted."""

    def __init__(self, limit: Decimal, prices: TokenPrices) -> None:
        self._limit = limit
        self._prices = prices
        self.spent = Decimal(0)

    def add(self, usage: Usage | None) -> None:
        """Count one call."""
        self.spent += cost_of(usage, self._prices) or 0

    def is_reached(self) -> bool:
        """Whether the next call would be one too many."""
        return self.spent >= self._limit


def meter_of(settings: Mapping[str, Any]) -> SpendMeter | None:
    """The meter that a lane's settings ask for (``spending``: limit and prices), or ``None`` without a limit."""
    spending = settings.get("spending")
    if not spending:
        return None
    return SpendMeter(Decimal(spending["limit"]), TokenPrices.from_settings(spending["prices"]))
