"""From files to votes: every format into one table, and the table into comparisons or reasons why not."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from itertools import chain
from os import PathLike
from pathlib import Path

from ratings.votes_file.checking import Votes, check_table
from ratings.votes_file.delimited import read_delimited
from ratings.votes_file.headers import ColumnChoice
from ratings.votes_file.json_rows import read_json_array, read_json_lines
from ratings.votes_file.parquet import read_parquet
from ratings.votes_file.rejections import VotesFileError
from ratings.votes_file.sources import PARQUET_MAGIC, Identity, file_identity, opened, text_blocks, whole_lines
from ratings.votes_file.sources import characters as characters_of
from ratings.votes_file.table import Progress, Table


def _silent(rows: int) -> None:
    """Nobody waits."""


def read_votes(
    paths: Sequence[str | PathLike[str]], choice: ColumnChoice | None = None, *, progress: Progress = _silent
) -> Votes:
    """Read files of votes, which count as one: an agent, a judge or a battle of one name is the same in all of them.

    The format is seen from the contents: Parquet, a JSON array, JSON Lines, or a table with a header whose columns are
    parted by commas, semicolons or tabs; each of them also packed by gzip. Text is UTF-8, or has a byte order mark.

    Args:
        paths: one or more files.
        choice: which columns are read; by default those of known names.
        progress: called with the number of rows read so far, block by block.

    Returns:
        the good rows as votes, and the others with their reasons. Nothing is dropped or guessed in silence: whether
        bad rows matter is for the caller to say.

    Raises:
        VotesFileError: a file cannot be read at all, or has not the columns it needs.
    """
    table = Table(choice or ColumnChoice(), progress)
    seen: set[Identity] = set()
    for path in paths:
        if file_identity(path) in seen:
            raise VotesFileError(f"{path} is named twice: its votes would count twice.", code="same_file_twice")
        seen.add(file_identity(path))
        table.open(str(path))
        _read_file(Path(path), table)
        table.close()
    return check_table(table)


def _read_file(path: Path, table: Table) -> None:
    with opened(path) as file:
        if file.peek(len(PARQUET_MAGIC)).startswith(PARQUET_MAGIC):
            # It is read from its end. A pipe has none yet, and gzip would unpack everything for every step back.
            seekable = file.seekable() and not isinstance(file.raw, gzip.GzipFile)
            read_parquet(file if seekable else io.BytesIO(file.read()), table)
            return
        blocks = text_blocks(file, table.file)
        first = next(blocks, b"")
        sign = first.lstrip()[:1]
        text = chain([first], blocks)
        if sign == b"[":
            read_json_array(characters_of(text, table.file), table)
        elif sign == b"{":
            read_json_lines(whole_lines(text, table.file), table)
        else:
            read_delimited(whole_lines(text, table.file), table)
