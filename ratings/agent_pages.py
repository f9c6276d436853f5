"""One agent over the publications and against its opponents, read from stored publications and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ratings.models import Publication
from ratings.standings import REASON_WORDS, axis_over, document_of, standings_rows

#: More steps than this are narrower than the line that draws them.
DRAWN_PUBLICATIONS = 120


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The agent in one publication.

    Attributes:
        value, lower, upper: points above the mean of the reference agents, with the published interval moved along;
            None without a rating. Without reference agents: the rating itself.
        rating: as published.
    """

    value: float | None
    lower: float | None
    upper: float | None
    rating: float | None
    reason: str | None
    published_at: datetime
    href: str


@dataclass(frozen=True, slots=True)
class History:
    """An agent's points, oldest first, and the keys of the agents they are measured from: the same at every point."""

    points: tuple[HistoryPoint, ...]
    reference: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpponentRow:
    key: str
    name: str
    href: str
    share: float | None
    gap: float | None
    gap_lower: float | None
    gap_upper: float | None
    reason: str | None


def history_view(agent_key: str, latest: Publication | None) -> History | None:
    """The agent in the publications of one board up to ``latest``; None where it is in none.

    Ratings are centred on the agents rated at the time, so that a newcomer moves everybody. Here they are measured from
    the agents that were rated beside this one in every publication shown: those never change.
    """
    if latest is None:
        return None
    found = [
        (publication, {row["agent"]: row for row in document_of(publication)["ratings"]})
        for publication in _publications_up_to(latest)
    ]
    found = [(publication, rows) for publication, rows in found if agent_key in rows]
    if not found:
        return None
    reference = _reference(agent_key, [rows for _, rows in found])
    points = tuple(_point(publication, rows, agent_key, reference) for publication, rows in found)
    return History(points, reference)


def _reference(agent_key: str, publications: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Who was rated beside the agent whenever it was."""
    beside = [
        {key for key, row in rows.items() if key != agent_key and _comparable(row, rows[agent_key])}
        for rows in publications
        if rows[agent_key]["rating"] is not None
    ]
    return tuple(sorted(set.intersection(*beside))) if beside else ()


def _comparable(row: dict[str, Any], own: dict[str, Any]) -> bool:
    return row["rating"] is not None and row["component"] == own["component"]


def _point(publication: Publication, rows: dict[str, Any], agent_key: str, reference: tuple[str, ...]) -> HistoryPoint:
    row = rows[agent_key]
    rating = row["rating"]
    known = rating is not None and reference
    origin = sum(rows[key]["rating"] for key in reference) / len(reference) if known else 0.0

    def moved(value: float | None) -> float | None:
        return None if value is None or rating is None else round(value - origin, 2)

    return HistoryPoint(
        value=moved(rating),
        lower=moved(row["lower"]),
        upper=moved(row["upper"]),
        rating=rating,
        reason=REASON_WORDS.get(row["reason"] or ""),
        published_at=publication.published_at,
        href=f"/publications/{publication.public_digest}",
    )


def _publications_up_to(latest: Publication) -> Iterable[Publication]:
    """At most so many as are drawn, evenly chosen by number, with the first and the last."""
    count = latest.number
    if count > DRAWN_PUBLICATIONS:
        last = DRAWN_PUBLICATIONS - 1
        numbers = {1 + round(place * (count - 1) / last) for place in range(DRAWN_PUBLICATIONS)}
    else:
        numbers = set(range(1, count + 1))
    return Publication.objects.filter(board=latest.board, number__in=numbers).order_by("number")


def opponents_view(agent_key: str, publication: Publication | None) -> list[OpponentRow]:
    """Everybody else in the publication, best first: win share and gap, or the reason why there is none."""
    if publication is None:
        return []
    document = document_of(publication)
    if all(row["agent"] != agent_key for row in document["ratings"]):
        return []
    shares = document["win_shares"].get(agent_key, {})
    return [
        _opponent(row.agent_key, row.agent_name, row.agent_href, shares.get(row.agent_key), gap)
        for row in standings_rows(publication)
        if row.agent_key != agent_key
        for gap in [gap_of(document, agent_key, row.agent_key)]
    ]


def gap_of(document: dict[str, Any], agent: str, other: str) -> dict[str, Any]:
    """The gap as seen from ``agent``; a publication from before gaps were published has none."""
    gaps = document.get("gaps", {})
    if (gap := gaps.get(agent, {}).get(other)) is not None:
        return dict(gap)
    gap = gaps.get(other, {}).get(agent, {"gap": None, "lower": None, "upper": None, "reason": "not_measured"})
    turned = {"gap": gap["gap"], "lower": gap["upper"], "upper": gap["lower"]}
    return {name: None if value is None else 0.0 - value for name, value in turned.items()} | {"reason": gap["reason"]}


def _opponent(key: str, name: str, href: str, share: float | None, gap: dict[str, Any]) -> OpponentRow:
    return OpponentRow(
        key=key,
        name=name,
        href=href,
        share=share,
        gap=gap["gap"],
        gap_lower=gap["lower"],
        gap_upper=gap["upper"],
        reason=REASON_WORDS.get(gap["reason"] or ""),
    )


def gap_axis(opponents: Sequence[OpponentRow]) -> dict[str, Any] | None:
    """An axis that holds zero and every gap with its interval; None where no gap is known."""
    ends = [end for row in opponents for end in (row.gap, row.gap_lower, row.gap_upper) if end is not None]
    return axis_over([0.0, *ends]) if ends else None
