"""Who could be drawn when: the pool of every draw, worked out from when agents joined and left.

The schedule-adjusted ratings need to know in how many draws a pair was available, and how many pairs there were to
draw from. Rules as in ``battles.draws``: nobody affiliated with the operator; people's tasks are raced by models as
soon as two are rostered, by everybody before that; practice tasks by baselines.
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
        affiliated: (M,) whether the operator has a stake in it.
        joined: (M,) when it was rostered.
        left: (M,) when it was retired; the largest integer where it was not.
    """

    model: NDArray[np.bool_]
    affiliated: NDArray[np.bool_]
    joined: NDArray[np.int64]
    left: NDArray[np.int64]

    def edges(self) -> NDArray[np.int64]:
        """(E,) different times at which the pool changes, ascending."""
        return np.unique(np.concatenate([self.joined, self.left]))

    def pool(self, at: int, *, practice: bool) -> NDArray[np.bool_]:
        """(M,) who could be drawn at a time."""
        active = ~self.affiliated & (self.joined <= at) & (self.left > at)
        models = active & self.model
        if practice:
            return np.asarray(active & ~self.model)
        return models if int(models.sum()) >= MODELS_ALONE_FROM else active


def draws_available(
    roster: Roster, drawn_at: NDArray[np.int64], practice: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the draws in which each pair was available.

    Args:
        roster: M agents.
        drawn_at: (D,) time of each draw.
        practice: (D,) whether it drew for a practice task.

    Returns:
        (M, M) symmetric numbers of draws, zero on the diagonal; (D,) number of pairs each draw chose from.
    """
    size = len(roster.model)
    available = np.zeros((size, size), dtype=np.int64)
    pairs = np.zeros(len(drawn_at), dtype=np.int64)
    edges = roster.edges()
    segment = np.searchsorted(edges, drawn_at, side="right")
    for number in np.unique(segment).tolist():
        for kind in (False, True):
            here = (segment == number) & (practice == kind)
            if number == 0 or not here.any():
                continue
            pool = roster.pool(int(edges[number - 1]), practice=kind)
            available += np.outer(pool, pool) * int(here.sum())
            pairs[here] = int(pool.sum()) * (int(pool.sum()) - 1) // 2
    np.fill_diagonal(available, 0)
    return available, pairs
