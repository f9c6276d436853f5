"""CSV and its relatives: commas, semicolons or tabs, quoted or not."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from ratings.votes_file.headers import ALIASES, Key, spelling
from ratings.votes_file.rejections import VotesFileError
from ratings.votes_file.sources import LONGEST_LINE
from ratings.votes_file.table import Table
from ratings.votes_file.tokens import split_block

DELIMITERS = (",", ";", "\t")
#: Rows that are taken apart one by one before they are coded together.
ROWS = 20_000
#: The first line by which spreadsheets are told the delimiter.
_DECLARED = re.compile(r'"?sep=([,;\t])"?', re.IGNORECASE)


def read_delimited(blocks: Iterator[bytes], table: Table) -> None:
    """Read a table with a header.

    Blocks of lines are taken apart with array operations; where lines or quotes are uneven, by the csv module.

    Args:
        blocks: whole lines.
        table: where the rows go.

    Raises:
        VotesFileError: a column is missing, or a quote is never closed.
    """
    block, line = _first_lines(blocks)
    if not block:
        return
    head, body = _cut(block)
    declared = _DECLARED.fullmatch(head.strip())
    if declared:
        line += 1
        head, body = _cut(body)
    delimiter = declared[1] if declared else _delimiter(head)
    if head.count('"') % 2:
        raise VotesFileError(
            f"{table.file}, line {line}: a header is not closed by a quote on the same line.", code="unclosed_quote"
        )
    names = next(csv.reader([head], delimiter=delimiter), [])
    columns = _columns(table, names, line)
    line += 1
    for lines in chain([body] if body else [], blocks):
        rows = split_block(lines, delimiter, len(names), list(columns.values()))
        if rows is not None:
            for key, column in zip(columns, rows.columns, strict=True):
                table.columns[key].extend_coded(column.values, column.codes)
            table.append(line + rows.lines)
        elif b'"' in lines:
            # A block may end inside quotes, so that from here on blocks mean nothing any more.
            _read_rows(_Rows(chain([lines], blocks), delimiter, line), len(names), columns, table)
            return
        else:
            _read_rows(_Rows(iter([lines]), delimiter, line), len(names), columns, table)
        line += lines.count(b"\n")


class _Rows(Iterator[tuple[int, list[str] | None]]):
    """Rows with the line each begins on; None for a row whose quotes cannot be understood. Blank lines are no rows."""

    def __init__(self, blocks: Iterator[bytes], delimiter: str, line: int) -> None:
        csv.field_size_limit(LONGEST_LINE)
        lines = (f"{text}\n" for block in blocks for text in block.decode().removesuffix("\n").split("\n"))
        self._reader = csv.reader(lines, delimiter=delimiter, strict=True)
        self._before = line
        self.delimiter = delimiter

    def __next__(self) -> tuple[int, list[str] | None]:
        while True:
            begun = self._before + self._reader.line_num
            try:
                row = next(self._reader)
            except csv.Error as problem:
                if self._before + self._reader.line_num > begun + 1 or "end of data" in str(problem):
                    raise VotesFileError(
                        f"A quote that is opened on line {begun} is not closed where its field ends. "
                        'Write a quote inside a quoted field twice: "".',
                        code="unclosed_quote",
                    ) from problem
                return begun, None
            if len(row) > 1 or (row and row[0].strip()):
                return begun, row


def _read_rows(rows: _Rows, fields: int, columns: dict[Key, int], table: Table) -> None:
    done = False
    while not done:
        lines: list[int] = []
        good: list[list[str]] = []
        done = True
        for line, row in rows:
            if row is None:
                table.reject(line, None, None, "bad_quotes")
            elif len(row) != fields:
                reason = "too_few_fields" if len(row) < fields else "too_many_fields"
                table.reject(line, None, rows.delimiter.join(row), reason)
            else:
                lines.append(line)
                good.append(row)
                if len(good) == ROWS:
                    done = False
                    break
        if good:
            by_column = list(zip(*good, strict=True))
            for key, position in columns.items():
                table.columns[key].extend(by_column[position])
        table.append(np.array(lines, dtype=np.int64))


def _first_lines(blocks: Iterator[bytes]) -> tuple[bytes, int]:
    """The first block from its first line with anything on it, and that line's number."""
    line = 1
    for block in blocks:
        text = block.lstrip(b" \t\n")
        if text:
            # Blanks of the line itself stay: they may be its first, empty field.
            start = block.rfind(b"\n", 0, len(block) - len(text)) + 1
            return block[start:], line + block.count(b"\n", 0, start)
        line += block.count(b"\n")
    return b"", line


def _cut(block: bytes) -> tuple[str, bytes]:
    head, _, body = block.partition(b"\n")
    return head.decode(), body


def _delimiter(head: str) -> str:
    """The delimiter that makes most known columns of a header, or else most columns."""
    known = {alias for aliases in ALIASES.values() for alias in aliases}

    def makes(delimiter: str) -> tuple[int, int]:
        names = next(csv.reader([head], delimiter=delimiter), [])
        return sum(spelling(name) in known for name in names), len(names)

    return max(DELIMITERS, key=makes)


def _columns(table: Table, names: Sequence[str], line: int) -> dict[Key, int]:
    """Position of every column to read."""
    found = table.find_columns(names, line)
    return {key: list(names).index(name) for key, name in found.items()}
