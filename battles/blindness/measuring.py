"""How well the leak scan does on labelled cases."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from battles.blindness.leak_scan import LeakResult, SeenText, scan_texts
from battles.blindness.lexicon import Lexicon
from battles.blindness.self_identification import Voice
from governance.errors import ArenaError

#: Written with the rules and in part to tune them, so what they yield is no forecast for texts of other people.
SHIPPED_CASES = Path(__file__).parent / "cases" / "identity.jsonl"


class CasesUnreadable(ArenaError):
    code = "cases_unreadable"


@dataclass(frozen=True, slots=True)
class Case:
    """A text a model might have written, and whether it gives the model away."""

    case_id: str
    kind: str
    text: str
    leaks: bool


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many cases of a kind there are and how many came out right."""

    cases: int
    right: int


@dataclass(frozen=True, slots=True)
class IdentityMeasure:
    """``recall``: leaks found among leaks. ``benign_flagged``: harmless texts flagged among harmless. None of none."""

    recall: float | None
    benign_flagged: float | None
    by_kind: dict[str, KindCount]
    wrong: tuple[str, ...]


def read_cases(path: Path) -> list[Case]:
    """Cases from JSON lines (``id``, ``kind``, ``text``, ``leaks``), plain or ending in ``.gz``.

    Raises:
        CasesUnreadable: no such file, or a line that is no case.
    """
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = raw.decode("utf-8").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise CasesUnreadable(f"{path} cannot be read: {error}. Give a file of JSON lines.") from error
    return [_case(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]


def _case(line: str, where: str) -> Case:
    try:
        row = json.loads(line)
        case = Case(case_id=row["id"], kind=row["kind"], text=row["text"], leaks=row["leaks"])
    except (ValueError, KeyError, TypeError) as error:
        raise CasesUnreadable(f"{where} is no case. Each needs id, kind, text and leaks.") from error
    if not isinstance(case.text, str) or not isinstance(case.leaks, bool):
        raise CasesUnreadable(f"{where} is no case: text must be a string and leaks true or false.")
    return case


def measure_identity(cases: Iterable[Case], lexicon: Lexicon) -> IdentityMeasure:
    """Scan each case as a model's own words; anything but clean counts as flagged."""
    counts: dict[str, list[bool]] = {}
    found: dict[bool, list[bool]] = {True: [], False: []}
    wrong: list[str] = []
    for case in cases:
        report = scan_texts([SeenText(case.case_id, Voice.SPOKEN, case.text)], lexicon)
        flagged = report.result is not LeakResult.CLEAN
        right = flagged == case.leaks
        counts.setdefault(case.kind, []).append(right)
        found[case.leaks].append(flagged)
        if not right:
            wrong.append(case.case_id)
    return IdentityMeasure(
        recall=_share(found[True]),
        benign_flagged=_share(found[False]),
        by_kind={kind: KindCount(len(rights), sum(rights)) for kind, rights in sorted(counts.items())},
        wrong=tuple(wrong),
    )


def _share(flags: list[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
