"""Intervals for shares whose items are not independent.

Votes of one judge resemble each other, and so do steps of one battle. The interval is Wilson's at the effective sample
size, and where the variance between clusters can be estimated, the wider of that and the cluster-robust interval on
the logit.

Sources: Wilson 1927; Kish 1965, section 8.2 (design effects); Korn and Graubard 1998 (effective sample sizes).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.comparisons import effective_number
from ratings.inference.intervals import CONFIDENCE, t_quantile


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval.

    Attributes:
        value: counted over all.
        lower, upper: ends of the interval.
        effective_size: number of independent items worth as much.
    """

    value: float
    lower: float
    upper: float
    effective_size: float


def wilson(share: float, size: float, *, confidence: float = CONFIDENCE, quantile: float | None = None) -> Share:
    """Wilson's score interval.

    Args:
        share: observed share.
        size: number of independent items, which need not be whole.
        quantile: standard errors to reach, in place of the normal quantile at ``confidence``.

    Raises:
        ValueError: no items, or a share that is none.
    """
    if size <= 0 or not 0 <= share <= 1:
        raise ValueError(f"a share of {share} of {size} items has no interval")
    z = t_quantile(math.inf, confidence=confidence) if quantile is None else quantile
    centre = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z * math.sqrt(share * (1 - share) / size + z**2 / (4 * size**2)) / (1 + z**2 / size)
    # At 0 and 1 an end is the share itself, which rounding may miss by a hair.
    return Share(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)), size)


def clustered_share(counted: Floats, over: Floats, cluster: Integers, *, confidence: float = CONFIDENCE) -> Share:
    """A share of items that come in clusters.

    Args:
        counted: (n,) what counts of each row, at most its ``over``.
        over: (n,) what it is counted over; ones for single items.
        cluster: (n,) judge or battle of each row, from 0.

    Raises:
        ValueError: nothing to count over.
    """
    total = float(over.sum())
    if total <= 0:
        raise ValueError("there is nothing to take a share of")
    share = float(counted.sum()) / total
    length = int(cluster.max()) + 1
    sizes = sums_by(cluster, over, length)
    surplus = sums_by(cluster, counted - share * over, length)[sizes > 0]
    sizes = sizes[sizes > 0]
    clusters = len(sizes)
    spread = clusters / max(1, clusters - 1) * float(np.square(surplus).sum()) / total**2
    if clusters < 2 or spread <= 0 or share in {0.0, 1.0}:
        # No variance between clusters can be seen: each is taken as one item, which is the most it can hide.
        return wilson(share, effective_number(sizes), confidence=confidence)
    size = min(total, share * (1 - share) / spread)
    quantile = t_quantile(effective_number(sizes) - 1, confidence=confidence)
    plain = wilson(share, size, confidence=confidence)
    if math.isinf(quantile):
        return plain
    reach = quantile * math.sqrt(spread) / (share * (1 - share))
    ends = (float(expit(logit(share) - reach)), float(expit(logit(share) + reach)))
    return Share(share, min(plain.lower, ends[0]), max(plain.upper, ends[1]), size)
