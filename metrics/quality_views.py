"""The quality report for operators. To others its address is like any that does not exist, whatever the method."""

import functools
import json
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from governance.operators import Ability, may
from metrics.models import latest_measures
from metrics.quality_report import quality_document, shown_board
from metrics.views import BadQuery
from ratings.models import Board

View = Callable[[HttpRequest], HttpResponse]


def operators_only(view: View) -> View:
    """The view for operators, whose second factor the site has asked for.

    Raises:
        Http404: to anybody else, as an address that does not exist would.
    """

    @functools.wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        # Who has no session is nobody, and looking into it would say in a header that it matters here.
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not may(request.user, Ability.LOOK):
            raise Http404
        return view(request)

    return guarded


def _board(request: HttpRequest) -> Board:
    board = request.GET.get("board")
    if board is None:
        return shown_board()
    if board not in Board.values:
        raise BadQuery(f"There is no such board; there are: {', '.join(Board.values)}.", field="board")
    return Board(board)


@operators_only
@never_cache
@require_safe
def quality_page(request: HttpRequest) -> HttpResponse:
    """What cannot be claimed, and the counts behind the measures in force."""
    board = _board(request)
    context = {
        "page_title": "Quality",
        "board": board.value,
        "boards": [{"key": each.value, "label": each.label, "current": each == board} for each in Board],
        "claims": quality_document(board)["not_entitled"],
        "counts": _counts(board),
    }
    return render(request, "metrics/quality.html", context)


def _counts(board: Board) -> list[dict[str, Any]]:
    """Rows of the measures in force, by measure and agent, with what is withheld from everybody else."""
    stored = latest_measures(board)
    if stored is None:
        return []
    return [
        {
            "name": measure["name"],
            "agent": value["agent"] or "arena",
            "value": value["value"],
            "reason": value["reason"],
            **{name: value["counts"][name] for name in ("counted", "over", "size", "effective")},
        }
        for measure in json.loads(stored.document)["measures"]
        for value in measure["values"]
    ]
