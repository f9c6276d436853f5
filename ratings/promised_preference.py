"""The one measure that can be promised so far: how often people prefer an agent to others, over a size fixed before.

The result is read by a task, once, as soon as so many battles rate as were promised: over the first of them in the
order in which they were drawn. So nobody stops at a convenient one. A battle that is still judged then is not waited
for, since it may stay so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray
from scipy import stats

from battles.models import Preregistration
from battles.preregistrations import Outcome, PromisedMetric, battles_of, register_promised_metric
from judging.models import Vote
from ratings.corpus import label_ids, read_corpus
from ratings.models import Board
from ratings.rated_corpus import A_WINS, B_WINS

KEY = "preference"
WORDS = "The share of rated battles in which people prefer the first agent; ties and both-bad count half."
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Preference:
    """A share with its interval; the interval is None where a single judge decides it."""

    share: float
    lower: float | None
    upper: float | None


def preference(
    won: NDArray[np.float64], weight: NDArray[np.float64], judge: NDArray[np.int64], *, level: float = LEVEL
) -> Preference:
    """The weighted share with a cluster-robust interval; judges are the clusters, t at one less than their number.

    Args:
        won: (n,) 1, 1/2 or 0, seen from the first agent.
        weight: (n,) 1/k for each of a battle's k labels.
        judge: (n,) whose label it is.

    Source: Liang and Zeger (1986), with the factor G/(G - 1) for G clusters.
    """
    total = float(weight.sum())
    share = float((weight * won).sum()) / total
    _, cluster = np.unique(judge, return_inverse=True)
    clusters = int(cluster.max()) + 1
    if clusters < 2:
        return Preference(share, None, None)
    scores = np.bincount(cluster, weights=weight * (won - share))
    error = float(np.sqrt(clusters / (clusters - 1) * (scores**2).sum())) / total
    reach = float(stats.t.ppf((1 + level) / 2, clusters - 1)) * error
    return Preference(share, max(0.0, share - reach), min(1.0, share + reach))


def read_preference(promise: Preregistration) -> Outcome | None:
    """The result, or None while fewer battles are rated than were promised."""
    at = timezone.now()
    corpus = read_corpus(Board.HEADLINE, at=at)
    number = {label: row for row, label in enumerate(label_ids(Board.HEADLINE, at))}
    votes = (
        Vote.objects.filter(battle__in=battles_of(promise)).order_by("battle_id", "pk").values_list("pk", "battle_id")
    )
    rows: list[int] = []
    battles: set[object] = set()
    for vote, battle in votes:
        row = number.get(vote)
        if row is None or not corpus.rated[row]:
            continue
        if battle not in battles and len(battles) == promise.size:
            break
        battles.add(battle)
        rows.append(row)
    if len(battles) < promise.size:
        return None
    chosen = np.array(rows)
    outcome = corpus.outcome[chosen]
    first = corpus.row_of(promise.agents[0])
    won = np.where(outcome == A_WINS, 1.0, np.where(outcome == B_WINS, 0.0, 0.5))
    won = np.where(corpus.agent_a[chosen] == first, won, 1.0 - won)
    return Outcome(_words(preference(won, corpus.weight[chosen], corpus.judge[chosen])))


def _words(found: Preference) -> str:
    if found.lower is None or found.upper is None:
        return f"{found.share:.1%}; without an interval, since one judge decided it"
    return f"{found.share:.1%}, {LEVEL:.0%} interval {found.lower:.1%} to {found.upper:.1%}"


register_promised_metric(PromisedMetric(KEY, WORDS, read_preference))
