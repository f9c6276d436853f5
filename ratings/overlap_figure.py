"""How well the benchmark screen was measured to work, as the methods page shows it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from battles.screening.overlap import OVERLAP_POSTURE

#: The measured shares that are published, in order, with what each is a share of.
LABELS = {
    "duplicates_refused": "Copies that were refused",
    "light_edits_found": "Light edits that were refused or flagged",
    "paraphrases_found": "Full paraphrases that were refused or flagged",
    "novel_refused": "Tasks of people’s own that were refused",
    "novel_flagged": "Tasks of people’s own that were refused or flagged",
}


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """One measured share in percent; ``None`` while it has not been measured."""

    label: str
    percent: float | None


@dataclass(frozen=True, slots=True)
class OverlapFigure:
    """The shares, the limit in words, and whether they were measured with what is shipped now."""

    rows: tuple[OverlapRow, ...]
    limit: str
    current: bool


def overlap_figure() -> OverlapFigure:
    """What is published of the screen against public benchmarks."""
    shares = OVERLAP_POSTURE.rates
    rows = (
        OverlapRow(label, None if shares.get(key) is None else 100 * float(shares[key] or 0))
        for key, label in LABELS.items()
    )
    return OverlapFigure(tuple(rows), OVERLAP_POSTURE.limit, _is_current())


@functools.cache
def _is_current() -> bool:
    """Read once: both files come with the code."""
    return OVERLAP_POSTURE.is_current()
