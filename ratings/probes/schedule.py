"""Whether the agents were compared with each other at all, and evenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ratings.estimators.arrays import Floats, Integers
from ratings.estimators.comparisons import PairTable
from ratings.estimators.connectivity import Component
from ratings.inference.shares import wilson
from ratings.probes.board import CannotAnswer
from ratings.probes.probe import Probe

#: Fewer votes between two parts of the board leave their distance to a coin or two.
LOOSEST_LINK = 10.0
#: An agent judged less than a quarter as often as another has intervals of twice the width.
LEAST_COVERED = 0.25


def connectivity(table: PairTable, parts: tuple[Component, ...], agents: Sequence[str]) -> Probe:
    """The weight of the votes between the two parts of the board that fewest votes connect.

    Zero where agents were never compared with the rest, or where some never lost or never won against the rest, which
    leaves them without a rating (Ford 1957).
    """
    loose: Integers
    if len(parts) > 1 or not parts[0].strongly_connected:
        cores = [part.core for part in parts if part.core is not None]
        core = max(cores, key=len) if cores else np.empty(0, np.int64)
        link, loose = 0.0, np.setdiff1d(np.arange(len(agents)), core)
    else:
        link, loose = smallest_cut(table.meetings())
    about = tuple(agents[int(agent)] for agent in loose)
    return Probe("connectivity", link < LOOSEST_LINK, link, None, None, LOOSEST_LINK, None, about)


def coverage_imbalance(table: PairTable, agents: Sequence[str]) -> Probe:
    """Votes on the least judged agent for each on the most judged one.

    The interval is Wilson's for the least judged agent's share of the votes on the two, at the level that holds for
    whichever two of all pairs come out at the ends.
    """
    judged = table.meetings().sum(axis=1)
    least, most = int(np.argmin(judged)), int(np.argmax(judged))
    both = float(judged[least] + judged[most])
    if both <= 0:
        raise CannotAnswer("There are no votes.")
    pairs = len(judged) * (len(judged) - 1) // 2
    share = wilson(float(judged[least]) / both, both, confidence=1 - 0.05 / max(1, pairs))
    low, high = _odds(share.lower), _odds(share.upper)
    value = float(judged[least] / judged[most])
    about = agents[least], agents[most]
    return Probe("coverage_imbalance", high < LEAST_COVERED, value, low, min(high, 1.0), LEAST_COVERED, None, about)


def smallest_cut(weight: Floats) -> tuple[float, Integers]:
    """The two parts of a graph that the least weight connects (Stoer and Wagner 1997).

    Args:
        weight: (M, M) symmetric non-negative weights of two or more nodes.

    Returns:
        the weight between the parts, and the indices of the smaller part, ascending.
    """
    left = weight.astype(np.float64).copy()
    np.fill_diagonal(left, 0)
    merged = [[node] for node in range(len(left))]
    active = np.ones(len(left), dtype=np.bool_)
    best, part = np.inf, merged[0]
    while active.sum() > 1:
        waiting = active.copy()
        pull = np.where(active, 0.0, -np.inf)
        before = last = -1
        while waiting.any():
            before, last = last, int(np.argmax(np.where(waiting, pull, -np.inf)))
            waiting[last] = False
            pull = pull + left[last]
        # What pulls at the last node is all that connects it, its own weight being zero.
        if pull[last] < best:
            best, part = float(pull[last]), list(merged[last])
        merged[before] = merged[before] + merged[last]
        left[before] += left[last]
        left[:, before] += left[:, last]
        left[before, before] = 0
        left[last] = left[:, last] = 0
        active[last] = False
    chosen = np.sort(np.array(part, dtype=np.int64))
    others = np.setdiff1d(np.arange(len(weight)), chosen)
    return best, chosen if len(chosen) <= len(others) else others


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else float("inf")
