"""The measures for people."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.errors import ArenaError
from metrics.benchmark_page import benchmark_view
from metrics.models import MeasuresPublication, latest_measures, measures_in_force
from metrics.stored_documents import before_the_first
from ratings.models import Board


class BadQuery(ArenaError):
    code = "bad_query"


def _in_force(request: HttpRequest) -> MeasuresPublication | None:
    board = request.GET.get("board")
    if board is None:
        return measures_in_force()
    if board not in Board.values:
        raise BadQuery(f"There is no such board; there are: {', '.join(Board.values)}.", field="board")
    return latest_measures(Board(board))


@require_safe
def benchmark(request: HttpRequest) -> HttpResponse:
    """Every measure with all agents side by side."""
    stored = _in_force(request)
    document = json.loads(stored.public_document if stored else before_the_first()[0])
    context = {
        "page_title": "Benchmark",
        "active": "benchmark",
        "page": benchmark_view(document, published_at=stored.published_at if stored else None),
        "board": stored.board if stored else None,
        "digest": stored.public_digest if stored else None,
    }
    return render(request, "metrics/benchmark.html", context)
