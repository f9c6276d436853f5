"""The Bradley-Terry model: P(a is preferred to b) = 1 / (1 + exp(-(r_a - r_b + b_pos))).

A tie is half a win for each side, which makes the likelihood a quasi-likelihood: its estimates keep their meaning
(each agent's expected points equal its points), its model-based errors do not, and the sandwich repairs them.
The maximum is found by Newton steps on the M x M table of pairs, whatever the number of votes.

Sources: Bradley and Terry 1952; Zermelo 1929; Ford 1957 for when a maximum exists; Hunter 2004 for a survey.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import A_WINS, POINTS_OF_A, TIE, PairTable
from ratings.estimators.connectivity import components
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.newton import Derivatives, extras_determined, generalized_inverse, maximise

POSITION = "position"

#: Steps with another fit's information end below so many nats; what they leave is less than the last of them.
NEAR_TOLERANCE = 1e-11
#: Votes that need more steps differ too much, and Newton's are cheaper.
MOST_NEAR_STEPS = 12


def fit_bradley_terry(table: PairTable, *, position: bool = False, start: Floats | None = None) -> Estimate:
    """Maximum likelihood of strengths, and of the advantage of slot A if asked for.

    Args:
        table: weights of votes between M agents.
        position: fit b_pos, in nats, as a further parameter named ``position``.
        start: (M,) or, with position, (M + 1,) strengths to begin from.

    Raises:
        NoFiniteMaximum: the agents are not connected, somebody never lost or never won, slot A always won, or its
            advantage cannot be told from the agents' strengths.
    """
    require_ford(table)
    m = table.agents
    points, weight = seated(table) if position else unseated(table)

    def evaluate(parameters: Floats) -> Derivatives:
        return derivatives(points, weight, parameters)

    origin = np.zeros(m + int(position)) if start is None else start
    if position and not extras_determined(evaluate(origin).information, m):
        raise NoFiniteMaximum("the agents always sat in the same slots", "not_identified")
    found = maximise(evaluate, origin, m)
    if position and not found.converged:
        raise NoFiniteMaximum("the advantage of a slot grows without limit", "unbounded")
    strengths, extras = found.parameters[:m], found.parameters[m:]
    residual = residuals(strengths, extras)
    return Estimate(
        model="bradley_terry",
        strengths=strengths - strengths.mean(),
        extras=extras,
        extra_names=(POSITION,) if position else (),
        log_likelihood=found.value,
        bread=generalized_inverse(found.information, m),
        residual=residual,
        extra_scores=residual[None] if position else np.empty((0, m, m, len(POINTS_OF_A))),
        steps=found.steps,
        converged=found.converged,
    )


def near_maximum(points: Floats, estimate: Estimate) -> Floats | None:
    """Strengths for votes that differ little from those of an estimate, by steps with the estimate's information.

    Each step leaves a part of the error that is the smaller the less the votes differ, and costs an eighth of Newton's.

    Args:
        points: (M, M) points of the row agent against the column agent, whose graph is strongly connected.
        estimate: a half-win fit of the same agents without further parameters.

    Returns:
        (M,) strengths that add to zero; None where the steps do not settle soon.
    """
    m = len(points)
    inverse, strengths, own = estimate.bread[:m, :m], estimate.strengths, points.sum(axis=1)
    meetings = points + points.T
    before = np.inf
    for _ in range(MOST_NEAR_STEPS):
        expected = np.exp(strengths[None, :] - strengths[:, None])
        expected += 1
        step = inverse @ (own - np.divide(meetings, expected, out=expected).sum(axis=1))
        longest = float(np.abs(step).max())
        if not longest < before:
            return None
        strengths, before = strengths + step, longest
        if longest < NEAR_TOLERANCE:
            return np.asarray(strengths - strengths.mean())
    return None


def require_ford(table: PairTable) -> None:
    """Check that a finite maximum exists.

    Raises:
        NoFiniteMaximum: with reason ``not_connected`` or ``unbounded``.
    """
    parts = components(table)
    if len(parts) > 1:
        raise NoFiniteMaximum(f"the votes connect the agents in {len(parts)} separate components", "not_connected")
    if not parts[0].strongly_connected:
        raise NoFiniteMaximum("some agents never lost, or never won, against the rest", "unbounded")


def seated(table: PairTable) -> tuple[Floats, Floats]:
    """(M, M) points of the row agent in slot A against the column agent in slot B, and the weight of those votes."""
    points = table.weight[:, :, A_WINS] + 0.5 * table.weight[:, :, TIE]
    return np.asarray(points), np.asarray(table.weight.sum(axis=2))


def unseated(table: PairTable) -> tuple[Floats, Floats]:
    """As :func:`seated` with slots forgotten: every pair once, above the diagonal.

    The sums do not depend on who sat where to the last bit, where weights are whole or half numbers.
    """
    return np.triu(table.points()), np.triu(table.meetings())


def derivatives(points: Floats, weight: Floats, parameters: Floats) -> Derivatives:
    """Log-likelihood, gradient and information of oriented pairs.

    Args:
        points: (M, M) points of the row agent.
        weight: (M, M) weight of the votes.
        parameters: (M,) strengths, or (M + 1,) with the advantage of the row agent last.
    """
    m = len(points)
    gap = parameters[:m, None] - parameters[None, :m]
    if len(parameters) > m:
        gap = gap + parameters[m]
    chance = expit(gap)
    expected = weight * chance
    residual = points - expected
    spread = expected * (1 - chance)
    # In this form nothing large cancels: a search that compares values needs them to the last digits.
    value = -float((points * np.logaddexp(0, -gap) + (weight - points) * np.logaddexp(0, gap)).sum())
    gradient = np.empty(len(parameters))
    gradient[:m] = residual.sum(axis=1) - residual.sum(axis=0)
    information = np.zeros((len(parameters), len(parameters)))
    information[:m, :m] = laplacian(spread)
    if len(parameters) > m:
        gradient[m] = residual.sum()
        information[:m, m] = information[m, :m] = spread.sum(axis=1) - spread.sum(axis=0)
        information[m, m] = spread.sum()
    return Derivatives(value, gradient, information)


def laplacian(spread: Floats) -> Floats:
    """(M, M) sum over pairs of spread_ab (e_a - e_b)(e_a - e_b)'."""
    both = spread + spread.T
    matrix = -both
    matrix.flat[:: len(both) + 1] = both.sum(axis=1) - np.diag(both)
    return matrix


def residuals(strengths: Floats, extras: Floats) -> Floats:
    """(M, M, 3) points of slot A less their expectation, by a, b and outcome."""
    gap = strengths[:, None] - strengths[None, :]
    if len(extras):
        gap = gap + extras[0]
    return np.asarray(POINTS_OF_A - expit(gap)[:, :, None])
