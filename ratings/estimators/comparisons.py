"""Votes as arrays, and the table that is all a rating without covariates needs of them.

A vote compares two agents by index, ``a`` in slot A and ``b`` in slot B. Its outcome is twice the points of
``a``: 2 when A was better, 1 for a tie, 0 when B was better. The likelihoods of this package depend on
the votes only through the weight of every (a, b, outcome), so that fitting costs the same for a thousand votes
as for a billion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by

B_WINS = 0
TIE = 1
A_WINS = 2
OUTCOMES = 3

#: Points of slot A by outcome.
POINTS_OF_A = np.array([0.0, 0.5, 1.0])

#: Bits of a packed vote: judge above, then a, b and the outcome. 31 + 15 + 15 + 2 leaves the sign alone.
AGENT_BITS = 15
OUTCOME_BITS = 2
MAX_AGENTS = 1 << AGENT_BITS
MAX_JUDGES = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Votes in columns of equal length n; integer columns of any width.

    Attributes:
        agents: number of agents M; indices run from 0 to M - 1, whether or not an agent has votes.
        judge: (n,) index of the judge, from 0.
        a, b: (n,) index of the agent in slot A and in slot B.
        outcome: (n,) ``A_WINS``, ``TIE`` or ``B_WINS``.
        weight: (n,) positive weights, or None where every vote counts one. The k votes on one battle carry 1/k each.
        battle: (n,) index of the battle, or None where every vote is on a battle of its own.

    Raises:
        ValueError: columns of unequal length, an index out of range, an agent compared with itself, or a weight
            that is not positive and finite.
    """

    agents: int
    judge: Integers
    a: Integers
    b: Integers
    outcome: Integers
    weight: Floats | None = None
    battle: Integers | None = None

    def __post_init__(self) -> None:
        n = len(self.judge)
        columns = {"a": self.a, "b": self.b, "outcome": self.outcome, "weight": self.weight, "battle": self.battle}
        for name, column in columns.items():
            if column is not None and column.shape != (n,):
                raise ValueError(f"{name} has shape {column.shape}, the judges have ({n},)")
        if not 0 < self.agents <= MAX_AGENTS:
            raise ValueError(f"the number of agents must be between 1 and {MAX_AGENTS}, not {self.agents}")
        _check_range("judge", self.judge, MAX_JUDGES)
        _check_range("a", self.a, self.agents)
        _check_range("b", self.b, self.agents)
        _check_range("outcome", self.outcome, OUTCOMES)
        if self.battle is not None:
            _check_range("battle", self.battle, MAX_JUDGES)
        if np.any(self.a == self.b):
            raise ValueError("an agent cannot be compared with itself")
        if self.weight is not None and not (np.all(self.weight > 0) and np.all(np.isfinite(self.weight))):
            raise ValueError("weights must be positive and finite")

    def __len__(self) -> int:
        return len(self.judge)

    def take(self, rows: Flags | Integers) -> Comparisons:
        """The votes of some rows, in that order; agents keep their indices."""
        return Comparisons(
            self.agents,
            self.judge[rows],
            self.a[rows],
            self.b[rows],
            self.outcome[rows],
            None if self.weight is None else self.weight[rows],
            None if self.battle is None else self.battle[rows],
        )

    def between(self, members: Integers) -> tuple[Comparisons, Flags | None]:
        """The votes between ``members`` only, who are numbered anew in the order given.

        Returns:
            the votes, and the (n,) flags of the rows kept; None when all of them are.
        """
        if len(members) == self.agents and np.array_equal(members, np.arange(self.agents)):
            return self, None
        place = np.full(self.agents, -1)
        place[members] = np.arange(len(members))
        new_a, new_b = place[self.a], place[self.b]
        kept = (new_a >= 0) & (new_b >= 0)
        votes = Comparisons(
            len(members),
            self.judge[kept],
            new_a[kept],
            new_b[kept],
            self.outcome[kept],
            None if self.weight is None else self.weight[kept],
            None if self.battle is None else self.battle[kept],
        )
        return votes, kept

    def weights(self) -> Floats:
        """(n,) weights, ones where none were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def battles_per_agent(self) -> Integers:
        """(M,) number of different battles each agent took part in."""
        share = None if self.battle is None else 1 / np.bincount(self.battle)[self.battle]
        counted = sums_by(self.a, share, self.agents) + sums_by(self.b, share, self.agents)
        return np.rint(counted).astype(np.int64)

    def has_shared_battles(self) -> bool:
        """Whether any battle has more than one vote."""
        return self.battle is not None and len(self) > 0 and int(np.bincount(self.battle).max()) > 1


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Weight of votes by slot-A agent, slot-B agent and outcome.

    Attributes:
        weight: (M, M, 3) sums of weights.
    """

    weight: Floats

    @property
    def agents(self) -> int:
        return len(self.weight)

    def points(self) -> Floats:
        """(M, M) points of the row agent against the column agent, from either slot; a tie is half a point."""
        as_a = self.weight[:, :, A_WINS] + 0.5 * self.weight[:, :, TIE]
        as_b = self.weight[:, :, B_WINS] + 0.5 * self.weight[:, :, TIE]
        return np.asarray(as_a + as_b.T)

    def meetings(self) -> Floats:
        """(M, M) symmetric weight of the votes between two agents."""
        one_way = self.weight.sum(axis=2)
        return np.asarray(one_way + one_way.T)

    def between(self, members: Integers) -> PairTable:
        """The table of some agents among themselves, in the order given."""
        return PairTable(self.weight[np.ix_(members, members)])


def tabulate(votes: Comparisons, weight: Floats | None = None) -> PairTable:
    """Add the votes up by (a, b, outcome).

    Args:
        votes: n comparisons of M agents.
        weight: (n,) weights to use in place of the votes' own.
    """
    m = votes.agents
    cell = votes.a.astype(np.int64)
    cell *= m
    cell += votes.b
    cell *= OUTCOMES
    cell += votes.outcome
    sums = sums_by(cell, votes.weight if weight is None else weight, m * m * OUTCOMES)
    return PairTable(sums.reshape(m, m, OUTCOMES))


def effective_number(shares: Floats) -> float:
    """Kish's effective number (sum w)^2 / sum w^2 of non-negative weights (Kish 1965, section 11.7); 0 for none."""
    square = float(np.square(shares).sum())
    return float(shares.sum()) ** 2 / square if square > 0 else 0.0


def pack(judge: Integers, a: Integers, b: Integers, outcome: Integers) -> Integers:
    """One signed 64-bit integer a vote: 31 bits of judge, 15 of a, 15 of b, 2 of outcome, highest first."""
    packed = judge.astype(np.int64)
    for column, bits in ((a, AGENT_BITS), (b, AGENT_BITS), (outcome, OUTCOME_BITS)):
        packed <<= bits
        packed |= column
    return packed


def unpack(packed: Integers, agents: int, weight: Floats | None = None, battle: Integers | None = None) -> Comparisons:
    """The votes behind :func:`pack`.

    Raises:
        ValueError: as :class:`Comparisons`, which also catches a packed value of another layout that leads to an
            agent that does not exist.
    """
    mask = MAX_AGENTS - 1
    return Comparisons(
        agents,
        (packed >> (2 * AGENT_BITS + OUTCOME_BITS)).astype(np.int32),
        (packed >> (AGENT_BITS + OUTCOME_BITS) & mask).astype(np.int16),
        (packed >> OUTCOME_BITS & mask).astype(np.int16),
        (packed & (1 << OUTCOME_BITS) - 1).astype(np.int8),
        weight,
        battle,
    )


def _check_range(name: str, column: Integers, end: int) -> None:
    if not np.issubdtype(column.dtype, np.integer):
        raise ValueError(f"{name} must hold integers, not {column.dtype}")
    if len(column) and (int(column.min()) < 0 or int(column.max()) >= end):
        raise ValueError(f"{name} must lie between 0 and {end - 1}")
