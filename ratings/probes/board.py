"""What several probes need of a set of votes, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import Clusters, cluster
from ratings.estimators.comparisons import Comparisons, PairTable, tabulate
from ratings.estimators.connectivity import Component, components
from ratings.estimators.covariance import Covariance, judge_covariance, sandwich_covariance
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.inference.gaps import GapTests, gap_tests
from ratings.inference.intervals import t_quantile


class CannotAnswer(Exception):
    """The votes do not answer a probe; the message says why, in words for a reader."""


@dataclass(frozen=True)
class Board:
    """The largest group of agents that the votes rate on one scale, with their fit.

    Attributes:
        votes: the n votes among its C agents.
        rows: flags of these among all votes; None for all of them.
        names: of the agents.
        table: the votes added up.
        estimate: half-win fit.
        seed: of every simulation.
    """

    votes: Comparisons
    rows: Flags | None
    names: tuple[str, ...]
    table: PairTable
    estimate: Estimate
    seed: int

    @cached_property
    def judges(self) -> Clusters:
        return cluster(self.votes, self.votes.judge)

    @cached_property
    def covariance(self) -> Covariance:
        """Clustered on the judge."""
        return judge_covariance(self.votes, self.estimate, self.judges)

    @cached_property
    def plain(self) -> Covariance:
        """As if every battle were independent."""
        return sandwich_covariance(self.votes, self.estimate)

    @cached_property
    def order(self) -> Integers:
        """(C,) agents from the first to the last."""
        return np.argsort(-self.estimate.strengths, kind="stable")

    @cached_property
    def ratings(self) -> Floats:
        """(C,) points about zero."""
        return POINTS_PER_NAT * self.estimate.strengths

    @cached_property
    def tests(self) -> GapTests:
        """Gaps with errors clustered on the judge; NaN errors of agents who may have none.

        Raises:
            CannotAnswer: judges are too few.
        """
        self.require_judges()
        usable = self.covariance.usable
        known = np.where(usable[:, None] & usable[None, :], self.strengths_covariance, np.nan)
        return gap_tests(self.ratings, POINTS_PER_NAT**2 * known, self.degrees_of_freedom)

    @property
    def strengths_covariance(self) -> Floats:
        size = len(self.names)
        return np.asarray(self.covariance.matrix[:size, :size])

    @property
    def degrees_of_freedom(self) -> float:
        return self.covariance.degrees_of_freedom

    def require_judges(self) -> None:
        """Raises CannotAnswer where judges do not outnumber what is fitted."""
        if self.covariance.usable.sum() < 2 or self.degrees_of_freedom <= 0:
            agents, judges = len(self.names), len(self.judges)
            raise CannotAnswer(f"Errors of {agents} agents need more judges than {judges}, or less unequal ones.")

    def reach(self, comparisons: int = 1) -> float:
        """Standard errors of a 95% interval, for so many at once by Bonferroni's rule."""
        return t_quantile(self.degrees_of_freedom, confidence=1 - 0.05 / max(1, comparisons))

    def neighbours(self) -> tuple[Integers, Integers]:
        """(C - 1,) upper and lower agent of every pair of neighbours."""
        return self.order[:-1], self.order[1:]


def largest_board(
    votes: Comparisons, agents: Sequence[str], parts: tuple[Component, ...], table: PairTable, seed: int
) -> Board:
    """The core with most agents, and of equally large ones that with most votes.

    Raises:
        CannotAnswer: no agents are rated at all, or their fit did not converge.
    """
    meetings = table.meetings()
    cores = [part.core for part in parts if part.core is not None]
    if not cores:
        raise CannotAnswer("The votes rate no two agents on one scale.")
    core = max(cores, key=lambda members: (len(members), float(meetings[np.ix_(members, members)].sum())))
    own, rows = votes.between(core)
    part = table.between(core)
    estimate = fit_bradley_terry(part)
    if not estimate.converged:
        raise CannotAnswer("The fit did not converge.")
    return Board(own, rows, tuple(agents[int(agent)] for agent in core), part, estimate, seed)


def parts_of(votes: Comparisons) -> tuple[PairTable, tuple[Component, ...]]:
    """The votes added up, and the components of their graph."""
    table = tabulate(votes)
    return table, components(table)
