"""Reading a board's corpus: one statement for labels and one for battles, columns straight into NumPy.

Whatever takes a sort of all labels, as their order and the numbers of their battles, is done on the columns.
"""

from __future__ import annotations

import functools
import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone
from numpy.typing import NDArray

from battles.lane_facts import DEFINITION, FACTS
from judging.models.votes import REVISABLE_FOR
from judging.visibility import REPEAT_WITHIN
from ratings.binary_copy import copied
from ratings.corpus_file import COLUMNS, STYLE, CorpusRefused, decode
from ratings.draw_pool import Roster, draws_available, draws_of_rows, pairs_to_draw_from
from ratings.eligibility import OUTSIDE, Reason
from ratings.models import Board
from ratings.rated_corpus import Corpus, EndedBattles, Joined, make_corpus

#: For each sort and join of a read; PostgreSQL's own unit.
_SORTING_MEMORY = "256MB"
_STATEMENTS = Path(__file__).parent / "statements"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = 2**63 - 1


def _counted(fact: str) -> str:
    counted_here = FACTS[fact].expression.replace("wanted.", "lane.")
    return f"CASE WHEN facts.lane_id IS NULL THEN {counted_here} ELSE facts.{fact} END"


_IDENTIFIERS = (("id", "uuid"), ("battle_id", "uuid"))
#: The number of a battle comes from the order of the identifiers, that of pairs from the draws.
_KEPT = tuple((name, "float8" if "f" in kind else "int4") for name, kind in COLUMNS if name not in {"battle", "pairs"})
#: Columns that a label is read with and that the corpus does not keep.
_READ_ONLY = (("stretch", "int4"), ("practice", "int4"), ("gone", "int4"))
#: What judges saw of a lane, from its row or from what is counted of its answer.
_LOOKS = {
    **{
        look: _counted(f"answer_{fact}")
        for look, fact in zip(STYLE, ("characters", "headers", "lists", "bold"), strict=True)
    },
    "steps": "lane.steps_charged",
    "seconds": "lane.seconds",
}


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
        UnreadableRows: likewise.
    """
    return _read(board, at or timezone.now())[0]


def corpus_as_of(board: Board, at: datetime) -> Corpus:
    """The corpus as it was read at an earlier time.

    Raises:
        CorpusUnreadable: a value that no label can have.
        UnreadableRows: likewise.
        CorpusGone: something of that time was withdrawn since.
    """
    corpus, labels_gone, battles_gone = _read(board, at)
    if labels_gone or battles_gone:
        raise CorpusGone(labels_gone, battles_gone)
    return corpus


def label_ids(board: Board, at: datetime) -> list[uuid.UUID]:
    """Identifiers of a board's labels, in the order of the corpus as of an instant."""
    with transaction.atomic(), connection.cursor() as cursor:
        found = _labels(cursor, _numbering(cursor, board, at), _IDENTIFIERS[:1])["id"]
    return [uuid.UUID(int=high << 64 | low) for high, low in found[_order(found)].tolist()]


def labels_statement(cursor: CursorWrapper, board: Board, at: datetime) -> tuple[str, dict[str, Any]]:
    """A SELECT of a board's labels, one a row, and its parameters, for whoever counts more of them.

    Columns are ``id``, ``outcome`` and ``reason``. Which submitters' labels are outranked is not decided in it.
    """
    return _statement("labels", columns="id, outcome, reason"), _numbering(cursor, board, at).values


def _read(board: Board, at: datetime) -> tuple[Corpus, int, int]:
    """The corpus, and how many labels and battles of it were withdrawn later."""
    with transaction.atomic(), connection.cursor() as cursor:
        # A million labels are joined: on disk that takes more than twice as long.
        cursor.execute(f"SET LOCAL work_mem = '{_SORTING_MEMORY}'")
        # Every label is asked for. The planner takes rules that nearly all pass for ones that few do, and would look up
        # each race by itself.
        cursor.execute("SET LOCAL enable_nestloop = off")
        numbering = _numbering(cursor, board, at)
        labels = _labels(cursor, numbering, (*_IDENTIFIERS, *_KEPT, *_READ_ONLY))
        drawn = _rows(cursor, "draws", numbering.values, 3)
        battles = _rows(cursor, "battles", numbering.values, 5)
    if any(column.min() < 0 for column in labels.values() if column.size and column.dtype.kind == "i"):
        raise CorpusUnreadable
    order = _order(labels.pop("id"))
    labels["battle"] = _ranks(labels.pop("battle_id"))
    for name in labels:
        labels[name] = labels[name][order]
    gone = int(((labels.pop("gone") == 1) & (labels["reason"] == Reason.WITHDRAWN)).sum())
    pairs = pairs_to_draw_from(numbering.roster)
    draws = np.zeros_like(pairs)
    draws[drawn[:, 0], drawn[:, 1]] = drawn[:, 2]
    counted = ~np.isin(battles[:, 2], OUTSIDE)
    corpus = make_corpus(
        agents=numbering.agents,
        categories=numbering.categories,
        columns={**labels, "pairs": pairs[labels.pop("stretch"), labels.pop("practice")]},
        draws=draws_of_rows(draws_available(numbering.roster, draws), numbering.rows),
        ended=EndedBattles(*battles[counted, :4].T),
        joined=numbering.joined,
    )
    return corpus, gone, int(battles[battles[:, 2] == Reason.WITHDRAWN, 4].sum())


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
        joined=tuple(Joined(*row) for row in header.get("joined", [])),
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


@dataclass(frozen=True, slots=True)
class _Numbering:
    """What the numbers in columns stand for, and the parameters of all statements.

    Attributes:
        agents, categories: by number; of agents that count in one row, that whose row it is.
        joined: those that count in another's row.
        rows: (M,) the number of each rostered agent.
        roster: the (M) agents' part in the draw, in microseconds since 1970.
        values: parameters.
    """

    agents: tuple[str, ...]
    categories: tuple[str, ...]
    joined: tuple[Joined, ...]
    rows: NDArray[np.int64]
    roster: Roster
    values: dict[str, Any]


def _numbering(cursor: CursorWrapper, board: Board, at: datetime) -> _Numbering:
    cursor.execute(_statement("roster"), {"at": at})
    rostered = cursor.fetchall()
    cursor.execute(_statement("joined"), {"at": at})
    joined = tuple(Joined(agent, into, _instant(then), reason) for agent, into, then, reason in cursor.fetchall())
    cursor.execute(_statement("categories"), {"at": at})
    categories = [category for (category,) in cursor.fetchall()]
    roster = Roster(
        model=np.array([row[1] for row in rostered], dtype=np.bool_),
        joined=np.array([_microseconds(row[2]) for row in rostered], dtype=np.int64),
        left=np.array([_microseconds(row[3]) for row in rostered], dtype=np.int64),
    )
    row_of = {merge.agent: merge.into for merge in joined}
    keys = [row_of.get(key, key) for key, *_ in rostered]
    agents = sorted(set(keys))
    values = {
        "headline": board == Board.HEADLINE,
        "at": at,
        "revisable": REVISABLE_FOR,
        "blind_for": REPEAT_WITHIN,
        "definition": DEFINITION,
        "categories": categories,
        "joined": [merge.agent for merge in joined],
        "joined_rows": [merge.into for merge in joined],
        # An agent that is still there leaves at the end of all time, which no draw comes after.
        "edges": sorted({time for row in rostered for time in row[2:] if time is not None}),
    }
    rows = np.array([agents.index(key) for key in keys], dtype=np.int64)
    return _Numbering(tuple(agents), tuple(categories), joined, rows, roster, values)


def _instant(time: datetime) -> str:
    return time.astimezone(UTC).isoformat()


def _microseconds(time: datetime | None) -> int:
    return _NEVER if time is None else (time - _EPOCH) // timedelta(microseconds=1)


def _labels(
    cursor: CursorWrapper, numbering: _Numbering, columns: Sequence[tuple[str, str]]
) -> dict[str, NDArray[np.generic]]:
    """Columns of the labels, in no order."""
    selected = ", ".join(_whole(name, kind) for name, kind in columns)
    return copied(cursor, _statement("labels", columns=selected), numbering.values, columns)


def _rows(cursor: CursorWrapper, name: str, values: dict[str, Any], width: int) -> NDArray[np.int64]:
    """(n, width) rows of a statement whose result is small."""
    cursor.execute(_statement(name), values)
    return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, width)


def _order(identifiers: NDArray[np.generic]) -> NDArray[np.intp]:
    """(n,) rows by identifier, which for labels is the order in which they were cast."""
    return np.lexsort((identifiers[:, 1], identifiers[:, 0]))


def _ranks(identifiers: NDArray[np.generic]) -> NDArray[np.int32]:
    """(n,) number of each identifier among the different ones, from 0 and in their order."""
    order = _order(identifiers)
    ordered = identifiers[order]
    new = np.zeros(len(order), dtype=np.int32)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    ranks = np.empty_like(new)
    ranks[order] = np.cumsum(new, dtype=np.int32)
    return ranks


def _statement(name: str, **parts: str) -> str:
    """A statement with what several begin with and the parts made from the columns; values are its parameters."""
    looks = ", ".join(f"{source} AS {look}" for look, source in _LOOKS.items())
    sides = [(look, side, f"{look}_{side}") for look in _LOOKS for side in "ab"]
    both = ", ".join(f"{side}.{look} AS {column}" for look, side, column in sides)
    races = _text("races").substitute(looks=looks, sides=both)
    return _text(name).safe_substitute(parts, races=races, looks=", ".join(f"race.{column}" for _, _, column in sides))


@functools.cache
def _text(name: str) -> Template:
    return Template((_STATEMENTS / f"{name}.sql").read_text(encoding="utf-8"))


def _whole(name: str, kind: str) -> str:
    """A column of a fixed width. What no lane showed counts as none; what a label lacks that all have is below zero."""
    if kind == "uuid":
        return name
    seen = name.rpartition("_")[0] in _LOOKS
    return f"coalesce({name}, {0 if kind == 'float8' or name == 'gone' or seen else -1})::{kind}"
