"""Publications for programs: each as it was published, the list of them, and what became of agents over them."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest

from governance.cursors import PATTERN, BadCursor, cursor_after, position_of
from governance.json_shapes import DIGEST, KEY
from governance.public_reading import CSV, FOR_A_MINUTE, FOR_GOOD, JSON, Answer, PublicRead, choice, text, whole
from ratings.api import HEADING, OF_ROWS, NoSuchVariant, definitions
from ratings.canonical import canonical
from ratings.models import Board, Publication
from ratings.projection import DROP, ROW
from ratings.public_shapes import COMPONENTS, HISTORY, PUBLICATIONS
from ratings.shown_publications import NoSuchPublication, mark_of, publication_by
from ratings.standings import roster_stamp
from ratings.standings_table import standings_table, table_of

#: Publications on one page: of the list, and of the history, whose pages are large.
MOST_LISTED, MOST_IN_HISTORY = 100, 50
CURSOR = text("cursor", "Where the page before ended, as its `next` has it.", PATTERN)
BOARD = choice("board", "Of one board alone; by default of both.", Board.values)
ROW_KEYS = tuple(key for key, shape in ROW.items() if shape is not DROP)
MARK_COLUMNS = ("digest", "board", "published_at", "corpus_digest", "previous")
#: A bound is a pair of values, and so no cell.
HISTORY_COLUMNS = ("publication", "board", "published_at", *(key for key in ROW_KEYS if key != "bound"))


class OnePublication(PublicRead):
    """A publication, byte for byte as its digest names it.

    Its SHA-256 is the digest in the address. As a table: its standings, by the way to fit in `fit`.
    """

    label = "publication"
    heading = HEADING
    kinds = (JSON, CSV)
    places = {"digest": ({"type": "string", "pattern": DIGEST}, "Of the publication.")}
    parameters = (text("fit", "The way to fit of the table, as /api/ratings calls it.", "^[a-z0-9][-a-z0-9]{0,60}$"),)
    components = COMPONENTS
    shape = {"$ref": "#/components/schemas/Publication"}
    table = "A row for each agent, best first."
    refusals = {404: ("no_such_publication", "no_such_variant")}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        digest = path["digest"]
        if self.kind == CSV:
            return self._table(digest)
        found = Publication.objects.filter(public_digest=digest).only("published_at").first()
        if found is None:
            raise NoSuchPublication
        return Answer(lambda: found.public_document, tag=digest, caching=FOR_GOOD, changed_at=found.published_at)

    def _table(self, digest: str) -> Answer:
        fit = self.asked.get("fit", "")
        publication_by(digest)
        try:
            table = standings_table(digest, fit, roster_stamp())
        except Http404:
            raise NoSuchVariant from None
        # The numbers never change; what agents are called may.
        return Answer(table, caching=FOR_A_MINUTE, file=f"standings-{fit or 'headline'}-{digest[:12]}.csv")


class Listing(PublicRead):
    """Publications by page, newest first. What is published meanwhile moves no page."""

    heading = HEADING
    kinds = (JSON, CSV)
    components = COMPONENTS
    refusals = {400: ("bad_cursor",)}
    #: In which list a cursor is good, and how much a page holds unless asked.
    name = ""
    usual = 20

    def page(self) -> tuple[list[Publication], str | None]:
        """The publications of the page, and the address of the next one."""
        board = self.asked.get("board")
        of = f"{self.name}:{board or ''}:{self.asked.get('agent', '')}"
        rows = self.publications(board)
        if (cursor := self.asked.get("cursor")) is not None:
            rows = rows.filter(_before(position_of(cursor, of=of)))
        limit = self.asked.get("limit", self.usual)
        found = list(rows[: limit + 1])
        if len(found) <= limit:
            return found, None
        return found[:limit], self._address(cursor_after(found[limit - 1].public_digest, of=of))

    def publications(self, board: str | None) -> QuerySet[Publication]:
        """All of the list, in its order, without their full documents."""
        rows = Publication.objects.order_by("-published_at", "-pk").select_related("previous")
        rows = rows.defer("document", "public_document", "previous__document", "previous__public_document")
        return rows.filter(board=board) if board else rows

    def _address(self, cursor: str) -> str:
        kept = {name: value for name, value in self.request._request.GET.items() if name != "cursor"}
        return f"{self.request.path}?{urlencode({**kept, 'cursor': cursor})}"


def _before(digest: str) -> Q:
    """Whatever was published before the publication of a digest."""
    last = Publication.objects.filter(public_digest=digest).only("published_at").first()
    if last is None:
        raise BadCursor
    return Q(published_at__lt=last.published_at) | Q(published_at=last.published_at, pk__lt=last.pk)


class Publications(Listing):
    """Publications by page, newest first.

    What is published meanwhile moves no page.
    """

    label = "publications"
    parameters = (BOARD, whole("limit", "How many on a page.", 1, MOST_LISTED, default=20), CURSOR)
    shape = PUBLICATIONS
    table = f"A row for each publication: {', '.join(MARK_COLUMNS)}."
    name = "publications"

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        found, onward = self.page()
        marks = [mark_of(publication) for publication in found]
        if self.kind == CSV:
            return Answer(table_of(MARK_COLUMNS, marks), file="publications.csv", onward=onward)
        return Answer(canonical({"results": marks, "next": onward}), onward=onward)


class History(Listing):
    """What became of the ratings from publication to publication, newest first.

    Ratings are centred on the agents of their time, so that a newcomer moves all of them: compare gaps, not points.
    """

    label = "ratings_history"
    parameters = (
        text("agent", "The rows of this agent alone, where it is there.", KEY),
        BOARD,
        whole("limit", "How many publications on a page.", 1, MOST_IN_HISTORY, default=10),
        CURSOR,
    )
    shape = HISTORY
    table = f"A row for each agent of each publication: {', '.join(HISTORY_COLUMNS)}."
    name = "history"
    usual = 10

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        found, onward = self.page()
        agent = self.asked.get("agent")
        results = [
            {
                "publication": mark_of(publication),
                "ratings": [row for row in _rows(publication.pk) if agent in {None, row["agent"]}],
            }
            for publication in found
        ]
        if self.kind == CSV:
            return Answer(table_of(HISTORY_COLUMNS, _flat(results)), file="ratings-history.csv", onward=onward)
        document = {"definitions": definitions(OF_ROWS), "results": results, "next": onward}
        return Answer(canonical(document), onward=onward)


@functools.lru_cache(maxsize=256)
def _rows(publication: str) -> Sequence[dict[str, Any]]:
    """Rows of the headline of a publication, which never change."""
    document = json.loads(Publication.objects.values_list("public_document", flat=True).get(pk=publication))
    return [{key: row[key] for key in ROW_KEYS if key in row} for row in document["ratings"]]


def _flat(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            **dict.fromkeys(HISTORY_COLUMNS),
            **row,
            "publication": result["publication"]["digest"],
            "board": result["publication"]["board"],
            "published_at": result["publication"]["published_at"],
        }
        for result in results
        for row in result["ratings"]
    ]
