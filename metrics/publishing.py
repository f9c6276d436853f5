"""Publishing measures: compute the catalogue, write both documents, chain them to those before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from battles.prices import price_table_version
from governance.journal import record
from metrics.computation import Readings
from metrics.computing import compute
from metrics.counted_lanes import FactsMissing
from metrics.documents import CODE_VERSION, full_document, public_document
from metrics.ledger_kinds import ACTION
from metrics.models import MeasuresPublication, latest_measures
from metrics.population import has_raced
from ratings.canonical import canonical, digest
from ratings.models import Board, Publication, latest_publication

#: Advisory lock of PostgreSQL that makes publications of measures take turns, one number for each board.
LOCKS = {Board.HEADLINE: 7_311, Board.DEMO: 7_312}
#: How often a board is read anew because something changed under the reading.
READINGS = 5


class Unsettled(Exception):
    """Lanes or ratings kept changing while the board was read, so that nothing was published."""

    def __init__(self) -> None:
        super().__init__("Lanes or ratings kept changing while measures were read. The next run reads them again.")


def publish_measures(*, board: Board, actor: str) -> MeasuresPublication | None:
    """Compute the catalogue and publish it, unless nothing changed; gives what is then in force.

    Nothing is published of a board on which nothing has raced. Safe against two at once: the second waits.

    Raises:
        Unsettled: lanes or ratings kept changing under the reading.
        NotFinite: a number is none.
        UnknownShape: nobody has decided whether something is public.
    """
    with _in_turn(board):
        previous = latest_measures(board)
        read_at = timezone.now()
        if not has_raced(board):
            return previous
        ratings, readings = _read(board, read_at)
        full = full_document(readings, _about(board, previous, ratings))
        if previous is not None and _same(previous, full):
            return previous
        with transaction.atomic():
            return _store(board, full, previous, ratings, read_at, actor)


@contextmanager
def _in_turn(board: Board) -> Iterator[None]:
    """Hold the board's lock, also between transactions; it ends with the connection of a worker that is killed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCKS[board]])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCKS[board]])


def _read(board: Board, at: datetime) -> tuple[Publication | None, dict[str, Readings]]:
    """The readings, and the publication of the ratings that they read: none came in the meantime.

    Raises:
        Unsettled: something changed at every try.
    """
    for _ in range(READINGS):
        ratings = latest_publication(board)
        with suppress(FactsMissing):
            readings = compute(board, at=at)
            if latest_publication(board) == ratings:
                return ratings, readings
    raise Unsettled


def _about(board: Board, previous: MeasuresPublication | None, ratings: Publication | None) -> dict[str, str | None]:
    return {
        "board": board.value,
        "number": f"{previous.number + 1 if previous else 1}",
        "previous": previous.public_digest if previous else None,
        "ratings": ratings.public_digest if ratings else None,
        "price_table": price_table_version(),
        "code_version": CODE_VERSION,
        "sample_sizes": "published" if settings.ARENA_PUBLISH_SAMPLE_SIZES else "withheld",
    }


def _same(previous: MeasuresPublication, full: dict[str, Any]) -> bool:
    """Whether only the chain would be new."""
    return _unchained(json.loads(previous.document)) == _unchained(json.loads(canonical(full)))


def _unchained(document: dict[str, Any]) -> dict[str, Any]:
    about = {key: value for key, value in document["publication"].items() if key not in {"number", "previous"}}
    return {**document, "publication": about}


def _store(
    board: Board,
    full: dict[str, Any],
    previous: MeasuresPublication | None,
    ratings: Publication | None,
    read_at: datetime,
    actor: str,
) -> MeasuresPublication:
    document = canonical(full)
    public = canonical(public_document(full, sample_sizes=settings.ARENA_PUBLISH_SAMPLE_SIZES))
    stored = MeasuresPublication.objects.create(
        digest=digest(document),
        board=board,
        number=previous.number + 1 if previous else 1,
        previous=previous,
        ratings=ratings,
        public_digest=digest(public),
        read_at=read_at,
        document=document,
        public_document=public,
    )
    record(
        actor=actor,
        action=ACTION,
        subject=stored.digest,
        board=board.value,
        public=stored.public_digest,
    )
    return stored
