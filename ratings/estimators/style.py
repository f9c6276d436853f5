"""Strengths with the style of the answers, or of the process, held equal.

Covariates are differences between the sides of a battle: eta = r_a - r_b + sum of beta_k x_k. They are scaled but
never centred: swapping the slots must turn every x into -x, which a mean taken out would break. A vote has two non-zero
entries among the strengths and K among the covariates, so that the likelihood is summed by pair of agents and the
dense design matrix is never formed.

What it gives is observational: it says what the ratings would be if style did not move judges, given that style is
not itself a sign of quality.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.bradley_terry import fit_bradley_terry, laplacian
from ratings.estimators.comparisons import OUTCOMES, POINTS_OF_A, Comparisons, PairTable, tabulate
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.newton import (
    LONGEST_STEP,
    Derivatives,
    Maximum,
    extras_determined,
    generalized_inverse,
    maximise,
    solve_information,
)
from ratings.estimators.threads import one_blas_thread

#: Votes worked off together: a block of each column then stays in the processor's cache.
BLOCK = 1 << 14
#: From this many votes on the search begins on every sixteenth of them, which brings it next to the maximum.
STRIDE_FROM = 200_000
STRIDE = 16
#: The search on part of the votes need not be finer than the difference to all of them.
COARSE = 3e-2
#: Steps with information of the first point: so many at most, each so much smaller than the one before, and none after
#: one of so many nats.
MOST_CHORDS = 6
SHRINKING = 0.1
NEXT_TO_IT = 1e-4
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
    plain = fit_bradley_terry(tabulate(votes)).strengths
    pair = votes.a.astype(np.int64)
    pair *= m
    pair += votes.b
    rows = _Rows(m, pair, POINTS_OF_A[votes.outcome], votes.weight, covariates)
    with one_blas_thread():
        found = _search(rows, plain)
        if not found.converged:
            raise NoFiniteMaximum("a coefficient grows without limit", "unbounded")
        residual = rows.residuals(found.parameters)
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


def _search(rows: _Rows, plain: Floats) -> Maximum:
    """The maximum; from many votes on the search begins at what control changes in a part of them.

    Args:
        rows: the votes.
        plain: (M,) their strengths without control.
    """
    m = rows.agents
    start = np.append(plain, np.zeros(len(rows.covariates)))
    if len(rows.pair) >= STRIDE_FROM:
        start = start + _change_in_a_part(rows)
    here = rows.derivatives(start)
    if not extras_determined(here.information, m):
        raise NoFiniteMaximum("covariates cannot be told from the agents or from each other", "not_identified")
    if len(rows.pair) >= STRIDE_FROM:
        start, here = _settle(rows, start, here)
    return maximise(rows.derivatives, start, m, FINE, here)


def _change_in_a_part(rows: _Rows) -> Floats:
    """(P,) what control changes in every sixteenth vote; no change where that part lacks a maximum.

    The strengths of a part are far less certain than how control changes them, which the same votes decide.
    """
    part, m = rows.part(STRIDE), rows.agents
    none = np.zeros(m + len(rows.covariates))
    try:
        plain = np.append(fit_bradley_terry(part.table()).strengths, none[m:])
    except NoFiniteMaximum:
        return none
    found = maximise(part.derivatives, plain, m, COARSE)
    return found.parameters - plain if found.converged else none


def _settle(rows: _Rows, start: Floats, here: Derivatives) -> tuple[Floats, Derivatives]:
    """Steps with the information of the first point, whose passes cost half of Newton's, while each is far smaller.

    Returns:
        a point next to the maximum and what is there; the start where the steps do not lead there.
    """
    point, gradient, before = start, here.gradient, LONGEST_STEP
    for _ in range(MOST_CHORDS):
        try:
            step = solve_information(here.information, gradient, rows.agents)
        except LinAlgError:
            return start, here
        longest = float(np.abs(step).max())
        if not longest < before * SHRINKING:
            return start, here
        point, before = point + step, longest
        # The next step would be smaller by about as much as this one is, and Newton's last one takes care of it.
        if longest < NEXT_TO_IT:
            break
        gradient = rows.gradient(point)
    there = rows.derivatives(point)
    return (point, there) if there.value >= here.value else (start, here)


def _logistic(log_odds: Floats) -> Floats:
    """1 / (1 + e^-x). Several times faster than SciPy's on long columns; clipped where a double underflows."""
    chance = np.maximum(log_odds, -MOST_LOG_ODDS)
    np.negative(chance, out=chance)
    np.exp(chance, out=chance)
    chance += 1
    return np.reciprocal(chance, out=chance)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Votes as the likelihood reads them.

    Attributes:
        agents: number of agents M.
        pair: (n,) a x M + b.
        points: (n,) of agent a.
        weight: (n,) weights, or None.
        covariates: (K, n).
    """

    agents: int
    pair: Integers
    points: Floats
    weight: Floats | None
    covariates: Floats

    def part(self, stride: int) -> _Rows:
        every = slice(None, None, stride)
        weight = None if self.weight is None else self.weight[every]
        columns = np.ascontiguousarray(self.covariates[:, every])
        return _Rows(self.agents, self.pair[every], self.points[every], weight, columns)

    def table(self) -> PairTable:
        """The votes by pair and outcome, without their covariates."""
        cell = self.pair * OUTCOMES + (2 * self.points).astype(np.int64)
        m = self.agents
        return PairTable(sums_by(cell, self.weight, m * m * OUTCOMES).reshape(m, m, OUTCOMES))

    def residuals(self, parameters: Floats) -> Floats:
        """(n,) points less their expectation, without weights."""
        found = np.empty(len(self.pair))
        for rows, _, _, chance in self._blocks(parameters):
            np.subtract(self.points[rows], chance, out=found[rows])
        return found

    def gradient(self, parameters: Floats) -> Floats:
        """(P,) first derivatives."""
        m = self.agents
        by_pair, own = np.zeros(m * m), np.zeros(len(self.covariates))
        for rows, x, _, chance in self._blocks(parameters):
            residual = np.subtract(self.points[rows], chance, out=chance)
            if self.weight is not None:
                residual *= self.weight[rows]
            own += x @ residual
            by_pair += sums_by(self.pair[rows], residual, m * m)
        square = by_pair.reshape(m, m)
        return np.append(square.sum(axis=1) - square.sum(axis=0), own)

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Log-likelihood, gradient and information, added up by pair block by block."""
        m, k = self.agents, len(self.covariates)
        by_pair = np.zeros((2 + k, m * m))
        own, own_gradient, value = np.zeros((k, k)), np.zeros(k), 0.0
        for rows, x, log_odds, chance in self._blocks(parameters):
            points, cells = self.points[rows], self.pair[rows]
            # In this form of the log-likelihood nothing large cancels where the chance is near one.
            likely = np.log(chance)
            likely += np.multiply(log_odds, points - 1, out=log_odds)
            residual, spread = points - chance, chance * (1 - chance)
            if self.weight is not None:
                for column in (residual, spread, likely):
                    np.multiply(column, self.weight[rows], out=column)
            value += float(likely.sum())
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

    def _blocks(self, parameters: Floats) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
        """Block by block the rows, their covariates, log-odds that agent a is preferred, and the chance of that."""
        m = self.agents
        gap = (parameters[:m, None] - parameters[None, :m]).ravel()
        block = max(BLOCK, 2 * m * m)
        for first in range(0, len(self.pair), block):
            rows = slice(first, first + block)
            x = self.covariates[:, rows]
            log_odds = gap[self.pair[rows]]
            log_odds += parameters[m:] @ x
            yield rows, x, log_odds, _logistic(log_odds)
