"""Whether one agent gets more from a judge, or less, than it earns from others.

Honest judges have tastes. How much their likings usually differ is estimated from all of them, and a judge is held
against that. Where a normal tail would be too rough, the chances of all sums of points are worked out exactly, over
outcomes and tastes.

Sources: Holm 1979; Rao and Scott 1981 for variances beyond chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import stats

from ratings.estimators.arrays import Floats, Integers
from ratings.estimators.comparisons import OUTCOMES, POINTS_OF_A
from ratings.inference.judge_fits import Sequences, outcome_chances

#: Statistics beyond this many standard errors do not count when it is estimated how much honest judges differ.
USUAL = 2.5
#: What is left of the variance of a normal within that reach.
USUAL_SHARE = 1 - 2 * USUAL * math.exp(-(USUAL**2) / 2) / math.sqrt(2 * math.pi) / math.erf(USUAL / math.sqrt(2))
#: Sums that vary less are too short to be nearly normal, and tell nothing about how much judges differ.
LEAST_VARIANCE = 1.0
#: A normal tail below this is worked out exactly.
WORTH_EXACT = 0.02
#: From this many votes on an agent the normal tail is good enough.
MANY = 64
#: Points of the quadrature over tastes.
TASTES = 9
#: Numbers in one block of exact distributions.
BLOCK = 1 << 20


def likings(sequences: Sequences) -> tuple[tuple[Floats, Integers, Integers], float]:
    """((G,) smallest adjusted p-value, its agent, its side), and the taste of honest judges.

    Each vote counts for both of its agents, with the points, the gap and the chances turned to the agent's side.
    """
    judges, agents = len(sequences.clusters), int(max(sequences.a.max(), sequences.b.max())) + 1
    owner = sequences.owner
    key = np.concatenate([owner * agents + sequences.a, owner * agents + sequences.b])
    order = np.argsort(key, kind="stable")
    gap = np.concatenate([sequences.gap, -sequences.gap])[order]
    points = POINTS_OF_A[sequences.outcome]
    points = np.concatenate([points, 1 - points])[order]
    key = key[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    chance = outcome_chances(gap, sequences.log_nu)
    expected = chance @ POINTS_OF_A
    variance = chance @ np.square(POINTS_OF_A) - np.square(expected)
    surplus, spread = np.add.reduceat(points - expected, starts), np.add.reduceat(variance, starts)
    extra = extra_variance(surplus, spread)
    taste = math.sqrt(extra)
    total = spread + extra * np.square(spread)
    side = np.where(surplus >= 0, 1, -1)
    p_value = stats.norm.sf(np.abs(surplus) / np.sqrt(np.maximum(total, np.finfo(float).tiny)))
    size = np.diff(np.r_[starts, len(key)])
    for cells in _worth_exact(p_value, size):
        p_value[cells] = exact_tails(gap, points, starts[cells], size[cells], side[cells], sequences.log_nu, taste)
    cell_owner, cell_agent = np.divmod(key[starts], agents)
    # Both sides of every agent the judge met: the smallest of so many p-values is Holm's first step.
    tests = 2 * np.bincount(cell_owner, minlength=judges)
    first = np.lexsort((p_value, cell_owner))
    first = first[np.r_[True, cell_owner[first][1:] != cell_owner[first][:-1]]]
    smallest = np.minimum(1.0, p_value[first] * tests)
    return (smallest, sequences.members[cell_agent[first]], side[first]), taste


def taste_nodes(taste: float) -> tuple[Floats, Floats]:
    """Likings, in nats, and their weights, that stand for a normal with that standard deviation."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(TASTES if taste > 0 else 1)
    return np.asarray(taste * nodes), np.asarray(weights / weights.sum())


def extra_variance(surplus: Floats, variance: Floats) -> float:
    """What honest sums vary by beyond chance, as the x in variance + x variance^2; estimated from those in reach."""
    extra = 0.0
    for _ in range(20):
        total = variance + extra * np.square(variance)
        usual = (np.square(surplus) < USUAL**2 * total) & (variance >= LEAST_VARIANCE)
        scale = float(np.square(variance[usual]).sum())
        if scale <= 0:
            return extra
        grown = max(0.0, float((np.square(surplus[usual]) / USUAL_SHARE - variance[usual]).sum()) / scale)
        if abs(grown - extra) < 1e-4 * (1e-3 + extra):
            return grown
        extra = grown
    return extra


def _worth_exact(p_value: Floats, size: Integers) -> Iterator[Integers]:
    """Blocks of cells of about equal size whose tails are worked out exactly."""
    cells = np.flatnonzero((p_value < WORTH_EXACT) & (size < MANY))
    cells = cells[np.argsort(size[cells], kind="stable")]
    while len(cells):
        width = (2 * int(size[cells[0]]) + 1) * 2 * TASTES
        count = max(1, BLOCK // width)
        yield cells[:count]
        cells = cells[count:]


def exact_tails(
    gap: Floats, points: Floats, starts: Integers, size: Integers, side: Integers, log_nu: float, taste: float
) -> Floats:
    """(C,) chances of at least as many points, or as few, where a judge's liking of the agent is normal.

    Sums of outcomes are half points, so that their distribution is a convolution of three-point ones.
    """
    nodes, weights = taste_nodes(taste)
    longest = int(size.max())
    sums = np.zeros((len(starts), len(nodes), 2 * longest + 1))
    sums[:, :, 0] = 1
    reached = np.zeros(len(starts))
    for step in range(longest):
        there = step < size
        rows = np.where(there, starts + step, starts)
        chance = outcome_chances(gap[rows][:, None] + nodes[None, :], log_nu)
        # Seen from below, few points for the agent are many for the others.
        chance = np.where(side[:, None, None] > 0, chance, chance[:, :, ::-1])
        chance[~there] = (1, 0, 0)
        grown = sums * chance[:, :, :1]
        for more in range(1, OUTCOMES):
            grown[:, :, more:] += sums[:, :, :-more] * chance[:, :, more : more + 1]
        sums = grown
        own = np.where(side > 0, points[rows], 1 - points[rows])
        reached += np.where(there, 2 * own, 0)
    beyond = np.arange(2 * longest + 1)[None, :] >= np.rint(reached)[:, None]
    return np.asarray(np.einsum("cns,n,cs->c", sums, weights, beyond.astype(np.float64)))
