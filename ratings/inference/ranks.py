"""What the ratings say about the order, and no more.

``rank_ranges`` uses intervals of gaps that hold for all pairs at once and covers every true rank together. ``places``
is the cautious rule a reader can check with a ruler: agents share a place unless their intervals are apart.

Source: Mogstad, Romano, Shaikh and Wilhelm 2024 (ranges of ranks from simultaneous differences).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class RankRanges:
    """(M,) best and worst rank each agent may have; 1 is the strongest."""

    best: Integers
    worst: Integers


def rank_ranges(ratings: Floats, gap_halfwidth: Floats, *, others: int = 0) -> RankRanges:
    """Ranges of ranks from intervals of all gaps.

    Args:
        ratings: (M,) points.
        gap_halfwidth: (M, M) half-widths, in points, that hold at once; NaN where nothing is known of a pair.
        others: agents outside the comparison whose rank may be any.
    """
    with np.errstate(invalid="ignore"):
        surely_above = ratings[None, :] - ratings[:, None] > gap_halfwidth
    return _ranges(surely_above, others)


def rank_ranges_of_intervals(lower: Floats, upper: Floats) -> RankRanges:
    """Ranges of ranks from separate intervals: above another is whose lower end is above the other upper end."""
    return _ranges(lower[None, :] > upper[:, None], 0)


def places(lower: Floats, upper: Floats) -> tuple[int | None, ...]:
    """1 + the number of agents whose lower end is above one's own upper end.

    Args:
        lower, upper: (M,) ends of intervals; NaN for agents that are not rated, who get no place. A rated agent
            without an interval has infinite ends.
    """
    ahead = np.array([(lower > end).sum() for end in upper])
    rated = ~(np.isnan(lower) | np.isnan(upper))
    return tuple(1 + int(number) if known else None for number, known in zip(ahead, rated, strict=True))


def _ranges(surely_above: Flags, others: int) -> RankRanges:
    total = len(surely_above) + others
    return RankRanges(1 + surely_above.sum(axis=1), total - surely_above.sum(axis=0))
