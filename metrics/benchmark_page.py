"""The benchmark page from a published document: chapters, a line a measure, every agent at the same place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from battles.models import Agent
from metrics.drawn import DIRECTIONS, REFUSALS, UNITS, Axis, axis_of, bar_of, ends_of, place_on, written
from metrics.measure import Direction, Scope, Section, Unit

#: More agents than this have their names written upwards.
MANY = 8


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
    axis = axis_of(unit, [value[end] for _, value in rows for end in ("value", "lower", "upper")])
    return _line(
        measure,
        dots=tuple(_dot(name, value, unit, axis) for name, value in rows) if axis else (),
        ticks=tuple(Tick(place_on(tick, axis), written(tick, unit, coarse=True)) for tick in axis[2]) if axis else (),
        refusals=_refusals(rows),
    )


def _of_the_arena(measure: Mapping[str, Any]) -> Line:
    unit = Unit(measure["unit"])
    value = measure["values"][0]
    if value["value"] is None:
        return _line(measure, refusals=(f"{REFUSALS[value['reason']].capitalize()}.",))
    ends = "" if value["lower"] is None else ends_of(value, unit)
    missing = (f"{REFUSALS[value['reason']].capitalize()}.",) if value["reason"] else ()
    return _line(measure, text=written(value["value"], unit), ends=ends, refusals=missing, bar=bar_of(value, unit))


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


def _dot(name: str, value: Mapping[str, Any], unit: Unit, axis: Axis) -> Dot:
    if value["value"] is None:
        return Dot(name, "–", f"{name}: {REFUSALS[value['reason']]}", None, None, None)
    text = written(value["value"], unit)
    if value["lower"] is None or value["upper"] is None:
        return Dot(name, text, f"{name}: {text}, no interval", place_on(value["value"], axis), None, None)
    return Dot(
        name,
        text,
        f"{name}: {text}, 95% interval {ends_of(value, unit)}",
        place_on(value["value"], axis),
        place_on(value["upper"], axis),
        place_on(value["lower"], axis),
    )
