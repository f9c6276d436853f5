"""Values of measures as pages write and draw them. No Django."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from metrics.measure import Direction, Unit

#: About so many ticks read well along an axis.
TICKS = 3
#: Room around values on an axis that does not begin at 0, as a share of what it spans.
MARGIN = 0.1
#: Half a dot, as a share of a bar.
DOT = 0.015
REFUSALS = {
    "no_data": "no data yet",
    "below_floor": "too few to publish",
    "not_measured": "not measured",
    "no_variation": "all the same, nothing to compare",
    "not_connected": "has met nobody ranked here",
    "unbounded": "no limit on one side yet",
    "not_identified": "too few judges for an interval",
    "degenerate_interval": "all alike, so no interval",
    "underpowered": "too few to tell small differences",
}
DIRECTIONS = {Direction.HIGHER: "higher is better", Direction.LOWER: "lower is better", Direction.NEUTRAL: ""}
UNITS = {
    Unit.SHARE: "",
    Unit.VOTE_SHARE: "share of votes",
    Unit.INDEX: "0 to 1",
    Unit.AGREEMENT: "1 is agreement, 0 is chance",
    Unit.SECONDS: "seconds",
}
#: Units that go below 0 or never come near it.
_NOT_FROM_ZERO = {Unit.POINTS, Unit.AGREEMENT}

#: Both ends and the ticks.
Axis: TypeAlias = tuple[float, float, list[float]]


def axis_of(unit: Unit, values: Sequence[float | None]) -> Axis | None:
    """Both ends of an axis that holds the values, and round ticks on it; from 0 wherever 0 means none of it."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    low, high = min(known), max(known)
    if unit not in _NOT_FROM_ZERO:
        low, high = 0.0, high or 1.0
    elif low == high:
        low, high = low - 1, high + 1
    step = _round_step((high - low) / TICKS)
    if unit not in _NOT_FROM_ZERO:
        high = math.ceil(round(high / step, 6)) * step
        return low, high, _multiples(step, low, high)
    room = MARGIN * (high - low)
    low, high = low - room, high + room
    ticks = _multiples(step, low, high)
    # A step that is round can pass over a span hardly longer than itself with one multiple in it.
    return low, high, ticks if len(ticks) > 1 else _multiples(_round_step(step / 2.5), low, high)


def _multiples(step: float, low: float, high: float) -> list[float]:
    first = math.ceil(round(low / step, 6))
    return [step * number for number in range(first, math.floor(round(high / step, 6)) + 1)]


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)


def place_on(value: float, axis: Axis) -> float:
    low, high, _ = axis
    return round(100 * (high - value) / (high - low), 2)


def written(value: float, unit: Unit, *, coarse: bool = False) -> str:
    """A value as people write it; ``coarse`` for ticks, which are round."""
    if unit == Unit.SHARE:
        return f"{value * 100:.0f}%"
    if unit == Unit.VOTE_SHARE:
        return f"{value * 100:.1f}%"
    if unit == Unit.USD:
        return f"${value:.2f}" if coarse or value >= 0.1 else f"${value:.4f}"
    if coarse:
        return f"{value:,.6g}"
    decimals = {Unit.STEPS: 0 if value.is_integer() else 1, Unit.SECONDS: 1, Unit.JUDGES: 1}
    plain = {Unit.INDEX: 2, Unit.AGREEMENT: 2, Unit.RATIO: 2}
    return f"{value:,.{decimals.get(unit, plain.get(unit, 0))}f}"


def ends_of(value: Mapping[str, Any], unit: Unit) -> str:
    lower, upper = written(value["lower"], unit), written(value["upper"], unit)
    return f"{lower.removesuffix('%')} to {upper}"


def bar_of(value: Mapping[str, Any], unit: Unit) -> dict[str, Any] | None:
    """What the interval component draws: shares in percent of the whole, others on an axis of their own."""
    axis = axis_of(unit, [value["value"], value["lower"], value["upper"]])
    if value["lower"] is None or axis is None:
        return None
    scale, ticks = (100, (0, 50, 100)) if unit == Unit.SHARE else (1, axis[2])
    low, high = (0.0, 100.0) if unit == Unit.SHARE else axis[:2]
    # A dot at an end is round there too.
    room = DOT * (high - low)
    return {
        "value": value["value"] * scale,
        "lower": value["lower"] * scale,
        "upper": value["upper"] * scale,
        "axis": {
            "min": low - room,
            "max": high + room,
            "span": high - low + 2 * room,
            "ticks": [{"value": tick} for tick in ticks],
        },
    }
