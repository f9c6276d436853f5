"""Whether an agent's results change over time, as those of a hosted model may that is changed under its name.

At the maximum of the likelihood an agent's residuals add to zero, so that their running sum in the order of time is a
bridge: it leaves zero and comes back. How far it strays has a known distribution while nothing changes. The flag is
for operators: it says that something changed, not what, and opponents or judges who changed can raise it too.

Sources: Brown, Durbin and Evans 1975 (running sums of residuals); Ploberger and Kraemer 1992; Kolmogorov 1933.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.comparisons import Comparisons
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.inference.gaps import holm

#: Fewer votes of an agent show nothing.
FEWEST_VOTES = 100
#: Over all agents together, one false flag in a hundred boards.
SIGNIFICANCE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class DriftTests:
    """One test per agent, NaN where it has too few votes.

    Attributes:
        p_holm: (M,) adjusted over all agents.
        turn: (M,) row of the vote after which the running sum is furthest from zero; -1 without a test.
        shift: (M,) points by which the agent did better after that vote than before it.
    """

    p_holm: Floats
    turn: Integers
    shift: Floats

    def flagged(self) -> Integers:
        """Agents whose results changed."""
        return np.flatnonzero(self.p_holm < SIGNIFICANCE)


def drift_tests(votes: Comparisons, estimate: Estimate) -> DriftTests:
    """Test every agent.

    Args:
        votes: n comparisons in the order of time.
        estimate: their half-win fit; its further parameters, if any, are held fixed.
    """
    cell = (votes.a, votes.b, votes.outcome)
    residual = votes.weights() * (estimate.residual if estimate.by_vote else estimate.residual[cell])
    gap = estimate.strengths[votes.a] - estimate.strengths[votes.b]
    chance = 1 / (1 + np.exp(-gap))
    information = votes.weights() * chance * (1 - chance)
    p_value, shift = np.full(votes.agents, np.nan), np.full(votes.agents, np.nan)
    turn = np.full(votes.agents, -1)
    for agent, rows in enumerate(_rows_by_agent(votes)):
        if len(rows) < FEWEST_VOTES:
            continue
        own = np.where(votes.a[rows] == agent, residual[rows], -residual[rows])
        walk = np.cumsum(own)
        # Judges who lean may come one after the other or all the time; the larger variance allows for both.
        by_judge = sums_by(votes.judge[rows], own, 0)
        spread = max(float(np.square(own).sum()), float(np.square(by_judge).sum()))
        if spread <= 0:
            continue
        at = int(np.argmax(np.abs(walk[:-1])))
        p_value[agent] = float(stats.kstwobign.sf(abs(walk[at]) / np.sqrt(spread)))
        turn[agent] = rows[at]
        known = information[rows]
        after, before = own[at + 1 :].sum() / known[at + 1 :].sum(), own[: at + 1].sum() / known[: at + 1].sum()
        shift[agent] = POINTS_PER_NAT * float(after - before)
    return DriftTests(holm(p_value), turn, shift)


def _rows_by_agent(votes: Comparisons) -> list[Integers]:
    """The rows of each agent's votes, ascending."""
    both = np.stack([votes.a, votes.b], axis=1).ravel()
    # Small integers are sorted by their digits, in one pass each.
    order = np.argsort(both.astype(np.uint16), kind="stable")
    return np.split(order // 2, np.cumsum(np.bincount(both, minlength=votes.agents))[:-1])
