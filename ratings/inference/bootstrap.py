"""Refits of resampled judges.

The bootstrap checks what the sandwich assumes: that one linear step describes how an estimate moves when judges are
exchanged. A published point estimate never comes from it.

Many replicates are refitted together. Their votes are added up by one product of a sparse matrix, of kinds of vote by
judges, with how often each replicate drew each judge; their maxima are approached by steps of the inverse information
at the fit of all votes, which is near that of every replicate. Where these steps do not settle, Newton's do.

Source: Efron 1979; Field and Welsh 2007 for resampling whole clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.bradley_terry import derivatives, unseated
from ratings.estimators.clusters import Clusters, cluster
from ratings.estimators.comparisons import A_WINS, OUTCOME_BITS, OUTCOMES, TIE, Comparisons, PairTable
from ratings.estimators.connectivity import strongly_connected
from ratings.estimators.estimate import Estimate
from ratings.estimators.newton import Derivatives, maximise
from ratings.estimators.seeded import SeededDraws
from ratings.estimators.threads import one_blas_thread
from ratings.inference.intervals import CONFIDENCE

DEFAULT_REPLICATES = 200
#: A resampled maximum need not be known better than to a thousandth of a point.
TOLERANCE = 1e-6
#: A step with another replicate's information leaves a part of the error, and not its square as Newton's does.
FIXED_TOLERANCE = 1e-8
#: On a board of many judges five to eight steps settle; on one of few, Newton's are cheaper than twice as many.
MOST_FIXED_STEPS = 16
#: Replicates worked off together: their sums of one kind of vote are two lines of the processor's cache.
TOGETHER = 16
#: Clusters whose counts stay in the first-level cache while they are put side by side.
ROWS_TOGETHER = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Strengths of resampled votes.

    Attributes:
        strengths: (B, M) nats, adding to zero; only replicates with a finite maximum.
        failed: replicates without one, as where an agent lost its only losses. Many of them say that the interval
            has no end.
    """

    strengths: Floats
    failed: int

    def covariance(self) -> Floats:
        """(M, M) covariance of the strengths over replicates, nats squared."""
        return np.asarray(np.cov(self.strengths.T))

    def interval(self, contrast: Floats, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Percentile interval of a contrast of the strengths, in nats."""
        tail = (1 - confidence) / 2
        low, high = np.quantile(self.strengths @ contrast, (tail, 1 - tail))
        return float(low), float(high)


def bootstrap(
    votes: Comparisons, estimate: Estimate, clusters: Integers, *, seed: int, replicates: int = DEFAULT_REPLICATES
) -> Bootstrap:
    """Resample clusters with replacement and refit the half-win model without further parameters.

    Args:
        votes: n comparisons of M agents.
        estimate: their fit, from which every refit begins.
        clusters: (n,) what is resampled: judges, or each vote by itself; numbers from 0.
        seed: of the resampling.
        replicates: how many refits.
    """
    chance, number = SeededDraws(seed), 0
    found = np.empty((replicates, votes.agents))
    with one_blas_thread():
        pairs = _Pairs(cluster(votes, clusters), estimate)
        for first in range(0, replicates, TOGETHER):
            block = min(TOGETHER, replicates - first)
            refitted = pairs.refitted(_side_by_side([chance.resampled(pairs.clusters) for _ in range(block)]))
            found[number : number + len(refitted)] = refitted
            number += len(refitted)
    return Bootstrap(found[:number].copy(), replicates - number)


class _Pairs:
    """Votes by pair of agents, to be added up under any weights of the clusters.

    Args:
        clusters: the votes by what is resampled.
        estimate: their fit.
    """

    def __init__(self, clusters: Clusters, estimate: Estimate) -> None:
        self.clusters = len(clusters)
        self._agents = m = clusters.agents
        self._start = estimate.strengths
        self._inverse = estimate.bread[:m, :m]
        kind, self._low, self._high = _kinds(clusters)
        weight = np.ones(len(kind)) if clusters.weight is None else clusters.weight
        shape = (len(self._low) * OUTCOMES, self.clusters)
        self._votes = csc_array((weight, kind, clusters.starts.astype(np.int32)), shape=shape)
        k = len(self._low)
        ends, side = np.concatenate([self._low, self._high]), np.repeat([1.0, -1.0], k)
        #: (M, K) of every pair, 1 for its lower and -1 for its higher agent.
        self._incidence = csr_array((side, (ends, np.tile(np.arange(k), 2))), shape=(m, k))

    def refitted(self, drawn: Floats) -> Floats:
        """(R, M) strengths of the replicates that have a finite maximum, R of B, in their order.

        Args:
            drawn: (G, B) how often each cluster counts in each replicate.
        """
        sums = (self._votes @ drawn).reshape(len(self._low), OUTCOMES, -1)
        weight = sums.sum(axis=1)
        points = sums[:, A_WINS] + 0.5 * sums[:, TIE]
        bounded = self._bounded(points > 0, weight > points)
        strengths, settled = self._approached(points, weight)
        for replicate in np.flatnonzero(bounded & ~settled):
            exact = self._exact(sums[:, :, replicate])
            if exact is None:
                bounded[replicate] = False
            else:
                strengths[:, replicate] = exact
        return np.ascontiguousarray(strengths[:, bounded].T)

    def _bounded(self, low_scored: Flags, high_scored: Flags) -> Flags:
        """(B,) whether there is a finite maximum, from (K, B) flags of which side of a pair got points."""
        found = np.empty(low_scored.shape[1], dtype=np.bool_)
        for replicate in range(len(found)):
            scored = np.zeros((self._agents, self._agents), dtype=np.bool_)
            scored[self._low, self._high] = low_scored[:, replicate]
            scored[self._high, self._low] = high_scored[:, replicate]
            found[replicate] = strongly_connected(scored)
        return found

    def _approached(self, points: Floats, weight: Floats) -> tuple[Floats, Flags]:
        """(M, B) where the steps led, and (B,) which of them settled."""
        strengths = np.repeat(self._start[:, None], points.shape[1], axis=1)
        longest = np.full(points.shape[1], np.inf)
        for _ in range(MOST_FIXED_STEPS):
            expected = strengths[self._high]
            expected -= strengths[self._low]
            np.exp(expected, out=expected)
            expected += 1
            np.divide(weight, expected, out=expected)
            step = self._inverse @ (self._incidence @ np.subtract(points, expected, out=expected))
            before, longest = longest, np.abs(step).max(axis=0)
            strengths += step
            if not ((longest > FIXED_TOLERANCE) & (longest < before)).any():
                break
        return strengths, longest <= FIXED_TOLERANCE

    def _exact(self, sums: Floats) -> Floats | None:
        """(M,) strengths by Newton's steps from (K, 3) weights; None where rounding keeps them from settling."""
        table = np.zeros((self._agents, self._agents, OUTCOMES))
        table[self._low, self._high] = sums
        points, weight = unseated(PairTable(table))

        def evaluate(parameters: Floats) -> Derivatives:
            return derivatives(points, weight, parameters)

        found = maximise(evaluate, self._start, self._agents, TOLERANCE)
        return found.parameters - found.parameters.mean() if found.converged else None


def _side_by_side(columns: list[Integers]) -> Floats:
    """(G, B) the columns as a table, filled by blocks of rows: column by column every line of it is fetched B times."""
    rows = len(columns[0])
    table = np.empty((rows, len(columns)))
    for first in range(0, rows, ROWS_TOGETHER):
        block = slice(first, first + ROWS_TOGETHER)
        for place, column in enumerate(columns):
            table[block, place] = column[block]
    return table


def _kinds(clusters: Clusters) -> tuple[Integers, Integers, Integers]:
    """(n,) number of each vote's pair times 3 plus its outcome for the lower agent; (K,) both agents of every pair."""
    width = 1 << clusters.agent_bits
    votes = np.bincount(clusters.code, minlength=width * width << OUTCOME_BITS).reshape(width, width, -1)
    met = votes.sum(axis=2)
    low, high = np.nonzero(np.triu(met + met.T))
    kind = np.full((width, width, 1 << OUTCOME_BITS), -1, dtype=np.int32)
    outcomes = np.arange(OUTCOMES, dtype=np.int32)
    own = OUTCOMES * np.arange(len(low), dtype=np.int32)[:, None]
    kind[low, high, :OUTCOMES] = own + outcomes
    kind[high, low, :OUTCOMES] = own + outcomes[::-1]
    return kind.ravel()[clusters.code], low, high
