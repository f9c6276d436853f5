"""When a judge's calls speak against them, and how often that hits somebody who judges well. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

#: Fewer calls than these decide nothing: half of a handful wrong is bad luck.
CALLS_NEEDED = 20
#: The rule looks at so many of the latest calls, so that it follows a judge who changes.
WINDOW = 40
#: Below this a judge is worse than a coin between two lanes with some room for luck.
WORST_ACCURACY = 0.45
#: The judge for whom the chance of a wrong mark is stated: no expert, and still worth having.
HONEST_ACCURACY = 0.60
#: The chance of ever being marked is stated up to so many calls: five windows, which is what a busy judge collects.
LONGEST = 5 * WINDOW


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

    Exact. Up to one window it is what is left of the walk of right calls after every look has taken out whoever it
    marks. Beyond, the calls are cut into windows: no look in the k-th marks exactly when its walk, set off by what the
    ones before it ended with, stays above the walk of the window before, so that the chance is a sum of determinants.

    Source: Karlin and McGregor 1959, Coincidence probabilities; Naus 1982, Approximations for distributions of scan
    statistics, section 2.

    Raises:
        ValueError: an accuracy that is no share, or a number of calls that is neither in the first window nor a whole
            number of windows up to :data:`LONGEST`.
    """
    whole = WINDOW < calls <= LONGEST and calls % WINDOW == 0
    if not (0 <= calls <= WINDOW or whole) or not 0 <= accuracy <= 1:
        raise ValueError(f"up to {WINDOW} calls, or a multiple up to {LONGEST}, of an accuracy between 0 and 1")
    unmarked = _unmarked_windows(calls // WINDOW, accuracy) if whole else _unmarked_walk(calls, accuracy)
    return min(1.0, max(0.0, 1 - unmarked))


def _unmarked_walk(calls: int, accuracy: float) -> float:
    unmarked = [1.0]
    for call in range(1, calls + 1):
        moved = [0.0] * (call + 1)
        for right, chance in enumerate(unmarked):
            moved[right] += chance * (1 - accuracy)
            moved[right + 1] += chance * accuracy
        if call >= CALLS_NEEDED:
            moved[: most_that_marks(call) + 1] = [0.0] * (most_that_marks(call) + 1)
        unmarked = moved
    return math.fsum(unmarked)


def _unmarked_windows(windows: int, accuracy: float) -> float:
    """Chance of no mark in two or more whole windows.

    Walk k starts at ``start[k]`` and ends ``right[k]`` higher, where ``start[k + 1] = start[k] + right[k] - most``. A
    window that reaches from walk k into walk k + 1 marks exactly when the two meet, and walks of steps 0 and 1 cannot
    pass without meeting. The lowest has a floor of its own, the looks before the first window is full; the others are
    above it anyhow. The last column alone depends on ``right`` of the last walk, so that it is summed beforehand.
    """
    most = most_that_marks(WINDOW)
    ends = np.arange(most + 1, WINDOW + 1)
    right = np.stack(np.meshgrid(*[ends] * (windows - 1), indexing="ij"), axis=-1).reshape(-1, windows - 1)
    start = np.concatenate([np.zeros((len(right), 1), dtype=np.int64), np.cumsum(right - most, axis=1)], axis=1)
    moves = _moves(int(start.max()) + 1, accuracy)
    at_least = moves[:, ::-1].cumsum(axis=1)[:, ::-1]
    inner = moves[start[:, :, None], (start[:, :-1] + right)[:, None, :]]
    last = at_least[start, start[:, -1:] + most + 1]
    return float(np.linalg.det(np.concatenate([inner, last[:, :, None]], axis=2)).sum())


def _moves(starts: int, accuracy: float) -> NDArray[np.float64]:
    """(starts, starts + WINDOW + 1) chance of a walk from a start to an end in one window, never on the floor."""
    moves = np.eye(starts, starts + WINDOW + 1)
    for call in range(1, WINDOW + 1):
        moved = moves * (1 - accuracy)
        moved[:, 1:] += moves[:, :-1] * accuracy
        if call >= CALLS_NEEDED:
            moved[:, : most_that_marks(call) + 1] = 0
        moves = moved
    return moves


@cache
def wrong_mark_words() -> str:
    """How often the rule hits somebody it should not, for pages, terminals and the documentation."""
    return (
        f"A judge who is right {HONEST_ACCURACY:.0%} of the time is marked with a chance of "
        f"{chance_of_mark(calls=CALLS_NEEDED):.1%} at call {CALLS_NEEDED}, of {chance_of_mark():.1%} at any one look "
        f"at {WINDOW} calls, of {chance_of_ever_mark():.1%} at least once up to call {WINDOW}, and of "
        f"{chance_of_ever_mark(calls=LONGEST):.1%} at least once up to call {LONGEST}."
    )
