"""Online Elo: what a rating looks like while it runs. It orders nothing that is published.

Online Elo depends on the order of the battles and never settles: with a fixed K the gap of two equal models keeps a
standard deviation of sqrt(400 K / (ln 10 (1 - K ln 10 / 1600))) points for ever (76.3 at K = 32). Averaging over
random orders removes the first fault and shows its size; only the fit removes the second.

Sources: Elo 1978; Boubdir et al. 2023 for the permuted average.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import POINTS_OF_A, Comparisons
from ratings.estimators.elo_rule import SEED_RATING, elo_update, ticker_update
from ratings.estimators.seeded import SeededDraws

#: Orders that the permuted average runs through unless told otherwise.
DEFAULT_ORDERS = 1000
#: Orders are worked off in blocks of at most this many battles, which bounds memory at a few hundred megabytes.
BLOCK_BATTLES = 20_000_000


def run_ticker(votes: Comparisons) -> Floats:
    """(M,) ticker ratings after the votes in the order given, from the seed rating."""
    ratings, battles = [SEED_RATING] * votes.agents, [0] * votes.agents
    for a, b, outcome in zip(votes.a.tolist(), votes.b.tolist(), votes.outcome.tolist(), strict=True):
        ratings[a], ratings[b] = ticker_update(ratings[a], ratings[b], battles[a], battles[b], outcome / 2)
        battles[a] += 1
        battles[b] += 1
    return np.array(ratings)


def run_elo(votes: Comparisons, k: float) -> Floats:
    """(M,) ratings after the votes in the order given, from the seed rating, with a fixed K."""
    ratings = [SEED_RATING] * votes.agents
    for a, b, outcome in zip(votes.a.tolist(), votes.b.tolist(), votes.outcome.tolist(), strict=True):
        ratings[a], ratings[b] = elo_update(ratings[a], ratings[b], outcome / 2, k)
    return np.array(ratings)


@dataclass(frozen=True, slots=True, eq=False)
class PermutedElo:
    """Final ratings of online Elo over random orders of the same votes.

    Attributes:
        ratings: (orders, M) final ratings of each order.
    """

    ratings: Floats

    @property
    def mean(self) -> Floats:
        """(M,) average rating."""
        return np.asarray(self.ratings.mean(axis=0))

    @property
    def spread(self) -> Floats:
        """(M,) standard deviation of a final rating over orders."""
        return np.asarray(self.ratings.std(axis=0, ddof=1))


def elo_permuted(votes: Comparisons, k: float, *, seed: int, orders: int = DEFAULT_ORDERS) -> PermutedElo:
    """Run online Elo through many random orders at once.

    Args:
        votes: n comparisons; weights are ignored, as online Elo has none.
        k: the fixed K in points.
        seed: of the orders.
        orders: how many.
    """
    draws = SeededDraws(seed)
    block = max(1, min(orders, BLOCK_BATTLES // max(1, len(votes))))
    points = POINTS_OF_A[votes.outcome]
    finals = []
    for first in range(0, orders, block):
        order = draws.orders(min(block, orders - first), len(votes)).T
        rows = np.arange(order.shape[1]) * votes.agents
        ratings = np.full(order.shape[1] * votes.agents, SEED_RATING)
        for battle in order:
            a, b = rows + votes.a[battle], rows + votes.b[battle]
            at_a, at_b = ratings[a], ratings[b]
            change = k * (points[battle] - 1 / (1 + 10 ** ((at_b - at_a) / 400)))
            ratings[a] = at_a + change
            ratings[b] = at_b - change
        finals.append(ratings.reshape(-1, votes.agents))
    return PermutedElo(np.concatenate(finals))


def resting_gap_sd(k: float) -> float:
    """Standard deviation, in points, of the gap of two equal models under online Elo with a fixed K, no ties.

    Raises:
        ValueError: K is so large that the gap has no resting distribution.
    """
    pull = 1 - k * math.log(10) / 1600
    if k <= 0 or pull <= 0:
        raise ValueError(f"K must be between 0 and {1600 / math.log(10):.0f}, not {k}")
    return math.sqrt(400 * k / (math.log(10) * pull))
