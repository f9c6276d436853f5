"""When a judge's calls speak against them, and how often that hits somebody who judges well. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Fewer calls than these decide nothing: half of a handful wrong is bad luck.
CALLS_NEEDED = 20
#: The rule looks at so many of the latest calls, so that it follows a judge who changes.
WINDOW = 40
#: Below this a judge is worse than a coin between two lanes with some room for luck.
WORST_ACCURACY = 0.45
#: The judge for whom the chance of a wrong mark is stated: no expert, and still worth having.
HONEST_ACCURACY = 0.60


def speaks_against(calls: Sequence[bool]) -> bool | None:
    """Whether the latest calls, oldest first, mark their judge untrusted; None while there are too few."""
    if len(calls) < CALLS_NEEDED:
        return None
    latest = calls[-WINDOW:]
    return sum(latest) < WORST_ACCURACY * len(latest)


def most_that_marks(calls: int) -> int:
    """The largest number of right ones among ``calls`` that is still below the worst accuracy; -1 if there is none."""
    return math.ceil(WORST_ACCURACY * calls - 1e-9) - 1


def chance_of_mark(*, accuracy: float = HONEST_ACCURACY, calls: int = WINDOW) -> float:
    """Chance that a judge of this accuracy is marked when the rule looks once at so many independent calls.

    Exact: the lower tail of the binomial distribution.

    Raises:
        ValueError: a number of calls the rule never looks at, or an accuracy that is no share.
    """
    if not CALLS_NEEDED <= calls <= WINDOW or not 0 <= accuracy <= 1:
        raise ValueError(f"the rule looks at {CALLS_NEEDED} to {WINDOW} calls of an accuracy between 0 and 1")
    return math.fsum(
        math.comb(calls, right) * accuracy**right * (1 - accuracy) ** (calls - right)
        for right in range(most_that_marks(calls) + 1)
    )


def chance_of_ever_mark(*, accuracy: float = HONEST_ACCURACY, calls: int = WINDOW) -> float:
    """Chance that such a judge is marked at least once while their first ``calls`` calls come in, one look after each.

    Exact: what is left of the walk of right calls after every look has taken out whoever it marks. It stops where the
    window starts to slide.

    Raises:
        ValueError: more calls than the window holds, or an accuracy that is no share.
    """
    if not 0 <= calls <= WINDOW or not 0 <= accuracy <= 1:
        raise ValueError(f"at most {WINDOW} calls of an accuracy between 0 and 1")
    unmarked = [1.0]
    for call in range(1, calls + 1):
        moved = [0.0] * (call + 1)
        for right, chance in enumerate(unmarked):
            moved[right] += chance * (1 - accuracy)
            moved[right + 1] += chance * accuracy
        if call >= CALLS_NEEDED:
            moved[: most_that_marks(call) + 1] = [0.0] * (most_that_marks(call) + 1)
        unmarked = moved
    return 1 - math.fsum(unmarked)
