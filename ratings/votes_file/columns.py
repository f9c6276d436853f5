"""Columns as codes into their different values.

Votes repeat themselves: a million of them have a hundred names and a few labels. So every column is kept as the list
of its different values and a code per row, and whatever is checked or normalised is done once per value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ratings.estimators.arrays import Integers


class _Numbering(dict[str | None, int]):
    """Numbers values in the order in which they are asked for."""

    def __missing__(self, value: str | None) -> int:
        number = self[value] = len(self)
        return number


class CodedColumn:
    """A column that grows block by block. A value is text, or None where the file has nothing."""

    def __init__(self) -> None:
        self._numbering = _Numbering()
        self._parts: list[Integers] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def values(self) -> list[str | None]:
        """Its different values, by code."""
        return list(self._numbering)

    def codes(self) -> Integers:
        """(n,) code of every row."""
        if len(self._parts) != 1:
            self._parts = [np.concatenate(self._parts) if self._parts else np.empty(0, dtype=np.int32)]
        return self._parts[0]

    def extend(self, values: Iterable[str | None]) -> None:
        """Add rows by their values."""
        self._append(np.fromiter(map(self._numbering.__getitem__, values), dtype=np.int32))

    def extend_coded(self, values: Sequence[str | None], codes: Integers) -> None:
        """Add rows by codes into values of their own."""
        own = np.fromiter(map(self._numbering.__getitem__, values), dtype=np.int32, count=len(values))
        self._append(own[codes])

    def pad(self, rows: int) -> None:
        """Add rows without a value."""
        if rows:
            self._append(np.full(rows, self._numbering[None], dtype=np.int32))

    def _append(self, codes: Integers) -> None:
        self._parts.append(codes)
        self._length += len(codes)
