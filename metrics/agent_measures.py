"""An agent's measures as small multiples: one small plot each, on the axis of all agents of the board."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metrics.drawn import DIRECTIONS, DOT, REFUSALS, UNITS, axis_of, ends_of, written
from metrics.measure import Direction, Scope, Section, Unit
from metrics.models import measures_in_force
from ratings.agent_sections import AgentSection

TEMPLATE = "metrics/_of_an_agent.html"


@dataclass(frozen=True, slots=True)
class Multiple:
    """One measure of one agent.

    Attributes:
        key: of the measure.
        definition: in the words of the definition component.
        under: unit and direction; a neutral measure has none.
        text, ends: the value and its interval as people write them; empty where there is none.
        refusal: why value or interval is missing.
        bar: what the interval component draws, with the other agents as marks; None without a value.
    """

    key: str
    definition: Mapping[str, str]
    under: str
    text: str
    ends: str
    refusal: str
    bar: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Multiples:
    title: str
    slug: str
    measures: tuple[Multiple, ...]


def agent_section(agent_key: str) -> AgentSection | None:
    """The agent's measures in the publication in force; None where it is not in it."""
    stored = measures_in_force()
    if stored is None:
        return None
    chapters = multiples_of(json.loads(stored.public_document), agent_key)
    view = {"chapters": chapters, "digest": stored.public_digest, "published_at": stored.published_at}
    return AgentSection(TEMPLATE, view) if chapters else None


def multiples_of(document: Mapping[str, Any], agent_key: str) -> list[Multiples]:
    """Chapters of a public document with the agent's values; none where it has no value in any."""
    own = [
        (Section(measure["section"]), multiple)
        for measure in document["measures"]
        if measure["scope"] == Scope.AGENT
        for multiple in [_multiple(measure, agent_key)]
        if multiple is not None
    ]
    chapters = [(section, tuple(each for chapter, each in own if chapter == section)) for section in Section]
    return [
        Multiples(section.value, section.value.lower().replace(" ", "-"), measures)
        for section, measures in chapters
        if measures
    ]


def _multiple(measure: Mapping[str, Any], agent_key: str) -> Multiple | None:
    values = {value["agent"]: value for value in measure["values"]}
    if agent_key not in values:
        return None
    own, unit, direction = values[agent_key], Unit(measure["unit"]), Direction(measure["direction"])
    known = own["value"] is not None
    return Multiple(
        key=measure["key"],
        definition=_definition(measure, direction),
        under=", ".join(filter(None, (UNITS.get(unit, unit.value), DIRECTIONS[direction]))),
        text=written(own["value"], unit) if known else "",
        ends=ends_of(own, unit) if own["lower"] is not None else "",
        refusal=REFUSALS[own["reason"]] if own["reason"] else "",
        bar=_bar(values, agent_key, unit) if known else None,
    )


def _definition(measure: Mapping[str, Any], direction: Direction) -> dict[str, str]:
    return {
        "name": measure["name"],
        "counted": measure["numerator"],
        "over": measure["denominator"],
        "unit": measure["unit"],
        "direction": "neither: it ranks nothing" if direction == Direction.NEUTRAL else direction.value,
        "caveat": measure["caveat"],
        "href": f"/benchmark#{measure['key']}",
    }


def _bar(values: Mapping[str, Mapping[str, Any]], agent_key: str, unit: Unit) -> dict[str, Any] | None:
    axis = axis_of(unit, [value[end] for value in values.values() for end in ("value", "lower", "upper")])
    if axis is None:
        return None
    low, high, ticks = axis
    # A dot at an end is round there too.
    room = 2 * DOT * (high - low)
    own = values[agent_key]
    words = written(own["value"], unit)
    return {
        **{end: own[end] for end in ("value", "lower", "upper")},
        "others": [
            value["value"] for agent, value in values.items() if agent != agent_key and value["value"] is not None
        ],
        "words": f"{words}, {f'95% interval {ends_of(own, unit)}' if own['lower'] is not None else 'no interval'}",
        "first": written(ticks[0], unit, coarse=True),
        "last": written(ticks[-1], unit, coarse=True),
        "axis": {
            "min": low - room,
            "max": high + room,
            "span": high - low + 2 * room,
            "ticks": [{"value": ticks[0]}, {"value": ticks[-1]}],
        },
    }
