"""Counts that nobody can mistake, put wherever a full document may hold one that is withheld."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics.catalog import CATALOG
from metrics.documents import full_document
from metrics.measure import Scope, Unit
from metrics.reading import Reading
from ratings.projection import DROP, PUBLIC, Each

#: Primes, far from every constant of the code and from every year.
PLANTED = 350_377
#: The same with digits behind the point, as weights have them.
PLANTED_PART = 350_377.25
#: As it would be written.
WRITTEN = ("350377", "350,377", "350 377", "350\u202f377", "350'377")


def planted_like(value: Any) -> Any:
    """The same shape with planted counts in the place of every number, and of nothing."""
    if isinstance(value, Mapping):
        return {key: planted_like(each) for key, each in value.items()} | {"planted": PLANTED}
    if isinstance(value, list | tuple):
        return [*(planted_like(each) for each in value), PLANTED]
    return PLANTED_PART if isinstance(value, float) else PLANTED


def plant(document: Any, shape: Any = PUBLIC) -> Any:
    """A full document with planted counts in every place that its public form leaves out."""
    if isinstance(shape, Each):
        return {key: plant(value, shape.shape) for key, value in document.items()}
    if isinstance(shape, dict) and isinstance(document, Mapping):
        return {
            key: planted_like(value) if shape[key] is DROP else plant(value, shape[key])
            for key, value in document.items()
        }
    if isinstance(shape, list):
        return [plant(value, shape[0]) for value in document]
    return document


def planted_measures(agents: tuple[str, ...]) -> dict[str, Any]:
    """A full document of measures in which every value stands on planted counts."""

    def reading(place: int, unit: Unit) -> Reading:
        value = 0.25 + 0.25 * place if unit in {Unit.SHARE, Unit.VOTE_SHARE, Unit.INDEX} else 3.0 + place
        return Reading(
            value,
            value - 0.1,
            value + 0.1,
            counted=PLANTED,
            over=PLANTED_PART,
            size=PLANTED,
            effective=PLANTED_PART,
            detail={"further": PLANTED},
        )

    readings = {
        measure.key: {
            key: reading(place, measure.unit)
            for place, key in enumerate(agents if measure.scope == Scope.AGENT else (None,))
        }
        for measure in CATALOG
    }
    return full_document(readings, {"board": "demo", "number": "1", "sample_sizes": "withheld"})
