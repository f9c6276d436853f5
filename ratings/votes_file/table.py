"""Rows of one or more files, as coded columns with the line every row begins on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ratings.estimators.arrays import Integers
from ratings.votes_file.columns import CodedColumn
from ratings.votes_file.headers import ColumnChoice, Key
from ratings.votes_file.rejections import REJECTED_ROWS, Rejection, VotesFileError, shortened

#: Called with the number of rows read so far.
Progress = Callable[[int], None]


class Table:
    """What has been read so far. Readers add files, blocks of rows, and rows that are none.

    Attributes:
        choice: which columns are read.
        columns: what is read, by what it is read for.
        rejections: rows that never became rows of the columns.
        headers: per file, the header of every column.
        files: names of the files.
    """

    def __init__(self, choice: ColumnChoice, progress: Progress) -> None:
        self.choice = choice
        self.columns: dict[Key, CodedColumn] = {}
        self.rejections: list[Rejection] = []
        self.headers: list[dict[Key, str]] = []
        self.files: list[str] = []
        self._progress = progress
        self._lines: list[Integers] = []
        self._file_starts: list[int] = []
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def file(self) -> str:
        """The file that is being read."""
        return self.files[-1]

    def open(self, file: str) -> None:
        """Begin with a file."""
        self.files.append(file)
        self.headers.append({})
        self._file_starts.append(self._rows)

    def close(self) -> None:
        """End with a file, which must have the columns that the ones before it have.

        Raises:
            VotesFileError: it has others, no row that could be taken apart, or no header at all.
        """
        if not self.headers[-1]:
            own = [row for row in self.rejections if row.file == self.file]
            if own:
                raise VotesFileError(
                    f"No row of {self.file} is a vote. JSON Lines have one whole object a line.",
                    code=REJECTED_ROWS,
                    rejected=own,
                )
            raise VotesFileError(f"{self.file} is empty: there is not even a header.", code="empty_file")
        other = sorted({str(key) for key in self.headers[0]} ^ {str(key) for key in self.headers[-1]})
        if other:
            raise VotesFileError(
                f"{self.files[0]} and {self.file} cannot be fitted together: only one of them has a column for "
                f"{', '.join(other)}.",
                code="columns_differ",
            )

    def find_columns(self, names: Sequence[str], line: int = 1) -> dict[Key, str]:
        """Headers of the columns to read of the file at hand, by what they are read for.

        Raises:
            VotesFileError: see :meth:`ColumnChoice.find`.
        """
        found = self.choice.find(names, self.file, line)
        self.headers[-1].update({key: header.strip() for key, header in found.items()})
        for key in found:
            if key not in self.columns:
                self.columns[key] = CodedColumn()
                self.columns[key].pad(self._rows)
        return found

    def append(self, lines: Integers) -> None:
        """Count rows whose values were added to the columns; a column that got none has no value in them."""
        self._lines.append(lines)
        self._rows += len(lines)
        for column in self.columns.values():
            column.pad(self._rows - len(column))
        self._progress(self._rows + len(self.rejections))

    def reject(self, line: int, column: str | None, value: str | None, reason: str) -> None:
        """Note a row that could not be taken apart."""
        self.rejections.append(Rejection(self.file, line, column, shortened(value), reason))

    def lines(self) -> Integers:
        """(n,) line of every row."""
        return np.concatenate(self._lines) if self._lines else np.empty(0, dtype=np.int64)

    def file_numbers(self, rows: Integers) -> Integers:
        """Index into ``files`` of some rows."""
        return np.asarray(np.searchsorted(self._file_starts, rows, side="right") - 1)
