"""The corpus as a file: one line of JSON, then whole columns. The SHA-256 of the file is the digest of the corpus.

    ringside-corpus 1
    {"agents": [...], "categories": [...], "columns": [["battle", "<i4"], ...], "labels": n, ...}
    n values of the first column, n of the second, and so on; little-endian, nothing between them

``numpy.fromfile`` reads it; ``docs/publications.md`` shows how. One corpus has one file, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.eligibility import OUTSIDE

MAGIC = b"ringside-corpus 1\n"
#: A longer first line is no header of ours.
MOST_HEADER_BYTES = 64_000_000
MOST_AGENTS = 1 << 15

#: What judges saw of each lane, of A and of B: length of the answer and its marks, steps and seconds.
STYLE = ("length", "headers", "lists", "bold")
PROCESS = ("steps", "seconds")

#: Every column with its type, in the order of the file.
COLUMNS: tuple[tuple[str, str], ...] = (
    ("battle", "<i4"),
    ("judge", "<i4"),
    ("agent_a", "<i4"),
    ("agent_b", "<i4"),
    ("outcome", "<i4"),
    ("reason", "<i4"),
    ("by_submitter", "<i4"),
    ("rubric", "<i4"),
    ("category", "<i4"),
    ("pairs", "<i4"),
    *((f"{name}_{side}", "<i4") for name in (*STYLE, "steps") for side in "ab"),
    *((f"seconds_{side}", "<f8") for side in "ab"),
    ("probability", "<f8"),
)
#: One label takes so many bytes.
LABEL_BYTES = sum(np.dtype(kind).itemsize for _, kind in COLUMNS)
HEADER_KEYS = {"agents", "categories", "columns", "draws", "ended", "labels"}
#: There only where versions were joined: rows of the version, whose row it counts in, since when, and why.
JOINED = "joined"
#: Codes run from 0 to below these.
CODES = {"outcome": 4, "reason": 10, "by_submitter": 2}


class CorpusRefused(ValueError):
    """A file that is no corpus, or not a whole one; the message says what is wrong with it."""


def encode(content: Mapping[str, Any], columns: Mapping[str, NDArray[np.generic]]) -> bytes:
    """The bytes of a corpus.

    Args:
        content: agents, categories, draws and ended battles.
        columns: every column of :data:`COLUMNS`, of equal length.
    """
    labels = len(columns["battle"])
    header = {**content, "columns": [list(column) for column in COLUMNS], "labels": labels}
    line = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    parts = [np.ascontiguousarray(columns[name], dtype=kind).tobytes() for name, kind in COLUMNS]
    return b"".join([MAGIC, line, b"\n", *parts])


def decode(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
    """Header and columns of a corpus file, checked.

    Raises:
        CorpusRefused: in words, what is wrong.
    """
    header, start = _header(data)
    labels = header["labels"]
    expected = start + labels * LABEL_BYTES
    if len(data) != expected:
        raise CorpusRefused(
            f"The header speaks of {labels} labels, which make a file of {expected:,} bytes; this one has "
            f"{len(data):,}. It is cut off, or something was added."
        )
    columns: dict[str, NDArray[np.generic]] = {}
    for name, kind in COLUMNS:
        columns[name] = np.frombuffer(data, dtype=kind, count=labels, offset=start)
        start += labels * np.dtype(kind).itemsize
    _check_columns(header, columns)
    return header, columns


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    if not data.startswith(MAGIC):
        raise CorpusRefused("This is no corpus file: its first line is not 'ringside-corpus 1'.")
    end = data.find(b"\n", len(MAGIC), len(MAGIC) + MOST_HEADER_BYTES)
    if end < 0:
        raise CorpusRefused("The header of the corpus has no end.")
    try:
        header = json.loads(data[len(MAGIC) : end])
    except (ValueError, RecursionError):
        raise CorpusRefused("The header of the corpus is not JSON.") from None
    if not isinstance(header, dict) or set(header) - {JOINED} != HEADER_KEYS:
        raise CorpusRefused(f"The header of the corpus must have exactly these keys: {', '.join(sorted(HEADER_KEYS))}.")
    if header["columns"] != [list(column) for column in COLUMNS]:
        raise CorpusRefused("The columns of the corpus are not those that this version reads.")
    if not _whole(header["labels"]):
        raise CorpusRefused("The number of labels in the header is no whole number.")
    _check_names("agents", header["agents"])
    _check_names("categories", header["categories"])
    _check_tables(header)
    if JOINED in header:
        _check_joined(header)
    return header, end + 1


def _check_names(key: str, names: object) -> None:
    if not isinstance(names, list) or len(names) > MOST_AGENTS or not all(_name(name) for name in names):
        raise CorpusRefused(f"The {key} of the corpus must be a list of short names.")
    if len(set(names)) != len(names):
        raise CorpusRefused(f"A name occurs twice among the {key} of the corpus.")


def _check_tables(header: Mapping[str, Any]) -> None:
    agents = len(header["agents"])
    draws, ended = header["draws"], header["ended"]
    if not _table(draws, agents) or len(draws) != agents:
        raise CorpusRefused("The draws of the corpus must be a square table of whole numbers, a row for each agent.")
    if not _table(ended, 4) or any(max(row[:2]) >= agents or row[2] >= CODES["reason"] for row in ended):
        raise CorpusRefused("The ended battles of the corpus must be rows of two agents, a reason and a number.")


def _check_joined(header: Mapping[str, Any]) -> None:
    rows, agents = header[JOINED], set(header["agents"])
    whole = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 4 and all(isinstance(part, str) and part.isprintable() for part in row)
        for row in rows
    )
    if not whole or not rows or any(row[0] in agents or row[1] not in agents for row in rows):
        raise CorpusRefused("The joined versions of the corpus must be rows of a version, an agent, when, and why.")


def _table(rows: object, width: int) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == width and all(_whole(value) for value in row) for row in rows
    )


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def _name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 80 and value.isprintable()


def _check_columns(header: Mapping[str, Any], columns: Mapping[str, NDArray[np.generic]]) -> None:
    labels = int(header["labels"])
    ends = {
        **CODES,
        "battle": labels,
        "judge": labels + 1,
        "agent_a": len(header["agents"]),
        "agent_b": len(header["agents"]),
        "category": max(1, len(header["categories"])),
    }
    for name, _ in COLUMNS:
        column = columns[name].astype(np.float64)
        good = np.isfinite(column) & (column >= 0) & (column < ends.get(name, np.inf))
        if name == "probability":
            good &= column <= 1
        if not good.all():
            row = int(np.flatnonzero(~good)[0])
            raise CorpusRefused(f"Label {row + 1} of the corpus has a {name} that no label can have: {column[row]:g}.")
    itself = (columns["agent_a"] == columns["agent_b"]) & ~np.isin(columns["reason"], OUTSIDE)
    if itself.any():
        raise CorpusRefused(f"Label {int(np.flatnonzero(itself)[0]) + 1} of the corpus compares an agent with itself.")
    rated = columns["reason"].astype(np.int64) == 0
    if (columns["probability"][rated].astype(np.float64) <= 0).any():
        raise CorpusRefused("A rated label of the corpus has a pair that was drawn with probability zero.")
