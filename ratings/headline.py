"""The rating of every agent from a set of votes, with everything that limits what it says.

One function, :func:`fit_headline`, is behind the nightly refit, ``manage.py fit``, ``verify_publication`` and
notebooks. It fits every component of the comparison graph apart, rates the agents that can be rated, bounds those that
cannot, and gives a reason for every number that is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ratings.component_fits import ClusteredOn, ComponentFit, fit_component
from ratings.estimators.arrays import Flags, sums_by
from ratings.estimators.comparisons import Comparisons, effective_number, tabulate
from ratings.estimators.connectivity import components
from ratings.estimators.profile import Bound
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT, win_probability
from ratings.estimators.threads import one_blas_thread
from ratings.inference.intervals import CONFIDENCE
from ratings.inference.status import Status, status
from ratings.likelihoods import HEADLINE, Likelihood


@dataclass(frozen=True, slots=True)
class RatingBound:
    """What is known of an agent without a finite rating: at least (``lower``) or at most (``upper``) these points."""

    side: Literal["lower", "upper"]
    points: float


@dataclass(frozen=True, slots=True)
class AgentRating:
    """One row of the standings. Points; None where there is no number, for the reason given.

    Attributes:
        agent: its name.
        component: index of its component; None for an agent without votes. Nothing compares across components.
        rating: points on the scale of its component, whose reference agents have mean 1000.
        se: standard error, clustered on the judge.
        lower, upper: 95% interval, of this agent alone.
        simultaneous_lower, simultaneous_upper: 95% for all agents of the component at once.
        anytime_lower, anytime_upper: 95% at all looks together; none before the first look.
        wild_lower, wild_upper: 95% of this agent alone by the score wild bootstrap; only with fewer than 40 judges.
        rank_best, rank_worst: ranks in the component that the gaps leave open, 95% for all at once.
        place: 1 + the number of agents whose interval is above this one's.
        status: how far the rating has come.
        bound: one-sided 95% bound of an unbounded agent.
        reason: why a number is missing: the rating (``no_data``, ``unbounded``, ``no_variation``, ``not_converged``) or
            its interval (``not_identified``, ``degenerate_interval``).
        battles: different battles it took part in.
    """

    agent: str
    component: int | None
    rating: float | None
    se: float | None
    lower: float | None
    upper: float | None
    simultaneous_lower: float | None
    simultaneous_upper: float | None
    anytime_lower: float | None
    anytime_upper: float | None
    wild_lower: float | None
    wild_upper: float | None
    rank_best: int | None
    rank_worst: int | None
    place: int | None
    status: Status
    bound: RatingBound | None
    reason: str | None
    battles: int


@dataclass(frozen=True, slots=True)
class Gap:
    """How far one agent is above another.

    Attributes:
        gap: points; None with a reason.
        se: its standard error from the full covariance.
        p_value: two-sided, of this pair alone.
        p_holm: adjusted over all pairs of the component.
        lower, upper: 95% interval of this gap alone.
        win_chance: chance that the first is preferred.
        reason: why a number is missing.
    """

    gap: float | None
    se: float | None
    p_value: float | None
    p_holm: float | None
    lower: float | None
    upper: float | None
    win_chance: float | None
    reason: str | None


@dataclass(frozen=True)
class HeadlineFit:
    """The result of :func:`fit_headline`.

    Attributes:
        agents: one row per agent, in the order asked for.
        components: the fits of the components that have votes, by their lowest agent.
        votes: number of votes.
        judges: number of judges.
        effective_judges: (sum w)^2 / sum w^2 over the judges' weights.
        confidence: of all intervals.
        seed: of the simultaneous intervals; no rating depends on it.
    """

    agents: tuple[AgentRating, ...]
    components: tuple[ComponentFit, ...]
    votes: int
    judges: int
    effective_judges: float
    confidence: float
    seed: int

    def __getitem__(self, agent: str) -> AgentRating:
        """The row of an agent; raises KeyError for a name that is not in the fit."""
        return self.agents[self._place[agent]]

    def with_drift(self, drifting: Collection[str]) -> HeadlineFit:
        """The same with these agents found to have changed over time, who cannot be stable."""
        rows = tuple(
            replace(row, status=status(row.battles, identified=row.reason is None, drifting=True))
            if row.agent in drifting and row.rating is not None
            else row
            for row in self.agents
        )
        return replace(self, agents=rows)

    def gap(self, agent: str, other: str) -> Gap:
        """The gap of two agents; across components it is none, for the reason ``not_connected``."""
        one, two = self[agent], self[other]
        if one.component is None or two.component is None:
            return _no_gap("no_data")
        if one.component != two.component:
            return _no_gap("not_connected")
        core = self.components[one.component].core
        if core is None or one.rating is None or two.rating is None:
            return _no_gap(one.reason if one.rating is None else two.reason)
        gap = one.rating - two.rating
        i, j = core.place_of[self._place[agent]], core.place_of[self._place[other]]
        se = float(core.tests.error[i, j])
        reach = core.pointwise_factor * se
        return Gap(
            gap=gap,
            se=_number(se),
            p_value=_number(core.tests.p_value[i, j]),
            p_holm=_number(core.tests.p_holm[i, j]),
            lower=_number(gap - reach),
            upper=_number(gap + reach),
            win_chance=win_probability(gap),
            reason=None if np.isfinite(reach) else one.reason or two.reason or "degenerate_interval",
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {row.agent: place for place, row in enumerate(self.agents)}


def fit_headline(
    votes: Comparisons,
    agents: Sequence[str],
    *,
    ranked: Flags | None = None,
    likelihood: Likelihood = HEADLINE,
    seed: int = 0,
    clustered_on: ClusteredOn = "judge",
) -> HeadlineFit:
    """Rate agents from votes.

    Args:
        votes: n comparisons of M agents.
        agents: their M names, in the order of their indices.
        ranked: (M,) whose mean is the anchor, for the strongly connected part of each component; everybody by default.
        likelihood: how strengths are estimated; the headline is Bradley-Terry with ties as half a win and no position.
        seed: of the simultaneous intervals.
        clustered_on: ``battle`` where nobody knows who judged: then battles, or single votes, are what is independent,
            there is no small-sample factor, and ``judges`` of the result counts battles.

    Raises:
        ValueError: the number of names is not the number of agents, or a name occurs twice.
    """
    if len(agents) != votes.agents or len(set(agents)) != len(agents):
        raise ValueError(f"{votes.agents} agents need as many different names, not {len(set(agents))} of {len(agents)}")
    if clustered_on == "battle":
        battle = np.arange(len(votes)) if votes.battle is None else votes.battle
        votes = replace(votes, judge=battle, battle=battle)
    table = tabulate(votes)
    flags = np.ones(votes.agents, dtype=np.bool_) if ranked is None else ranked
    with one_blas_thread():
        fits = tuple(
            fit_component(votes, table, component, flags, likelihood, seed=seed, clustered_on=clustered_on)
            for component in components(table)
            if len(component.members) > 1
        )
    battles = votes.battles_per_agent()
    home = {int(agent): number for number, fit in enumerate(fits) for agent in fit.component.members}
    rows = tuple(_row(name, agent, home.get(agent), fits, int(battles[agent])) for agent, name in enumerate(agents))
    judged = sums_by(votes.judge, votes.weight, 0)
    number = int(np.count_nonzero(judged))
    return HeadlineFit(rows, fits, len(votes), number, effective_number(judged), CONFIDENCE, seed)


def _row(name: str, agent: int, number: int | None, fits: tuple[ComponentFit, ...], battles: int) -> AgentRating:
    if number is None:
        return _unrated(name, None, "no_data", None, status(battles, identified=False), battles)
    fit = fits[number]
    core = fit.core
    if core is None or agent not in core.place_of:
        unsettled = status(battles, identified=False)
        return _unrated(name, number, fit.failure or "unbounded", fit.bounds.get(agent), unsettled, battles)
    place = core.place_of[agent]
    reason = core.reasons[place]
    return AgentRating(
        agent=name,
        component=number,
        rating=float(core.ratings[place]),
        se=_number(core.errors[place]),
        lower=_number(core.pointwise.lower[place]),
        upper=_number(core.pointwise.upper[place]),
        simultaneous_lower=_number(core.simultaneous.lower[place]),
        simultaneous_upper=_number(core.simultaneous.upper[place]),
        anytime_lower=_number(core.anytime.lower[place]),
        anytime_upper=_number(core.anytime.upper[place]),
        wild_lower=None if core.wild is None else _number(core.wild.lower[place]),
        wild_upper=None if core.wild is None else _number(core.wild.upper[place]),
        rank_best=int(core.ranks.best[place]),
        rank_worst=int(core.ranks.worst[place]),
        place=core.places[place],
        status=status(battles, identified=reason is None),
        bound=None,
        reason=reason,
        battles=battles,
    )


def _unrated(
    name: str, number: int | None, reason: str, bound: Bound | None, state: Status, battles: int
) -> AgentRating:
    points = None if bound is None else RatingBound(bound.side, ANCHOR + POINTS_PER_NAT * bound.gap)
    return AgentRating(
        agent=name,
        component=number,
        rating=None,
        se=None,
        lower=None,
        upper=None,
        simultaneous_lower=None,
        simultaneous_upper=None,
        anytime_lower=None,
        anytime_upper=None,
        wild_lower=None,
        wild_upper=None,
        rank_best=None,
        rank_worst=None,
        place=None,
        status=state,
        bound=points,
        reason=reason,
        battles=battles,
    )


def _no_gap(reason: str | None) -> Gap:
    return Gap(None, None, None, None, None, None, None, reason)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
