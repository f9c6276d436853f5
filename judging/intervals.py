"""Wilson's score interval for a share of independent calls. Pure arithmetic.

Source: Wilson 1927, Probable inference, the law of succession, and statistical inference.
"""

from __future__ import annotations

import math

#: Standard errors that a 95% interval reaches, from the normal quantile.
Z_95 = 1.959963984540054


def wilson_interval(right: int, calls: int, *, z: float = Z_95) -> tuple[float, float]:
    """Both ends of the interval of ``right`` out of ``calls``.

    Raises:
        ValueError: no calls, or more right ones than there are.
    """
    if calls <= 0 or not 0 <= right <= calls:
        raise ValueError(f"{right} of {calls} calls is no share")
    share = right / calls
    centre = (share + z**2 / (2 * calls)) / (1 + z**2 / calls)
    half = z * math.sqrt(share * (1 - share) / calls + z**2 / (4 * calls**2)) / (1 + z**2 / calls)
    # At 0 and at 1 an end is the share itself, which rounding may miss by a hair.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))
