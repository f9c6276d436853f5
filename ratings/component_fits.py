"""The fit of one component of the comparison graph: its core rated, everybody else bounded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.clusters import Clusters, cluster
from ratings.estimators.comparisons import Comparisons, PairTable
from ratings.estimators.connectivity import Component
from ratings.estimators.covariance import DEGENERATE, Covariance, battle_covariance, judge_covariance
from ratings.estimators.covariance import Reason as IntervalReason
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.profile import Bound, ProfileBounds
from ratings.estimators.scale import to_points
from ratings.inference.anytime import FIRST_LOOK_VOTES, anytime_factor
from ratings.inference.gaps import GapTests, gap_errors, gap_tests
from ratings.inference.intervals import Intervals, intervals, t_quantile
from ratings.inference.parameters import ParameterEstimate, parameter_estimates
from ratings.inference.ranks import RankRanges, places, rank_ranges
from ratings.inference.simultaneous import CriticalValues, critical_values, wild_factors
from ratings.likelihoods import Likelihood

#: With fewer judges the t interval is not alone believed, and the wild bootstrap is shown beside it.
FEW_JUDGES = 40

#: Whose votes may depend on each other: one judge's, or only those on one battle.
ClusteredOn = Literal["judge", "battle"]


@dataclass(frozen=True)
class CoreFit:
    """The rated agents of a component; arrays run over its C agents, ascending.

    Attributes:
        members: (C,) indices of the agents.
        estimate: the fit.
        covariance: of the fit, clustered on the judge.
        ratings, errors: (C,) points; an error is NaN where no interval may be published.
        reasons: (C,) why not, or None.
        covariance_points: (C, C) points squared, of ratings whose reference mean is the anchor; NaN where there is no
            error.
        critical: standard errors that hold for all at once.
        pointwise_factor: standard errors of a 95% interval of one number.
        pointwise, simultaneous, anytime: intervals.
        wild: intervals of each agent alone by the score wild bootstrap, where there are fewer than 40 judges.
        parameters: further parameters of the likelihood, in nats.
        ranks, places: ranges of ranks and cautious places.
        votes: number of votes that were fitted.
    """

    members: Integers
    estimate: Estimate
    covariance: Covariance
    ratings: Floats
    errors: Floats
    reasons: tuple[IntervalReason | None, ...]
    covariance_points: Floats
    critical: CriticalValues
    pointwise_factor: float
    pointwise: Intervals
    simultaneous: Intervals
    anytime: Intervals
    wild: Intervals | None
    parameters: tuple[ParameterEstimate, ...]
    ranks: RankRanges
    places: tuple[int | None, ...]
    votes: int

    @cached_property
    def place_of(self) -> dict[int, int]:
        """Position of every agent in the arrays."""
        return {int(agent): place for place, agent in enumerate(self.members)}

    @cached_property
    def tests(self) -> GapTests:
        """Tests of all gaps."""
        return gap_tests(self.ratings, self.covariance_points, self.covariance.degrees_of_freedom)


@dataclass(frozen=True, slots=True)
class ComponentFit:
    """What is known of one component.

    Attributes:
        component: its agents, two or more.
        core: its rated agents; None where there are none.
        failure: why the core could not be fitted; None if it was, or if there is no core.
        bounds: one-sided 95% bounds, in nats, of agents outside the core that the votes bound.
    """

    component: Component
    core: CoreFit | None
    failure: str | None
    bounds: Mapping[int, Bound]


def fit_component(
    votes: Comparisons,
    table: PairTable,
    component: Component,
    ranked: Flags,
    likelihood: Likelihood,
    *,
    seed: int,
    clustered_on: ClusteredOn = "judge",
) -> ComponentFit:
    """Fit the core of a component and bound the rest.

    Args:
        votes: n votes of M agents.
        table: the same votes added up.
        component: two or more of the agents.
        ranked: (M,) whose mean is the anchor.
        likelihood: how strengths are estimated.
        seed: of the simultaneous intervals.
        clustered_on: ``battle`` where the votes have battles in the place of judges.
    """
    members = component.members if component.core is None else component.core
    own, rows = votes.between(members)
    reference = reference_of(ranked[members])
    estimate, failure = None, None
    if component.core is not None:
        try:
            estimate = likelihood.fit(own, table.between(members), rows)
        except NoFiniteMaximum as refusal:
            failure = refusal.reason
        except np.linalg.LinAlgError:
            failure = "not_converged"
    if estimate is not None and not estimate.converged:
        estimate, failure = None, "not_converged"
    judges = cluster(own, own.judge, ordered=estimate is not None and estimate.by_vote)
    covariance = None
    if estimate is not None:
        cover = judge_covariance if clustered_on == "judge" else battle_covariance
        covariance = cover(own, estimate, judges)
    bounds: Mapping[int, Bound] = {}
    if likelihood.profile_bounds and len(component.outside):
        whole = np.zeros(votes.agents)
        whole[members] = reference
        bounds = _bounds(votes, ProfileBounds(table, component, whole), judges, covariance)
    if estimate is None or covariance is None:
        return ComponentFit(component, None, failure, bounds)
    core = rate(own, estimate, covariance, judges, reference, members, component, seed=seed)
    return ComponentFit(component, core, None, bounds)


def reference_of(ranked: Flags) -> Floats:
    """(C,) equal shares of the ranked agents; of all of them where nobody is ranked."""
    chosen = ranked if ranked.any() else np.ones(len(ranked), dtype=np.bool_)
    return np.asarray(chosen / chosen.sum())


def rate(
    votes: Comparisons,
    estimate: Estimate,
    covariance: Covariance,
    judges: Clusters,
    reference: Floats,
    members: Integers,
    component: Component,
    *,
    seed: int,
) -> CoreFit:
    """Intervals, ranks and places of fitted agents.

    Args:
        votes: n votes between the C agents.
        estimate: their fit.
        covariance: of the fit, clustered on the judge.
        judges: the votes clustered by judge.
        reference: (C,) shares of the agents whose mean is the anchor.
        members: (C,) indices of the agents.
        component: where they belong; its other agents may have any rank.
        seed: of the simultaneous intervals.
    """
    ratings = to_points(estimate.strengths, reference)
    points = covariance.points(reference)
    # The only ranked agent of a component is the anchor itself, and has no error by definition.
    moves = np.diag(points) > 0
    usable = covariance.usable & moves
    reasons = tuple(
        DEGENERATE if reason is None and not known else reason
        for reason, known in zip(covariance.reasons, moves, strict=True)
    )
    points = np.where(covariance.usable[:, None] & covariance.usable[None, :], points, np.nan)
    errors = np.where(usable, np.sqrt(np.abs(np.diag(points))), np.nan)
    critical = critical_values(judges, estimate, covariance, reference, seed=seed)
    factor = t_quantile(covariance.degrees_of_freedom)
    pointwise = intervals(ratings, errors, factor)
    ready = len(votes) >= FIRST_LOOK_VOTES
    return CoreFit(
        members=members,
        estimate=estimate,
        covariance=covariance,
        ratings=ratings,
        errors=errors,
        reasons=reasons,
        covariance_points=points,
        critical=critical,
        pointwise_factor=factor,
        pointwise=pointwise,
        simultaneous=intervals(ratings, errors, critical.ratings),
        anytime=intervals(ratings, errors, anytime_factor(len(judges)) if ready else float("inf")),
        wild=_wild(judges, estimate, reference, ratings, errors, seed),
        parameters=parameter_estimates(estimate, covariance),
        ranks=rank_ranges(ratings, critical.gaps * gap_errors(points), others=len(component.members) - len(members)),
        places=places(np.nan_to_num(pointwise.lower, nan=-np.inf), np.nan_to_num(pointwise.upper, nan=np.inf)),
        votes=len(votes),
    )


def _wild(
    judges: Clusters, estimate: Estimate, reference: Floats, ratings: Floats, errors: Floats, seed: int
) -> Intervals | None:
    if len(judges) >= FEW_JUDGES:
        return None
    factors = wild_factors(judges, estimate, reference, seed=seed)
    return None if factors is None else intervals(ratings, errors, factors)


def _bounds(
    votes: Comparisons, profiles: ProfileBounds, judges: Clusters, covariance: Covariance | None
) -> dict[int, Bound]:
    """Bounds of the agents outside the core, on the scale of the core's robust variances.

    Not more judges than parameters leave that scale unknown, and so does an agent all of whose votes one judge cast. A
    scale below one comes from ties, of which an unbounded agent has none, and is not used.
    """
    if len(judges) < judges.agents or (covariance is not None and not covariance.usable.any()):
        return {}
    scale = 1.0 if covariance is None else max(1.0, covariance.design_effect)
    drop = scale * t_quantile(judges.effective() - 1, sides=1) ** 2 / 2
    if not np.isfinite(drop):
        return {}
    found = {}
    for agent in profiles.component.outside.tolist():
        own = (votes.a == agent) | (votes.b == agent)
        bound = None
        # Weights too far apart for the arithmetic leave a bound unknown, and nothing else.
        with suppress(np.linalg.LinAlgError):
            bound = profiles.bound(agent, drop) if len(np.unique(votes.judge[own])) > 1 else None
        if bound is not None and np.isfinite(bound.gap):
            found[agent] = bound
    return found
