"""Votes in Parquet files."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
import pyarrow
import pyarrow.parquet

from ratings.votes_file.rejections import VotesFileError
from ratings.votes_file.table import Table

ROWS = 1 << 17


def read_parquet(file: BinaryIO, table: Table) -> None:
    """Read a Parquet file; the line of a row is its number.

    Raises:
        VotesFileError: the file is damaged, or a column holds lists or structures.
    """
    try:
        source = pyarrow.parquet.ParquetFile(file)
        found = table.find_columns(source.schema_arrow.names)
        row = 1
        for batch in source.iter_batches(batch_size=ROWS, columns=list(dict.fromkeys(found.values()))):
            for key, name in found.items():
                if pyarrow.types.is_nested(batch.column(name).type):
                    raise VotesFileError(
                        f"{table.file}: the column {name} holds lists or structures, not single values.",
                        code="nested_column",
                    )
                values, codes = _coded(batch.column(name))
                table.columns[key].extend_coded(values, codes)
            table.append(np.arange(row, row + batch.num_rows))
            row += batch.num_rows
    except (pyarrow.ArrowException, OSError, ValueError, IndexError) as problem:
        # The library says so in many ways, depending on which byte is wrong.
        raise VotesFileError(f"{table.file} is a damaged Parquet file.", code="bad_parquet") from problem


def _coded(array: Any) -> tuple[list[str | None], Any]:
    """Different values as text, and the index of every row's; the last value is None, for rows without one."""
    if not pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    own = array.dictionary
    if pyarrow.types.is_temporal(own.type):
        # Python's own times end in the year 9999.
        own = own.cast(pyarrow.string())
    if pyarrow.types.is_string(own.type) or pyarrow.types.is_large_string(own.type):
        own = own.cast(pyarrow.large_binary())
    values = [None if value is None else _text(value) for value in own.to_pylist()]
    missing = len(values)
    return [*values, None], array.indices.cast("int64").fill_null(missing).to_numpy(zero_copy_only=False)


def _text(value: Any) -> str:
    # Bytes that are no UTF-8 become halves of characters, for which their row is rejected.
    return value.decode(errors="surrogateescape") if isinstance(value, bytes) else str(value)
