"""Computations over the counted lanes, by agent."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from battles.lanes.vocabulary import KINDS
from metrics.arithmetic import Estimate, Sums, entropy_of, ratio_of, share_of
from metrics.computation import Computation, Needs, Readings
from metrics.reading import Reading, Why

if TYPE_CHECKING:
    from metrics.source import Source

#: The slow end of step times.
SLOW = 0.95


def reading_of_share(sums: Sums, *, size: float | None = None) -> Reading:
    """A share with its counts; ``size`` is what the floor is held against, the clusters where it is not given."""
    return _reading(share_of(sums), sums, sums.clusters if size is None else size, weak=True)


def _reading(found: Estimate | None, sums: Sums, size: float, *, weak: bool = False) -> Reading:
    if found is None:
        return Reading(reason=Why.NO_DATA, counted=sums.x, over=sums.n)
    return Reading(
        found.value,
        found.lower,
        found.upper,
        counted=sums.x,
        over=sums.n,
        size=size,
        effective=found.effective if weak else None,
        reason=Why.NOT_IDENTIFIED if found.lower is None else None,
    )


def lane_share(counted: str, over: str) -> Computation:
    """The share of one column in another, over an agent's lanes; battles are clusters."""

    def run(source: Source) -> Readings:
        sums = source.lane_sums[counted, over]
        return source.of_agents({agent: reading_of_share(of) for agent, of in sums.items()})

    return Computation(run, Needs(pairs=((counted, over),)))


def lane_ratio(counted: str, over: str) -> Computation:
    """The ratio of two sums that is no share."""

    def run(source: Source) -> Readings:
        # What is counted is there also where what it is counted over is 0: the first column says how many lanes.
        lanes = source.lane_sums["one", counted]
        found = {
            agent: _reading(ratio_of(of), of, lanes[agent].clusters)
            for agent, of in source.lane_sums[counted, over].items()
        }
        return source.of_agents(found)

    return Computation(run, Needs(pairs=((counted, over), ("one", counted))))


def lane_median(column: str) -> Computation:
    """The median of a column over an agent's lanes that have it."""

    def run(source: Source) -> Readings:
        return source.of_agents(source.medians[column])

    return Computation(run, Needs(medians=(column,)))


def slow_steps() -> Computation:
    """The 95th percentile of seconds a step, by nearest rank."""

    def run(source: Source) -> Readings:
        return source.of_agents(source.step_quantile(SLOW))

    return Computation(run, Needs(pairs=(("steps", "steps"),), columns=("step_ms",)))


def action_entropy() -> Computation:
    """How evenly an agent's actions spread over the kinds."""

    def run(source: Source) -> Readings:
        found = {}
        sums = source.lane_sums
        for agent, of in sums["actions", "actions"].items():
            counts = np.array([sums[kind, kind][agent].x for kind in KINDS])
            upper = np.array([[sums[pair][agent].xn if (pair := (a, b)) in sums else 0 for b in KINDS] for a in KINDS])
            products = upper + np.triu(upper, 1).T
            found[agent] = _reading(entropy_of(counts, products, of.clusters, of.nn), of, of.clusters)
        return source.of_agents(found)

    pairs = [("actions", "actions"), *itertools.combinations_with_replacement(KINDS, 2)]
    return Computation(run, Needs(pairs=tuple(pairs)))
