"""Intervals around ratings, one at a time and all at once.

A standard error estimated from few judges is itself uncertain, so every quantile is one of t or F at the effective
number of judges less one. The normal and the chi-square are their limits for many judges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from ratings.estimators.arrays import Floats

#: How often an interval should cover what it is an interval for.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Lower and upper ends, (M,) each, NaN where there is none."""

    lower: Floats
    upper: Floats


def t_quantile(degrees_of_freedom: float, *, confidence: float = CONFIDENCE, sides: int = 2) -> float:
    """How many standard errors a t interval reaches; infinite where no degree of freedom is left."""
    if degrees_of_freedom <= 0:
        return math.inf
    level = 1 - (1 - confidence) / sides
    # The functions behind SciPy's distributions: checking arguments takes those a hundred times as long.
    if math.isinf(degrees_of_freedom):
        return float(special.ndtri(level))
    return float(special.stdtrit(degrees_of_freedom, level))


def ellipsoid_factor(parameters: int, degrees_of_freedom: float, *, confidence: float = CONFIDENCE) -> float:
    """Standard errors that hold for all contrasts of ``parameters`` free parameters at once (Scheffe 1953).

    The square root of p F(p, degrees of freedom); with infinitely many of them, of chi-square(p). Exact for contrasts
    nobody chose in advance, and so wide for a handful of them.
    """
    if parameters < 1:
        raise ValueError("there is nothing to contrast without a free parameter")
    if degrees_of_freedom <= 0:
        return math.inf
    if math.isinf(degrees_of_freedom):
        return math.sqrt(float(stats.chi2.ppf(confidence, parameters)))
    return math.sqrt(parameters * float(stats.f.ppf(confidence, parameters, degrees_of_freedom)))


def intervals(ratings: Floats, errors: Floats, factor: float | Floats) -> Intervals:
    """Intervals of ``factor`` standard errors on either side.

    Args:
        ratings: (M,) points.
        errors: (M,) standard errors, NaN where there may be no interval.
        factor: a quantile of this module, a critical value that holds for all agents at once, or (M,) factors of
            their own; where it is infinite there is no interval.
    """
    reach = np.where(np.isfinite(factor), factor, np.nan) * errors
    return Intervals(ratings - reach, ratings + reach)
