"""Arithmetic of the measures: shares of clustered items from sums, ranks of quantiles, ratios, entropy, agreement.

Everything takes sums that a database adds up, so that no number of rows is too many. Sources: Wilson 1927; Kish 1965,
section 8.2; Korn and Graubard 1998 (effective sizes); Woodruff 1952 (intervals of quantiles); Krippendorff 2011.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from ratings.estimators.arrays import Floats
from ratings.inference.intervals import t_quantile
from ratings.inference.shares import wilson

#: Resamples of the agreement's bootstrap, and the seed: the same votes give the same interval.
RESAMPLES, SEED = 2_000, 30
#: Fewer resamples with a value than this share say nothing about the others.
RESAMPLES_NEEDED = 0.5


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over clusters of x counted of n: all a share with a robust interval needs.

    Attributes:
        x, n, xx, xn, nn: sums of x, n, x squared, x times n, n squared.
        clusters: how many clusters have an n above 0.
    """

    x: float
    n: float
    xx: float
    xn: float
    nn: float
    clusters: int

    @classmethod
    def of(cls, x: Floats, n: Floats, times: Floats | None = None) -> Sums:
        """From one x and one n for each cluster, or for each kind of cluster with how many there are of it."""
        times = np.ones(len(n)) if times is None else times
        return cls(
            float(x @ times),
            float(n @ times),
            float((x * x) @ times),
            float((x * n) @ times),
            float((n * n) @ times),
            int(times[n > 0].sum()),
        )

    @property
    def effective_clusters(self) -> float:
        """Kish's effective number of clusters by their sizes."""
        return self.n**2 / self.nn if self.nn > 0 else 0.0

    def spread(self, ratio: float) -> float:
        """Estimated variance of x/n over clusters, with G/(G-1)."""
        square = max(0.0, self.xx - 2 * ratio * self.xn + ratio**2 * self.nn)
        return self.clusters / max(1, self.clusters - 1) * square / self.n**2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, and the number of independent items it is worth."""

    value: float
    lower: float | None
    upper: float | None
    effective: float


def share_of(sums: Sums) -> Estimate | None:
    """A share with the wider of Wilson's interval and the cluster-robust one on the logit; None of nothing.

    Equal to :func:`ratings.inference.shares.clustered_share` of the same clusters.
    """
    if sums.n <= 0:
        return None
    share = min(1.0, sums.x / sums.n)
    spread = sums.spread(share)
    # What floating point leaves of a variance of nothing is nothing.
    if sums.clusters < 2 or spread <= 1e-15 or share in {0.0, 1.0}:
        found = wilson(share, sums.effective_clusters)
        return Estimate(share, found.lower, found.upper, found.effective_size)
    size = min(sums.n, share * (1 - share) / spread)
    plain = wilson(share, size)
    quantile = t_quantile(sums.effective_clusters - 1)
    if math.isinf(quantile):
        return Estimate(share, plain.lower, plain.upper, size)
    reach = quantile * math.sqrt(spread) / (share * (1 - share))
    ends = float(expit(logit(share) - reach)), float(expit(logit(share) + reach))
    return Estimate(share, min(plain.lower, ends[0]), max(plain.upper, ends[1]), size)


def ratio_of(sums: Sums) -> Estimate | None:
    """A ratio of two sums that is no share, with the linearised interval; None over nothing."""
    if sums.n <= 0:
        return None
    ratio = sums.x / sums.n
    reach = t_quantile(sums.clusters - 1) * math.sqrt(sums.spread(ratio))
    if not math.isfinite(reach):
        return Estimate(ratio, None, None, sums.effective_clusters)
    return Estimate(ratio, max(0.0, ratio - reach), ratio + reach, sums.effective_clusters)


def quantile_shares(quantile: float, effective: float) -> tuple[float, float]:
    """Between which shares of the sorted values the 95% interval of a quantile lies.

    Args:
        effective: independent values; more than that may be sorted.
    """
    found = wilson(quantile, effective)
    return found.lower, found.upper


def entropy_of(counts: Floats, products: Floats, lanes: int, sizes_squared: float) -> Estimate | None:
    """Shannon entropy of shares over the logarithm of their number, 0 to 1, with the linearised interval.

    Args:
        counts: (K,) how often each kind occurs.
        products: (K, K) sums over clusters of the products of its counts.
        lanes: clusters with any.
        sizes_squared: sum over clusters of the square of their size.
    """
    total = float(counts.sum())
    if total <= 0:
        return None
    shares = counts / total
    occurs = shares > 0
    information = np.zeros(len(counts))
    information[occurs] = -np.log(shares[occurs])
    entropy = float(shares @ information)
    scale = math.log(len(counts))
    # Of one cluster: its surprise less what its size would bring on average.
    influence = information - entropy
    spread = lanes / max(1, lanes - 1) * max(0.0, float(influence @ products @ influence)) / total**2
    effective = total**2 / sizes_squared if sizes_squared > 0 else 0.0
    reach = t_quantile(effective - 1) * math.sqrt(spread) if lanes > 1 else math.inf
    if not math.isfinite(reach):
        return Estimate(entropy / scale, None, None, effective)
    ends = max(0.0, (entropy - reach) / scale), min(1.0, (entropy + reach) / scale)
    return Estimate(entropy / scale, ends[0], ends[1], effective)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Alpha, or why it is undefined: "no_data" where nothing was judged twice, "no_variation" where all said one thing.

    Attributes:
        alpha, lower, upper: nominal Krippendorff's alpha with its bootstrap interval over items.
        equal, pairs: pairs of labels on one item that are equal, and all pairs.
        labels: labels on items with at least two.
    """

    alpha: float | None
    lower: float | None
    upper: float | None
    equal: float
    pairs: float
    labels: float


def agreement_of(patterns: Floats, items: Floats) -> Agreement:
    """Agreement from how many items were labelled in each way.

    Args:
        patterns: (P, K) how often each of K answers was given to an item.
        items: (P,) how many items were labelled so.
    """
    sizes = patterns.sum(axis=1)
    kept = (sizes >= 2) & (items > 0)
    patterns, items, sizes = patterns[kept], items[kept], sizes[kept]
    equal = float(items @ (patterns * (patterns - 1)).sum(axis=1)) / 2
    pairs = float(items @ (sizes * (sizes - 1))) / 2
    labels = float(items @ sizes)
    if not len(items):
        return Agreement(None, None, None, equal, pairs, labels)
    agreed = (patterns * (patterns - 1)).sum(axis=1) / (sizes - 1)
    alpha = _alpha(items, patterns, sizes, agreed)
    if alpha is None:
        return Agreement(None, None, None, equal, pairs, labels)
    total = int(items.sum())
    drawn = np.random.default_rng(SEED).multinomial(total, items / total, size=RESAMPLES)
    values = [found for row in drawn if (found := _alpha(row.astype(float), patterns, sizes, agreed)) is not None]
    if len(values) < RESAMPLES_NEEDED * RESAMPLES:
        return Agreement(alpha, None, None, equal, pairs, labels)
    lower, upper = (float(end) for end in np.quantile(values, [0.025, 0.975]))
    return Agreement(alpha, lower, upper, equal, pairs, labels)


def _alpha(items: Floats, patterns: Floats, sizes: Floats, agreed: Floats) -> float | None:
    margins = items @ patterns
    total = float(margins.sum())
    if np.count_nonzero(margins > 0) < 2:
        return None
    observed = 1 - float(items @ agreed) / total
    expected = 1 - float((margins * (margins - 1)).sum()) / (total * (total - 1))
    return 1 - observed / expected
