"""Intervals that may be looked at every day.

An ordinary 95% interval that is looked at again and again is wrong at some look far more often than in one of twenty
cases. An asymptotic confidence sequence covers at all looks together, from a first look on that is stated in advance,
at the price of half-widths about half as large again.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, "Time-uniform central limit theory and asymptotic
confidence sequences": the Gaussian-mixture sequence, and the appendix on the choice of rho.
"""

from __future__ import annotations

import math

from scipy.special import lambertw

from ratings.inference.intervals import CONFIDENCE

#: No look before this many rated votes: the guarantee is for large samples, and starts at its first look.
FIRST_LOOK_VOTES = 400
#: Judges at which the sequence is as narrow as it can be made: where a young arena spends its first months.
TIGHTEST_AT_JUDGES = 100


def rho_tightest_at(judges: float, *, confidence: float = CONFIDENCE) -> float:
    """The parameter that makes the sequence narrowest at that many judges."""
    alpha = 1 - confidence
    return math.sqrt((-float(lambertw(-(alpha**2) / math.e, -1).real) - 1) / judges)


#: The parameter in use, 0.29; publications state it.
RHO = rho_tightest_at(TIGHTEST_AT_JUDGES)


def anytime_factor(judges: int, *, rho: float = RHO, confidence: float = CONFIDENCE) -> float:
    """Standard errors that hold at every look.

    Args:
        judges: different judges so far, who are the independent units. The number may never fall.
        rho: parameter of the sequence, the same at every look.

    Raises:
        ValueError: no judges.
    """
    if judges < 1:
        raise ValueError("a confidence sequence needs a judge")
    alpha = 1 - confidence
    grown = judges * rho**2
    return math.sqrt((grown + 1) / grown * math.log((grown + 1) / alpha**2))
