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
        VotesFileError: the file is damaged.
    """
    try:
        source = pyarrow.parquet.ParquetFile(file)
        found = table.find_columns(source.schema_arrow.names)
        row = 1
        for batch in source.iter_batches(batch_size=ROWS, columns=list(dict.fromkeys(found.values()))):
            for key, name in found.items():
                values, codes = _coded(batch.column(name))
                table.columns[key].extend_coded(values, codes)
            table.append(np.arange(row, row + batch.num_rows))
            row += batch.num_rows
    except pyarrow.ArrowException as problem:
        raise VotesFileError(f"{table.file} is a damaged Parquet file.", code="bad_parquet") from problem


def _coded(array: Any) -> tuple[list[str | None], Any]:
    """Different values as text, and the index of every row's; the last value is None, for rows without one."""
    if not pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    values = [None if value is None else _text(value) for value in array.dictionary.to_pylist()]
    missing = len(values)
    return [*values, None], array.indices.cast("int64").fill_null(missing).to_numpy(zero_copy_only=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
