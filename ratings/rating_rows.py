"""A fit as rows of a document: plain JSON values, rounded as they are published."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

from ratings.canonical import published
from ratings.headline import AgentRating, HeadlineFit

#: Below a hundredth a p-value still says something.
P_DECIMALS = 4

#: Points of a row, by its key in the document.
POINTS = {
    "rating": "rating",
    "se": "se",
    "lower": "lower",
    "upper": "upper",
    "sim_lower": "simultaneous_lower",
    "sim_upper": "simultaneous_upper",
    "anytime_lower": "anytime_lower",
    "anytime_upper": "anytime_upper",
    "wild_lower": "wild_lower",
    "wild_upper": "wild_upper",
}


def rating_rows(fit: HeadlineFit, *, also: Collection[str] = ()) -> list[dict[str, Any]]:
    """A row for every agent with a rated battle, and for those named ``also``."""
    return [_row(row) for row in fit.agents if row.battles or row.agent in also]


def _row(row: AgentRating) -> dict[str, Any]:
    bound = None if row.bound is None else {"side": row.bound.side, "points": published(row.bound.points)}
    return {
        "agent": row.agent,
        "component": row.component,
        **{key: published(getattr(row, name)) for key, name in POINTS.items()},
        "rank_best": row.rank_best,
        "rank_worst": row.rank_worst,
        "place": row.place,
        "status": str(row.status),
        "bound": bound,
        "reason": row.reason,
        "battles": row.battles,
    }


def gap_rows(fit: HeadlineFit) -> dict[str, dict[str, dict[str, Any]]]:
    """Every pair once: first agent to second agent to the points the first is above, with the gap's own interval."""
    names = sorted(row.agent for row in fit.agents if row.battles)
    gaps: dict[str, dict[str, dict[str, Any]]] = {}
    for one, other in itertools.combinations(names, 2):
        gap = fit.gap(one, other)
        gaps.setdefault(one, {})[other] = {
            "gap": published(gap.gap),
            "lower": published(gap.lower),
            "upper": published(gap.upper),
            "p_holm": published(gap.p_holm, P_DECIMALS),
            "win_chance": published(gap.win_chance),
            "reason": gap.reason,
        }
    return gaps
