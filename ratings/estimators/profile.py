"""A one-sided bound for an agent whose likelihood has no maximum.

An agent that never lost to the core has a likelihood that rises for ever with its strength. What can be said is
how weak it may at least not be: the strength at which the likelihood, maximised over everybody else, is too far below
its supremum. Groups that can go to infinity without any cost are left out, since that is where the supremum sends
them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from ratings.estimators.arrays import Floats, Integers
from ratings.estimators.bradley_terry import derivatives, fit_bradley_terry, unseated
from ratings.estimators.comparisons import PairTable
from ratings.estimators.connectivity import Component, reached_from, win_graph
from ratings.estimators.newton import LONGEST_STEP, MAX_HALVINGS, MAX_STEPS, ROUNDING

#: The bound is found to this many nats, a hundredth of a millionth of a point.
BOUND_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Bound:
    """A one-sided bound.

    Attributes:
        side: ``lower``: the agent is at least this strong; ``upper``: at most.
        gap: nats above the mean of the reference agents.
    """

    side: Literal["lower", "upper"]
    gap: float


@dataclass(frozen=True)
class ProfileBounds:
    """Bounds for the agents of one component, relative to the mean of its reference agents.

    Args:
        table: votes of all agents.
        component: one component of them.
        reference: (M,) shares adding to one over agents of the core, or of the whole component if it has no core.
    """

    table: PairTable
    component: Component
    reference: Floats = field(repr=False)

    def bound(self, agent: int, drop: float) -> Bound | None:
        """Where the profile log-likelihood of an agent's gap is ``drop`` below its supremum.

        Returns:
            None where the votes bound the agent on neither side, as one that has only met agents weaker than both
            itself and the reference, or where it is the reference itself.

        Raises:
            LinAlgError: see :func:`constrained_maximum`.
        """
        if self.reference[agent] == 1:
            return None
        down, up = reached_from(self._graph, agent), reached_from(self._reversed, agent)
        if np.isin(self._anchors, down).all():
            between = np.intersect1d(down, self._reaching(self._reversed))
            return Bound("lower", self._search(agent, between, drop, 1.0))
        if np.isin(self._anchors, up).all():
            between = np.intersect1d(up, self._reaching(self._graph))
            return Bound("upper", self._search(agent, between, drop, -1.0))
        return None

    @cached_property
    def _graph(self) -> csr_array:
        return win_graph(self.table)

    @cached_property
    def _reversed(self) -> csr_array:
        return csr_array(self._graph.T)

    @cached_property
    def _group_maxima(self) -> dict[int, float]:
        """Largest log-likelihood of the votes inside each strongly connected group, by its lowest agent."""
        return {
            int(group[0]): fit_bradley_terry(self.table.between(group)).log_likelihood if len(group) > 1 else 0.0
            for group in self.component.groups
        }

    @cached_property
    def _anchors(self) -> Integers:
        """Agents through which every path to the reference can be had: any one of a core, or all of the reference."""
        return np.flatnonzero(self.reference) if self.component.core is None else self.component.core[:1]

    def _reaching(self, graph: csr_array) -> Integers:
        """Agents that a path connects to the reference."""
        return np.unique(np.concatenate([reached_from(graph, int(anchor)) for anchor in self._anchors]))

    def _search(self, agent: int, members: Integers, drop: float, direction: float) -> float:
        """Newton on the gap; the profile is concave, so that steps from the far side never overshoot."""
        points, weight = unseated(self.table.between(members))
        supremum = sum(value for first, value in self._group_maxima.items() if first in members)
        contrast = (members == agent) - self.reference[members]
        gap, strengths = 0.0, np.zeros(len(members))
        for _ in range(MAX_STEPS):
            strengths, value, slope = constrained_maximum(points, weight, contrast, gap, strengths)
            excess = supremum - value - drop
            step = excess / max(abs(slope), 1e-300)
            step = direction * float(np.clip(step, -LONGEST_STEP, LONGEST_STEP))
            gap += step
            if abs(step) < BOUND_TOLERANCE:
                break
        return gap


def constrained_maximum(
    points: Floats, weight: Floats, contrast: Floats, value: float, start: Floats
) -> tuple[Floats, float, float]:
    """Maximise the Bradley-Terry log-likelihood among strengths with contrast' r = value.

    Args:
        points: (M, M) points of the row agent.
        weight: (M, M) weight of the votes.
        contrast: (M,) adding to zero.
        value: what the contrast must be, in nats.
        start: (M,) strengths to begin from; shifted to meet the constraint.

    Returns:
        (M,) strengths, the log-likelihood, and its derivative by ``value``.

    Raises:
        LinAlgError: weights are too far apart for the arithmetic.
    """
    m = len(points)
    at = start + contrast * (value - contrast @ start) / (contrast @ contrast)
    here = derivatives(points, weight, at)
    system = np.zeros((m + 1, m + 1))
    system[m, :m] = system[:m, m] = contrast
    multiplier = 0.0
    for _ in range(MAX_STEPS):
        size = float(np.trace(here.information)) / m
        system[:m, :m] = here.information + size / m
        solution = np.linalg.solve(system, np.append(here.gradient, 0.0))
        step, multiplier = solution[:m], float(solution[m])
        longest = float(np.abs(step).max())
        if not np.isfinite(longest):
            raise np.linalg.LinAlgError("the votes leave a direction without any information")
        step = step * min(1.0, LONGEST_STEP / max(longest, LONGEST_STEP))
        if longest < BOUND_TOLERANCE:
            break
        for _ in range(MAX_HALVINGS):
            there = derivatives(points, weight, at + step)
            if there.value >= here.value - ROUNDING * (1 + abs(here.value)):
                break
            step = step / 2
        at, here = at + step, there
    return at, here.value, multiplier
