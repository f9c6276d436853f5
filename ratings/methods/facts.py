"""Numbers in the text about methods, each computed by the function it speaks of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.covariance import model_covariance, sandwich_covariance
from ratings.estimators.elo import resting_gap_sd
from ratings.estimators.scale import POINTS_PER_NAT, win_probability
from ratings.estimators.style import normalized_difference
from ratings.estimators.tie_models import davidson_tie_chance
from ratings.inference.intervals import ellipsoid_factor, t_quantile
from ratings.inference.planning import (
    expected_maximum,
    items_to_tell_from,
    votes_for_halfwidth,
    votes_to_detect,
)
from ratings.methods.figures import cycle, replay_elo

#: The examples of the text.
K_STEPS = (8, 16, 32)
SEEDS = {"votes_seed": 1, "orders_seed": 1}
TIE_SHARE = 0.3
DECISIVE_GAP = 0.5
#: So many that rounding to whole votes does not show.
TIE_EXAMPLE_VOTES = 100_000
NU = 0.8
AGENTS_AT_ONCE = 8
VARIANTS = 27
LOPSIDED_SHARE, CYCLE_WIN = 0.8, 0.7
ITEM_SHARE = 0.55


@dataclass(frozen=True, slots=True)
class Facts:
    """Points unless another unit is named.

    Attributes:
        points_per_nat: of strength.
        win_at_100, win_at_400: percent of the points that the stronger of two gets.
        resting: K and the standard deviation of the gap of two equal models, for ever.
        worth: battles that a gap at the largest K is worth.
        elo_spread: K and the mean standard deviation of a final rating over orders.
        fit_error: mean standard error of the fit of the same votes.
        decisive_gap, halved_gap: a gap among decided votes, and what is fitted with ties as half a win.
        too_wide: percent by which model errors are then wider than the truth.
        tie_percent, win_percent: of Davidson's model at nu = 0.8 and equal strengths.
        at_once: how many times wider an interval for all eight agents at once is than one for each.
        small_difference, large_difference: 500 against 520 and 20 against 40 words, normalized.
        cycle_gap: between equals of a three-cycle on a lopsided schedule.
        best_of_errors: standard errors that the best of 27 equal variants looks better by.
        error_of_one: standard error of a gap is this over the square root of the votes between the two.
        wide, half: votes for a half-width of 10 points, and of 5.
        detect_20, detect_100: votes to tell 20 and 100 points from none.
        items: independent items to tell 55% from a coin.
    """

    points_per_nat: float
    win_at_100: float
    win_at_400: float
    resting: tuple[tuple[int, float], ...]
    worth: float
    elo_spread: tuple[tuple[int, float], ...]
    fit_error: float
    decisive_gap: float
    halved_gap: float
    too_wide: float
    tie_percent: float
    win_percent: float
    at_once: float
    small_difference: float
    large_difference: float
    cycle_gap: float
    best_of_errors: float
    error_of_one: float
    wide: int
    half: int
    detect_20: int
    detect_100: int
    items: int


@cache
def facts() -> Facts:
    """Computed once a process."""
    replays = {k: replay_elo(k, **SEEDS) for k in K_STEPS}
    fit = replays[K_STEPS[0]]
    halved_gap, ratio = _half_wins()
    tie = davidson_tie_chance(0.0, NU)
    differences = normalized_difference(np.array([500.0, 20.0]), np.array([520.0, 40.0]))
    return Facts(
        points_per_nat=POINTS_PER_NAT,
        win_at_100=100 * win_probability(100),
        win_at_400=100 * win_probability(400),
        resting=tuple((k, resting_gap_sd(k)) for k in K_STEPS),
        worth=(2 * POINTS_PER_NAT / resting_gap_sd(K_STEPS[-1])) ** 2,
        elo_spread=tuple((k, float(replay.spread.mean())) for k, replay in replays.items()),
        fit_error=float((fit.upper - fit.lower).mean() / (2 * t_quantile(math.inf))),
        decisive_gap=POINTS_PER_NAT * DECISIVE_GAP,
        halved_gap=halved_gap,
        too_wide=100 * (1 / ratio - 1),
        tie_percent=100 * tie,
        win_percent=100 * (1 - tie) / 2,
        at_once=ellipsoid_factor(AGENTS_AT_ONCE - 1, math.inf) / t_quantile(math.inf),
        small_difference=float(differences[0]),
        large_difference=float(differences[1]),
        cycle_gap=cycle(LOPSIDED_SHARE, CYCLE_WIN).gap,
        best_of_errors=expected_maximum(VARIANTS),
        error_of_one=2 * POINTS_PER_NAT,
        wide=votes_for_halfwidth(10),
        half=votes_for_halfwidth(5),
        detect_20=votes_to_detect(20),
        detect_100=votes_to_detect(100),
        items=items_to_tell_from(ITEM_SHARE),
    )


def _half_wins() -> tuple[float, float]:
    """Of one pair with 30% ties: the gap in points, and sandwich over model errors."""
    ties = round(TIE_EXAMPLE_VOTES * TIE_SHARE)
    wins = round((TIE_EXAMPLE_VOTES - ties) * float(expit(DECISIVE_GAP)))
    outcome = np.repeat([A_WINS, TIE, B_WINS], [wins, ties, TIE_EXAMPLE_VOTES - ties - wins])
    zeros = np.zeros(TIE_EXAMPLE_VOTES, dtype=np.int64)
    votes = Comparisons(2, zeros, zeros, zeros + 1, outcome)
    estimate = fit_bradley_terry(tabulate(votes))
    sandwich, model = sandwich_covariance(votes, estimate).matrix, model_covariance(estimate).matrix
    gap = float(estimate.strengths[0] - estimate.strengths[1])
    return POINTS_PER_NAT * gap, math.sqrt(float(sandwich[0, 0] / model[0, 0]))
