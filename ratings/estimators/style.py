"""Strengths with the style of the answers, or of the process, held equal.

Covariates are differences between the sides of a battle: eta = r_a - r_b + sum of beta_k x_k. They are scaled but
never centred: swapping the slots must turn every x into -x, which a mean taken out would break. A vote has two non-zero
entries among the strengths and K among the covariates, so that the likelihood is summed by pair of agents and the
dense design matrix is never formed.

What it gives is observational: it says what the ratings would be if style did not move judges, given that style is
not itself a sign of quality.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.bradley_terry import fit_bradley_terry, laplacian
from ratings.estimators.comparisons import POINTS_OF_A, Comparisons, PairTable, tabulate
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.newton import Derivatives, Maximum, extras_determined, generalized_inverse, maximise
from ratings.estimators.threads import one_blas_thread

#: Votes worked off together: a block of each column then stays in the processor's cache.
BLOCK = 1 << 14
#: From this many votes on the search begins on every sixteenth of them, which brings it next to the maximum.
STRIDE_FROM = 200_000
STRIDE = 16
#: The search on part of the votes need not be finer than the difference to all of them.
COARSE = 1e-3
#: A pass over all votes is dear, and the step after one below this is below rounding.
FINE = 1e-6
#: Below e^-700 a double is no longer normal, and neither is a search that goes there.
MOST_LOG_ODDS = 700.0


def normalized_difference(of_a: Floats, of_b: Floats) -> Floats:
    """(x_a - x_b) / (x_a + x_b) of non-negative quantities, with 0/0 := 0; between -1 and 1.

    500 against 520 words count little and 20 against 40 much.

    Raises:
        ValueError: a quantity is negative or not finite.
    """
    total = of_a + of_b
    if not (np.isfinite(total).all() and (of_a >= 0).all() and (of_b >= 0).all()):
        raise ValueError("style is measured by finite numbers that are not negative")
    return np.divide(of_a - of_b, total, out=np.zeros(total.shape), where=total > 0)


def scaled(covariates: Floats) -> Floats:
    """(K, n) covariates divided by their root mean square, about zero since they are not centred.

    A coefficient is then nats for a difference of ordinary size. A covariate that is zero throughout stays zero.
    """
    size = np.sqrt(np.square(covariates).mean(axis=1, keepdims=True))
    return covariates / np.where(size > 0, size, 1.0)


def fit_style(votes: Comparisons, covariates: Floats, names: Sequence[str]) -> Estimate:
    """Maximum likelihood of strengths and K coefficients.

    Args:
        votes: n comparisons of M agents.
        covariates: (K, n) differences of style, a against b, scaled and not centred.
        names: of the covariates.

    Returns:
        an estimate whose scores are by vote, with the coefficients as its further parameters.

    Raises:
        NoFiniteMaximum: as :func:`fit_bradley_terry`; also where a covariate never varies (``no_variation``), where
            covariates and agents cannot be told apart (``not_identified``), or where a coefficient grows without limit
            (``unbounded``).
        ValueError: shapes or names do not match.
    """
    if covariates.shape != (len(names), len(votes)):
        raise ValueError(f"{len(names)} covariates of {len(votes)} votes, not an array of shape {covariates.shape}")
    if not covariates.any(axis=1).all():
        raise NoFiniteMaximum("a covariate is zero in every vote", "no_variation")
    m = votes.agents
    table = tabulate(votes)
    start = np.append(fit_bradley_terry(table).strengths, np.zeros(len(names)))
    pair = votes.a.astype(np.int64) * m + votes.b
    points = POINTS_OF_A[votes.outcome]
    with one_blas_thread():
        found = _search(table, pair, points, votes.weight, covariates, start)
        if found is None or not found.converged:
            raise NoFiniteMaximum("a coefficient grows without limit", "unbounded")
        residual = points - _logistic(_advantage(pair, covariates, found.parameters, m))
        bread = generalized_inverse(found.information, m)
    strengths = found.parameters[:m]
    return Estimate(
        model="style",
        strengths=strengths - strengths.mean(),
        extras=found.parameters[m:],
        extra_names=tuple(names),
        log_likelihood=found.value,
        bread=bread,
        residual=residual,
        extra_scores=covariates * residual,
        steps=found.steps,
        converged=found.converged,
    )


def _search(
    table: PairTable, pair: Integers, points: Floats, weight: Floats | None, covariates: Floats, start: Floats
) -> Maximum | None:
    m = table.agents

    def over(stride: int, tolerance: float, begin: Floats) -> Maximum | None:
        part = slice(None, None, stride)
        columns = np.ascontiguousarray(covariates[:, part])
        rows = pair[part], points[part], None if weight is None else weight[part], columns

        def evaluate(parameters: Floats) -> Derivatives:
            return _derivatives(*rows, parameters, m)

        if stride == 1 and not extras_determined(evaluate(begin).information, m):
            raise NoFiniteMaximum("covariates cannot be told from the agents or from each other", "not_identified")
        return maximise(evaluate, begin, m, tolerance)

    if len(pair) >= STRIDE_FROM:
        coarse = over(STRIDE, COARSE, start)
        # Part of the votes may lack what holds a strength in place; then all of them start from the plain fit.
        start = coarse.parameters if coarse is not None and coarse.converged else start
    return over(1, FINE, start)


def _advantage(pair: Integers, covariates: Floats, parameters: Floats, m: int) -> Floats:
    """(n,) log-odds that agent a is preferred."""
    gap = (parameters[:m, None] - parameters[None, :m]).ravel()
    return np.asarray(gap[pair] + parameters[m:] @ covariates)


def _logistic(log_odds: Floats) -> Floats:
    """1 / (1 + e^-x). Several times faster than SciPy's on long columns; clipped where a double underflows."""
    chance = np.clip(log_odds, -MOST_LOG_ODDS, None)
    np.negative(chance, out=chance)
    np.exp(chance, out=chance)
    chance += 1
    return np.reciprocal(chance, out=chance)


def _derivatives(
    pair: Integers, points: Floats, weight: Floats | None, covariates: Floats, parameters: Floats, m: int
) -> Derivatives:
    """Log-likelihood, gradient and information, added up by pair block by block."""
    k = len(covariates)
    by_pair = np.zeros((2 + k, m * m))
    own, own_gradient, value = np.zeros((k, k)), np.zeros(k), 0.0
    block = max(BLOCK, 4 * m * m)
    for first in range(0, len(pair), block):
        rows = slice(first, first + block)
        x, cells = covariates[:, rows], pair[rows]
        log_odds = _advantage(cells, x, parameters, m)
        chance = _logistic(log_odds)
        residual, spread = points[rows] - chance, chance * (1 - chance)
        # ln p + (points - 1) x log-odds is the log-likelihood, and nothing large cancels in it where p is near one.
        log_odds *= points[rows] - 1
        log_odds += np.log(chance)
        if weight is not None:
            for column in (residual, spread, log_odds):
                np.multiply(column, weight[rows], out=column)
        value += float(log_odds.sum())
        weighted = x * spread
        own += weighted @ x.T
        own_gradient += x @ residual
        for row, column in enumerate((residual, spread, *weighted)):
            by_pair[row] += sums_by(cells, column, m * m)
    square = by_pair.reshape(-1, m, m)
    difference = square.sum(axis=2) - square.sum(axis=1)
    information = np.empty((m + k, m + k))
    information[:m, :m] = laplacian(square[1])
    information[:m, m:] = difference[2:].T
    information[m:, :m] = difference[2:]
    information[m:, m:] = own
    return Derivatives(value, np.append(difference[0], own_gradient), information)
