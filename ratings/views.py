"""Standings, agents and publications."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import condition, require_safe

from battles.models import Agent
from battles.roster import variants_tried
from ratings.agent_pages import gap_axis, history_view, opponents_view
from ratings.agent_sections import sections_of
from ratings.canonical import digest as sha256
from ratings.gap_page import gap_view
from ratings.models import Board, Publication
from ratings.panel_figure import PanelFigure, panel_figures
from ratings.publication_charts import OF_ALL, chart_of
from ratings.publication_facts import exclusion_rows, fact_rows, probe_rows
from ratings.standing_words import what_it_establishes
from ratings.standings import (
    axis_of,
    board_in_force,
    corrected_by,
    document_of,
    groups_of,
    joined_versions,
    publication_view,
    roster_stamp,
    standings_rows,
    ticker_view,
    win_share_matrix,
)
from ratings.standings_table import standings_table
from ratings.tied_licensees import licensees_by_agent
from ratings.variant_views import (
    HEADLINE,
    REFUSALS,
    parameter_rows,
    slug_of,
    toggles,
    variant_named,
    words_of,
)
from ratings.variants import DAVIDSON_TIES

#: A document that its digest names never changes.
FOR_GOOD = "public, max-age=31536000, immutable"


@require_safe
def standings(request: HttpRequest) -> HttpResponse:
    """The publication in force, by the way to fit that is asked for."""
    return _standings(request, board_in_force(), request.path, panel_figures())


@require_safe
def publication(request: HttpRequest, digest: str) -> HttpResponse:
    """Exactly this publication, for good."""
    return _standings(request, _by_digest(digest), request.path)


def _standings(
    request: HttpRequest, found: Publication | None, base: str, panels: Sequence[PanelFigure] = ()
) -> HttpResponse:
    board = Board(found.board) if found else Board.DEMO
    context: dict[str, Any] = {
        "page_title": "Standings",
        "active": "standings",
        "board": board.value,
        "publication": publication_view(found) if found else None,
        "ticker": ticker_view(board),
        "panels": panels,
    }
    if found is not None:
        context |= _orders(found, request.GET.get("fit", ""), base)
    return render(request, "ratings/standings.html", context)


def _orders(found: Publication, asked: str, base: str) -> dict[str, Any]:
    """What a page says of one way to fit.

    Raises:
        Http404: the publication has no such way.
    """
    document = document_of(found)
    name = variant_named(document, asked)
    if name is None:
        raise Http404
    headline = standings_rows(found)
    rows = headline if name == HEADLINE else standings_rows(found, name)
    variant = {} if name == HEADLINE else document["variants"][name]
    newest = board_in_force()
    return {
        "rows": rows,
        "axis": axis_of(rows),
        "groups": groups_of(rows),
        "matrix": win_share_matrix(found, headline),
        "toggles": toggles(document, name, base),
        "fit": slug_of(name),
        "is_headline": name == HEADLINE,
        "fit_words": words_of(name),
        "fit_refusal": REFUSALS.get(variant.get("reason") or ""),
        "parameters": parameter_rows(variant),
        "parameter_unit": "" if name == DAVIDSON_TIES else "points for a difference of ordinary size",
        "paragraphs": what_it_establishes(headline, document),
        "probes": probe_rows(document),
        "joined": joined_versions(document),
        "exclusions": exclusion_rows(document, headline),
        "facts": fact_rows(document),
        "charts": [name for name in OF_ALL if chart_of(found, name) is not None],
        "corrects": document.get("corrects"),
        "corrected_by": corrected_by(found),
        "newer": newest if newest is not None and newest.board == found.board and newest.pk != found.pk else None,
    }


def _by_digest(digest: str) -> Publication:
    return get_object_or_404(Publication, public_digest=digest)


def _etag(request: HttpRequest, digest: str) -> str | None:
    """None for what does not exist, which then is no match for anything."""
    return f'"{digest}"' if Publication.objects.filter(public_digest=digest).exists() else None


@require_safe
@condition(etag_func=_etag)
def publication_json(request: HttpRequest, digest: str) -> HttpResponse:
    """The public document, byte for byte as its digest names it."""
    # The whole document, which is as long again, stays in the database.
    text = get_object_or_404(Publication.objects.only("public_document"), public_digest=digest).public_document
    return HttpResponse(text, content_type="application/json", headers={"Cache-Control": FOR_GOOD})


def _csv_etag(request: HttpRequest, digest: str) -> str | None:
    """None for what does not exist, which then is no match for anything."""
    try:
        return f'"{sha256(standings_table(digest, request.GET.get("fit", ""), roster_stamp()))}"'
    except Http404:
        return None


@require_safe
@condition(etag_func=_csv_etag)
def publication_csv(request: HttpRequest, digest: str) -> HttpResponse:
    """The rows of a publication as a table, by the way to fit that is asked for."""
    asked = request.GET.get("fit", "")
    response = HttpResponse(standings_table(digest, asked, roster_stamp()), content_type="text/csv; charset=utf-8")
    name = f"standings-{asked or HEADLINE}-{digest[:12]}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


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
    history = history_view(agent_key, latest)
    names = {row.agent_key: row.agent_name for row in rows}
    joined = joined_versions(document_of(latest)) if latest else []
    drawn = history is not None and any(point.value is not None for point in history.points)
    context = {
        "page_title": found.name,
        "active": "standings",
        "agent": {
            "name": found.name,
            "key": found.key,
            "version_pin": found.model_version,
            "adapter_kind": found.adapter,
            "provider": found.provider,
            "provider_agents": variants_tried(found.provider),
            "licensees": licensees_by_agent().get(found.key, ()),
            "affiliated_from": found.affiliated_from,
            "retired_at": found.retired_at,
            "left_unraced": found.left_unraced(),
            "retired_cause": found.get_retirement_cause_display(),
            "retired_reason": found.retirement_reason,
            "baseline": found.kind == Agent.Kind.BASELINE,
        },
        "row": row,
        "joined": row.joined if row else (),
        "counts_in": next((version for version in joined if version.key == agent_key), None),
        "axis": axis_of(rows),
        "history": history,
        "newest_first": reversed(history.points) if history else [],
        "reference": [names.get(key, key) for key in history.reference] if history else [],
        "charts": f"/publications/{latest.public_digest}/charts" if latest and drawn else None,
        "opponents": opponents,
        "gap_axis": gap_axis(opponents),
        "sections": sections_of(agent_key),
    }
    return render(request, "ratings/agent.html", context)


@require_safe
def gap(request: HttpRequest) -> HttpResponse:
    """Two agents: what the gap between them means, and what would settle it."""
    latest = board_in_force()
    rows = standings_rows(latest)
    names = {row.agent_key: row.agent_name for row in rows}
    one, other = request.GET.get("a", ""), request.GET.get("b", "")
    view = gap_view(latest, one, other) if latest and one in names and other in names and one != other else None
    context = {
        "page_title": "Two agents",
        "active": "standings",
        "board": latest.board if latest else Board.DEMO.value,
        "publication": publication_view(latest) if latest else None,
        "agents": [(row.agent_key, row.agent_name) for row in rows],
        "asked": {"a": one, "b": other},
        "problem": _gap_problem(one, other, names),
        "gap": view,
        "above": names.get(view.one, "") if view else "",
        "below": names.get(view.other, "") if view else "",
    }
    return render(request, "ratings/gap.html", context)


def _gap_problem(one: str, other: str, names: dict[str, str]) -> str:
    if not one and not other:
        return ""
    if one == other:
        return "Please choose two different agents."
    return "" if one in names and other in names else "One of these agents is not in the publication in force."
