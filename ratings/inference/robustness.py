"""How few votes, or judges, decide the order of two neighbours.

Each vote pushes the gap by its influence, the first-order change of the estimate if it were left out. Votes are left
out in the order of their influence until a refit of what remains has turned the two around. What is found is an upper
bound: it was tried and it flips; a cleverer choice on a large board might need fewer.

Sources: Hampel 1974 (influence); Broderick, Giordano and Meager 2020 (dropping the most influential).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.bradley_terry import fit_bradley_terry, near_maximum
from ratings.estimators.clusters import Clusters, cluster, score_tiles, table_of
from ratings.estimators.comparisons import OUTCOMES, Comparisons, PairTable, tabulate
from ratings.estimators.connectivity import components, reached_from, strongly_connected, win_graph
from ratings.estimators.estimate import Estimate

#: Gaps below this many nats, a millionth of a point, are a tie.
LEVEL = 1e-8
#: Pairs of agents whose judges are weighed in one pass over the votes; a column of all judges for each is held.
PAIRS_AT_ONCE = 128


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


class Removals:
    """What may be left out of a board, prepared once for all the pairs of agents that are asked about.

    Args:
        votes: n comparisons of M agents.
        estimate: their half-win fit, without further parameters.
        pairs: the pairs that will be asked about, each the upper and the lower agent by the fit.
    """

    def __init__(self, votes: Comparisons, estimate: Estimate, pairs: Sequence[tuple[int, int]]) -> None:
        self._votes = votes
        self._estimate = estimate
        self._place = {pair: place for place, pair in enumerate(pairs)}
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._contrasts = estimate.bread[:, ends[:, 0]] - estimate.bread[:, ends[:, 1]]
        self._table = tabulate(votes).weight

    def votes_to_flip(self, upper: int, lower: int) -> Flip:
        """The fewest votes found whose removal puts ``lower`` above ``upper``.

        Votes of one cell and one weight push alike, so kinds of vote are put in order, not votes.
        """
        kinds = self._kinds
        column = self._contrasts[:, self._place[upper, lower]]
        push = (column[kinds.a] - column[kinds.b]) * self._estimate.residual.ravel()[kinds.cell] * kinds.weight
        order = _pushing(push)
        reached = np.cumsum(kinds.count[order])

        def last_kind(count: int) -> tuple[int, int]:
            """Of the first so many votes: how many whole kinds come before the last one, and how many are of that."""
            whole = int(np.searchsorted(reached, count))
            return whole, count - (int(reached[whole - 1]) if whole else 0)

        def without(count: int) -> PairTable:
            whole, rest = last_kind(count)
            gone = kinds.weight[order[: whole + 1]] * np.append(kinds.count[order[:whole]], rest)
            return self._left(sums_by(kinds.cell[order[: whole + 1]], gone, self._table.size))

        def rows(count: int) -> Integers:
            whole, rest = last_kind(count)
            return kinds.votes_of(order[: whole + 1], np.append(kinds.count[order[:whole]], rest))

        predicted = np.cumsum(push[order] * kinds.count[order])
        start = float(self._estimate.strengths[upper] - self._estimate.strengths[lower])
        nearest = int(np.searchsorted(predicted, start))
        guess = int(reached[min(nearest, len(order) - 1)]) if len(order) else 1
        most = int(reached[-1]) if len(order) else 0
        return self._search(without, rows, (upper, lower), guess, most, len(self._votes))

    def judges_to_flip(self, upper: int, lower: int) -> Flip:
        """The fewest judges found whose removal puts ``lower`` above ``upper``."""
        judges = self._judges
        push = self._judge_pushes(self._place[upper, lower])
        order = _pushing(push)
        start = float(self._estimate.strengths[upper] - self._estimate.strengths[lower])
        guess = int(np.searchsorted(np.cumsum(push[order]), start)) + 1

        def without(count: int) -> PairTable:
            return self._left(table_of(judges, order[:count]).ravel())

        return self._search(
            without, lambda count: judges.ids[order[:count]], (upper, lower), guess, len(order), len(judges)
        )

    @cached_property
    def _kinds(self) -> _Kinds:
        votes, weights = self._votes, self._votes.weights()
        different, which = np.unique(weights, return_inverse=True)
        cells = (votes.a.astype(np.int64) * votes.agents + votes.b) * OUTCOMES + votes.outcome
        kinds, of_vote, count = np.unique(cells * len(different) + which, return_inverse=True, return_counts=True)
        cell = kinds // max(1, len(different))
        pair = cell // OUTCOMES
        weight = different[kinds % max(1, len(different))]
        by_kind = np.argsort(of_vote, kind="stable")
        return _Kinds(pair // votes.agents, pair % votes.agents, cell, weight, count, by_kind)

    @cached_property
    def _judges(self) -> Clusters:
        return cluster(self._votes, self._votes.judge)

    def _judge_pushes(self, place: int) -> Floats:
        """(G,) how far each judge's votes push the gap of a pair; one pass over the votes serves many pairs."""
        first = place - place % PAIRS_AT_ONCE
        if first not in self._pushes:
            contrasts = self._contrasts[:, first : first + PAIRS_AT_ONCE]
            tiles = [scores @ contrasts for _, scores in score_tiles(self._judges, self._estimate)]
            self._pushes.clear()
            self._pushes[first] = np.concatenate(tiles)
        return np.asarray(self._pushes[first][:, place - first])

    @cached_property
    def _pushes(self) -> dict[int, Floats]:
        return {}

    def _left(self, gone: Floats) -> PairTable:
        # Sums of weights that are not whole leave rounding where nothing is left.
        left = self._table.ravel() - gone
        left[left < LEVEL] = 0
        return PairTable(left.reshape(self._table.shape))

    def _search(
        self,
        without: Callable[[int], PairTable],
        named: Callable[[int], Integers],
        pair: tuple[int, int],
        guess: int,
        most: int,
        total: int,
    ) -> Flip:
        gaps = {0: float(self._estimate.strengths[pair[0]] - self._estimate.strengths[pair[1]])}

        def gap(count: int) -> float:
            if count not in gaps:
                gaps[count] = _gap(without(count), self._estimate, *pair)
            return gaps[count]

        to_tie = _fewest(gap, LEVEL, guess, most)
        to_flip = None if to_tie is None else _fewest(gap, -LEVEL, to_tie, most)
        return Flip(to_tie, to_flip, total, named(to_flip) if to_flip else np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """Votes of one cell and one weight; (K,) arrays, and (n,) the rows of the votes by kind, ascending in each."""

    a: Integers
    b: Integers
    cell: Integers
    weight: Floats
    count: Integers
    by_kind: Integers

    def votes_of(self, chosen: Integers, number: Integers) -> Integers:
        """The first rows of some kinds, so many of each."""
        ends = np.cumsum(number)
        first = np.cumsum(self.count)[chosen] - self.count[chosen]
        return self.by_kind[np.repeat(first - ends + number, number) + np.arange(int(ends[-1]) if len(ends) else 0)]


def _pushing(push: Floats) -> Integers:
    """What pushes the upper agent up, the strongest push first, and of equal ones the first.

    An unstable sort, whose runs of equal values are sorted after it, takes a tenth of the time of a stable one.
    """
    up = np.flatnonzero(push > 0)
    order = np.argsort(-push[up])
    strength = push[up][order]
    run = np.zeros(len(order), dtype=np.int64)
    np.cumsum(strength[1:] != strength[:-1], out=run[1:])
    return up[np.sort(run * len(order) + order) - run * len(order)]


def _fewest(gap: Callable[[int], float], level: float, guess: int, most: int) -> int | None:
    """The least count from 1 to ``most`` that leaves the gap at or below ``level``, if counts above it do too.

    The gap is nearly a straight line in the count, so the next one to try lies where the line through the two ends
    crosses the level; every other time it lies in the middle, which ends the search whatever the gap does.
    """
    below, above = 0, min(max(1, guess), most)
    while above and not gap(above) <= level:
        if above == most:
            return None
        below, above = above, min(2 * above, most)
    if not above:
        return None
    halve = False
    while above - below > 1:
        between = (below + above) // 2
        rise = gap(below) - gap(above)
        if not halve and np.isfinite(rise) and rise > 0:
            between = below + math.ceil((gap(below) - level) / rise * (above - below))
        between = min(max(between, below + 1), above - 1)
        below, above = (below, between) if gap(between) <= level else (between, above)
        halve = not halve
    return above


def _gap(table: PairTable, estimate: Estimate, upper: int, lower: int) -> float:
    """The gap in nats that is left; infinite where only one can still be above, NaN where nothing compares the two."""
    points = table.points()
    if strongly_connected(points > 0):
        strengths = near_maximum(points, estimate)
        if strengths is not None:
            return float(strengths[upper] - strengths[lower])
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
