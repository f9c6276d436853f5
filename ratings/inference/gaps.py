"""Whether two agents differ. Never by looking whether their intervals overlap.

The error of a gap comes from the full covariance: two ratings that rest on the same judges and opponents move
together, so that a gap is often surer than either rating.

Source: Holm 1979 for the adjustment over many pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ratings.estimators.arrays import Floats
from ratings.inference.intervals import t_quantile


@dataclass(frozen=True, slots=True, eq=False)
class GapTests:
    """Tests of every gap; row less column, NaN where there is no test.

    Attributes:
        gap: (M, M) points.
        error: (M, M) standard errors.
        p_value: (M, M) two-sided, of the pair alone.
        p_holm: (M, M) adjusted over all pairs that could be tested.
    """

    gap: Floats
    error: Floats
    p_value: Floats
    p_holm: Floats


@dataclass(frozen=True, slots=True)
class GapTest:
    """One gap: its size and standard error in points, the statistic and its two-sided p-value."""

    gap: float
    error: float
    statistic: float
    p_value: float


def gap_errors(covariance: Floats) -> Floats:
    """(M, M) standard errors of all gaps; NaN where the variance is not positive, so also on the diagonal."""
    own = np.diag(covariance)
    variance = own[:, None] + own[None, :] - 2 * covariance
    # Differences of nearly equal numbers leave rounding where an exact zero belongs.
    positive = variance > 1e-12 * np.abs(own[:, None] + own[None, :])
    return np.sqrt(np.where(positive, variance, np.nan))


def gap_tests(ratings: Floats, covariance: Floats, degrees_of_freedom: float) -> GapTests:
    """Test every pair.

    Args:
        ratings: (M,) points.
        covariance: (M, M) points squared; NaN rows for agents without an error.
        degrees_of_freedom: of the t distribution; infinite for a z test.
    """
    gap = ratings[:, None] - ratings[None, :]
    error = gap_errors(covariance)
    p_value = 2 * _upper_tail(np.abs(gap / error), degrees_of_freedom)
    rows, columns = np.triu_indices(len(ratings), 1)
    adjusted = np.full_like(p_value, np.nan)
    adjusted[rows, columns] = adjusted[columns, rows] = holm(p_value[rows, columns])
    return GapTests(gap, error, p_value, adjusted)


def holm(p_values: Floats) -> Floats:
    """Holm's step-down adjustment; NaNs are no tests and stay NaN."""
    adjusted = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(np.isfinite(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    scaled = p_values[order] * (len(order) - np.arange(len(order)))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled)) if len(order) else scaled
    return adjusted


def gap_of_intervals(
    rating: float, interval: tuple[float, float], other: float, other_interval: tuple[float, float]
) -> GapTest:
    """The z test of two published ratings whose covariance is not known and taken as zero.

    Standard errors are a quarter of 3.92: 95% normal intervals are assumed.
    """
    width = 2 * t_quantile(math.inf)
    error = math.hypot((interval[1] - interval[0]) / width, (other_interval[1] - other_interval[0]) / width)
    statistic = (rating - other) / error
    return GapTest(rating - other, error, statistic, 2 * float(_upper_tail(np.array(abs(statistic)), math.inf)))


def _upper_tail(statistic: Floats, degrees_of_freedom: float) -> Floats:
    if math.isinf(degrees_of_freedom):
        return np.asarray(stats.norm.sf(statistic))
    if degrees_of_freedom <= 0:
        return np.full_like(statistic, np.nan)
    return np.asarray(stats.t.sf(statistic, degrees_of_freedom))
