"""How many standard errors hold for all agents, or for all pairs of agents, at once.

Three ways, by how many judges there are. In between the very few and the very many, the score wild bootstrap: the
summed score of every judge gets a random sign, the fit moves by one Newton step, and the largest of all t statistics
is noted. Its statistic is studentized with the signed scores about their own mean, weighted by the judges' shares:
without that, one judge with a fifth of the votes makes the quantile too small where it ought to be largest. With 40
unequal judges and 8 agents the normal quantile of max |t| covered 62 to 92% of all pairs, the t 83 to 94%, this one
93 to 96%.

Sources: Kline and Santos 2012 (score bootstrap); Mammen 1993 and Liu 1988 (wild bootstrap); Hothorn, Bretz and Westfall
2008 (simultaneous t).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from ratings.estimators.arrays import Flags, Floats
from ratings.estimators.clusters import Clusters, score_tiles
from ratings.estimators.covariance import Covariance
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import contrasts
from ratings.estimators.seeded import SeededDraws
from ratings.estimators.threads import one_blas_thread
from ratings.inference.intervals import CONFIDENCE, ellipsoid_factor, t_quantile

#: Draws behind a critical value; its 95% quantile is then at a true level of 95% give or take half a percent.
DRAWS = 2000
#: Below this many effective judges random signs take too few different values, and the ellipsoid is used.
FEWEST_FOR_WILD = 10.0
#: Six judges have 32 patterns of signs up to a common one; fewer cannot show what happens once in twenty times.
FEWEST_FOR_SIGNS = 6
#: From this many effective judges on summed scores are as good as normal, and their covariance is all that is needed.
ENOUGH_FOR_NORMAL = 1000.0

#: Draws whose gaps are worked off together, so that they stay in the processor's cache.
GAP_BLOCK = 250

Method = Literal["f_ellipsoid", "score_wild_bootstrap", "multivariate_t"]


@dataclass(frozen=True, slots=True)
class CriticalValues:
    """Standard errors that hold at once.

    Attributes:
        ratings: for the contrasts of all agents with their reference.
        gaps: for the gaps of all pairs.
        method: how they were found.
    """

    ratings: float
    gaps: float
    method: Method


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDraws:
    """Simulated errors of the strengths, with what studentizes them.

    Attributes:
        error: (B, M) simulated errors, nats.
        drag: (B, M) the same draws with every judge weighted by its share of the votes; None for draws whose
            statistics need no studentizing of their own.
        spread: (M, M) covariance of the errors.
        own_share: sum of the squared shares of the judges.
    """

    error: Floats
    drag: Floats | None
    spread: Floats
    own_share: float

    def squared_ratings(self, reference: Floats) -> Floats:
        """(B, M) squared t statistics of the contrasts with the reference."""
        centred = contrasts(reference)
        variance = np.diag(centred @ self.spread @ centred.T)
        drag = None if self.drag is None else self.drag @ centred.T
        return self._studentized(self.error @ centred.T, drag, variance)

    def largest_squared_gap(self, usable: Flags) -> Floats:
        """(B,) largest squared t statistic among the gaps of all pairs of usable agents."""
        agents = np.flatnonzero(usable)
        own = np.diag(self.spread)[agents]
        variance = own[:, None] + own[None, :] - 2 * self.spread[np.ix_(agents, agents)]
        largest = np.zeros(len(self.error))
        for first in range(0, len(largest), GAP_BLOCK):
            block = slice(first, first + GAP_BLOCK)
            error = np.ascontiguousarray(self.error[block, agents].T)
            drag = None if self.drag is None else np.ascontiguousarray(self.drag[block, agents].T)
            for i in range(len(agents) - 1):
                gaps = error[i + 1 :] - error[i]
                gap_drags = None if drag is None else drag[i + 1 :] - drag[i]
                squares = self._studentized(gaps, gap_drags, variance[i, i + 1 :, None])
                np.maximum(largest[block], squares.max(axis=0), out=largest[block])
        return largest

    def _studentized(self, error: Floats, drag: Floats | None, variance: Floats) -> Floats:
        """Squared t statistics; zero where there is no variance, as for an agent against itself."""
        positive = variance > 0
        square = np.square(error)
        if drag is None:
            return np.asarray(square * np.where(positive, 1 / np.where(positive, variance, 1.0), 0.0))
        # Sum of (sign u - share x total)^2 over judges, multiplied out.
        drag *= error
        drag *= 2
        spread = self.own_share * square
        spread += variance
        spread -= drag
        return np.divide(square, spread, out=np.zeros_like(square), where=spread > 0)


def critical_values(
    judges: Clusters, estimate: Estimate, covariance: Covariance, reference: Floats, *, seed: int
) -> CriticalValues:
    """Critical values for all agents with a usable error.

    Args:
        judges: the votes clustered by judge.
        estimate: the fit.
        covariance: its covariance, clustered on the judge.
        reference: (M,) shares of the agents whose mean is the anchor.
        seed: of the simulation.
    """
    df, usable = covariance.degrees_of_freedom, covariance.usable
    if covariance.effective_clusters < FEWEST_FOR_WILD or usable.sum() < 2:
        # Further parameters are not contrasted, so only strengths span the ellipsoid.
        factor = ellipsoid_factor(max(1, len(estimate.strengths) - 1), df)
        return CriticalValues(factor, factor, "f_ellipsoid")
    if covariance.effective_clusters < ENOUGH_FOR_NORMAL:
        return _quantiles(wild_draws(judges, estimate, seed=seed), reference, usable, df, "score_wild_bootstrap")
    return _quantiles(t_draws(covariance, seed=seed), reference, usable, df, "multivariate_t")


def wild_draws(judges: Clusters, estimate: Estimate, *, seed: int, draws: int = DRAWS) -> ScoreDraws:
    """One Newton step from the fit under random signs of the judges' scores, ``draws`` times."""
    m, width = judges.agents, judges.agents + len(estimate.extras)
    chance, shares = SeededDraws(seed), judges.shares()
    total, drag = np.zeros((draws, width)), np.zeros((draws, width))
    square = np.zeros((width, width))
    with one_blas_thread():
        for block, scores in score_tiles(judges, estimate):
            signs = chance.signs(draws, len(scores))
            total += signs @ scores
            signs *= shares[block]
            drag += signs @ scores
            square += scores.T @ scores
    bread = estimate.bread[:, :m]
    factor = len(judges) / (len(judges) - 1)
    root = float(np.sqrt(factor))
    # The factor belongs to the variance of every statistic. Taken out of the errors and put into what is multiplied by
    # them below, it comes to the same.
    return ScoreDraws(
        error=total @ bread / root,
        drag=drag @ bread * root,
        spread=bread.T @ square @ bread,
        own_share=float(np.square(shares).sum()) * factor,
    )


def wild_factors(judges: Clusters, estimate: Estimate, reference: Floats, *, seed: int) -> Floats | None:
    """(M,) standard errors of each agent's own 95% interval by the score wild bootstrap.

    Reported beside the t interval where judges are few (Kline and Santos 2012). None where there are so few that
    their signs have no twenty different patterns.
    """
    if len(judges) < FEWEST_FOR_SIGNS:
        return None
    squares = wild_draws(judges, estimate, seed=seed).squared_ratings(reference)
    return np.asarray(np.sqrt(np.quantile(squares, CONFIDENCE, axis=0)))


def t_draws(covariance: Covariance, *, seed: int, draws: int = DRAWS) -> ScoreDraws:
    """Draws of a multivariate t with the covariance and its degrees of freedom."""
    m = len(covariance.reasons)
    spread = covariance.matrix[:m, :m]
    values, vectors = np.linalg.eigh(spread)
    chance = SeededDraws(seed)
    error = chance.normals(draws, m) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    df = covariance.degrees_of_freedom
    if np.isfinite(df):
        # With next to no degrees of freedom quantiles fall below what a double can hold.
        quantiles = np.maximum(stats.chi2.ppf(chance.uniforms(draws), df), np.finfo(np.float64).tiny)
        error *= np.sqrt(df / quantiles)[:, None]
    return ScoreDraws(error, None, spread, 0.0)


def _quantiles(draws: ScoreDraws, reference: Floats, usable: Flags, df: float, method: Method) -> CriticalValues:
    ratings = draws.squared_ratings(reference)[:, usable].max(axis=1)
    gaps = draws.largest_squared_gap(usable)
    # All at once is never narrower than one at a time.
    floor = t_quantile(df)
    return CriticalValues(
        max(floor, float(np.sqrt(np.quantile(ratings, CONFIDENCE)))),
        max(floor, float(np.sqrt(np.quantile(gaps, CONFIDENCE)))),
        method,
    )
