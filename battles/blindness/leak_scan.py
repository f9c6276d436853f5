"""Whether a battle's texts give an agent away, asked once, before the first judge can arrive.

The scan fails closed: what it could not look at counts like a leak.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from battles.blindness.lexicon import Lexicon, current_lexicon
from battles.blindness.scrubbing import NARROW_MARK
from battles.blindness.self_identification import Voice, traces_in

#: A battle has some hundred short texts, together a tenth of a second; longer than this and something is wrong.
MOST_SECONDS = 20.0
#: Ten times the longest text a page may bring back. The rules are linear, but nobody reads so much.
LONGEST_TEXT = 200_000


class LeakResult(StrEnum):
    """Anything but ``clean`` rates nobody."""

    CLEAN = "clean"
    LEAKED = "leaked"
    UNSCANNABLE = "unscannable"


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text a judge may see: where it stands, whose words it is, and the text, None when it is missing."""

    where: str
    voice: Voice
    text: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """What gives an agent away: in which text, by which rule, and the piece itself (for operators only)."""

    where: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class LeakReport:
    """The result; ``trouble`` says why a scan was not finished."""

    result: LeakResult
    findings: tuple[Finding, ...] = ()
    trouble: str = ""


def scan_texts(
    texts: Iterable[SeenText],
    lexicon: Lexicon,
    *,
    seconds: float = MOST_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> LeakReport:
    """Scan every text of a battle.

    What the narrow scrubber took out is a finding: the model named itself. What the blunt one took out is not: it
    was our own text. ``seconds`` bounds the whole scan and is looked at between texts.
    """
    findings: list[Finding] = []
    trouble = ""
    try:
        deadline = clock() + seconds
        count = 0
        for seen in texts:
            count += 1
            trouble = trouble or _obstacle(seen, late=clock() > deadline)
            if trouble:
                break
            findings.extend(_findings(seen, lexicon))
        if count == 0:
            trouble = "there was no text to scan"
        elif clock() > deadline:
            trouble = trouble or "the scan took too long"
    except Exception as error:  # whatever went wrong, the battle was not scanned
        trouble = f"the scan broke: {type(error).__name__}"
    if findings:
        return LeakReport(LeakResult.LEAKED, tuple(findings), trouble)
    return LeakReport(LeakResult.UNSCANNABLE if trouble else LeakResult.CLEAN, trouble=trouble)


def _obstacle(seen: SeenText, *, late: bool) -> str:
    if late:
        return "the scan took too long"
    if seen.text is None:
        return f"{seen.where} is missing"
    if len(seen.text) > LONGEST_TEXT:
        return f"{seen.where} is too long"
    return ""


def _findings(seen: SeenText, lexicon: Lexicon) -> Iterable[Finding]:
    text = seen.text or ""
    if seen.voice in {Voice.SPOKEN, Voice.TYPED} and NARROW_MARK in text:
        yield Finding(seen.where, "scrubbed", NARROW_MARK)
    for trace in traces_in(text, lexicon, seen.voice):
        yield Finding(seen.where, trace.reason, text[trace.start : trace.end])


def battle_leak_report(lanes: Iterable[Any]) -> LeakReport:
    """Scan everything a judge may read of these lanes (``Lane`` rows with their ``steps``)."""
    return scan_texts(_texts_of(lanes), current_lexicon())


def scan_battle_texts(lanes: Iterable[Any]) -> LeakResult:
    """The result alone, as it is written on the battle."""
    return battle_leak_report(lanes).result


def _texts_of(lanes: Iterable[Any]) -> Iterator[SeenText]:
    for lane in lanes:
        yield SeenText(f"lane {lane.slot}, answer", Voice.SPOKEN, lane.answer)
        yield SeenText(f"lane {lane.slot}, detail", Voice.OURS, lane.detail)
        for step in lane.steps.all():
            where = f"lane {lane.slot}, step {step.number}"
            yield SeenText(f"{where}, reasoning", Voice.SPOKEN, step.reasoning)
            yield SeenText(f"{where}, result", Voice.OURS, step.result)
            for name in ("page_text", "url_before", "url_after", "title"):
                yield SeenText(f"{where}, {name}", Voice.SHOWN, getattr(step, name))
            for name in ("arguments", "changes", "target"):
                for text in strings_in(getattr(step, name)):
                    yield SeenText(f"{where}, {name}", Voice.TYPED, text)


def strings_in(value: Any) -> Iterator[str]:
    """Every string of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings_in(inner)
