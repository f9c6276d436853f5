"""Two models in which a tie is an outcome of its own and not half of two others.

Davidson: ties are as likely as a multiple nu of the geometric mean of the strengths, so that at a gap of d nats
P(tie) = nu / (e^(d/2) + e^(-d/2) + nu). Rao and Kupper: judges do not see differences below a threshold eta, so that
P(win) = 1 / (1 + e^(eta - d)). Both are true likelihoods, so their model errors mean something. Their strengths are on
a scale of their own, on which gaps are larger than in the half-win model.

Sources: Davidson 1970, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments"; Rao
and Kupper 1967, "Ties in paired-comparison experiments".
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import laplacian, require_ford
from ratings.estimators.comparisons import A_WINS, B_WINS, OUTCOMES, POINTS_OF_A, TIE, PairTable
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.newton import Derivatives, Maximum, generalized_inverse, maximise

#: Names of the further parameters: ln nu and eta.
LOG_NU = "log_nu"
THRESHOLD = "threshold"

#: First and second derivatives of a cell's log-likelihood by the gap d and by the further parameter t:
#: value, d, t, dd, dt, tt; each (M, M).
Cells = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


def fit_davidson(table: PairTable) -> Estimate:
    """Maximum likelihood of Davidson's model; at its maximum each agent's points equal its expected points.

    Raises:
        NoFiniteMaximum: see :func:`fit_bradley_terry`; also where there are no ties, or nothing but ties
            (``no_variation``), or where ties and wins never occur together (``unbounded``).
    """
    wins, ties, losses = _outcomes(table)
    total = wins + ties + losses
    share = float(ties.sum() / total.sum())

    def cells(gap: Floats, log_nu: float) -> Cells:
        up, down, tie = _davidson_chances(gap, log_nu)
        tilt = up - down
        log_sum = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), log_nu)
        return (
            (wins - losses) * gap / 2 + ties * log_nu - total * log_sum,
            (wins - losses) / 2 - total * tilt / 2,
            ties - total * tie,
            total * (up + down - tilt**2) / 4,
            -total * tilt * tie / 2,
            total * tie * (1 - tie),
        )

    found = _fit(table, cells, math.log(2 * share / (1 - share)))
    up, _, tie = _davidson_chances(_gaps(found.parameters[:-1]), float(found.parameters[-1]))
    residual = POINTS_OF_A - (up + tie / 2)[:, :, None]
    tied = np.zeros((*tie.shape, OUTCOMES))
    tied[:, :, TIE] = 1
    return _estimate("davidson", LOG_NU, found, residual, tied - tie[:, :, None])


def fit_rao_kupper(table: PairTable) -> Estimate:
    """Maximum likelihood of Rao and Kupper's threshold model.

    Raises:
        NoFiniteMaximum: as :func:`fit_davidson`.
    """
    wins, ties, losses = _outcomes(table)

    def cells(gap: Floats, eta: float) -> Cells:
        if eta <= 0:
            # Outside of the model: any step that ends here is halved.
            nowhere = np.full_like(gap, -np.inf)
            return nowhere, gap, gap, gap, gap, gap
        up, down = expit(eta - gap), expit(eta + gap)
        slope_up, slope_down = up * (1 - up) * (wins + ties), down * (1 - down) * (losses + ties)
        from_ties, bend = _tie_terms(eta)
        not_lost, not_won = (wins + ties) * log_expit(gap - eta), (losses + ties) * log_expit(-gap - eta)
        return (
            not_lost + not_won + ties * math.log(math.expm1(2 * eta)),
            (wins + ties) * up - (losses + ties) * down,
            ties * from_ties - (wins + ties) * up - (losses + ties) * down,
            slope_up + slope_down,
            slope_down - slope_up,
            slope_up + slope_down + ties * bend,
        )

    share = float(ties.sum() / (wins + ties + losses).sum())
    found = _fit(table, cells, 2 * math.atanh(share))
    gap, eta = _gaps(found.parameters[:-1]), float(found.parameters[-1])
    up, down = expit(eta - gap), expit(eta + gap)
    residual, threshold = np.empty((*gap.shape, OUTCOMES)), np.empty((*gap.shape, OUTCOMES))
    residual[:, :, A_WINS], residual[:, :, B_WINS], residual[:, :, TIE] = up, -down, up - down
    threshold[:, :, A_WINS], threshold[:, :, B_WINS] = -up, -down
    threshold[:, :, TIE] = _tie_terms(eta)[0] - up - down
    return _estimate("rao_kupper", THRESHOLD, found, residual, threshold)


def davidson_tie_chance(gap: float, nu: float) -> float:
    """Chance of a tie between agents ``gap`` nats apart."""
    return nu / (2 * math.cosh(gap / 2) + nu)


def _outcomes(table: PairTable) -> tuple[Floats, Floats, Floats]:
    """(M, M) wins, ties and losses of the row agent, every pair once, above the diagonal.

    Raises:
        NoFiniteMaximum: no maximum exists, or no ties or nothing else.
    """
    require_ford(table)
    weight = table.weight
    wins = np.triu(weight[:, :, A_WINS] + weight[:, :, B_WINS].T)
    losses = np.triu(weight[:, :, B_WINS] + weight[:, :, A_WINS].T)
    ties = np.triu(weight[:, :, TIE] + weight[:, :, TIE].T)
    if not ties.any() or not (wins.any() or losses.any()):
        raise NoFiniteMaximum("a model of ties needs ties and wins", "no_variation")
    if _ranked_without_error(wins + losses.T, ties + ties.T):
        raise NoFiniteMaximum("every win is by a larger gap than every tie allows for", "unbounded")
    return wins, ties, losses


def _ranked_without_error(wins: Floats, ties: Floats) -> bool:
    """Whether some strengths put every winner at least one above the loser and every tied pair at most one apart.

    Then gaps and ties grow together without limit: the likelihood rises to a supremum that it never reaches, although
    Ford's condition, for which a tie counts both ways, may hold.

    Args:
        wins: (M, M) what the row agent won against the column agent.
        ties: (M, M) symmetric.
    """
    if (wins.astype(bool) & wins.T.astype(bool)).any():
        return False
    # Shortest paths under "below by at least one" and "above by at most one": a negative cycle is a contradiction.
    limit = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    strengths = np.zeros(len(wins))
    for _ in range(len(wins)):
        lowered = np.minimum(strengths, (strengths[:, None] + limit).min(axis=0))
        if np.array_equal(lowered, strengths):
            return True
        strengths = lowered
    return False


def _gaps(strengths: Floats) -> Floats:
    return np.asarray(strengths[:, None] - strengths[None, :])


def _davidson_chances(gap: Floats, log_nu: float) -> tuple[Floats, Floats, Floats]:
    """(M, M) chances of a win, a loss and a tie of the row agent."""
    log_sum = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), log_nu)
    return np.exp(gap / 2 - log_sum), np.exp(-gap / 2 - log_sum), np.exp(log_nu - log_sum)


def _tie_terms(eta: float) -> tuple[float, float]:
    """First and negative second derivative of ln(e^(2 eta) - 1)."""
    return 2 / -math.expm1(-2 * eta), 1 / math.sinh(eta) ** 2


def _fit(table: PairTable, cells: Callable[[Floats, float], Cells], start: float) -> Maximum:
    m = table.agents

    def evaluate(parameters: Floats) -> Derivatives:
        value, by_gap, by_extra, gap_gap, gap_extra, extra_extra = cells(_gaps(parameters[:m]), float(parameters[m]))
        gradient = np.append(by_gap.sum(axis=1) - by_gap.sum(axis=0), by_extra.sum())
        information = np.empty((m + 1, m + 1))
        information[:m, :m] = laplacian(gap_gap)
        information[:m, m] = information[m, :m] = gap_extra.sum(axis=1) - gap_extra.sum(axis=0)
        information[m, m] = extra_extra.sum()
        return Derivatives(float(value.sum()), gradient, information)

    found = maximise(evaluate, np.append(np.zeros(m), start), m)
    if not found.converged:
        raise NoFiniteMaximum("the strengths, or the share of ties, grow without limit", "unbounded")
    return found


def _estimate(model: str, name: str, found: Maximum, residual: Floats, extra_scores: Floats) -> Estimate:
    strengths = found.parameters[:-1]
    return Estimate(
        model=model,
        strengths=strengths - strengths.mean(),
        extras=found.parameters[-1:],
        extra_names=(name,),
        log_likelihood=found.value,
        bread=generalized_inverse(found.information, len(strengths)),
        residual=residual,
        extra_scores=extra_scores[None],
        steps=found.steps,
        converged=True,
    )
