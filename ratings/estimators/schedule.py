"""Weights that undo the schedule of the draw.

The draw prefers pairs that teach much, so that agents meet unequally, and a fit of unequal meetings answers a
question that depends on them (a three-cycle of equals comes out ordered). Every battle stores the probability P with
which its pair was drawn. A battle of weight 1 / (P x draws in which its pair was available) stands for its pair in an
equal schedule, whoever joined or left in between.

Sources: Horvitz and Thompson 1952; Kish 1965 for the effective number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ratings.estimators.arrays import Floats, Integers
from ratings.estimators.comparisons import Comparisons, effective_number

#: A pair that was available in fewer draws has weights too uncertain to use.
FEWEST_DRAWS = 30


@dataclass(frozen=True, slots=True, eq=False)
class ScheduleAdjusted:
    """Votes with the weights of an equal schedule.

    Attributes:
        votes: the votes of the pairs that could be weighted, total weight unchanged.
        kept: (n,) flags of those votes among all.
        refused: pairs (lower index first) with votes that were available in too few draws; their votes are left out.
        effective_votes: (sum w)^2 / sum w^2 of the weights: how many equally weighted votes they are worth.
        largest: the largest weight over their mean.
    """

    votes: Comparisons
    kept: Integers
    refused: tuple[tuple[int, int], ...]
    effective_votes: float
    largest: float


def adjust_for_schedule(votes: Comparisons, probability: Floats, draws_available: Floats) -> ScheduleAdjusted:
    """Weight votes to an equal schedule.

    Args:
        votes: n comparisons of M agents.
        probability: (n,) with which each vote's pair was drawn.
        draws_available: (M, M) symmetric number of draws in which both agents were on the roster.

    Raises:
        ValueError: a probability that is none, or shapes that do not match.
    """
    if probability.shape != (len(votes),) or draws_available.shape != (votes.agents, votes.agents):
        raise ValueError("one probability a vote and one number of draws a pair are needed")
    if not ((probability > 0) & (probability <= 1)).all():
        raise ValueError("a pair that was drawn has a probability above 0 and up to 1")
    draws = draws_available[votes.a, votes.b]
    enough = draws >= FEWEST_DRAWS
    kept = np.flatnonzero(enough)
    some = votes.take(kept)
    weight = some.weights() / (probability[kept] * draws[kept])
    if len(weight):
        weight *= some.weights().sum() / weight.sum()
    low, high = np.minimum(votes.a, votes.b)[~enough], np.maximum(votes.a, votes.b)[~enough]
    pairs = np.unique(np.stack([low, high]), axis=1)
    return ScheduleAdjusted(
        votes=replace(some, weight=weight),
        kept=kept,
        refused=tuple((int(one), int(other)) for one, other in pairs.T),
        effective_votes=effective_number(weight),
        largest=float(weight.max() / weight.mean()) if len(weight) else 1.0,
    )
