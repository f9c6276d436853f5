"""Labelled cases for the overlap screen, and what is counted on them.

A case is one JSON line: ``id``, ``kind``, ``expected`` (a tier), and either ``text`` or, where the text is somebody's
benchmark item or close to one, only its fingerprint: ``grams`` (hashes) and ``words`` (their number).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from battles.screening.overlap import Tier, judge_fingerprint
from battles.screening.overlap_index import Fingerprint, OverlapIndex
from governance.errors import ArenaError

PARAPHRASES = "near_para"
"""The kind whose cases say a benchmark item in other words: counted apart, since words cannot find it."""


class OverlapCasesUnreadable(ArenaError):
    """A case file is not what it should be."""

    code = "overlap_cases_unreadable"


@dataclass(frozen=True, slots=True)
class OverlapCase:
    case_id: str
    kind: str
    expected: Tier
    text: str = ""
    fingerprint: Fingerprint | None = None

    def printed(self, index: OverlapIndex) -> Fingerprint:
        return self.fingerprint or index.fingerprint(self.text)


@dataclass(frozen=True, slots=True)
class JudgedCase:
    case: OverlapCase
    got: Tier


def read_cases(path: Path) -> list[OverlapCase]:
    """Cases of a JSON Lines file, gzipped or not.

    Raises:
        OverlapCasesUnreadable: no such file, a line is not a case, or an expected tier does not exist.
    """
    try:
        content = path.read_bytes()
        lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines()
        return [_case(json.loads(line)) for line in lines if line.strip()]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise OverlapCasesUnreadable(f"{path} is not a file of overlap cases: {error!r}") from error


def _case(row: dict[str, object]) -> OverlapCase:
    expected = Tier(str(row["expected"]))
    case_id, kind = str(row["id"]), str(row.get("kind", expected))
    grams, length = row.get("grams"), row.get("words")
    if isinstance(grams, list) and isinstance(length, int):
        return OverlapCase(case_id, kind, expected, fingerprint=Fingerprint(np.array(grams, dtype=np.uint32), length))
    return OverlapCase(case_id, kind, expected, text=str(row["text"]))


def write_fingerprints(cases: Iterable[OverlapCase], index: OverlapIndex, path: Path) -> None:
    """Write cases without their texts, so that they can be shipped; byte for byte the same for the same cases."""
    lines = []
    for case in cases:
        held = case.printed(index)
        row = {"id": case.case_id, "kind": case.kind, "expected": case.expected}
        lines.append(json.dumps({**row, "words": held.words, "grams": held.grams.tolist()}))
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def judge_cases(cases: Iterable[OverlapCase], index: OverlapIndex) -> list[JudgedCase]:
    return [JudgedCase(case, judge_fingerprint(case.printed(index), index).tier) for case in cases]


def confusion(judged: Sequence[JudgedCase]) -> dict[str, dict[str, int]]:
    """``{expected tier: {tier given: cases}}``, all tiers present."""
    counts = Counter((one.case.expected, one.got) for one in judged)
    return {expected.value: {got.value: counts[expected, got] for got in Tier} for expected in Tier}


def by_kind(judged: Sequence[JudgedCase]) -> dict[str, dict[str, int]]:
    """``{kind: {tier given: cases}}``, kinds sorted."""
    counts = Counter((one.case.kind, one.got) for one in judged)
    return {kind: {got.value: counts[kind, got] for got in Tier} for kind in sorted({one.case.kind for one in judged})}


def wrong(judged: Sequence[JudgedCase]) -> list[str]:
    """Ids of the cases whose tier is not the expected one: also a light edit that was refused, not only flagged."""
    return sorted(one.case.case_id for one in judged if one.got != one.case.expected)


def rates(judged: Sequence[JudgedCase]) -> dict[str, float | None]:
    """Shares of 0..1, ``None`` where there is nothing to share out.

    ``duplicates_refused``: of copies, those refused. ``light_edits_found`` and ``paraphrases_found``: of near cases,
    those refused or flagged. ``novel_refused`` and ``novel_flagged`` (refused or flagged): of novel cases.
    ``refusal_precision`` and ``flag_precision``: of what was refused, or refused or flagged, what is not novel.
    """
    edits = [one for one in judged if one.case.expected is Tier.NEAR and one.case.kind != PARAPHRASES]
    paraphrases = [one for one in judged if one.case.expected is Tier.NEAR and one.case.kind == PARAPHRASES]
    novel = [one for one in judged if one.case.expected is Tier.NOVEL]
    refused = [one for one in judged if one.got is Tier.DUPLICATE]
    noticed = [one for one in judged if one.got is not Tier.NOVEL]
    return {
        "duplicates_refused": _share(
            Tier.DUPLICATE, [one.got for one in judged if one.case.expected is Tier.DUPLICATE]
        ),
        "light_edits_found": _complement(_share(Tier.NOVEL, [one.got for one in edits])),
        "paraphrases_found": _complement(_share(Tier.NOVEL, [one.got for one in paraphrases])),
        "novel_refused": _share(Tier.DUPLICATE, [one.got for one in novel]),
        "novel_flagged": _complement(_share(Tier.NOVEL, [one.got for one in novel])),
        "refusal_precision": _complement(_share(Tier.NOVEL, [one.case.expected for one in refused])),
        "flag_precision": _complement(_share(Tier.NOVEL, [one.case.expected for one in noticed])),
    }


def _share(tier: Tier, tiers: Sequence[Tier]) -> float | None:
    return tiers.count(tier) / len(tiers) if tiers else None


def _complement(share: float | None) -> float | None:
    return None if share is None else 1.0 - share
