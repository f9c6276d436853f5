"""The figures that the quality report looks at, read from the records and the latest ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils import timezone

from battles.blindness.lexicon import maintained_lexicon
from battles.blindness.measuring import SHIPPED_CASES, measure_identity, read_cases
from battles.screening.overlap import OVERLAP_POSTURE
from governance.models import Withdrawal
from governance.redaction.imagery_posture import imagery_figures
from governance.redaction.posture import days_since, measured_figures
from governance.withdrawal_clocks import CORPUS_WITHIN
from judging.stylometry_reading import latest_reading
from metrics.catalog import BY_KEY, CATALOG
from metrics.computation import Readings
from metrics.computing import compute
from metrics.measure import DECIMALS
from metrics.quality import Figures
from metrics.reading import Published, publishable
from metrics.votes import Votes, read_votes
from ratings.models import Board, latest_publication

#: Measures of the arena that the report looks at.
_ARENA = (
    "alpha_outcome",
    "judge_effective",
    "self_judged_share",
    "withdrawal_on_time",
    "pair_coverage",
    "offer_ratio",
    "drop_to_flip",
    "void_share",
    "one_sided_wall_share",
    "leak_share",
)


def read_figures(board: Board) -> Figures:
    """The figures of a board as they are now."""
    now = timezone.now()
    found = compute(board, [measure for measure in CATALOG if measure.key in (*_ARENA, "usage_missing_share")], at=now)
    arena = {key: _published(key, found) for key in _ARENA}
    votes = read_votes(board, now)
    headline = votes if board == Board.HEADLINE else read_votes(Board.HEADLINE, now)
    publication = latest_publication(board)
    rows = publication_rows(publication.document if publication else None)
    style = latest_reading()
    # Figures kept of other cases or detectors are none, so that those there are speak of today's.
    redaction, imagery = measured_figures(), imagery_figures()
    return Figures(
        people_judged=bool(headline.rated.any()),
        alpha=arena["alpha_outcome"].value,
        alpha_lower=arena["alpha_outcome"].lower,
        alpha_upper=arena["alpha_outcome"].upper,
        statuses={row["agent"]: row["status"] for row in rows},
        refusals={row["agent"]: row["reason"] for row in rows if row["reason"]},
        components=len({row["component"] for row in rows if row["component"] is not None}),
        judges_effective=arena["judge_effective"].value,
        judge_most=_busiest(votes),
        self_judged=arena["self_judged_share"].value,
        categories=_categories(votes),
        leak_recall=measure_identity(read_cases(SHIPPED_CASES), maintained_lexicon()).recall,
        # Measured here and now.
        leak_days=0,
        redaction_recall=redaction["recall"] if redaction else None,
        redaction_days=days_since(redaction, now.date()),
        imagery_recall=min(imagery["by_page"], imagery["by_picture"]) / imagery["strings"] if imagery else None,
        imagery_days=days_since(imagery, now.date()),
        overlap_current=OVERLAP_POSTURE.is_current(),
        withdrawals_overdue=Withdrawal.objects.filter(
            corpus_done_at__isnull=True, called_off_at__isnull=True, received_at__lte=now - CORPUS_WITHIN
        ).count(),
        withdrawals_on_time=arena["withdrawal_on_time"].value,
        style_accuracy=style.accuracy if style else None,
        style_chance=style.chance if style else None,
        style_lower=style.lower if style else None,
        pair_coverage=arena["pair_coverage"].value,
        offer_ratio=arena["offer_ratio"].value,
        drop_to_flip=arena["drop_to_flip"].value,
        void=arena["void_share"].value,
        one_sided=arena["one_sided_wall_share"].value,
        usage_missing=_of_all(found["usage_missing_share"]),
        leaks=arena["leak_share"].value,
    )


def publication_rows(document: str | None) -> list[dict[str, Any]]:
    """Rows of the ratings in a stored full document."""
    rows: list[dict[str, Any]] = json.loads(document)["ratings"] if document else []
    return rows


def _published(key: str, found: Mapping[str, Readings]) -> Published:
    measure = BY_KEY[key]
    return publishable(found[key][None], measure.floor, DECIMALS[measure.unit])


def _of_all(readings: Readings) -> float | None:
    """The share over all agents together."""
    over = sum(reading.over or 0 for reading in readings.values())
    return sum(reading.counted or 0 for reading in readings.values()) / over if over else None


def _busiest(votes: Votes) -> float | None:
    """The busiest judge's share of the rated votes."""
    if not votes.judges.size:
        return None
    return float(np.unique(votes.judges, return_counts=True)[1].max() / votes.judges.size)


def _categories(votes: Votes) -> dict[str, int]:
    """Rated battles by category of task."""
    _, first = np.unique(votes.battles, return_index=True)
    category = votes.corpus.integers("category")[votes.rated][first]
    names, counts = np.unique(category, return_counts=True)
    return {votes.corpus.categories[int(name)]: int(count) for name, count in zip(names, counts, strict=True)}
