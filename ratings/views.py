"""Standings, agents, publications and methods."""

import csv
import io
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import condition, require_safe

from battles.matchmaking import INFO_FLOOR, PRIOR_BATTLES, REDUNDANT_SHARE, UNIFORM_FLOOR
from battles.models import Agent
from ratings.agent_pages import gap_axis, history_view, opponents_view
from ratings.agreement_figure import agreement_rows
from ratings.blindness_figure import blindness_view
from ratings.definitions import DEFINITIONS
from ratings.eligibility import REASON_WORDS
from ratings.models import Board, Publication
from ratings.overlap_figure import overlap_figure
from ratings.standings import (
    StandingRow,
    axis_of,
    board_in_force,
    publication_view,
    standings_rows,
    ticker_view,
    what_it_establishes,
    win_share_matrix,
)

#: Columns of the download, in order; no counts among them.
CSV_COLUMNS = (
    "agent_key",
    "agent_name",
    "component",
    "rank_best",
    "rank_worst",
    "rating",
    "lower",
    "upper",
    "sim_lower",
    "sim_upper",
    "status",
    "refusal",
)


@require_safe
def standings(request: HttpRequest) -> HttpResponse:
    """The publication in force."""
    return _standings(request, board_in_force())


@require_safe
def publication(request: HttpRequest, digest: str) -> HttpResponse:
    """Exactly this publication, for good."""
    return _standings(request, _by_digest(digest))


def _standings(request: HttpRequest, found: Publication | None) -> HttpResponse:
    board = Board(found.board) if found else Board.DEMO
    rows = standings_rows(found)
    context: dict[str, Any] = {
        "page_title": "Standings",
        "active": "standings",
        "board": board.value,
        "publication": publication_view(found) if found else None,
        "rows": rows,
        "axis": axis_of(rows),
        "ticker": ticker_view(board),
        "matrix": win_share_matrix(found, rows) if found else None,
        "paragraph": what_it_establishes(rows) if found else "",
    }
    return render(request, "ratings/standings.html", context)


def _by_digest(digest: str) -> Publication:
    return get_object_or_404(Publication, public_digest=digest)


def _etag(request: HttpRequest, digest: str) -> str | None:
    """None for what does not exist, which then is no match for anything."""
    return f'"{digest}"' if Publication.objects.filter(public_digest=digest).exists() else None


@require_safe
@condition(etag_func=_etag)
def publication_json(request: HttpRequest, digest: str) -> HttpResponse:
    """The public document, byte for byte as its digest names it."""
    return HttpResponse(_by_digest(digest).public_document, content_type="application/json")


@require_safe
def publication_csv(request: HttpRequest, digest: str) -> HttpResponse:
    """The rows of a publication as a table."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for row in standings_rows(_by_digest(digest)):
        writer.writerow([_cell(row, column) for column in CSV_COLUMNS])
    response = HttpResponse(table.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="standings-{digest[:12]}.csv"'
    return response


def _cell(row: StandingRow, column: str) -> str:
    value = getattr(row, column)
    text = "" if value is None else str(value)
    # A spreadsheet would run a name that begins like a formula.
    return f"'{text}" if isinstance(value, str) and text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


@require_safe
def agent(request: HttpRequest, agent_key: str) -> HttpResponse:
    """One agent: its standing, its pinned version, its history over publications."""
    found = Agent.objects.filter(pk=agent_key).first()
    if found is None:
        raise Http404
    latest = board_in_force()
    rows = standings_rows(latest)
    row = next((row for row in rows if row.agent_key == agent_key), None)
    opponents = opponents_view(agent_key, latest)
    context = {
        "page_title": found.name,
        "active": "standings",
        "agent": {
            "name": found.name,
            "key": found.key,
            "version_pin": found.model_version,
            "adapter_kind": found.adapter,
            "provider": found.provider,
            "retired_at": found.retired_at,
            "retired_reason": found.retirement_reason,
            "baseline": found.kind == Agent.Kind.BASELINE,
        },
        "row": row,
        "axis": axis_of(rows),
        "history": history_view(agent_key, latest, now=timezone.now()),
        "opponents": opponents,
        "gap_axis": gap_axis(opponents),
    }
    return render(request, "ratings/agent.html", context)


@require_safe
def methods(request: HttpRequest) -> HttpResponse:
    """How the numbers are made; the constants in the text are the code's own."""
    return render(
        request,
        "ratings/methods.html",
        {
            "page_title": "Methods",
            "active": "methods",
            "draw": {
                "prior": PRIOR_BATTLES,
                "uniform": round(100 * UNIFORM_FLOOR),
                "information": round(100 * INFO_FLOOR),
                "redundant": round(100 * REDUNDANT_SHARE),
            },
            "reasons": list(REASON_WORDS.values()),
            "all_definitions": DEFINITIONS,
            "agreement": agreement_rows(),
            "overlap": overlap_figure(),
            "blindness": blindness_view(),
        },
    )
