"""What model calls cost, by list price. An unknown count or price makes an unknown cost, never zero."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from battles.lanes.events import Usage

#: What a price column holds, exactly.
_DOLLARS = re.compile(r"\$?[0-9]{1,6}(?:\.[0-9]{1,6})?")

#: Prices are quoted for a million tokens.
PER = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """List prices of one model in USD per million tokens. Reasoning is part of the output and has no price apart.

    A cache price of ``None`` says that the provider does not bill such tokens apart: they cost what plain input does.
    """

    input_plain: Decimal
    output: Decimal
    input_cache_read: Decimal | None = None
    input_cache_write: Decimal | None = None

    def as_settings(self) -> dict[str, str | None]:
        """Plain JSON values, to hand to a lane."""
        return {
            "input_plain": str(self.input_plain),
            "output": str(self.output),
            "input_cache_read": _text(self.input_cache_read),
            "input_cache_write": _text(self.input_cache_write),
        }

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> TokenPrices:
        """The inverse of :meth:`as_settings`."""
        return cls(
            input_plain=Decimal(values["input_plain"]),
            output=Decimal(values["output"]),
            input_cache_read=_decimal(values.get("input_cache_read")),
            input_cache_write=_decimal(values.get("input_cache_write")),
        )


def cost_of(usage: Usage | None, prices: TokenPrices | None) -> Decimal | None:
    """The cost of one call in USD; ``None`` when the plain input, the output or the price is unknown.

    Cached tokens that were not told apart are within the plain input, and cost what that does.
    """
    if usage is None or prices is None:
        return None
    if usage.input_plain is None or usage.output is None:
        return None
    read_rate = prices.input_plain if prices.input_cache_read is None else prices.input_cache_read
    write_rate = prices.input_plain if prices.input_cache_write is None else prices.input_cache_write
    cached = (usage.input_cache_read or 0) * read_rate + (usage.input_cache_write or 0) * write_rate
    return (usage.input_plain * prices.input_plain + cached + usage.output * prices.output) / PER


def parse_dollars(text: str) -> Decimal:
    """An amount of USD as people write it, "0.25" or "$3".

    Raises:
        ValueError: not an amount, negative, a million or more, or finer than a millionth.
    """
    if _DOLLARS.fullmatch(text.strip()) is None:
        raise ValueError("must be an amount in USD, such as 2.50, below a million and to six decimals at most")
    return Decimal(text.strip().removeprefix("$"))


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
