"""Newton's method for the concave log-likelihoods of this package.

The first M parameters of every likelihood are the agents' strengths, of which only differences matter: its
information matrix has the constant vector in its null space. Adding a multiple of that vector's projector makes
the matrix invertible without changing any step between strengths that add to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ratings.estimators.arrays import Floats
from ratings.estimators.threads import one_blas_thread

#: A step below this many nats ends the search: the error left is of the order of its square.
STEP_TOLERANCE = 1e-9
#: Or a step that promises to raise the log-likelihood by less than this share: on nearly separated votes rounding alone
#: moves strengths by more than the tolerance above.
GAIN_TOLERANCE = 1e-19
#: Newton needs about six steps on real votes and a step per nat on nearly separated ones.
MAX_STEPS = 200
#: No step moves a parameter further than this, since the quadratic model is worth nothing at such distances.
LONGEST_STEP = 4.0
MAX_HALVINGS = 40
#: Share of a parameter's information that must be left after the strengths have explained what they can.
COLLINEAR = 1e-9
#: Relative rounding error that a log-likelihood summed over many cells may show between two equal points.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """A log-likelihood at one point.

    Attributes:
        value: the log-likelihood.
        gradient: (P,) first derivatives.
        information: (P, P) negative second derivatives.
    """

    value: float
    gradient: Floats
    information: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where a search ended.

    Attributes:
        parameters: (P,) the point; strengths add to zero.
        value: log-likelihood there.
        information: (P, P) negative second derivatives there.
        steps: Newton steps taken.
        converged: whether the last step was below the tolerance; otherwise the point is nobody's estimate.
    """

    parameters: Floats
    value: float
    information: Floats
    steps: int
    converged: bool


def maximise(
    evaluate: Callable[[Floats], Derivatives],
    start: Floats,
    agents: int,
    tolerance: float = STEP_TOLERANCE,
    at_start: Derivatives | None = None,
) -> Maximum:
    """Maximise a concave log-likelihood by Newton steps, halved where they overshoot.

    Args:
        evaluate: the derivatives at (P,) parameters.
        start: (P,) where to begin.
        agents: how many of the leading parameters are strengths.
        tolerance: largest component of a step at which the search ends, that step included.
        at_start: the derivatives at ``start``, if at hand.
    """
    with one_blas_thread():
        return _climb(evaluate, start, agents, tolerance, evaluate(start) if at_start is None else at_start)


def _climb(
    evaluate: Callable[[Floats], Derivatives], start: Floats, agents: int, tolerance: float, at_start: Derivatives
) -> Maximum:
    point, here = start, at_start
    for steps in range(1, MAX_STEPS + 1):
        try:
            step = solve_information(here.information, here.gradient, agents)
        except LinAlgError:
            break
        longest = float(np.abs(step).max())
        if not np.isfinite(longest):
            break
        gain = float(here.gradient @ step) / 2
        if longest < tolerance or abs(gain) < GAIN_TOLERANCE * (1 + abs(here.value)):
            return Maximum(point + step, here.value, here.information, steps, True)
        moved = _uphill(evaluate, point, here, step * min(1.0, LONGEST_STEP / longest))
        if moved is None:
            break
        point, here = moved
    return Maximum(point, here.value, here.information, MAX_STEPS, False)


def solve_information(information: Floats, right: Floats, agents: int) -> Floats:
    """Solve information x = right for x whose strengths add to zero; ``right`` is (P,) or (P, C).

    Raises:
        LinAlgError: the information is singular beyond the constant vector.
    """
    padded, _ = _pad(information, agents)
    factor = cho_factor(padded, lower=True, check_finite=False)
    solution = np.array(cho_solve(factor, right, check_finite=False), dtype=np.float64)
    solution[:agents] -= solution[:agents].mean(axis=0)
    return solution


def generalized_inverse(information: Floats, agents: int) -> Floats:
    """(P, P) inverse of the information on the space where strengths add to zero, and zero on the constant vector.

    Raises:
        LinAlgError: the information is singular beyond the constant vector.
    """
    padded, size = _pad(information, agents)
    identity = np.eye(len(padded))
    with one_blas_thread():
        factor = cho_factor(padded, lower=True, check_finite=False)
        inverse = np.asarray(cho_solve(factor, identity, check_finite=False))
    inverse[:agents, :agents] -= 1 / (size * agents)
    return np.asarray((inverse + inverse.T) / 2, dtype=np.float64)


def extras_determined(information: Floats, agents: int) -> bool:
    """Whether no combination of the further parameters has the same effect on every vote as a change of strengths."""
    cross, own = information[:agents, agents:], information[agents:, agents:]
    left = own - cross.T @ solve_information(information[:agents, :agents], cross, agents)
    scale = np.sqrt(np.diag(own))
    return bool(np.all(scale > 0)) and float(np.linalg.eigvalsh(left / np.outer(scale, scale))[0]) > COLLINEAR


def _pad(information: Floats, agents: int) -> tuple[Floats, float]:
    """Information plus ``size`` times the projector on the constant vector, ``size`` of the order of its diagonal."""
    size = float(np.trace(information[:agents, :agents])) / agents or 1.0
    padded = information.copy()
    padded[:agents, :agents] += size / agents
    return padded, size


def _uphill(
    evaluate: Callable[[Floats], Derivatives], point: Floats, here: Derivatives, step: Floats
) -> tuple[Floats, Derivatives] | None:
    """The first of the steps 1, 1/2, 1/4, ... that does not go downhill; None if all do."""
    slack = ROUNDING * (1 + abs(here.value))
    for _ in range(MAX_HALVINGS):
        there = evaluate(point + step)
        if there.value >= here.value - slack:
            return point + step, there
        step = step / 2
    return None
