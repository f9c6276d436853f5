"""What the estimates of one set of votes would vary by.

Four answers to four questions: ``model`` believes the likelihood; ``sandwich`` believes only that battles are
independent; ``judge`` allows any dependence among the votes of a judge and is what intervals are
published from; ``judge_battle`` also allows dependence among the votes on a battle.

Sources: Huber 1967 and White 1982 (sandwich); Liang and Zeger 1986 (clusters); Cameron, Gelbach and Miller 2011 (two
ways); Carter, Schnepel and Steigerwald 2017 (effective number of clusters).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by
from ratings.estimators.clusters import Clusters, cluster, meat
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import POINTS_PER_NAT, contrasts

Kind = Literal["model", "sandwich", "judge", "judge_battle"]
Reason = Literal["not_identified", "degenerate_interval"]

NOT_IDENTIFIED: Reason = "not_identified"
DEGENERATE: Reason = "degenerate_interval"

#: An agent's summed scores are all alike when their root mean square is below this share of the weight of its votes:
#: far above rounding, far below any sample of votes that differ.
ALIKE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """The covariance of an estimate's parameters.

    Attributes:
        kind: which question it answers.
        matrix: (P, P) in nats squared, for strengths that add to zero. It holds numbers even where ``reasons``
            forbid to publish them.
        clusters: number of judges G; of battles for ``sandwich``; 0 for ``model``.
        effective_clusters: (sum w)^2 / sum w^2 over the weights w of the judges; of the battles, if these are scarcer.
        factor: the small-sample factor G / (G - 1) of the judges, 1 where none is used.
        reasons: (M,) per agent why its interval may not be published, or None.
        design_effect: mean of the eigenvalues of model^-1 x this covariance: how much larger the true variances are
            than the model says, on average (Rao and Scott 1981). The scale of deviances.
    """

    kind: Kind
    matrix: Floats
    clusters: int
    effective_clusters: float
    factor: float
    reasons: tuple[Reason | None, ...]
    design_effect: float

    @property
    def degrees_of_freedom(self) -> float:
        """Of t and F quantiles: effective clusters - 1; infinite where no clusters limit what is known."""
        return self.effective_clusters - 1 if self.kind in {"judge", "judge_battle"} else float("inf")

    @property
    def usable(self) -> Flags:
        """(M,) which agents may have an interval."""
        return np.array([reason is None for reason in self.reasons], dtype=np.bool_)

    def points(self, reference: Floats) -> Floats:
        """(M, M) covariance, in points squared, of ratings whose reference mean is the anchor."""
        m = len(self.reasons)
        centred = contrasts(reference)
        return np.asarray(POINTS_PER_NAT**2 * (centred @ self.matrix[:m, :m] @ centred.T))


def model_covariance(estimate: Estimate) -> Covariance:
    """The inverse information: right only if the likelihood is, which half wins for ties already break."""
    none: tuple[Reason | None, ...] = (None,) * len(estimate.strengths)
    return Covariance("model", estimate.bread, 0, float("inf"), 1.0, none, 1.0)


def sandwich_covariance(votes: Comparisons, estimate: Estimate) -> Covariance:
    """Allows a wrong likelihood; battles are independent, votes on one battle are not. No small-sample factor."""
    if votes.battle is not None and votes.has_shared_battles():
        groups = _group(votes, votes.battle, estimate)
        filling, count = meat(groups, estimate), len(groups)
    else:
        filling, count = meat_by_vote(votes, estimate), len(votes)
    none: tuple[Reason | None, ...] = (None,) * len(estimate.strengths)
    matrix = estimate.bread @ filling @ estimate.bread
    return Covariance("sandwich", matrix, count, float(count), 1.0, none, _design_effect(estimate, filling))


def battle_covariance(votes: Comparisons, estimate: Estimate, battles: Clusters) -> Covariance:
    """The sandwich for votes of unknown judges, with the reasons that forbid an interval; no small-sample factor.

    Args:
        votes: the votes of the estimate, with their battles in the place of judges.
        estimate: a maximum of their likelihood.
        battles: the votes clustered by battle.
    """
    by_battle = meat(battles, estimate)
    return Covariance(
        kind="sandwich",
        matrix=estimate.bread @ by_battle @ estimate.bread,
        clusters=len(battles),
        effective_clusters=battles.effective(),
        factor=1.0,
        reasons=_reasons(votes, estimate, battles, np.diag(by_battle)),
        design_effect=_design_effect(estimate, by_battle),
    )


def judge_covariance(
    votes: Comparisons, estimate: Estimate, judges: Clusters | None = None, *, two_way: bool | None = None
) -> Covariance:
    """What is published: votes of one judge may depend on each other in any way, and so may the votes on one battle.

    Args:
        votes: the votes of the estimate.
        estimate: a maximum of their likelihood.
        judges: the votes clustered by judge, if at hand.
        two_way: allow dependence within battles too; by default where any battle has several votes.
    """
    judges = judges or _group(votes, votes.judge, estimate)
    by_judge = meat(judges, estimate)
    factor = _small_sample(len(judges))
    filling, effective = factor * by_judge, judges.effective()
    two_way = votes.has_shared_battles() if two_way is None else two_way
    if two_way:
        within, battles = _battle_excess(votes, estimate)
        filling, effective = filling + within, min(effective, battles)
    matrix = estimate.bread @ filling @ estimate.bread
    return Covariance(
        kind="judge_battle" if two_way else "judge",
        matrix=nearest_psd(matrix) if two_way else matrix,
        clusters=len(judges),
        effective_clusters=effective,
        factor=factor,
        reasons=_reasons(votes, estimate, judges, np.diag(by_judge)),
        design_effect=_design_effect(estimate, filling),
    )


def meat_by_vote(votes: Comparisons, estimate: Estimate, counted: Flags | None = None) -> Floats:
    """(P, P) sum over votes, those with ``counted`` flags only, of the outer product of the vote's weighted score."""
    m, e = votes.agents, len(estimate.extras)
    square = None if votes.weight is None else np.square(votes.weight)
    if counted is not None:
        square = counted.astype(np.float64) if square is None else square * counted
    if estimate.by_vote:
        square = np.ones(len(votes)) if square is None else square
        pair = votes.a.astype(np.int64) * m + votes.b

        def add_up(values: Floats) -> Floats:
            return sums_by(pair, square * values, m * m).reshape(m, m)
    else:
        cells = tabulate(votes, square).weight

        def add_up(values: Floats) -> Floats:
            return np.asarray((cells * values).sum(axis=2))

    residual, extras = estimate.residual, estimate.extra_scores
    total = np.zeros((m + e, m + e))
    pairs = add_up(np.square(residual))
    both = pairs + pairs.T
    total[:m, :m] = np.diag(both.sum(axis=1)) - both
    for i in range(e):
        cross = add_up(residual * extras[i])
        total[:m, m + i] = total[m + i, :m] = cross.sum(axis=1) - cross.sum(axis=0)
        for j in range(e):
            total[m + i, m + j] = add_up(extras[i] * extras[j]).sum()
    return total


def nearest_psd(matrix: Floats) -> Floats:
    """The matrix with its negative eigenvalues put to zero, as Cameron, Gelbach and Miller advise."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if values[0] >= 0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _battle_excess(votes: Comparisons, estimate: Estimate) -> tuple[Floats, float]:
    """Meat by battle less meat by (judge, battle), each with its factor, and the effective number of battles.

    Battles with one vote are alike in both, so only the others are sorted.
    """
    if votes.battle is None:
        raise ValueError("two-way clustering needs the battle of every vote")
    number = np.bincount(votes.battle)
    shared = number[votes.battle] > 1
    several = votes.take(shared)
    part = _rows(estimate, shared)
    alone = meat_by_vote(votes, estimate, ~shared)
    battle = several.battle if several.battle is not None else votes.battle
    both_ids = several.judge.astype(np.int64) * len(number) + battle
    by_battle, by_both = _group(several, battle, part), _group(several, both_ids, part)
    singles = len(votes) - len(several)
    excess = _small_sample(singles + len(by_battle)) * (alone + meat(by_battle, part))
    excess -= _small_sample(singles + len(by_both)) * (alone + meat(by_both, part))
    weight = sums_by(votes.battle, votes.weight, len(number))
    return excess, float(weight.sum()) ** 2 / float(np.square(weight).sum())


def _group(votes: Comparisons, ids: Integers, estimate: Estimate) -> Clusters:
    return cluster(votes, ids, ordered=estimate.by_vote)


def _rows(estimate: Estimate, rows: Flags) -> Estimate:
    if not estimate.by_vote:
        return estimate
    return replace(estimate, residual=estimate.residual[rows], extra_scores=estimate.extra_scores[:, rows])


def _small_sample(clusters: int) -> float:
    return clusters / (clusters - 1) if clusters > 1 else 1.0


def _design_effect(estimate: Estimate, filling: Floats) -> float:
    if not estimate.free_parameters:
        return 1.0
    return float((estimate.bread * filling).sum()) / estimate.free_parameters


def _reasons(votes: Comparisons, estimate: Estimate, judges: Clusters, own_meat: Floats) -> tuple[Reason | None, ...]:
    """Why each agent may have no interval.

    Not more judges than parameters: the scores add to zero by construction, so their covariance says nothing. An
    agent all of whose scores are alike by judge: the formula would give it no error of its own, of which there is
    no evidence either.
    """
    if len(judges) <= estimate.free_parameters:
        return tuple(NOT_IDENTIFIED for _ in estimate.strengths)
    m = votes.agents
    weight = sums_by(votes.a, votes.weight, m) + sums_by(votes.b, votes.weight, m)
    alike = own_meat[:m] <= np.square(ALIKE * weight)
    return tuple(_alike_reason(votes, agent) if alike[agent] else None for agent in range(m))


def _alike_reason(votes: Comparisons, agent: int) -> Reason:
    own = (votes.a == agent) | (votes.b == agent)
    return DEGENERATE if len(np.unique(votes.judge[own])) > 1 else NOT_IDENTIFIED
