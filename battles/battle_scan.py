"""The leak scan of one battle: which of its texts a judge may see, and whose words each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from battles.blindness.leak_scan import LeakReport, SeenText, scan_texts
from battles.blindness.lexicon import lexicon_with_roster
from battles.blindness.self_identification import Voice
from battles.models import Lane, Step
from battles.roster import roster_names


def scan_battle(lanes: Sequence[Lane]) -> LeakReport:
    """Scan the final answers and every step's text of a battle's lanes."""
    return scan_texts(_seen(lanes), lexicon_with_roster(roster_names()))


def _seen(lanes: Sequence[Lane]) -> Iterator[SeenText]:
    for lane in lanes:
        yield SeenText(f"lane {lane.slot}, answer", Voice.SPOKEN, lane.answer)
        for step in Step.objects.filter(lane=lane).order_by("number"):
            where = f"lane {lane.slot}, step {step.number}"
            yield SeenText(f"{where}, reasoning", Voice.SPOKEN, step.reasoning)
            for text in _texts(step.arguments):
                yield SeenText(f"{where}, arguments", Voice.TYPED, text)


def _texts(value: Any) -> Iterable[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
