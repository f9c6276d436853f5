"""How numbers are made: the page about methods, and pages on which a reader can try it.

Each of these is a form with the answer under it. The server answers from the address, and where scripts run they answer
as the reader types, with the same arithmetic.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from battles.matchmaking import INFO_FLOOR, PRIOR_BATTLES, REDUNDANT_SHARE, UNIFORM_FLOOR
from ratings.agreement_figure import agreement_rows
from ratings.blindness_figure import blindness_view
from ratings.definitions import DEFINITIONS, ON_PAGES
from ratings.eligibility import REASON_WORDS
from ratings.methods.answers import BEST_OF, ELO, OVERLAP, PAGES, PLANNER, SCHEDULE, TryPage
from ratings.methods.facts import VARIANTS, facts
from ratings.methods.inputs import Field, Reading, Unreadable, read
from ratings.methods.table import COLUMNS, methods_table
from ratings.overlap_figure import overlap_figure

#: Where the scripts are, and the one that all of them stand on.
SCRIPTS = "ringside/methods/"
FIRST_SCRIPT = "play"


@require_safe
def methods(request: HttpRequest) -> HttpResponse:
    """How the numbers are made; the constants in the text are the code's own."""
    numbers = facts()
    return render(
        request,
        "methods/index.html",
        {
            "page_title": "Methods",
            "active": "methods",
            "columns": COLUMNS,
            "variants": VARIANTS,
            "methods": methods_table(numbers),
            "facts": numbers,
            "draw": {
                "prior": PRIOR_BATTLES,
                "uniform": round(100 * UNIFORM_FLOOR),
                "information": round(100 * INFO_FLOOR),
                "redundant": round(100 * REDUNDANT_SHARE),
            },
            "reasons": list(REASON_WORDS.values()),
            "all_definitions": DEFINITIONS | ON_PAGES,
            "agreement": agreement_rows(),
            "overlap": overlap_figure(),
            "blindness": blindness_view(),
        },
    )


@require_safe
def elo(request: HttpRequest) -> HttpResponse:
    """The same votes in a hundred orders."""
    return _page(request, ELO)


@require_safe
def planner(request: HttpRequest) -> HttpResponse:
    """How many votes a question takes."""
    return _page(request, PLANNER)


@require_safe
def best_of(request: HttpRequest) -> HttpResponse:
    """What picking the best of equal variants does."""
    return _page(request, BEST_OF)


@require_safe
def schedule(request: HttpRequest) -> HttpResponse:
    """What the schedule does to equals who beat each other in a circle."""
    return _page(request, SCHEDULE)


@require_safe
def overlap(request: HttpRequest) -> HttpResponse:
    """Two intervals that overlap, and whether the gap is settled."""
    return _page(request, OVERLAP)


def _page(request: HttpRequest, page: TryPage) -> HttpResponse:
    """A page with its form; what cannot be read is said, and the answer is then for the defaults in its place."""
    reading = read(page.fields, request.GET)
    problems = [message for _, message in reading.problems]
    try:
        found = page.answer(reading.values)
    except Unreadable as refused:
        problems.append(str(refused))
        found = page.answer({field.name: field.default for field in page.fields})
    numbers = {name: shown(name, value, digits) for name, (value, digits) in found.numbers.items()}
    context = {
        "page_title": page.title,
        "active": "methods",
        "pages": PAGES,
        "page": page.name,
        "fields": {field.name: _field(field, reading) for field in page.fields},
        "problems": problems,
        "scripts": [f"{SCRIPTS}{script}.js" for script in (FIRST_SCRIPT, *page.scripts)],
        "numbers": {name.replace("-", "_"): text for name, text in numbers.items()},
        "rows": [{column: numbers.get(name, name) for column, name in row.items()} for row in found.rows],
        "facts": facts(),
        **found.context,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return render(request, page.template, context, status=status)


def shown(name: str, value: float, digits: int) -> SafeString:
    """A number that the page's script may replace; in full as its value, rounded for people."""
    return format_html(
        '<data data-out="{}" data-digits="{}" value="{}">{}</data>',
        name,
        digits,
        repr(float(value)),
        f"{value:z,.{digits}f}",
    )


def _field(field: Field, reading: Reading) -> dict[str, Any]:
    """What the template needs of a field: itself, what stands in it, and whether that could be read."""
    value = reading.values[field.name]
    plain = f"{value:g}" if isinstance(value, float) else str(value)
    return {
        "field": field,
        "text": reading.given.get(field.name, plain),
        "refused": any(name == field.name for name, _ in reading.problems),
    }
