"""The measures: a page for people, a document for programs."""

import csv
import io
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from governance.errors import ArenaError, NotFound
from governance.spreadsheet_cells import text_cell
from metrics.benchmark_page import benchmark_view
from metrics.catalog import BY_KEY
from metrics.documents import definitions
from metrics.models import MeasuresPublication, latest_measures, measures_in_force
from ratings.canonical import canonical, digest
from ratings.models import Board

#: Columns of the table, in order; no counts among them.
COLUMNS = ("key", "name", "section", "unit", "direction", "scope", "agent", "value", "lower", "upper", "reason")
WORDS = ("numerator", "denominator", "caveat", "interval")
JSON, CSV = "application/json", "text/csv"
FORMATS = {"json": JSON, "csv": CSV}
#: The document changes once a night; who has it asks whether it is still the one.
FRESH = "public, max-age=60"


class NoSuchMeasure(NotFound):
    code = "no_such_measure"


class BadQuery(ArenaError):
    code = "bad_query"


@dataclass(frozen=True, slots=True)
class Document:
    """A public document as it is served."""

    text: str
    digest: str


@cache
def _before_the_first() -> Document:
    """Definitions alone: what there is before anything was published."""
    text = canonical({"publication": None, "measures": definitions()})
    return Document(text, digest(text))


def _in_force(request: HttpRequest) -> MeasuresPublication | None:
    board = request.GET.get("board")
    if board is None:
        return measures_in_force()
    if board not in Board.values:
        raise BadQuery(f"There is no such board; there are: {', '.join(Board.values)}.", field="board")
    return latest_measures(Board(board))


def _document(request: HttpRequest) -> Document:
    stored = _in_force(request)
    return Document(stored.public_document, stored.public_digest) if stored else _before_the_first()


def _kind(request: HttpRequest) -> str:
    """JSON or CSV, as the query or else the Accept header says."""
    asked = request.GET.get("format")
    if asked is not None and asked not in FORMATS:
        raise BadQuery(f"There is no such format; there are: {', '.join(FORMATS)}.", field="format")
    return FORMATS[asked] if asked else request.get_preferred_type([JSON, CSV]) or JSON


@require_safe
def metrics_document(request: HttpRequest) -> HttpResponse:
    """Every measure with its definition and values, byte for byte as it was published."""
    document = _document(request)
    if _kind(request) == CSV:
        return _answer(request, document, _table(json.loads(document.text)["measures"]), CSV, name="measures")
    return _answer(request, document, document.text, JSON)


@require_safe
def metric_document(request: HttpRequest, key: str) -> HttpResponse:
    """One measure.

    Raises:
        NoSuchMeasure: the catalogue has none of that key.
    """
    if key not in BY_KEY:
        raise NoSuchMeasure("There is no measure of that key. /api/metrics lists all of them.")
    document = _document(request)
    whole = json.loads(document.text)
    one = [measure for measure in whole["measures"] if measure["key"] == key]
    if _kind(request) == CSV:
        return _answer(request, document, _table(one), CSV, name=key)
    return _answer(request, document, canonical({**whole, "measures": one}), JSON)


def _answer(request: HttpRequest, document: Document, body: str, kind: str, *, name: str = "") -> HttpResponse:
    """The body with its validators, or that it is still the one."""
    tag = f'"{document.digest}"' if kind == JSON else f'"{document.digest}-csv"'
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if known == ["*"] or tag in [each.removeprefix("W/") for each in known]:
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(body, content_type=kind if kind == JSON else f"{kind}; charset=utf-8")
        if name:
            response["Content-Disposition"] = f'attachment; filename="{name}-{document.digest[:12]}.csv"'
    response["ETag"] = tag
    response["Cache-Control"] = FRESH
    patch_vary_headers(response, ["Accept"])
    return response


def _table(measures: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*COLUMNS, *WORDS])
    for measure in measures:
        for value in measure["values"]:
            row = {**measure, **value}
            writer.writerow([_cell(row[column]) for column in (*COLUMNS, *WORDS)])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return text_cell(value) if isinstance(value, str) else str(value)


@require_safe
def benchmark(request: HttpRequest) -> HttpResponse:
    """Every measure with all agents side by side."""
    stored = _in_force(request)
    document = json.loads(stored.public_document if stored else _before_the_first().text)
    context = {
        "page_title": "Benchmark",
        "active": "benchmark",
        "page": benchmark_view(document, published_at=stored.published_at if stored else None),
        "board": stored.board if stored else None,
        "digest": stored.public_digest if stored else None,
    }
    return render(request, "metrics/benchmark.html", context)
