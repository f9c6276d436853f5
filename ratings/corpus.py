"""Reading a board's corpus: one statement for labels and one for battles, columns straight into NumPy."""

from __future__ import annotations

import functools
import hashlib
from datetime import datetime
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from judging.models.votes import REVISABLE_FOR
from judging.visibility import REPEAT_WITHIN
from ratings.corpus_file import COLUMNS, STYLE, CorpusRefused, decode
from ratings.draw_pool import Roster, draws_available
from ratings.eligibility import Reason
from ratings.models import Board
from ratings.rated_corpus import Corpus, EndedBattles, make_corpus

#: Whole microseconds, of which a float of seconds has none too many left.
_MICROSECONDS = "(extract(epoch FROM {}) * 1000000)::bigint"
_NEVER = 2**63 - 1
#: For each sort and join of a read; PostgreSQL's own unit.
_SORTING_MEMORY = "256MB"

_STATEMENTS = Path(__file__).parent / "statements"

#: Columns that a label is read with and that the corpus does not keep.
_READ_ONLY = (("drawn_at", ">i8"), ("practice", ">i4"), ("gone", ">i4"))
#: The number of pairs comes from the draws.
_READ = [(name, kind.replace("<", ">")) for name, kind in COLUMNS if name != "pairs"] + list(_READ_ONLY)


class CorpusUnreadable(Exception):
    """A label has a value that none can have: the statement and this module disagree."""


class CorpusGone(Exception):
    """Part of the corpus as it was at that time was withdrawn since.

    Args:
        labels: how many labels.
        battles: how many battles, whose tasks were withdrawn.
    """

    def __init__(self, labels: int, battles: int) -> None:
        super().__init__(f"{labels} labels and {battles} battles of it were withdrawn since")
        self.labels = labels
        self.battles = battles


def read_corpus(board: Board, *, at: datetime | None = None) -> Corpus:
    """A board's labels with their exclusion reasons, as of now or of the instant given.

    Raises:
        CorpusUnreadable: a value that no label can have.
    """
    return _read(board, at or timezone.now())[0]


def corpus_as_of(board: Board, at: datetime) -> Corpus:
    """The corpus as it was read at an earlier time.

    Raises:
        CorpusUnreadable: a value that no label can have.
        CorpusGone: something of that time was withdrawn since.
    """
    corpus, labels_gone, battles_gone = _read(board, at)
    if labels_gone or battles_gone:
        raise CorpusGone(labels_gone, battles_gone)
    return corpus


def _read(board: Board, at: datetime) -> tuple[Corpus, int, int]:
    """The corpus, and how many labels and battles of it were withdrawn later."""
    values: dict[str, Any] = {
        "headline": board == Board.HEADLINE,
        "at": at,
        "revisable": REVISABLE_FOR,
        "blind_for": REPEAT_WITHIN,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # A million labels are sorted and joined: on disk that takes more than twice as long.
        cursor.execute(f"SET LOCAL work_mem = '{_SORTING_MEMORY}'")
        cursor.execute(_labels_statement(), values)
        packed, categories, agents = cursor.fetchone()
        cursor.execute(_battles_statement(), values)
        *parts, battles_gone = cursor.fetchone()
    draws, ended, roster = (np.frombuffer(bytes(part), dtype=">i8").astype(np.int64) for part in parts)
    labels = np.frombuffer(bytes(packed), dtype=_READ)
    if any(int(labels[name].min()) < 0 for name, kind in _READ if labels.size and "i" in kind):
        raise CorpusUnreadable
    gone = int(((labels["gone"] == 1) & (labels["reason"] == Reason.WITHDRAWN)).sum())
    model, affiliated, joined, left = roster.reshape(-1, 4).T
    pool = Roster(model == 1, affiliated == 1, joined, left)
    drawn_at, practice = draws.reshape(-1, 2).T
    available, _ = draws_available(pool, drawn_at, practice == 1)
    _, pairs = draws_available(pool, labels["drawn_at"].astype(np.int64), labels["practice"] == 1)
    columns: dict[str, NDArray[np.generic]] = {name: labels[name] for name, _ in COLUMNS if name != "pairs"}
    corpus = make_corpus(
        agents=tuple(agents),
        categories=tuple(categories),
        columns={**columns, "pairs": pairs},
        draws=available,
        ended=EndedBattles(*ended.reshape(-1, 4).T),
    )
    return corpus, gone, int(battles_gone)


def corpus_from_file(data: bytes) -> Corpus:
    """The corpus that a file holds.

    Raises:
        CorpusRefused: the file is not one.
    """
    header, columns = decode(data)
    ended = np.array(header["ended"], dtype=np.int64).reshape(-1, 4).T
    agents = tuple(header["agents"])
    return Corpus(
        agents=agents,
        categories=tuple(header["categories"]),
        columns=columns,
        draws=np.array(header["draws"], dtype=np.int64).reshape(len(agents), len(agents)),
        ended=EndedBattles(*ended),
        digest=hashlib.sha256(data).hexdigest(),
    )


def board_of(name: str) -> Board:
    """The board of that name.

    Raises:
        CorpusRefused: there is none.
    """
    if name not in Board.values:
        raise CorpusRefused(f"There is no board {name!r}; there are: {', '.join(Board.values)}.")
    return Board(name)


def _labels_statement() -> str:
    source = {name: f"look.{name}" for name in STYLE} | {"steps": "lane.steps_charged", "seconds": "lane.seconds"}
    looks = [
        f"max({column}) FILTER (WHERE lane.slot = '{side.upper()}') AS {name}_{side}"
        for name, column in source.items()
        for side in "ab"
    ]
    return _statement(
        "labels",
        looks=", ".join(looks),
        drawn_at=_MICROSECONDS.format("battle.created_at"),
        packed=" || ".join(_packed(name, kind) for name, kind in _READ),
    )


def _battles_statement() -> str:
    return _statement(
        "battles",
        drawn_at=_MICROSECONDS.format("battle.created_at"),
        created_at=_MICROSECONDS.format("created_at"),
        retired_at=_MICROSECONDS.format("retired_at"),
        never=str(_NEVER),
    )


@functools.cache
def _text(name: str) -> Template:
    return Template((_STATEMENTS / f"{name}.sql").read_text(encoding="utf-8"))


def _statement(name: str, **parts: str) -> str:
    """A statement with what both begin with and the parts made from the columns; values are its parameters."""
    return _text(name).substitute(parts, races=_text("races").template)


def _packed(name: str, kind: str) -> str:
    if kind == ">f8":
        return f"float8send(coalesce({name}, 0))"
    missing = "0" if name == "gone" or (name.endswith(("_a", "_b")) and not name.startswith("agent")) else "-1"
    if kind == ">i8":
        return f"int8send(coalesce({name}, {missing}))"
    return f"int4send(coalesce({name}, {missing})::int)"
