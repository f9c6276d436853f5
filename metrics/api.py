"""The measures for programs, and the quality report for operators."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest

from governance.errors import NotFound
from governance.operators import Ability, may
from governance.public_reading import CSV, FOR_A_MINUTE, JSON, NOT_AT_ALL, Answer, PublicRead, choice
from governance.spreadsheet_cells import text_cell
from metrics.catalog import BY_KEY, CATALOG
from metrics.models import MeasuresPublication, latest_measures, measures_in_force
from metrics.quality_report import quality_document, shown_board
from metrics.shapes import COMPONENTS, QUALITY
from metrics.stored_documents import before_the_first
from ratings.canonical import canonical
from ratings.models import Board

#: Columns of the table, in order; no counts among them.
COLUMNS = ("key", "name", "section", "unit", "direction", "scope", "agent", "value", "lower", "upper", "reason")
WORDS = ("numerator", "denominator", "caveat", "interval")
BOARD = choice("board", "Which board; by default the one whose standings are shown.", Board.values)


class NoSuchMeasure(NotFound):
    code = "no_such_measure"

    def __init__(self) -> None:
        super().__init__("There is no measure of that key. /api/metrics lists all of them.")


class Metrics(PublicRead):
    """Every measure with its definition and values, byte for byte as it was published."""

    label = "measures"
    heading = "Measures"
    kinds = (JSON, CSV)
    parameters = (BOARD,)
    components = COMPONENTS
    shape = {"$ref": "#/components/schemas/Measures"}
    table = f"A row for each value: {', '.join((*COLUMNS, *WORDS))}."

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        return self.of(None)

    def of(self, key: str | None) -> Answer:
        """All measures, or one."""
        board = self.asked.get("board")
        stored = latest_measures(Board(board)) if board else measures_in_force()
        text, tag = (stored.public_document, stored.public_digest) if stored else before_the_first()
        name = f"{key or 'measures'}-{tag[:12]}.csv" if self.kind == CSV else ""
        return Answer(
            lambda: self._body(text, key),
            tag=tag,
            caching=FOR_A_MINUTE,
            changed_at=_changed(stored),
            file=name,
        )

    def _body(self, text: str, key: str | None) -> str:
        if key is None and self.kind == JSON:
            return text
        whole = json.loads(text)
        chosen = [measure for measure in whole["measures"] if key in {None, measure["key"]}]
        return _table(chosen) if self.kind == CSV else canonical({**whole, "measures": chosen})


def _changed(stored: MeasuresPublication | None) -> Any:
    return stored.published_at if stored else None


class Metric(Metrics):
    """One measure, with its definition and values."""

    label = "measure"
    parameters = (BOARD,)
    places = {"key": ({"type": "string", "enum": [measure.key for measure in CATALOG]}, "Which measure.")}
    refusals = {404: ("no_such_measure",)}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        if path["key"] not in BY_KEY:
            raise NoSuchMeasure
        return self.of(path["key"])


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


class Quality(PublicRead):
    """What cannot be claimed as things stand, for operators.

    It takes the session of an operator who has proved a second factor. To others there is nothing at this address.
    """

    label = "quality"
    heading = "Operators"
    parameters = (BOARD,)
    shape = QUALITY
    refusals = {404: ("not_found",)}
    keeps_still = False
    #: How often somebody may ask would be said in headers that an address that does not exist has not.
    counts_itself = True

    def admit(self, request: HttpRequest) -> None:
        """Let operators pass, whose second factor the site has asked for.

        Raises:
            Http404: to anybody else, as an address that does not exist would.
        """
        # Who has no session is nobody, and looking into it would say in a header that it matters here.
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not may(request.user, Ability.LOOK):
            raise Http404

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        board = Board(self.asked["board"]) if "board" in self.asked else shown_board()
        return Answer(json.dumps(quality_document(board), ensure_ascii=False), caching=NOT_AT_ALL, vary=("Cookie",))
