"""The rules of Elo for one battle, in plain numbers: quick to import for every process that takes votes.

Source: Elo 1978; the ticker's falling K is our own.
"""

from __future__ import annotations

import math

#: Where every agent starts.
SEED_RATING = 1000.0
#: The ticker's K for a newcomer and for an agent with thirty battles or more: quick at first, calm afterwards.
TICKER_FIRST_K = 48.0
TICKER_LAST_K = 12.0


def expected_points(rating: float, other: float) -> float:
    """Expected points of an agent against another, a tie counting half."""
    return float(1 / (1 + 10 ** ((other - rating) / 400)))


def elo_update(rating_a: float, rating_b: float, points_a: float, k: float) -> tuple[float, float]:
    """Both ratings after a battle; what one side gains the other loses."""
    change = k * (points_a - expected_points(rating_a, rating_b))
    return rating_a + change, rating_b - change


def ticker_k(battles: int) -> float:
    """The ticker's K for a side with that many measured battles before this one: 48 at none, 12 from 30."""
    return max(TICKER_LAST_K, TICKER_FIRST_K / math.sqrt(1 + battles / 2))


def ticker_update(
    rating_a: float, rating_b: float, battles_a: int, battles_b: int, points_a: float
) -> tuple[float, float]:
    """Both ticker ratings after a battle. Each side moves by its own K, so points are not conserved."""
    surprise = points_a - expected_points(rating_a, rating_b)
    return rating_a + ticker_k(battles_a) * surprise, rating_b - ticker_k(battles_b) * surprise
