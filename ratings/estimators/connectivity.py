"""What a set of votes can compare at all.

Agents that were never compared, not even through others, have no common scale: each component of the comparison
graph is fitted and ranked apart. Inside a component a finite maximum of the likelihood exists if and only if
every agent can be reached from every other along "got points from" (Ford 1957, "Solution of a ranking problem from
binary comparisons"). Where that fails, the largest group in which it holds is the core: its members are rated
among themselves, and everybody else is unbounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.comparisons import PairTable

#: A group must have this many agents to carry the scale of a component: one agent alone is no scale.
SMALLEST_CORE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Agents that the votes connect.

    Attributes:
        members: indices of its agents, ascending.
        groups: its strongly connected groups, each as ascending indices; one group means that a finite
            maximum exists.
        core: the group that is rated, or None where none can be: the largest group of two or more agents, of equally
            large ones that with most votes, and none if that is a draw too.
    """

    members: Integers
    groups: tuple[Integers, ...]
    core: Integers | None

    @property
    def strongly_connected(self) -> bool:
        return len(self.groups) == 1

    @property
    def outside(self) -> Integers:
        """Members that are not in the core, ascending."""
        return self.members if self.core is None else np.setdiff1d(self.members, self.core)


def win_graph(table: PairTable) -> csr_array:
    """Directed graph with an edge from i to j where i got points from j; a tie is an edge both ways."""
    return csr_array(table.points() > 0)


def components(table: PairTable) -> tuple[Component, ...]:
    """The components of the comparison graph, each with Ford's condition resolved; by lowest index."""
    everybody = np.arange(table.agents)
    if table.agents >= SMALLEST_CORE and strongly_connected(table.points() > 0):
        return (Component(everybody, (everybody,), everybody),)
    graph = win_graph(table)
    _, weak = connected_components(graph, directed=True, connection="weak")
    _, strong = connected_components(graph, directed=True, connection="strong")
    meetings = table.meetings()
    found = []
    for label in np.unique(weak):
        members = np.flatnonzero(weak == label)
        labels = strong[members]
        groups = tuple(members[labels == group] for group in dict.fromkeys(labels.tolist()))
        found.append(Component(members, groups, _core(groups, meetings)))
    return tuple(sorted(found, key=lambda component: int(component.members[0])))


def never_lost(table: PairTable, component: Component) -> tuple[Integers, ...]:
    """Groups of a component from which nobody outside the group ever got a point; none if Ford's condition holds."""
    return _extreme(table.points().T, component)


def never_won(table: PairTable, component: Component) -> tuple[Integers, ...]:
    """Groups of a component that never got a point from outside; none if Ford's condition holds."""
    return _extreme(table.points(), component)


def reached_from(graph: csr_array, start: int) -> Integers:
    """Indices of all agents on a directed path from ``start``, itself included, ascending."""
    return np.sort(breadth_first_order(graph, start, directed=True, return_predecessors=False))


def strongly_connected(edges: Flags) -> bool:
    """Whether every agent reaches every other along an (M, M) table of edges; faster than the groups for small M."""
    for table in (edges, edges.T):
        seen = np.zeros(len(table), dtype=np.bool_)
        fresh = np.array([0])
        while len(fresh):
            seen[fresh] = True
            fresh = np.flatnonzero(table[fresh].any(axis=0) & ~seen)
        if not seen.all():
            return False
    return True


def _core(groups: tuple[Integers, ...], meetings: Floats) -> Integers | None:
    """See :attr:`Component.core`. It never depends on how the agents are numbered."""
    size = [(len(group), float(meetings[group].sum())) for group in groups]
    largest = max(size)
    if largest[0] < SMALLEST_CORE or size.count(largest) > 1:
        return None
    return groups[size.index(largest)]


def _extreme(points: Floats, component: Component) -> tuple[Integers, ...]:
    if component.strongly_connected:
        return ()
    return tuple(
        group for group in component.groups if not points[np.ix_(group, np.setdiff1d(component.members, group))].any()
    )
