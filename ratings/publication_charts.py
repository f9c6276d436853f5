"""The charts of a publication, from what is public of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ratings.agent_pages import History, history_view, opponents_view
from ratings.charts import Spec, gaps_chart, history_chart, ratings_chart, win_shares_chart
from ratings.models import Publication
from ratings.standings import document_of, groups_of, standings_rows

#: Charts of a whole publication; the others are of one agent in it.
OF_ALL = ("ratings", "win-shares")


def chart_of(publication: Publication, name: str, agent_key: str | None = None) -> Spec | None:
    """A chart by its name; None where there is none, or nothing to draw."""
    makers: dict[str, Callable[[], Spec | None]] = {
        "ratings": lambda: _ratings(publication),
        "win-shares": lambda: _win_shares(publication),
    }
    if agent_key is not None:
        makers = {
            "history": lambda: _history(publication, agent_key),
            "gaps": lambda: _gaps(publication, agent_key),
        }
    return makers[name]() if name in makers else None


def history_unit(history: History) -> str:
    """What the values of a history are."""
    return "points above the reference" if history.reference else "points"


def _ratings(publication: Publication) -> Spec | None:
    keys = ("rating", "lower", "upper", "sim_lower", "sim_upper")
    rated = [row for row in standings_rows(publication) if row.rating is not None]
    if not rated:
        return None
    title = "Ratings with 95% intervals, alone and for all agents at once"
    groups = "; ".join(", ".join(names) for names in groups_of(rated))
    if groups:
        title = f"{title}. Nothing compares across these groups, which never met: {groups}"
    return ratings_chart(
        [{"agent": row.agent_name, **{key: getattr(row, key) for key in keys}} for row in rated], title
    )


def _win_shares(publication: Publication) -> Spec | None:
    names = {row.agent_key: row.agent_name for row in standings_rows(publication)}
    cells: list[dict[str, Any]] = [
        {"row": names[one], "column": names[other], "share": round(100 * share)}
        for one, row in document_of(publication)["win_shares"].items()
        for other, share in row.items()
        if one in names and other in names
    ]
    title = "How often the agent of the row was preferred to the agent of the column, in percent"
    return win_shares_chart(cells, list(names.values()), title) if cells else None


def _history(publication: Publication, agent_key: str) -> Spec | None:
    history = history_view(agent_key, publication)
    if history is None or all(point.value is None for point in history.points):
        return None
    rows = [
        {"at": point.published_at.isoformat(), "value": point.value, "lower": point.lower, "upper": point.upper}
        for point in history.points
    ]
    return history_chart(rows, "Points over the publications, with the 95% interval as a band", history_unit(history))


def _gaps(publication: Publication, agent_key: str) -> Spec | None:
    rows = [
        {"agent": row.name, "gap": row.gap, "lower": row.gap_lower, "upper": row.gap_upper}
        for row in opponents_view(agent_key, publication)
        if row.gap is not None
    ]
    return gaps_chart(rows, "Points above each opponent, with 95% intervals") if rows else None
