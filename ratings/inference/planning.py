"""How many votes a question costs, before anybody casts them.

All counts are to the nearest vote, for independent votes and ratings near the gap that is asked about. Judges who
resemble themselves multiply them by the design effect of the fit.
"""

from __future__ import annotations

import math

from scipy import stats
from scipy.integrate import quad

from ratings.estimators.scale import POINTS_PER_NAT, win_probability
from ratings.inference.intervals import CONFIDENCE, t_quantile
from ratings.inference.status import POWER, SIGNIFICANCE

#: Two agents who only meet others need this many times the votes of a direct comparison: each is measured with half
#: of the votes, and the errors of both add up.
THIRD_PARTY_FACTOR = 4


def votes_for_halfwidth(
    points: float, *, gap: float = 0.0, tie_share: float = 0.0, confidence: float = CONFIDENCE
) -> int:
    """Votes until an interval reaches ``points`` to either side.

    For the gap of two agents who meet each other, or for one rating against opponents known well.

    Args:
        points: half-width wanted.
        gap: how far apart the two are.
        tie_share: share of ties, which tell half as much.
        confidence: of the interval.
    """
    return round(_votes(t_quantile(math.inf, confidence=confidence), points, gap, tie_share))


def votes_to_detect(
    gap: float,
    *,
    tie_share: float = 0.0,
    through_others: bool = False,
    power: float = POWER,
    significance: float = SIGNIFICANCE,
) -> int:
    """Votes until two agents ``gap`` points apart are told apart.

    Args:
        gap: points between them.
        tie_share: share of ties.
        through_others: the two never meet each other, only third parties of about their strength.
        power: chance of telling them apart.
        significance: of the two-sided test.
    """
    reach = t_quantile(math.inf, confidence=1 - significance) + float(stats.norm.ppf(power))
    return round(_votes(reach, gap, gap, tie_share) * (THIRD_PARTY_FACTOR if through_others else 1))


def items_to_tell_from(
    share: float,
    against: float = 0.5,
    *,
    equal_variances: bool = True,
    power: float = POWER,
    significance: float = SIGNIFICANCE,
) -> int:
    """Independent items until a share is told from a fixed one, as 55% from a coin: 785, or 783 with both variances."""
    sure, strong = t_quantile(math.inf, confidence=1 - significance), float(stats.norm.ppf(power))
    null = math.sqrt(against * (1 - against))
    alternative = null if equal_variances else math.sqrt(share * (1 - share))
    return round(((sure * null + strong * alternative) / (share - against)) ** 2)


def expected_maximum(k: int) -> float:
    """Expected maximum of k independent standard normals."""
    if k < 1:
        raise ValueError("a maximum needs at least one number")
    density = stats.norm.pdf
    value, _ = quad(lambda x: x * k * density(x) * stats.norm.cdf(x) ** (k - 1), -10, 10, limit=200)
    return float(value)


def selection_inflation(k: int, se: float) -> float:
    """Points by which the best of k equal variants looks better than it is, each measured with error ``se``."""
    return se * expected_maximum(k)


def _votes(reach: float, points: float, gap: float, tie_share: float) -> float:
    """Votes at which ``reach`` standard errors of a gap are ``points``."""
    if points <= 0 or not 0 <= tie_share < 1:
        raise ValueError("a width or gap is positive, and a tie share at least 0 and below 1")
    chance = win_probability(gap)
    return (reach * POINTS_PER_NAT / points) ** 2 / (chance * (1 - chance)) / (1 - tie_share)
