"""What a log line carries."""

import logging
from collections.abc import Iterator
from typing import Any

import django.db
import psycopg

from arena_site.control_characters import escaped, one_line

#: Of PostgreSQL's classes of errors the one whose message itself repeats what was sent: "invalid input syntax".
DATA_EXCEPTION = "22"


class WithoutRefusedTraces(logging.Filter):
    """Drops the trace of a request that was refused: its sender knows why, and it says nothing about this code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every line; only those of refused requests lose their trace."""
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
            record.exc_text = None
        return True


class WithoutRows(logging.Filter):
    """Takes out of errors of the database what stands in the row or the statement that it refused.

    PostgreSQL says it in full ("Failing row contains ..."), so that a task or an answer would outlive its withdrawal in
    a log. The errors themselves are shortened, wherever in a chain they are, and what a library made of their words
    before they came here is replaced.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every line."""
        error = record.exc_info[1] if record.exc_info else None
        for refused in _database_errors(error):
            said, shown = str(refused), repr(refused)
            refused.args = (_without_row(refused),)
            record.args = _replaced(record.args, {said: str(refused), shown: repr(refused)})
        return True


def _database_errors(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        waiting += [one.__cause__, one.__context__]
        if isinstance(one, psycopg.Error | django.db.Error):
            yield one


def _without_row(error: BaseException) -> str:
    """What the error is and where, in PostgreSQL's words, without a value."""
    refused = error if isinstance(error, psycopg.Error) else error.__cause__
    if not isinstance(refused, psycopg.Error) or refused.sqlstate is None:
        # Said by the driver or by Django, and not about a row.
        return str(error).partition("\n")[0]
    told = refused.diag
    quiet = refused.sqlstate.startswith(DATA_EXCEPTION)
    words = type(refused).__name__ if quiet else told.message_primary or type(refused).__name__
    where = {"table": told.table_name, "column": told.column_name, "constraint": told.constraint_name}
    return " ".join([f"{words} ({refused.sqlstate})", *(f"{name}={value}" for name, value in where.items() if value)])


def _replaced(args: Any, words: dict[str, str]) -> Any:
    if isinstance(args, dict):
        return {name: _replaced(value, words) for name, value in args.items()}
    if isinstance(args, tuple):
        return tuple(_replaced(value, words) for value in args)
    return words.get(args, args) if isinstance(args, str) else args


class OneLine(logging.Formatter):
    """What is told is one line, whatever is in it, and a trace below it is set in: no text can forge a line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return _set_in(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _set_in(super().formatStack(stack_info))


def _set_in(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.splitlines())
