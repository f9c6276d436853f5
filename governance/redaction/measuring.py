"""How well redaction does on labelled cases.

A labelled span counts as found only when it is covered whole, by whatever kinds: half a card number is a leak, and a
name masked as part of an address is not. A clean text counts as flagged when anything in it is masked.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from governance.errors import ArenaError
from governance.redaction.spans import STRUCTURED, Kind, Span
from governance.redaction.text import find_details

#: Invented texts, written with the detectors: what they yield is no forecast for texts of other people.
SHIPPED_CASES = Path(__file__).parent / "cases" / "text.jsonl"

# The figures to reach. Structured kinds have a check digit, a numbering plan or a fixed form.
STRUCTURED_RECALL = 0.97
RECALL = 0.95
CLEAN_FLAGGED = 0.09

#: What labels in files of cases are called, and the kind that answers to them. Other labels count towards recall alone.
LABELS = {
    "EMAIL": Kind.EMAIL,
    "EMAIL_OBFUSCATED": Kind.EMAIL,
    "PHONE": Kind.PHONE,
    "CREDIT_CARD": Kind.CARD,
    "IBAN": Kind.BANK_ACCOUNT,
    "NATIONAL_ID": Kind.NATIONAL_ID,
    "PASSPORT": Kind.NATIONAL_ID,
    "ADDRESS": Kind.ADDRESS,
    "IP": Kind.IP_ADDRESS,
    "SECRET": Kind.SECRET,
    "JWT": Kind.SECRET,
    "PASSWORD": Kind.PASSWORD,
    "DOB": Kind.BIRTH_DATE,
    "PERSON": Kind.NAME,
}


class CasesUnreadable(ArenaError):
    code = "cases_unreadable"


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what in it is personal; nothing for a clean text."""

    case_id: str
    text: str
    spans: tuple[LabelledSpan, ...]


@dataclass(frozen=True, slots=True)
class LabelMeasure:
    """``precision``: the share of what was found of the label's kind that touches a span labelled for that kind."""

    spans: int
    recall: float
    precision: float | None


@dataclass(frozen=True, slots=True)
class RedactionMeasure:
    """Shares between 0 and 1, None of none. ``wrong``: ids of cases with a span missed, or flagged though clean."""

    recall: float | None
    structured_recall: float | None
    clean_flagged: float | None
    by_kind: dict[str, LabelMeasure]
    cases: int
    clean_cases: int
    wrong: tuple[str, ...]

    def shortfalls(self) -> tuple[str, ...]:
        """The figures that are not reached, one line each; nothing when all are."""
        lines = [
            f"{name} is {value:.3f}; at least {wanted} is wanted."
            for name, value, wanted in (
                ("recall", self.recall, RECALL),
                ("recall of structured kinds", self.structured_recall, STRUCTURED_RECALL),
            )
            if value is not None and value < wanted
        ]
        if self.clean_flagged is not None and self.clean_flagged > CLEAN_FLAGGED:
            lines.append(f"clean texts flagged are {self.clean_flagged:.3f}; at most {CLEAN_FLAGGED} is wanted.")
        return tuple(lines)


def read_cases(path: Path) -> list[Case]:
    """Cases from JSON lines (``text``; ``spans`` of ``start``, ``end``, ``type``; ``id``), plain or ending in ``.gz``.

    Raises:
        CasesUnreadable: no such file, no cases in it, or a line that is no case.
    """
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = raw.decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise CasesUnreadable(f"{path} cannot be read: {error}. Give a file of JSON lines, plain or .gz.") from error
    cases = [_case(line, number, path) for number, line in enumerate(lines, start=1) if line.strip()]
    if not cases:
        raise CasesUnreadable(f"{path} holds no cases. Give a file with one JSON object a line.")
    return cases


def _case(line: str, number: int, path: Path) -> Case:
    where = f"{path}, line {number}"
    try:
        row = json.loads(line)
        text = row["text"]
        spans = tuple(_labelled(span) for span in row["spans"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CasesUnreadable(f"{where} is no case. Each needs text, and spans with start, end and type.") from error
    if not isinstance(text, str):
        raise CasesUnreadable(f"{where} is no case: text must be a string.")
    for span in spans:
        if not 0 <= span.start < span.end <= len(text):
            raise CasesUnreadable(
                f"{where}: the span from {span.start} to {span.end} does not lie in the text, which has {len(text)} "
                "characters. Count code points from 0, the end exclusive."
            )
    return Case(str(row.get("id", number)), text, spans)


def _labelled(span: Any) -> LabelledSpan:
    start, end, label = span["start"], span["end"], span["type"]
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise TypeError(span)
    return LabelledSpan(start, end, label)


def measure_redaction(cases: Iterable[Case]) -> RedactionMeasure:
    """Redact each case's text and compare."""
    covered: dict[str, list[bool]] = defaultdict(list)
    found: Counter[Kind] = Counter()
    right: Counter[Kind] = Counter()
    flagged: list[bool] = []
    wrong: list[str] = []
    read = 0
    for case in cases:
        read += 1
        spans = find_details(case.text)
        hits = [_is_covered(labelled, spans) for labelled in case.spans]
        for labelled, hit in zip(case.spans, hits, strict=True):
            covered[labelled.label].append(hit)
        for span in spans:
            found[span.kind] += 1
            right[span.kind] += any(
                LABELS.get(labelled.label) is span.kind and labelled.start < span.end and span.start < labelled.end
                for labelled in case.spans
            )
        if not case.spans:
            flagged.append(bool(spans))
        if not all(hits) or (not case.spans and spans):
            wrong.append(case.case_id)
    structured = [hit for label, hits in covered.items() if LABELS.get(label) in STRUCTURED for hit in hits]
    return RedactionMeasure(
        recall=_share([hit for hits in covered.values() for hit in hits]),
        structured_recall=_share(structured),
        clean_flagged=_share(flagged),
        by_kind={label: _label_measure(label, covered[label], found, right) for label in sorted(covered)},
        cases=read,
        clean_cases=len(flagged),
        wrong=tuple(wrong),
    )


def _label_measure(label: str, hits: list[bool], found: Counter[Kind], right: Counter[Kind]) -> LabelMeasure:
    kind = LABELS.get(label)
    precision = right[kind] / found[kind] if kind is not None and found[kind] else None
    return LabelMeasure(len(hits), sum(hits) / len(hits), precision)


def _is_covered(labelled: LabelledSpan, spans: Sequence[Span]) -> bool:
    """Whether ordered, non-overlapping ``spans`` leave no character of ``labelled`` readable."""
    at = labelled.start
    for span in spans:
        if span.start > at:
            break
        at = max(at, span.end)
        if at >= labelled.end:
            return True
    return at >= labelled.end


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
