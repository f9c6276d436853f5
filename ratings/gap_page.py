"""Two agents side by side: what the gap between them means, and what it would take to settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ratings.agent_pages import gap_of
from ratings.estimators.scale import win_probability
from ratings.inference.planning import THIRD_PARTY_FACTOR, votes_to_detect
from ratings.models import Publication
from ratings.standings import REASON_WORDS, axis_over, document_of
from ratings.variants import SCHEDULE

#: A gap that needs more votes than this is for all purposes none.
MOST_VOTES = 1_000_000
#: Numbers of votes are good to about this many digits.
DIGITS = 2


@dataclass(frozen=True, slots=True)
class GapView:
    """What is known of two agents, ``one`` above ``other`` or level with it. Points; None with a reason.

    Attributes:
        win_percent: of a hundred decided battles, how many the first is preferred in; a tie counts half.
        settled: whether the 95% interval of this gap alone leaves zero out.
        order_kept: whether the schedule-adjusted fit has the same order; None where it cannot say.
        fresh_votes: head-to-head votes, each by somebody else, that would tell a gap of this size from none with a
            chance of 80%; None where that is more than anybody will cast.
        through_others: the same if the two only ever meet third parties.
        flip_percent: share of the votes whose removal turns the two, where they are neighbours.
    """

    one: str
    other: str
    gap: float | None
    gap_lower: float | None
    gap_upper: float | None
    win_percent: int | None
    settled: bool
    order_kept: bool | None
    fresh_votes: int | None
    through_others: int | None
    flip_percent: float | None
    reason: str | None
    axis: dict[str, Any] | None

    @property
    def whole(self) -> int:
        """The gap to a whole point."""
        return round(self.gap or 0.0)

    @property
    def fresh_words(self) -> str:
        return f"{self.fresh_votes:,}"

    @property
    def through_words(self) -> str:
        return f"{self.through_others:,}"


def gap_view(publication: Publication, one: str, other: str) -> GapView:
    """Two agents of a publication, the better one first."""
    document = document_of(publication)
    gap = gap_of(document, one, other)
    if gap["gap"] is not None and gap["gap"] < 0:
        one, other = other, one
        gap = gap_of(document, one, other)
    points = gap["gap"]
    if points is None:
        words = REASON_WORDS.get(gap["reason"] or "")
        return GapView(one, other, None, None, None, None, False, None, None, None, None, words, None)
    ends = [end for end in (gap["lower"], gap["upper"]) if end is not None]
    fresh = _fresh_votes(points, document.get("audit", {}).get("tie_share"))
    return GapView(
        one=one,
        other=other,
        gap=points,
        gap_lower=gap["lower"],
        gap_upper=gap["upper"],
        win_percent=round(100 * win_probability(points)),
        settled=gap["lower"] is not None and gap["lower"] > 0,
        order_kept=_order_kept(document, one, other),
        fresh_votes=fresh,
        through_others=None if fresh is None else _rounded(THIRD_PARTY_FACTOR * fresh),
        flip_percent=_flip_percent(document, one, other),
        reason=REASON_WORDS.get(gap["reason"] or ""),
        axis=axis_over([0.0, points, *ends]),
    )


def _fresh_votes(points: float, tie_share: float | None) -> int | None:
    """From the gap alone, so that nothing tells how many votes there are."""
    if points <= 0:
        return None
    votes = votes_to_detect(points, tie_share=tie_share or 0.0)
    return _rounded(votes) if votes <= MOST_VOTES else None


def _rounded(votes: int) -> int:
    return int(float(f"{votes:.{DIGITS - 1}e}"))


def _order_kept(document: dict[str, Any], one: str, other: str) -> bool | None:
    rows = document.get("variants", {}).get(SCHEDULE, {}).get("ratings", [])
    ratings = {row["agent"]: row["rating"] for row in rows}
    if ratings.get(one) is None or ratings.get(other) is None:
        return None
    return bool(ratings[one] >= ratings[other])


def _flip_percent(document: dict[str, Any], one: str, other: str) -> float | None:
    for pair in document.get("robustness", []):
        if (pair["upper"], pair["lower"]) == (one, other) and pair["votes"]["share"] is not None:
            return round(100 * float(pair["votes"]["share"]), 1)
    return None
