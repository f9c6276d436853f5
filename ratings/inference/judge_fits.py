"""Every judge's votes against the fit of everybody else's.

The fit counts one voice per judge and agent, so that accounts who vote on nothing but one agent do not become the
standard they are held against. A judge's own votes are taken out to first order.

Source: Davidson 1970 for the probabilities of ties.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import Clusters, cluster, score_tiles
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.connectivity import components
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.threads import one_blas_thread
from ratings.estimators.tie_models import fit_davidson

#: Name of the likelihood with ties of their own.
DAVIDSON = "davidson"


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """The rated votes in the order of judge and time, against the fit of everybody else.

    Attributes:
        clusters: the votes by judge.
        a, b: (n,) agents.
        outcome: (n,) outcomes.
        gap: (n,) nats, the judge's own votes taken out.
        log_nu: of Davidson's model; -inf where nobody ties.
        chance: (n, 3) chances of the outcomes.
        strengths: (C,) nats, of the rated agents.
        members: (C,) their indices among all agents.
    """

    clusters: Clusters
    a: Integers
    b: Integers
    outcome: Integers
    gap: Floats
    log_nu: float
    chance: Floats
    strengths: Floats
    members: Integers

    @property
    def owner(self) -> Integers:
        """(n,) position of each vote's judge among those of the clusters."""
        return np.repeat(np.arange(len(self.clusters)), self.clusters.sizes)


def sequences_against_others(votes: Comparisons, out: Flags) -> Sequences | None:
    """None where the votes that count rate no two agents."""
    cores = [part.core for part in components(tabulate(votes.take(~out))) if part.core is not None]
    if not cores:
        return None
    core = max(cores, key=len)
    rated, rows = votes.between(core)
    inside = out if rows is None else out[rows]
    fitted = rated.take(~inside)
    fitted = replace(fitted, weight=_one_voice(fitted), battle=None)
    estimate = _fit(fitted)
    if estimate is None:
        return None
    clusters = cluster(rated, rated.judge, ordered=True)
    order = clusters.order if clusters.order is not None else np.arange(len(rated))
    a, b, outcome = rated.a[order], rated.b[order], rated.outcome[order]
    own = own_influence(fitted, estimate, clusters.ids, np.repeat(np.arange(len(clusters)), clusters.sizes), a, b)
    gap = estimate.strengths[a] - estimate.strengths[b] - own
    log_nu = float(estimate.extras[0]) if estimate.model == DAVIDSON else -np.inf
    return Sequences(clusters, a, b, outcome, gap, log_nu, outcome_chances(gap, log_nu), estimate.strengths, core)


def _one_voice(votes: Comparisons) -> Floats:
    """(n,) weights with which no judge counts more than once on any agent. They do not depend on the outcomes."""
    met = []
    for agent in (votes.a, votes.b):
        key = votes.judge.astype(np.int64) * votes.agents + agent
        met.append(key)
    keys, number = np.unique(np.concatenate(met), return_counts=True)
    one, other = (number[np.searchsorted(keys, key)] for key in met)
    return np.asarray(1 / np.maximum(one, other))


def _fit(votes: Comparisons) -> Estimate | None:
    table = tabulate(votes)
    try:
        return fit_davidson(table)
    except NoFiniteMaximum:
        # Nobody ties, or ties are out of the model's reach; then wins alone are modelled and a tie is half of one.
        try:
            return fit_bradley_terry(table)
        except NoFiniteMaximum:
            return None


def own_influence(
    fitted: Comparisons, estimate: Estimate, ids: Integers, owner: Integers, a: Integers, b: Integers
) -> Floats:
    """(n,) first-order part of every vote's gap that its own judge put there."""
    m = fitted.agents
    judges = cluster(fitted, fitted.judge)
    place = np.full(len(judges), -1)
    known = np.isin(judges.ids, ids)
    place[known] = np.searchsorted(ids, judges.ids[known])
    starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(ids)))))
    own = np.zeros(len(owner))
    with one_blas_thread():
        for block, scores in score_tiles(judges, estimate):
            shift = scores @ estimate.bread[:, :m]
            homes = place[block]
            rows, tile = _ranges(starts[homes], starts[homes + 1])
            own[rows] = shift[tile, a[rows]] - shift[tile, b[rows]]
    return own


def _ranges(first: Integers, last: Integers) -> tuple[Integers, Integers]:
    """All integers of the half-open ranges one after the other, and the number of the range of each."""
    length = last - first
    number = np.repeat(np.arange(len(length)), length)
    within = np.arange(len(number)) - np.repeat(np.cumsum(length) - length, length)
    return first[number] + within, number


def outcome_chances(gap: Floats, log_nu: float) -> Floats:
    """(..., 3) chances of a loss, a tie and a win of slot A."""
    terms = np.stack([-gap / 2, np.full_like(gap, log_nu), gap / 2], axis=-1)
    return np.asarray(special.softmax(terms, axis=-1))
