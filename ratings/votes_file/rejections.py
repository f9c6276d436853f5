"""What can be wrong with a file of votes, and with one of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from governance.errors import ArenaError

MISSING_COLUMN = "missing_column"
#: Code of the error that rows are no votes, each of which is listed.
REJECTED_ROWS = "rejected_rows"

#: Why a row is rejected, in words. The codes are stable.
REASONS = {
    "self_battle": "an agent cannot be compared with itself",
    "blank_name": "an agent has no name",
    "unknown_winner": "says neither who won nor that it was a tie",
    "ambiguous_winner": "as a side it means one agent and as a name the other",
    "blank_judge": "a column of judges needs a judge in every row",
    "blank_battle": "a column of battles needs a battle in every row",
    "battle_of_others": "an earlier row of this battle has other agents",
    "blank_category": "a column of categories needs a category in every row",
    "bad_weight": "a weight is a number between 0.000000001 and 1000000000",
    "bad_time": "a time is seconds since 1970, or a date or time by ISO 8601",
    "bad_style": "style is measured by numbers that are not negative",
    MISSING_COLUMN: "the file has no such column",
    "too_few_fields": "the row has fewer fields than the header",
    "too_many_fields": "the row has more fields than the header",
    "bad_quotes": "text follows a closing quote",
    "bad_json": "this is no JSON",
    "name_twice": "the object has a name twice",
    "bad_unicode": "it holds half of a character",
    "not_an_object": "a vote is a JSON object of named values",
}

#: Characters of a rejected value that are shown.
LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that cannot be a vote, by the first thing that is wrong with it.

    Attributes:
        file: its name as it was given.
        line: where the row begins, from 1; in a Parquet file the number of the row.
        column: header of the column as the file spells it; None where the row as a whole is wrong.
        value: what stands there, shortened; None where nothing does.
        reason: a key of :data:`REASONS`.
    """

    file: str
    line: int
    column: str | None
    value: str | None
    reason: str


class VotesFileError(ArenaError):
    """A file that cannot be read at all.

    Args:
        message: what to change.
        code: stable.
        rejected: rows or columns to which that is due, if it is due to any.
    """

    code = "votes_file"

    def __init__(self, message: str, *, code: str, rejected: Sequence[Rejection] = ()) -> None:
        super().__init__(message, code=code)
        self.rejected = tuple(rejected)


def shortened(value: str | None) -> str | None:
    """A value short enough for a list of rejected rows, and whole enough to be written."""
    if value is not None and not is_writable(value):
        value = value.encode(errors="backslashreplace").decode()
    return value if value is None or len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"


def is_writable(text: str) -> bool:
    """Whether a text is whole characters; JSON can hold halves of them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
