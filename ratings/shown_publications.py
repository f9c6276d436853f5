"""Which publication an address asks for, and what is said of one beside its numbers."""

from __future__ import annotations

from typing import Any

from governance.errors import NotFound
from governance.public_answers import ParameterRefused
from ratings.models import Board, Publication, latest_publication
from ratings.standings import board_in_force


class NoSuchPublication(NotFound):
    code = "no_such_publication"

    def __init__(self) -> None:
        super().__init__("There is no such publication. /api/publications lists all of them.")


def publication_by(digest: str) -> Publication:
    """The publication of a public digest.

    Raises:
        NoSuchPublication: there is none.
    """
    found = Publication.objects.filter(public_digest=digest).select_related("previous").first()
    if found is None:
        raise NoSuchPublication
    return found


def asked_publication(digest: str | None, board: str | None) -> Publication | None:
    """The publication of a digest, or that in force on a board; None before the first.

    Raises:
        NoSuchPublication: of the digest.
        ParameterRefused: both are given.
    """
    if digest is not None and board is not None:
        raise ParameterRefused("Give publication or board, not both.", field="board")
    if digest is not None:
        return publication_by(digest)
    return latest_publication(Board(board)) if board else board_in_force()


def mark_of(publication: Publication) -> dict[str, Any]:
    """Which publication it is, as plain JSON values."""
    previous = publication.previous
    return {
        "digest": publication.public_digest,
        "board": publication.board,
        "published_at": publication.published_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "corpus_digest": publication.corpus_digest,
        "previous": previous.public_digest if previous else None,
    }
