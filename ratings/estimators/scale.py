"""Units: natural-log strengths inside, Elo points outside.

A strength difference of one nat is 400 / ln 10 points, so that 400 points are odds of ten to one (Elo 1978).
Only differences mean anything; the anchor is where the mean of the reference agents is put.
"""

from __future__ import annotations

import math

import numpy as np

from ratings.estimators.arrays import Floats

#: Elo points per nat of strength: 400 / ln 10 = 173.7178.
POINTS_PER_NAT = 400 / math.log(10)
#: The points of the mean reference agent. A round number far from zero, so that no rating is negative.
ANCHOR = 1000.0


def win_probability(gap: float) -> float:
    """Chance that the stronger of two agents ``gap`` points apart is preferred, a tie counting half."""
    return float(1 / (1 + 10 ** (-gap / 400)))


def gap_of_share(share: float) -> float:
    """The gap in points at which the stronger agent gets ``share`` of the points; infinite at 0 and 1."""
    if not 0 <= share <= 1:
        raise ValueError(f"a share is between 0 and 1, not {share}")
    if share in {0.0, 1.0}:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def contrasts(reference: Floats) -> Floats:
    """Contrast of every agent with the reference: the (M, M) matrix I - 1 reference'.

    Args:
        reference: (M,) shares adding to one over the agents whose mean is the anchor.
    """
    return np.eye(len(reference)) - reference[None, :]


def to_points(strengths: Floats, reference: Floats) -> Floats:
    """Ratings in points, (M,), from strengths in nats, (M,), with the reference mean at the anchor."""
    return np.asarray(ANCHOR + POINTS_PER_NAT * (strengths - reference @ strengths))
