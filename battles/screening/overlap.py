"""Is this task already in a public benchmark? Word overlap with a shipped index, in three tiers.

A ``duplicate`` is refused, a ``near`` one is accepted, flagged for review and kept out of the dataset, all else is
``novel``. Agents have met the public items in training, so a battle over one measures memory.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from battles.screening.overlap_index import CONTAINMENT_MIN_WORDS, Fingerprint, ItemName, OverlapIndex


class Tier(StrEnum):
    """How close a text is to a public benchmark item, closest first."""

    DUPLICATE = "duplicate"
    NEAR = "near"
    NOVEL = "novel"


# Measured. Copies, shouted, spaced, stripped of punctuation or wrapped in chatter, keep a cosine of 0.9 or, wrapped, a
# containment of 1. Of 4,240 benchmark items held against all other families of benchmarks, 99 in 100 stay below 0.36
# (cosine) and 0.44 (containment); above the near bars lie 40, all but a dozen of them real relatives. Light edits
# spread over 0.5 to 0.9: the upper bars catch most of them with the copies, the lower ones the rest.
DUPLICATE_COSINE = 0.60
DUPLICATE_CONTAINMENT = 0.70
NEAR_COSINE = 0.45
NEAR_CONTAINMENT = 0.55

SCREENING_DATA = Path(__file__).parent / "data"
SHIPPED_INDEX = SCREENING_DATA / "overlap_index.npz"
SHIPPED_CASES = SCREENING_DATA / "overlap_cases.jsonl.gz"
MEASURED = SCREENING_DATA / "overlap_measured.json"


@dataclass(frozen=True, slots=True)
class OverlapFinding:
    """What the index says of one text.

    ``cosine`` and ``containment`` (0..1) are those of the item that decided, or of the most similar one when the text
    is novel. ``names`` are that item's benchmark names, empty when novel: a chance resemblance accuses nobody.
    """

    tier: Tier
    cosine: float
    containment: float
    names: tuple[ItemName, ...] = ()

    @property
    def benchmark(self) -> str:
        return self.names[0].benchmark if self.names else ""

    @property
    def item(self) -> str:
        return self.names[0].item_id if self.names else ""


@functools.lru_cache(maxsize=4)
def load_index(path: Path = SHIPPED_INDEX) -> OverlapIndex:
    """The index in a file, read once per process.

    Raises:
        OverlapIndexUnusable: see :meth:`OverlapIndex.load`.
    """
    return OverlapIndex.load(path)


def screen_overlap(text: str, index: OverlapIndex | None = None) -> OverlapFinding:
    """Hold a task's text against the index (the shipped one unless another is given).

    Raises:
        OverlapIndexUnusable: the shipped index cannot be read.
    """
    index = index or load_index()
    return judge_fingerprint(index.fingerprint(text), index)


def judge_fingerprint(text: Fingerprint, index: OverlapIndex) -> OverlapFinding:
    """The tier of a text that is already a fingerprint; the item that clears its bar by most is the match."""
    if not index.size:
        return OverlapFinding(Tier.NOVEL, 0.0, 0.0)
    similar = index.similarities(text)
    for tier, cosine_bar, containment_bar in (
        (Tier.DUPLICATE, DUPLICATE_COSINE, DUPLICATE_CONTAINMENT),
        (Tier.NEAR, NEAR_COSINE, NEAR_CONTAINMENT),
    ):
        margin = np.maximum(similar.cosine / cosine_bar, similar.containment / containment_bar)
        best = int(margin.argmax())
        if margin[best] >= 1.0:
            names = index.names(best)
            return OverlapFinding(tier, float(similar.cosine[best]), float(similar.containment[best]), names)
    return OverlapFinding(Tier.NOVEL, float(similar.cosine[best]), float(similar.containment[best]))


@dataclass(frozen=True, slots=True)
class OverlapPosture:
    """What the screen does, how well it was measured to do it, and what it cannot do.

    ``measured`` is what ``manage.py measure_overlap --record`` wrote, ``{}`` when nothing has been measured.
    """

    duplicate_cosine: float
    duplicate_containment: float
    near_cosine: float
    near_containment: float
    containment_min_words: int
    measured: Mapping[str, object]

    @property
    def rates(self) -> Mapping[str, float | None]:
        """Recall and precision by name, as :func:`battles.screening.overlap_cases.rates` defines them."""
        rates = self.measured.get("rates", {})
        return rates if isinstance(rates, Mapping) else {}

    @property
    def limit(self) -> str:
        found = self.rates.get("paraphrases_found")
        share = "" if found is None else f" (found on the shipped cases: {found:.0%} of them)"
        return (
            f"Words catch copies and light edits, not full paraphrases{share}: a task said in other words, "
            "translated, or only inspired by a benchmark item passes as novel. Only the listed public benchmarks are "
            "known; gated and private ones are not unless an operator adds them. Numbers are not compared, so a "
            "benchmark item with other dates or prices still counts as that item."
        )

    def is_current(self) -> bool:
        """Whether the measurement was made with the index and the cases that are shipped now."""
        return self.measured.get("index_sha256") == file_digest(SHIPPED_INDEX) and self.measured.get(
            "cases_sha256"
        ) == file_digest(SHIPPED_CASES)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


OVERLAP_POSTURE = OverlapPosture(
    duplicate_cosine=DUPLICATE_COSINE,
    duplicate_containment=DUPLICATE_CONTAINMENT,
    near_cosine=NEAR_COSINE,
    near_containment=NEAR_CONTAINMENT,
    containment_min_words=CONTAINMENT_MIN_WORDS,
    measured=json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else {},
)
