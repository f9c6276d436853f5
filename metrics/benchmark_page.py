"""The benchmark page from a published document: chapters, a line a measure, every agent at the same place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from battles.models import Agent
from metrics.measure import Direction, Scope, Section, Unit

#: About so many ticks read well along an axis.
TICKS = 3
#: Room around values on an axis that does not begin at 0, as a share of what it spans.
MARGIN = 0.1
#: Half a dot, as a share of a bar.
DOT = 0.015
#: More agents than this have their names written upwards.
MANY = 8

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


@dataclass(frozen=True, slots=True)
class Dot:
    """One agent's value. Places are percent of the height, from the top; None where there is nothing to draw."""

    name: str
    text: str
    words: str
    place: float | None
    top: float | None
    bottom: float | None


@dataclass(frozen=True, slots=True)
class Tick:
    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A measure as the page shows it; a measure of the arena has a ``text`` and no dots."""

    definition: Mapping[str, Any]
    under: str
    neutral: bool
    weak: bool
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    refusals: tuple[str, ...]
    text: str
    ends: str
    bar: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Chapter:
    slug: str
    title: str
    of_agents: tuple[Line, ...]
    of_the_arena: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkView:
    agents: tuple[str, ...]
    many: bool
    chapters: tuple[Chapter, ...]
    published_at: datetime | None


def benchmark_view(document: Mapping[str, Any], *, published_at: datetime | None) -> BenchmarkView:
    """The page of a public document. Agents stand in the order of their names: nothing here ranks them."""
    keys = {value["agent"] for measure in document["measures"] for value in measure["values"]} - {None}
    names = dict(Agent.objects.filter(pk__in=keys).values_list("key", "name"))
    agents = sorted(((names.get(key, key), key) for key in keys), key=lambda pair: (pair[0].casefold(), pair[1]))
    chapters = [_chapter(section, document["measures"], agents) for section in Section]
    return BenchmarkView(tuple(name for name, _ in agents), len(agents) > MANY, tuple(chapters), published_at)


def _chapter(section: Section, measures: Sequence[Mapping[str, Any]], agents: Sequence[tuple[str, str]]) -> Chapter:
    own = [measure for measure in measures if measure["section"] == section]
    return Chapter(
        section.value.lower().replace(" ", "-"),
        section.value,
        tuple(_of_agents(measure, agents) for measure in own if measure["scope"] == Scope.AGENT),
        tuple(_of_the_arena(measure) for measure in own if measure["scope"] == Scope.ARENA),
    )


def _of_agents(measure: Mapping[str, Any], agents: Sequence[tuple[str, str]]) -> Line:
    unit = Unit(measure["unit"])
    values = {value["agent"]: value for value in measure["values"] if value["agent"] is not None}
    rows = [(name, values[key]) for name, key in agents if key in values]
    axis = _axis(unit, [value[end] for _, value in rows for end in ("value", "lower", "upper")])
    return _line(
        measure,
        dots=tuple(_dot(name, value, unit, axis) for name, value in rows) if axis else (),
        ticks=tuple(Tick(_place(tick, axis), _written(tick, unit, coarse=True)) for tick in axis[2]) if axis else (),
        refusals=_refusals(rows),
    )


def _of_the_arena(measure: Mapping[str, Any]) -> Line:
    unit = Unit(measure["unit"])
    value = measure["values"][0]
    if value["value"] is None:
        return _line(measure, refusals=(f"{REFUSALS[value['reason']].capitalize()}.",))
    ends = "" if value["lower"] is None else _ends(value, unit)
    missing = (f"{REFUSALS[value['reason']].capitalize()}.",) if value["reason"] else ()
    return _line(measure, text=_written(value["value"], unit), ends=ends, refusals=missing, bar=_bar(value, unit))


def _line(measure: Mapping[str, Any], **shown: Any) -> Line:
    unit, direction = Unit(measure["unit"]), Direction(measure["direction"])
    nothing = {"dots": (), "ticks": (), "refusals": (), "text": "", "ends": "", "bar": None}
    return Line(
        definition=measure,
        under=", ".join(filter(None, (UNITS.get(unit, unit.value), DIRECTIONS[direction]))),
        neutral=direction == Direction.NEUTRAL,
        weak=any(value["underpowered"] for value in measure["values"]),
        **{**nothing, **shown},
    )


def _refusals(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[str, ...]:
    """Why values or intervals are missing, a sentence a reason; without names where it holds for all."""
    why: dict[tuple[str, bool], list[str]] = {}
    for name, value in rows:
        if value["reason"]:
            why.setdefault((value["reason"], value["value"] is None), []).append(name)
    if not rows:
        return ("No data yet.",)
    return tuple(
        f"{REFUSALS[reason].capitalize()}{'' if len(names) == len(rows) else ': ' + ', '.join(names)}."
        for (reason, _), names in why.items()
    )


def _dot(name: str, value: Mapping[str, Any], unit: Unit, axis: tuple[float, float, list[float]]) -> Dot:
    if value["value"] is None:
        return Dot(name, "–", f"{name}: {REFUSALS[value['reason']]}", None, None, None)
    text = _written(value["value"], unit)
    if value["lower"] is None or value["upper"] is None:
        return Dot(name, text, f"{name}: {text}, no interval", _place(value["value"], axis), None, None)
    return Dot(
        name,
        text,
        f"{name}: {text}, 95% interval {_ends(value, unit)}",
        _place(value["value"], axis),
        _place(value["upper"], axis),
        _place(value["lower"], axis),
    )


def _bar(value: Mapping[str, Any], unit: Unit) -> dict[str, Any] | None:
    """What the interval component draws: shares in percent of the whole, others on an axis of their own."""
    axis = _axis(unit, [value["value"], value["lower"], value["upper"]])
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


def _axis(unit: Unit, values: Sequence[float | None]) -> tuple[float, float, list[float]] | None:
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


def _place(value: float, axis: tuple[float, float, list[float]]) -> float:
    low, high, _ = axis
    return round(100 * (high - value) / (high - low), 2)


def _written(value: float, unit: Unit, *, coarse: bool = False) -> str:
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


def _ends(value: Mapping[str, Any], unit: Unit) -> str:
    lower, upper = _written(value["lower"], unit), _written(value["upper"], unit)
    return f"{lower.removesuffix('%')} to {upper}"
