"""Votes as JSON: one object a line, or one array of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ratings.votes_file.columns import CodedColumn
from ratings.votes_file.rejections import MISSING_COLUMN, VotesFileError
from ratings.votes_file.sources import LONGEST_LINE
from ratings.votes_file.table import Table

ROWS = 20_000
_WHITE = " \t\n"


class _NameTwice(dict[str, Any]):
    """An object that has a name twice, so that nobody can say what its value is."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _NameTwice(found)


# Numbers stay as they are written: a judge 007 in quotes and a weight 0.10 are text to every other format too.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_object)


def read_json_lines(blocks: Iterator[bytes], table: Table) -> None:
    """Read JSON Lines; a line that is no object is rejected by itself."""
    rows = _ObjectRows(table)
    line = 1
    for block in blocks:
        for text in block.decode().removesuffix("\n").split("\n"):
            if text.strip():
                try:
                    rows.add(line, _DECODER.decode(text))
                except (json.JSONDecodeError, RecursionError):
                    table.reject(line, None, text.strip(), "bad_json")
            line += 1
    rows.flush()


def read_json_array(blocks: Iterator[str], table: Table) -> None:
    """Read one array, element by element, so that it is never held as a whole.

    Raises:
        VotesFileError: it is not an array of JSON values.
    """
    rows = _ObjectRows(table)
    for line, value in _elements(blocks, table.file):
        rows.add(line, value)
    rows.flush()


class _ObjectRows:
    """Collects objects and adds them to a table column by column."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._names: dict[str, None] = {}
        self._known: set[tuple[str, ...]] = set()
        self._columns: list[tuple[str, CodedColumn]] = []
        self._missing: VotesFileError | None = None
        self._lines: list[int] = []
        self._rows: list[dict[str, Any]] = []

    def add(self, line: int, value: Any) -> None:
        if not isinstance(value, dict):
            self._table.reject(line, None, _text(value), "not_an_object")
            return
        if isinstance(value, _NameTwice):
            self._table.reject(line, None, _text(value), "name_twice")
            return
        names = tuple(value)
        if names not in self._known:
            self._learn(names, line)
        self._lines.append(line)
        self._rows.append(value)
        if len(self._rows) == ROWS:
            self.flush()

    def flush(self) -> None:
        """Add what was collected.

        Raises:
            VotesFileError: none of the objects so far has a column that is needed.
        """
        if self._missing is not None:
            raise self._missing
        for name, column in self._columns:
            column.extend(_text(row.get(name)) for row in self._rows)
        self._table.append(np.array(self._lines, dtype=np.int64))
        self._lines, self._rows = [], []

    def _learn(self, names: tuple[str, ...], line: int) -> None:
        """A column may first turn up in a later row; the rows before it have no value there."""
        if self._columns:
            self.flush()
        self._known.add(names)
        self._names.update(dict.fromkeys(names))
        try:
            found = self._table.find_columns(list(self._names), line)
        except VotesFileError as problem:
            if problem.code != MISSING_COLUMN:
                raise
            self._missing = self._missing or problem
            return
        self._missing = None
        self._columns = [(name, self._table.columns[key]) for key, name in found.items()]


def _text(value: Any) -> str | None:
    """A value as the other formats would have it."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _elements(blocks: Iterator[str], file: str) -> Iterator[tuple[int, Any]]:
    """The elements of an array with the line each begins on."""
    text, place, line, counted = "", 0, 1, 0
    opened = after_value = False
    while True:
        while place < len(text) and text[place] in _WHITE:
            place += 1
        if place == len(text):
            following = next(blocks, None)
            if following is None:
                raise _broken(file, line + text.count("\n", counted), "it ends before its array does")
            line += text.count("\n", counted)
            text, place, counted = following, 0, 0
            continue
        line += text.count("\n", counted, place)
        counted = place
        sign = text[place]
        if not opened or (after_value and sign in ",]") or (not after_value and sign == "]"):
            place += 1
            opened, after_value = True, False
            if sign == "]":
                break
            continue
        if after_value:
            raise _broken(file, line, "a comma is missing between two votes")
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as problem:
            following = next(blocks, None) if len(text) - place < LONGEST_LINE else None
            if following is None:
                raise _broken(file, line, "this vote is no JSON") from problem
            text, place, counted = text[place:] + following, 0, 0
            continue
        yield line, value
        place, after_value = end, True
    if text[place:].strip() or any(block.strip() for block in blocks):
        raise _broken(file, line, "something follows the end of its array")


def _broken(file: str, line: int, what: str) -> VotesFileError:
    return VotesFileError(f"{file}, line {line}: {what}.", code="bad_json")
