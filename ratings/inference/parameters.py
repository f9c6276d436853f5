"""What a fit says about its further parameters: the advantage of a slot, coefficients of style, ties."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ratings.estimators.covariance import DEGENERATE, NOT_IDENTIFIED, Covariance, Reason
from ratings.estimators.estimate import Estimate
from ratings.inference.intervals import t_quantile


@dataclass(frozen=True, slots=True)
class ParameterEstimate:
    """A parameter in nats, with its standard error and 95% interval; None with a reason where there is none."""

    name: str
    value: float
    se: float | None
    lower: float | None
    upper: float | None
    reason: Reason | None


def parameter_estimates(estimate: Estimate, covariance: Covariance) -> tuple[ParameterEstimate, ...]:
    """All further parameters of an estimate, in its order."""
    m = len(estimate.strengths)
    factor = t_quantile(covariance.degrees_of_freedom)
    found = []
    for place, (name, value) in enumerate(zip(estimate.extra_names, estimate.extras.tolist(), strict=True)):
        variance = float(covariance.matrix[m + place, m + place])
        # The reason is one for the whole fit only where judges do not outnumber parameters.
        reason = NOT_IDENTIFIED if not covariance.usable.any() else None if variance > 0 else DEGENERATE
        se = math.sqrt(variance) if reason is None else None
        reach = math.inf if se is None else factor * se
        lower, upper = (value - reach, value + reach) if math.isfinite(reach) else (None, None)
        found.append(ParameterEstimate(name, value, se, lower, upper, reason))
    return tuple(found)
