"""Whether the slot matters: the share of slot A among votes that prefer a side, whoever sat there.

Slots are drawn at random, so that the share needs no model to be compared with a half. The advantage in nats, with
the agents' strengths accounted for, is the parameter of :data:`ratings.likelihoods.POSITION`.
"""

from __future__ import annotations

from ratings.estimators.comparisons import A_WINS, TIE, Comparisons
from ratings.inference.shares import Share, clustered_share


def slot_a_share(votes: Comparisons) -> Share | None:
    """Share of slot A among the votes that prefer a side, clustered on the judge; None where none does."""
    decided = votes.take(votes.outcome != TIE)
    if not len(decided):
        return None
    weight = decided.weights()
    return clustered_share(weight * (decided.outcome == A_WINS), weight, decided.judge)
