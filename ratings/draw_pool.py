"""Who could be drawn when: the pool of every draw, worked out from when agents joined and left.

The schedule-adjusted ratings need to know in how many draws a pair was available, and how many pairs there were to
draw from. Rules as in ``battles.draws``: people's tasks are raced by models as soon as two are rostered, by everybody
before that; practice tasks by baselines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: A model and a baseline leave each other alone once so many models are rostered.
MODELS_ALONE_FROM = 2


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """Agents by index; times are whole numbers of any one unit.

    Attributes:
        model: (M,) whether it is a model agent; a baseline otherwise.
        joined: (M,) when it was rostered.
        left: (M,) when it was retired, or the operator got a stake in it; the largest integer where neither happened.
    """

    model: NDArray[np.bool_]
    joined: NDArray[np.int64]
    left: NDArray[np.int64]

    def edges(self) -> NDArray[np.int64]:
        """(E,) different times at which the pool changes, ascending."""
        return np.unique(np.concatenate([self.joined, self.left]))

    def pool(self, at: int, *, practice: bool) -> NDArray[np.bool_]:
        """(M,) who could be drawn at a time."""
        active = (self.joined <= at) & (self.left > at)
        models = active & self.model
        if practice:
            return np.asarray(active & ~self.model)
        return models if int(models.sum()) >= MODELS_ALONE_FROM else active

    def pools(self) -> NDArray[np.bool_]:
        """(E + 1, 2, M) who could be drawn before the first edge and from each on, for people's tasks and for practice.

        Nobody is rostered before the first.
        """
        edges = self.edges().tolist()
        found = np.zeros((len(edges) + 1, 2, len(self.model)), dtype=np.bool_)
        for stretch, edge in enumerate(edges, start=1):
            for practice in (False, True):
                found[stretch, int(practice)] = self.pool(edge, practice=practice)
        return found


def pairs_to_draw_from(roster: Roster) -> NDArray[np.int64]:
    """(E + 1, 2) number of pairs a draw chose from, by the stretch between edges it fell into; practice apart."""
    sizes = roster.pools().sum(axis=2)
    return np.asarray(sizes * (sizes - 1) // 2, dtype=np.int64)


def draws_available(roster: Roster, draws: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the draws in which each pair was available.

    Args:
        roster: M agents.
        draws: (E + 1, 2) how many there were in each stretch, for people's tasks and for practice.

    Returns:
        (M, M) symmetric numbers of draws, zero on the diagonal.
    """
    pools = roster.pools().reshape(draws.size, len(roster.model)).astype(np.float64)
    # Whole numbers, which a double holds as long as there are fewer than nine thousand billion draws.
    available = np.rint(pools.T @ (draws.reshape(-1, 1) * pools)).astype(np.int64)
    np.fill_diagonal(available, 0)
    return available


def draws_of_rows(draws: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same where several agents may count in one row: the draws of all pairs between two rows.

    Args:
        draws: (M, M) by agent.
        rows: (M,) the row of each agent, 0 to R - 1, each at least once.

    Returns:
        (R, R) symmetric numbers of draws, zero on the diagonal.
    """
    counted = np.zeros((int(rows.max(initial=-1)) + 1,) * 2, dtype=np.int64)
    np.add.at(counted, (rows[:, None], rows[None, :]), draws)
    np.fill_diagonal(counted, 0)
    return counted
