"""Where a reader of a list went on: signed, so that nobody makes one up, and without a number that counts.

A cursor holds which list it is of and what stood last on the page. What is added before that place moves nothing.
"""

from __future__ import annotations

from django.core import signing

from governance.errors import ArenaError

#: The form of a cursor, for the schema.
PATTERN = "^[-A-Za-z0-9_.]{20,600}$"
_SALT = "governance.cursors"


class BadCursor(ArenaError):
    """It is none, or of another list."""

    code = "bad_cursor"

    def __init__(self) -> None:
        super().__init__("This cursor is not one of this list. Begin again without it.", field="cursor")


def cursor_after(position: str, *, of: str) -> str:
    """The cursor of what comes after ``position`` in the list called ``of``."""
    return signing.Signer(sep=".", salt=_SALT).sign_object([of, position])


def position_of(cursor: str, *, of: str) -> str:
    """What stood last on the page before.

    Raises:
        BadCursor: it was not made here, or for another list.
    """
    try:
        own, position = signing.Signer(sep=".", salt=_SALT).unsign_object(cursor)
    except (signing.BadSignature, ValueError):
        raise BadCursor from None
    if own != of:
        raise BadCursor
    return str(position)
