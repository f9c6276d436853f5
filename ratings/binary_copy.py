"""Rows of a statement straight into NumPy, by PostgreSQL's binary COPY: no Python object for a value, nor for a row.

Every column has a fixed width and no NULL, so that all rows take equally many bytes and a block of them is one
structured array. Rows become columns block by block: what is held is the columns and one block.

Format: PostgreSQL documentation, COPY, "Binary Format".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db.backends.utils import CursorWrapper
from numpy.typing import NDArray

#: Signature, flags, and the length of a header extension, of which there is none.
_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_END = b"\xff\xff"
#: Bytes that are turned into columns together; they stay in the second-level cache.
_BLOCK = 1 << 20

#: How the types of a statement's columns arrive. A uuid is two unsigned halves, the first of which sorts first.
_KINDS = {"int4": ">i4", "int8": ">i8", "float8": ">f8", "uuid": "(2,)>u8"}


class UnreadableRows(Exception):
    """A row of another shape than promised, as where a value is NULL or of another type."""


def copied(
    cursor: CursorWrapper, statement: str, values: Mapping[str, Any], columns: Sequence[tuple[str, str]]
) -> dict[str, NDArray[np.generic]]:
    """The columns of a statement.

    Args:
        cursor: of a PostgreSQL connection.
        statement: a SELECT of exactly these columns.
        values: its parameters.
        columns: names and types, of ``int4``, ``int8``, ``float8`` and ``uuid``.

    Returns:
        (n,) arrays in the order of the rows; of a uuid (n, 2) halves.

    Raises:
        UnreadableRows: a NULL, a type that is not the one named, or another number of columns.
    """
    row = np.dtype([("fields", ">i2")] + [part for name, kind in columns for part in _field(name, kind)])
    parts: dict[str, list[NDArray[np.generic]]] = {name: [] for name, _ in columns}
    pending, started = bytearray(), False
    with cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT binary)", values) as copy:
        for block in copy:
            pending += block
            if len(pending) >= _BLOCK:
                _take(pending, started, row, columns, parts)
                started = True
    _take(pending, started, row, columns, parts)
    if pending != _END:
        raise UnreadableRows
    return {name: np.concatenate(parts.pop(name)) for name, _ in columns}


def _field(name: str, kind: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (f"{name} length", ">i4"), (name, _KINDS[kind])


def _take(
    pending: bytearray,
    started: bool,
    row: np.dtype[Any],
    columns: Sequence[tuple[str, str]],
    parts: dict[str, list[NDArray[np.generic]]],
) -> None:
    """Move the whole rows of what has arrived into columns; what is left may be the end or part of a row."""
    first = 0 if started else len(_HEADER)
    if not started and pending[:first] != _HEADER:
        raise UnreadableRows
    whole = (len(pending) - first) // row.itemsize
    rows = np.frombuffer(bytes(memoryview(pending)[first : first + whole * row.itemsize]), dtype=row)
    if not (rows["fields"] == len(columns)).all():
        raise UnreadableRows
    for name, _ in columns:
        values = rows[name]
        if not (rows[f"{name} length"] == row[name].itemsize).all():
            raise UnreadableRows
        parts[name].append(values.astype(values.dtype.newbyteorder("=")))
    del pending[: first + whole * row.itemsize]
