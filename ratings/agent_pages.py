"""One agent over the publications and against its opponents, read from stored publications and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateformat import format as date_format

from ratings.models import Publication
from ratings.standings import REASON_WORDS, axis_over, document_of, standings_rows

#: More steps than this are narrower than the line that draws them.
DRAWN_PUBLICATIONS = 120
#: Width of the drawing, in units of its own; one is less than a pixel on most screens.
WIDTH = 1000
#: Points above and below the line that are always in the picture.
LEAST_HEIGHT = 50.0
#: While everything happened within this time, the hour says more than the day.
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The agent in one publication. ``x`` and ``width`` are where its step begins and how long it is."""

    x: float
    width: float
    rating: float | None
    lower: float | None
    upper: float | None
    reason: str | None
    published_at: datetime
    href: str

    @property
    def height(self) -> float | None:
        """Of the interval, in points; None where there is none."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower


@dataclass(frozen=True, slots=True)
class OpponentRow:
    name: str
    href: str
    share: float | None
    gap: float | None
    gap_lower: float | None
    gap_upper: float | None
    reason: str | None


def history_view(agent_key: str, latest: Publication | None, *, now: datetime) -> dict[str, Any] | None:
    """The agent's rating in the publications of one board up to ``latest``, as a drawing; None where it is in none.

    Keys: ``points`` (:class:`HistoryPoint`, oldest first), ``line`` (an SVG path in points, upwards), ``view_box``
    (downwards, as SVG has it), ``y_ticks`` (``value``, ``percent`` from the top) and ``x_labels`` (first, last).
    """
    points = _history_points(agent_key, latest, now) if latest else []
    if not points:
        return None
    bottom, top = _height(points)
    axis = axis_over([bottom, top], margin=0)
    return {
        "points": points,
        "line": _step_line(points),
        "view_box": f"0 {-top:.2f} {WIDTH} {top - bottom:.2f}",
        "y_ticks": [{"value": tick["value"], "percent": round(100 - tick["percent"], 2)} for tick in axis["ticks"]],
        "x_labels": _ends(points[0].published_at, now),
    }


def _history_points(agent_key: str, latest: Publication, now: datetime) -> list[HistoryPoint]:
    found = [
        (publication, row)
        for publication in _publications_up_to(latest)
        for row in document_of(publication)["ratings"]
        if row["agent"] == agent_key
    ]
    if not found:
        return []
    begin = found[0][0].published_at
    span = max((now - begin).total_seconds(), 1.0)
    starts = [WIDTH * (publication.published_at - begin).total_seconds() / span for publication, _ in found]
    return [
        HistoryPoint(
            x=round(start, 2),
            width=round(end - start, 2),
            rating=row["rating"],
            lower=row["lower"],
            upper=row["upper"],
            reason=REASON_WORDS.get(row["reason"] or ""),
            published_at=publication.published_at,
            href=f"/publications/{publication.public_digest}",
        )
        for (publication, row), start, end in zip(found, starts, [*starts[1:], WIDTH], strict=True)
    ]


def _publications_up_to(latest: Publication) -> Iterable[Publication]:
    """At most so many as are drawn, evenly chosen by number, with the first and the last."""
    count = latest.number
    if count > DRAWN_PUBLICATIONS:
        last = DRAWN_PUBLICATIONS - 1
        numbers = {1 + round(place * (count - 1) / last) for place in range(DRAWN_PUBLICATIONS)}
    else:
        numbers = set(range(1, count + 1))
    return Publication.objects.filter(board=latest.board, number__in=numbers).order_by("number")


def _height(points: Sequence[HistoryPoint]) -> tuple[float, float]:
    """Bottom and top of the drawing: every rating, and the interval that holds now. Wider ones of the past are cut."""
    shown = [point.rating for point in points if point.rating is not None]
    newest = points[-1]
    shown += [end for end in (newest.lower, newest.upper) if end is not None]
    if not shown:
        return -LEAST_HEIGHT, LEAST_HEIGHT
    room = max(LEAST_HEIGHT, 0.15 * (max(shown) - min(shown)))
    return min(shown) - room, max(shown) + room


def _step_line(points: Sequence[HistoryPoint]) -> str:
    """The path of the ratings; it is broken where a publication had none."""
    path, drawing = [], False
    for point in points:
        if point.rating is None:
            drawing = False
            continue
        path.append(f"V{point.rating}" if drawing else f"M{point.x} {point.rating}")
        path.append(f"H{round(point.x + point.width, 2)}")
        drawing = True
    return "".join(path)


def _ends(first: datetime, now: datetime) -> list[str]:
    form = "H:i" if now - first < ONE_DAY else "j M Y"
    return [date_format(first, form), date_format(now, form)]


def opponents_view(agent_key: str, publication: Publication | None) -> list[OpponentRow]:
    """Everybody else in the publication, best first: win share and gap, or the reason why there is none."""
    if publication is None:
        return []
    document = document_of(publication)
    if all(row["agent"] != agent_key for row in document["ratings"]):
        return []
    shares = document["win_shares"].get(agent_key, {})
    return [
        _opponent(row.agent_name, row.agent_href, shares.get(row.agent_key), _gap(document, agent_key, row.agent_key))
        for row in standings_rows(publication)
        if row.agent_key != agent_key
    ]


def _gap(document: dict[str, Any], agent: str, other: str) -> dict[str, Any]:
    """The gap as seen from ``agent``; a publication from before gaps were published has none."""
    gaps = document.get("gaps", {})
    if (gap := gaps.get(agent, {}).get(other)) is not None:
        return dict(gap)
    gap = gaps.get(other, {}).get(agent, {"gap": None, "lower": None, "upper": None, "reason": "not_measured"})
    turned = {"gap": gap["gap"], "lower": gap["upper"], "upper": gap["lower"]}
    return {name: None if value is None else 0.0 - value for name, value in turned.items()} | {"reason": gap["reason"]}


def _opponent(name: str, href: str, share: float | None, gap: dict[str, Any]) -> OpponentRow:
    return OpponentRow(
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
