"""The document of a board's measures: definitions and values together, with counts for staff and without for everybody.

Sample sizes are withheld by the ratings' projection, which stops at any key that nobody has decided about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics.catalog import CATALOG
from metrics.computation import Readings
from metrics.measure import DECIMALS, Measure
from metrics.reading import Published, Reading, publishable
from ratings.canonical import published
from ratings.projection import DROP, Each, number, project, text

#: Changes whenever the same records would give other numbers.
CODE_VERSION = "1"
#: Counts in the full document are kept to so many decimals: seconds and dollars are counted too.
COUNT_DECIMALS = 6


def definition(measure: Measure) -> dict[str, Any]:
    """A measure's definition as plain JSON values."""
    return {
        "key": measure.key,
        "name": measure.name,
        "section": measure.section.value,
        "numerator": measure.counted,
        "denominator": measure.over,
        "unit": measure.unit.value,
        "direction": measure.direction.value,
        "caveat": measure.caveat,
        "records": list(measure.records),
        "scope": measure.scope.value,
        "interval": measure.interval,
    }


def definitions(measures: Sequence[Measure] = CATALOG) -> list[dict[str, Any]]:
    """Definitions with no values yet, and why."""
    missing = {"agent": None, "value": None, "lower": None, "upper": None, "reason": "no_data", "underpowered": None}
    return [{**definition(measure), "values": [missing]} for measure in measures]


def full_document(readings: Mapping[str, Readings], about: Mapping[str, Any]) -> dict[str, Any]:
    """All values of the catalogue with their counts.

    Args:
        readings: by key of the measure.
        about: which publication it is.

    Raises:
        NotFinite: a number is none.
    """
    return {
        "publication": dict(about),
        "measures": [
            {
                **definition(measure),
                "values": [_value(agent, measure, reading) for agent, reading in readings[measure.key].items()],
            }
            for measure in CATALOG
        ],
    }


def _value(agent: str | None, measure: Measure, reading: Reading) -> dict[str, Any]:
    shown: Published = publishable(reading, measure.floor, DECIMALS[measure.unit])
    return {
        "agent": agent,
        "value": published(shown.value, COUNT_DECIMALS),
        "lower": published(shown.lower, COUNT_DECIMALS),
        "upper": published(shown.upper, COUNT_DECIMALS),
        "reason": shown.reason.value if shown.reason else None,
        "underpowered": shown.underpowered,
        "counts": {
            "counted": published(reading.counted, COUNT_DECIMALS),
            "over": published(reading.over, COUNT_DECIMALS),
            "size": published(reading.size, COUNT_DECIMALS),
            "effective": published(reading.effective, COUNT_DECIMALS),
            **{name: published(count, COUNT_DECIMALS) for name, count in reading.detail.items()},
        },
    }


def _shape(counts: Any) -> dict[str, Any]:
    value = {
        "agent": text,
        "value": number,
        "lower": number,
        "upper": number,
        "reason": text,
        "underpowered": text,
        "counts": counts,
    }
    words = dict.fromkeys(
        ("key", "name", "section", "numerator", "denominator", "unit", "direction", "caveat", "scope", "interval"), text
    )
    return {"publication": Each(text), "measures": [{**words, "records": [text], "values": [value]}]}


def public_document(full: Mapping[str, Any], *, sample_sizes: bool) -> dict[str, Any]:
    """What everybody may see.

    Args:
        sample_sizes: whether the operator lets counts out.

    Raises:
        UnknownShape: nobody has decided whether something is public.
    """
    document: dict[str, Any] = project(full, _shape(Each(number) if sample_sizes else DROP), "document")
    return document
