"""Files of a snapshot: parts of tables, each written whole or not at all, and the state that a restart continues from.

Where a part ends depends on its rows alone, so the same rows make the same files. Knows no Django.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq

from governance.exports import ColumnKind, ExportTable, Form, Row

#: A part ends with so many rows, or with so many bytes of text and images, whichever comes first.
PART_ROWS, PART_BYTES = 50_000, 256 << 20
#: The same of a row group, which is what a reader needs in memory at once.
GROUP_ROWS, GROUP_BYTES = 5_000, 8 << 20
#: Rows that are treated at once; fewer where each carries an image.
BATCH, IMAGE_BATCH = 500, 16

_TYPES = {
    ColumnKind.WHOLE: pa.int64(),
    ColumnKind.NUMBER: pa.float64(),
    ColumnKind.FLAG: pa.bool_(),
    ColumnKind.INSTANT: pa.timestamp("us", tz="UTC"),
    ColumnKind.CODES: pa.list_(pa.string()),
    ColumnKind.BYTES: pa.binary(),
}


class Part(TypedDict):
    """One file: where, digest and size, how many rows, and the digest of the rows it was made from."""

    path: str
    sha256: str
    bytes: int
    rows: int
    source: str


def schema(table: ExportTable) -> pa.Schema:
    """Arrow's schema of a table; what has no type of its own is text."""
    return pa.schema([(column.name, _TYPES.get(column.kind, pa.string())) for column in table.columns])


def part_path(table: ExportTable, number: int) -> str:
    return f"{table.name}/part-{number:05}.{table.form}"


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


#: How the name of a file begins that is being written.
UNFINISHED = ".draft-"


@contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """A file that appears under its name once it is written and on disk, or never."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_json(target: Path, document: Any) -> None:
    with whole_file(target) as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=1).encode())


class SourceDigest:
    """SHA-256 over rows as the database gave them: what a finished part is held against at a restart."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._digest.update(repr(row).encode())

    def hex(self) -> str:
        return self._digest.hexdigest()


class PartWriter:
    """Writes one part from treated rows, a row group at a time."""

    def __init__(self, table: ExportTable, file: IO[bytes]) -> None:
        self.rows = 0
        self.size = 0
        self._table = table
        self._file = file
        self._schema = schema(table)
        self._group: list[Row] = []
        self._group_size = 0
        self._parquet = pq.ParquetWriter(file, self._schema, compression="zstd") if table.form == Form.PARQUET else None

    @property
    def full(self) -> bool:
        return self.rows >= PART_ROWS or self.size >= PART_BYTES

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            size = sum(len(value) for value in row if isinstance(value, str | bytes))
            self._group.append(row)
            self._group_size += size
            self.size += size
            self.rows += 1
            if len(self._group) >= GROUP_ROWS or self._group_size >= GROUP_BYTES:
                self._flush()

    def close(self) -> None:
        self._flush()
        if self._parquet is not None:
            self._parquet.close()

    def _flush(self) -> None:
        if self._parquet is not None and self._group:
            columns = list(zip(*self._group, strict=True))
            arrays = [pa.array(values, field.type) for values, field in zip(columns, self._schema, strict=True)]
            self._parquet.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        elif self._group:
            names = self._schema.names
            lines = (
                json.dumps(dict(zip(names, map(plain, row), strict=True)), ensure_ascii=False) for row in self._group
            )
            self._file.write("".join(f"{line}\n" for line in lines).encode())
        self._group, self._group_size = [], 0


def plain(value: Any) -> Any:
    """A value of a row as JSON lines have it."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def twin_path(path: str) -> str:
    """The Parquet file beside a part of JSON lines that has the same rows."""
    return str(Path(path).with_suffix(f".{Form.PARQUET}"))


def write_twin(folder: Path, table: ExportTable, path: str) -> Path:
    """Write the same rows beside a part of JSON lines: loaders of datasets take all tables in one format."""
    instants = {field.name for field in schema(table) if pa.types.is_timestamp(field.type)}
    with (folder / path).open(encoding="utf-8") as lines:
        rows = [
            {
                name: datetime.fromisoformat(value) if name in instants and value is not None else value
                for name, value in json.loads(line).items()
            }
            for line in lines
        ]
    target = folder / twin_path(path)
    with whole_file(target) as file:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema(table)), file, compression="zstd")
    return target


def write_table(
    folder: Path,
    table: ExportTable,
    read: Callable[[], Generator[Row, None, None]],
    treat: Callable[[Iterable[Sequence[Row]]], Iterable[tuple[Sequence[Row], Sequence[Row]]]],
    kept: Sequence[Part],
) -> Generator[Part, None, None]:
    """Write a table in parts, those of an earlier try first, if they are what would be written again.

    Args:
        read: rows as the database gives them, from the first one on.
        treat: batches as they were read, each with its rows as they leave.
        kept: parts that were finished before.

    Yields:
        Each part once it is on disk.
    """
    with _Reading(read) as rows:
        holding = rows.holding(folder, kept)
        yield from holding
        number = len(holding)
        treated = iter(treat(rows.batches(_batch(table))))
        waiting = next(treated, None)
        while waiting or number == 0:
            source = SourceDigest()
            path = part_path(table, number)
            with whole_file(folder / path) as file:
                writer = PartWriter(table, file)
                while waiting and not writer.full:
                    read_rows, leaving = waiting
                    source.add(read_rows)
                    writer.write(leaving)
                    waiting = next(treated, None)
                writer.close()
            size = (folder / path).stat().st_size
            digest = file_digest(folder / path)
            yield Part(path=path, sha256=digest, bytes=size, rows=writer.rows, source=source.hex())
            number += 1


class _Reading:
    """Rows of a table, read once and again from the first one where that is needed; closed at the end."""

    def __init__(self, read: Callable[[], Generator[Row, None, None]]) -> None:
        self._read = read
        self._rows = read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Now and not when it is collected: a cursor must not be closed in another transaction.
        self._rows.close()

    def next(self, count: int) -> list[Row]:
        return list(islice(self._rows, count))

    def batches(self, count: int) -> Iterator[list[Row]]:
        """All that is left, so many rows at once."""
        while rows := self.next(count):
            yield rows

    def holding(self, folder: Path, kept: Sequence[Part]) -> list[Part]:
        """The first parts that would be written the same again; what comes next is the row after them."""
        holding: list[Part] = []
        for part in kept:
            if not self._is_same(folder, part):
                self._rows.close()
                self._rows = self._read()
                for _ in islice(self._rows, sum(each["rows"] for each in holding)):
                    pass
                break
            holding.append(part)
        return holding

    def _is_same(self, folder: Path, part: Part) -> bool:
        """Whether a part is whole and was made from the rows that come next, which are consumed."""
        path = folder / part["path"]
        if not path.is_file() or file_digest(path) != part["sha256"]:
            return False
        source = SourceDigest()
        left = part["rows"]
        while left:
            some = self.next(min(left, BATCH))
            if not some:
                return False
            source.add(some)
            left -= len(some)
        return source.hex() == part["source"]


def _batch(table: ExportTable) -> int:
    """Rows at once: few where each carries an image."""
    return IMAGE_BATCH if any(column.kind == ColumnKind.BYTES for column in table.columns) else BATCH
