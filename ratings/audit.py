"""What stands behind the numbers: which labels rate, how concentrated judges are, who gains from exclusions.

Exclusions can be gamed: an agent that names itself, or breaks off, where it would lose erases its losses. So the share
of every agent's battles that each rule excluded is published, with the rank the agent would have had if it had lost
all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.canonical import published
from ratings.corpus_file import STYLE
from ratings.eligibility import Reason
from ratings.estimators.arrays import Floats, Integers, different, sums_by
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, Comparisons, PairTable, effective_number, tabulate
from ratings.estimators.connectivity import components
from ratings.probes import Probe, run_probes
from ratings.rated_corpus import BOTH_BAD, TIE, Corpus
from ratings.variants import covariates_of, seed_of

#: Fewer battles, or preferring votes of a pair, make a share that says nothing and gives away how few they are.
SHARE_FLOOR = 30
#: Shares are published to a hundredth: finer ones could be traced back to counts.
SHARE_DECIMALS = 2
#: Reasons that come from what the lanes did, which an agent can bring about.
GAMEABLE = (Reason.NO_TRAJECTORY, Reason.UNEQUAL_BUDGETS, Reason.IDENTITY_LEAKED)


def share(part: float, whole: float) -> float | None:
    """A share as it is published; None under the floor."""
    return published(part / whole, SHARE_DECIMALS) if whole >= SHARE_FLOOR else None


def audit_document(corpus: Corpus, votes: Comparisons) -> dict[str, Any]:
    """Counts and shares of a board with at least one rated label, exclusions by agent, and the probes.

    Args:
        corpus: all labels.
        votes: the rated ones.
    """
    rated = corpus.rated
    labels = {reason.name.lower(): int((corpus.reason == reason).sum()) for reason in Reason}
    spoken = corpus.reason.size - labels["not_live"]
    per_judge = sums_by(votes.judge, votes.weights(), 0)
    battles = len(different(votes.battle)) if votes.battle is not None else len(votes)
    self_judged = len(different(corpus.battle[rated & corpus.by_submitter]))
    outcome = corpus.outcome[rated]
    return {
        "labels_seen": int(corpus.reason.size),
        "labels": labels,
        "label_shares": {
            reason.name.lower(): share(labels[reason.name.lower()], spoken)
            for reason in Reason
            if reason != Reason.NOT_LIVE
        },
        "battles": battles,
        "judges": int((per_judge > 0).sum()),
        "judges_effective": published(effective_number(per_judge)),
        "top_judge_share": share_of_weight(float(per_judge.max()), float(per_judge.sum())),
        "self_judged_share": share(self_judged, battles),
        "tie_share": share_of_weight(float(votes.weights()[outcome == TIE].sum()), float(per_judge.sum())),
        "both_bad_share": share_of_weight(float(votes.weights()[outcome == BOTH_BAD].sum()), float(per_judge.sum())),
        "exclusions": exclusions(corpus, votes),
        "probes": [_probe(probe) for probe in _probes(corpus, votes)],
    }


def share_of_weight(part: float, whole: float) -> float | None:
    """The same of weights, in which a battle counts one."""
    return share(round(part, 6), round(whole, 6))


def exclusions(corpus: Corpus, votes: Comparisons) -> dict[str, dict[str, Any]]:
    """By agent: battles that ended, how many each rule excluded, its point rank, and that rank with those as losses."""
    ended = corpus.ended
    table = tabulate(votes)
    cores = fitted_cores(table)
    found = {}
    for agent in np.unique(np.concatenate([ended.agent_a, ended.agent_b])).tolist():
        own = (ended.agent_a == agent) | (ended.agent_b == agent)
        total = int(ended.battles[own].sum())
        by_reason = {
            reason.name.lower(): int(ended.battles[own & (ended.reason == reason)].sum()) for reason in GAMEABLE
        }
        lost = own & np.isin(ended.reason, GAMEABLE)
        as_losses = fitted_cores(_with_losses(table, agent, corpus, lost), cores) if lost.any() else cores
        found[corpus.agents[agent]] = {
            "battles_ended": total,
            "excluded": by_reason,
            "rates": {name: share(count, total) for name, count in by_reason.items()},
            "point_rank": point_rank(cores, agent),
            "point_rank_if_lost": point_rank(as_losses, agent),
        }
    return found


def fitted_cores(table: PairTable, near: list[tuple[Integers, Floats]] | None = None) -> list[tuple[Integers, Floats]]:
    """Members of each core with their point estimates, which a search begins from that fits the same members."""
    starts = {tuple(members.tolist()): strengths for members, strengths in near or []}
    cores = [component.core for component in components(table) if component.core is not None]
    return [
        (core, fit_bradley_terry(table.between(core), start=starts.get(tuple(core.tolist()))).strengths)
        for core in cores
    ]


def point_rank(cores: list[tuple[Integers, Floats]], agent: int) -> int | None:
    """1 + the agents rated above it in its component, by the point estimates; None where it has no rating."""
    for core, strengths in cores:
        if agent in core:
            return 1 + int((strengths > strengths[int(np.searchsorted(core, agent))]).sum())
    return None


def _with_losses(table: PairTable, agent: int, corpus: Corpus, rows: NDArray[np.bool_]) -> PairTable:
    ended = corpus.ended
    weight = table.weight.copy()
    for one, other, battles in zip(ended.agent_a[rows], ended.agent_b[rows], ended.battles[rows], strict=True):
        winner = int(other if one == agent else one)
        weight[winner, agent, A_WINS] += int(battles)
    return PairTable(weight)


def _probes(corpus: Corpus, votes: Comparisons) -> tuple[Probe, ...]:
    covariates, names, _ = covariates_of(corpus, STYLE)
    return run_probes(
        votes,
        corpus.agents,
        covariates=covariates if names else None,
        covariate_names=names,
        times=np.arange(len(votes), dtype=np.float64),
        seed=seed_of(corpus),
    )


def _probe(probe: Probe) -> dict[str, Any]:
    return {
        "key": probe.key,
        "fired": probe.fired,
        "value": published(probe.value, 4),
        "lower": published(probe.lower, 4),
        "upper": published(probe.upper, 4),
        "threshold": published(probe.threshold, 4),
        "reason": probe.reason,
        "about": list(probe.about),
    }
