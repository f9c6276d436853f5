"""Refits of resampled judges.

The bootstrap checks what the sandwich assumes: that one linear step describes how an estimate moves when judges are
exchanged. A published point estimate never comes from it.

Source: Efron 1979; Field and Welsh 2007 for resampling whole clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by
from ratings.estimators.bradley_terry import derivatives, unseated
from ratings.estimators.comparisons import OUTCOMES, Comparisons, PairTable, tabulate
from ratings.estimators.connectivity import components
from ratings.estimators.estimate import Estimate
from ratings.estimators.newton import Derivatives, maximise
from ratings.estimators.seeded import SeededDraws
from ratings.estimators.threads import one_blas_thread
from ratings.inference.intervals import CONFIDENCE

DEFAULT_REPLICATES = 200
#: A resampled maximum need not be known better than to a thousandth of a point.
TOLERANCE = 1e-6


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
        clusters: (n,) what is resampled: judges, or each vote by itself.
        seed: of the resampling.
        replicates: how many refits.
    """
    _, owner = np.unique(clusters, return_inverse=True)
    number, m = int(owner.max()) + 1, votes.agents
    cell = (votes.a.astype(np.int64) * m + votes.b) * OUTCOMES + votes.outcome
    chance, found, failed = SeededDraws(seed), [], 0
    edges = tabulate(votes).points() > 0
    with one_blas_thread():
        for _ in range(replicates):
            weight = chance.resampled(number)[owner].astype(np.float64)
            if votes.weight is not None:
                weight *= votes.weight
            table = PairTable(sums_by(cell, weight, m * m * OUTCOMES).reshape(m, m, OUTCOMES))
            strengths = _refit(table, estimate.strengths, edges)
            if strengths is None:
                failed += 1
            else:
                found.append(strengths)
    return Bootstrap(np.array(found).reshape(-1, m), failed)


def _refit(table: PairTable, start: Floats, edges: Flags) -> Floats | None:
    # A replicate in which everybody still got points from the same agents is as connected as the votes themselves.
    if not (table.points()[edges] > 0).all():
        parts = components(table)
        if len(parts) > 1 or not parts[0].strongly_connected:
            return None
    points, weight = unseated(table)

    def evaluate(parameters: Floats) -> Derivatives:
        return derivatives(points, weight, parameters)

    found = maximise(evaluate, start, table.agents, TOLERANCE)
    return found.parameters - found.parameters.mean() if found.converged else None
