"""The rated corpus: columns of labels, with all that any published number is made from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.corpus_file import COLUMNS, encode
from ratings.eligibility import Reason, label_weights, outrank_submitters

#: Outcome codes of a label, seen from slot A.
A_WINS, TIE, B_WINS, BOTH_BAD = 2, 1, 0, 3

Column: TypeAlias = NDArray[np.int64]

#: Labels that are counted and say nothing here: of another kind of battle, or taken back by whoever gave them.
SILENT = (Reason.NOT_LIVE, Reason.WITHDRAWN)


@dataclass(frozen=True)
class EndedBattles:
    """Battles of a board that ended, judged or not, counted alike; arrays are (E,).

    Attributes:
        agent_a, agent_b: indices of agents.
        reason: why they rate nobody whatever is said of them; ``RATED`` where they may.
        battles: how many.
    """

    agent_a: Column
    agent_b: Column
    reason: Column
    battles: Column


@dataclass(frozen=True, slots=True)
class Joined:
    """A version that counts in the row of another one, since an operator joined them.

    Attributes:
        agent, into: keys; the first has no row of its own.
        at: since when, as ISO 8601 in UTC.
        reason: as the operator gave it; public.
    """

    agent: str
    into: str
    at: str
    reason: str


@dataclass(frozen=True)
class Corpus:
    """All locked votes of a board, one row a label, in the order in which they were cast. Arrays are (n,).

    Attributes:
        agents: keys of the rows; columns of agents hold indices into it.
        categories: of tasks; the column holds indices into it.
        columns: by the names of :data:`ratings.corpus_file.COLUMNS`. ``outcome`` is one of :data:`A_WINS`,
            :data:`TIE`, :data:`B_WINS`, :data:`BOTH_BAD`; ``reason`` is a :class:`Reason`; ``probability`` is that with
            which the pair was drawn, ``pairs`` how many pairs there were to draw from; the other columns describe what
            judges saw of each lane.
        draws: (M, M) number of draws in which both agents could be drawn.
        ended: the battles of the board.
        digest: SHA-256 of the corpus written as a file: equal exactly when everything a fit reads is.
        joined: versions that count in one of these rows, by their keys.
    """

    agents: tuple[str, ...]
    categories: tuple[str, ...]
    columns: Mapping[str, NDArray[np.generic]]
    draws: Column
    ended: EndedBattles
    digest: str
    joined: tuple[Joined, ...] = ()

    def row_of(self, agent: str) -> int:
        """The index of the row that counts an agent.

        Raises:
            ValueError: there is none.
        """
        return self.agents.index(next((row.into for row in self.joined if row.agent == agent), agent))

    def integers(self, name: str) -> Column:
        return self.columns[name].astype(np.int64)

    def floats(self, name: str) -> NDArray[np.float64]:
        return self.columns[name].astype(np.float64)

    @cached_property
    def battle(self) -> Column:
        return self.integers("battle")

    @cached_property
    def judge(self) -> Column:
        return self.integers("judge")

    @cached_property
    def agent_a(self) -> Column:
        return self.integers("agent_a")

    @cached_property
    def agent_b(self) -> Column:
        return self.integers("agent_b")

    @cached_property
    def outcome(self) -> Column:
        return self.integers("outcome")

    @cached_property
    def reason(self) -> Column:
        return self.integers("reason")

    @cached_property
    def by_submitter(self) -> NDArray[np.bool_]:
        return np.asarray(self.integers("by_submitter") == 1)

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """1/k for each of a battle's k rated labels, 0 for the others."""
        return label_weights(self.reason, self.battle)

    @property
    def rated(self) -> NDArray[np.bool_]:
        return np.asarray(self.reason == Reason.RATED)

    @property
    def withdrawn(self) -> int:
        """Labels that were taken back."""
        return int((self.reason == Reason.WITHDRAWN).sum())

    def encoded(self) -> bytes:
        """The corpus as a file; its SHA-256 is the digest."""
        return encode(_content(self.agents, self.categories, self.draws, self.ended, self.joined), self.columns)


def make_corpus(
    *,
    agents: tuple[str, ...],
    categories: tuple[str, ...],
    columns: Mapping[str, NDArray[np.generic]],
    draws: Column,
    ended: EndedBattles,
    joined: tuple[Joined, ...] = (),
) -> Corpus:
    """Apply the rules that need all labels at once, silence what must say nothing, and name the result.

    Silent labels keep their battle, agents and reason, so that counts add up, and lose who said what of what.
    """
    own = {name: np.array(columns[name], dtype=kind) for name, kind in COLUMNS}
    reason = outrank_submitters(
        own["reason"].astype(np.int64), own["battle"].astype(np.int64), own["by_submitter"].astype(np.int64) == 1
    )
    own["reason"] = reason.astype(own["reason"].dtype)
    silent = np.isin(reason, SILENT)
    for name, kind in COLUMNS:
        if name not in {"battle", "judge", "agent_a", "agent_b", "outcome", "reason"}:
            own[name][silent] = np.zeros(1, dtype=kind)[0]
    own["outcome"][silent] = TIE
    own["judge"] = _numbered(own["judge"], silent)
    digest = hashlib.sha256(encode(_content(agents, categories, draws, ended, joined), own)).hexdigest()
    return Corpus(agents, categories, own, draws, ended, digest, joined)


def _numbered(judge: NDArray[np.generic], silent: NDArray[np.bool_]) -> NDArray[np.generic]:
    """Judges numbered anew from 1 over the labels that speak; 0 stands for nobody."""
    number = np.zeros(len(judge), dtype=judge.dtype)
    if not silent.all():
        number[~silent] = np.unique(judge[~silent], return_inverse=True)[1] + 1
    return number


def _content(
    agents: tuple[str, ...],
    categories: tuple[str, ...],
    draws: Column,
    ended: EndedBattles,
    joined: tuple[Joined, ...],
) -> dict[str, object]:
    rows = zip(ended.agent_a, ended.agent_b, ended.reason, ended.battles, strict=True)
    return {
        "agents": list(agents),
        "categories": list(categories),
        "draws": draws.tolist(),
        "ended": sorted([int(value) for value in row] for row in rows),
        # A corpus in which nobody was joined is the file that it was before anybody could be.
        **({"joined": [list(astuple(row)) for row in joined]} if joined else {}),
    }
