"""How few votes, or judges, decide the order of two neighbours.

Each vote pushes the gap by its influence, the first-order change of the estimate if it were left out. Votes are left
out in the order of their influence until a refit of what remains has turned the two around. What is found is an upper
bound: it was tried and it flips; a cleverer choice on a large board might need fewer.

Sources: Hampel 1974 (influence); Broderick, Giordano and Meager 2020 (dropping the most influential).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster, score_tiles
from ratings.estimators.comparisons import OUTCOMES, Comparisons, PairTable, tabulate
from ratings.estimators.connectivity import components, reached_from, win_graph
from ratings.estimators.estimate import Estimate

#: Gaps below this many nats, a millionth of a point, are a tie.
LEVEL = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Flip:
    """What it takes to turn two agents around.

    Attributes:
        to_tie: how many must go until the lower one is level or above; None if no number was found.
        to_flip: how many must go until it is above.
        of: how many there are.
        removed: rows of the votes, or numbers of the judges, whose going flips the two.
    """

    to_tie: int | None
    to_flip: int | None
    of: int
    removed: Integers

    @property
    def share(self) -> float | None:
        """Share that must go."""
        return None if self.to_flip is None else self.to_flip / self.of


def votes_to_flip(votes: Comparisons, estimate: Estimate, upper: int, lower: int) -> Flip:
    """The fewest votes found whose removal puts ``lower`` above ``upper``.

    Args:
        votes: n comparisons of M agents.
        estimate: their half-win fit, without further parameters.
        upper, lower: agents in the order of the fit.
    """
    push = _influence(estimate, upper, lower)[votes.a, votes.b] * estimate.residual[votes.a, votes.b, votes.outcome]
    push = push * votes.weights()
    order = np.argsort(-push, kind="stable")
    order = order[: int((push > 0).sum())]
    table, cells, weights = tabulate(votes).weight, _cells(votes)[order], votes.weights()[order]

    def without(count: int) -> PairTable:
        gone = sums_by(cells[:count], weights[:count], table.size)
        # Sums of weights that are not whole leave rounding where nothing is left.
        left = table.ravel() - gone
        left[left < LEVEL] = 0
        return PairTable(left.reshape(table.shape))

    return _search(without, estimate, upper, lower, np.cumsum(push[order]), order, len(votes))


def judges_to_flip(votes: Comparisons, estimate: Estimate, upper: int, lower: int) -> Flip:
    """The fewest judges found whose removal puts ``lower`` above ``upper``; arguments as :func:`votes_to_flip`."""
    judges = cluster(votes, votes.judge)
    contrast = estimate.bread[:, upper] - estimate.bread[:, lower]
    push = np.concatenate([scores @ contrast for _, scores in score_tiles(judges, estimate)])
    order = np.argsort(-push, kind="stable")
    order = order[: int((push > 0).sum())]
    place = np.full(int(judges.ids[-1]) + 1, len(judges))
    place[judges.ids[order]] = np.arange(len(order))
    turn = place[votes.judge]
    weights = votes.weights()

    def without(count: int) -> PairTable:
        return tabulate(votes.take(turn >= count), weights[turn >= count])

    return _search(without, estimate, upper, lower, np.cumsum(push[order]), judges.ids[order], len(judges))


def _influence(estimate: Estimate, upper: int, lower: int) -> Floats:
    """(M, M) change of the gap per unit of score of a vote of the row against the column agent."""
    column = estimate.bread[:, upper] - estimate.bread[:, lower]
    return np.asarray(column[:, None] - column[None, :])


def _cells(votes: Comparisons) -> Integers:
    return (votes.a.astype(np.int64) * votes.agents + votes.b) * OUTCOMES + votes.outcome


def _search(
    without: Callable[[int], PairTable],
    estimate: Estimate,
    upper: int,
    lower: int,
    predicted: Floats,
    order: Integers,
    total: int,
) -> Flip:
    """Refit around the predicted number, then halve the distance between what does not and what does suffice."""
    gaps: dict[int, float] = {}

    def gap(count: int) -> float:
        if count not in gaps:
            gaps[count] = _gap(without(count), estimate, upper, lower)
        return gaps[count]

    start = float(estimate.strengths[upper] - estimate.strengths[lower])
    guess = int(np.searchsorted(predicted, start)) + 1
    to_tie = _fewest(lambda count: gap(count) <= LEVEL, guess, len(order))
    to_flip = _fewest(lambda count: gap(count) < -LEVEL, guess, len(order))
    return Flip(to_tie, to_flip, total, order[: to_flip or 0])


def _fewest(enough: Callable[[int], bool], guess: int, most: int) -> int | None:
    """The least count from 1 to ``most`` that is enough, if counts above it are too."""
    below, above = 0, min(max(1, guess), most)
    while above and not enough(above):
        if above == most:
            return None
        below, above = above, min(2 * above, most)
    if not above:
        return None
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if enough(middle) else (middle, above)
    return above


def _gap(table: PairTable, estimate: Estimate, upper: int, lower: int) -> float:
    """The gap in nats that is left; infinite where only one can still be above, NaN where nothing compares the two."""
    for part in components(table):
        for group in part.groups:
            if upper in group and lower in group:
                strengths = fit_bradley_terry(table.between(group), start=estimate.strengths[group]).strengths
                one, other = np.searchsorted(group, (upper, lower))
                return float(strengths[one] - strengths[other])
    graph = win_graph(table)
    if upper in reached_from(graph, lower):
        return -np.inf
    return np.inf if lower in reached_from(graph, upper) else np.nan
