"""How far a rating has come, and whether a slice could answer what it is asked."""

from __future__ import annotations

from enum import StrEnum

from scipy import stats

#: Below this many battles an agent's rating is provisional.
SETTLING_BATTLES = 30
#: From this many battles on it may be called stable.
STABLE_BATTLES = 1000
#: The difference a slice is asked to resolve: three points of a hundred.
RESOLVED_DIFFERENCE = 0.03
#: Variance of the difference of two systems on one item that agree on eight of nine items.
ITEM_VARIANCE = 1 / 9
POWER = 0.80
SIGNIFICANCE = 0.05


class Status(StrEnum):
    """What the site says beside a rating."""

    PROVISIONAL = "provisional"
    SETTLING = "settling"
    STABLE = "stable"


def status(battles: int, *, identified: bool, drifting: bool = False) -> Status:
    """The status of an agent.

    Args:
        battles: measured battles of the agent.
        identified: it has a rating with an interval.
        drifting: its results changed over time.
    """
    if battles < SETTLING_BATTLES:
        return Status.PROVISIONAL
    if battles >= STABLE_BATTLES and identified and not drifting:
        return Status.STABLE
    return Status.SETTLING


def items_to_resolve(
    difference: float = RESOLVED_DIFFERENCE,
    *,
    variance: float = ITEM_VARIANCE,
    power: float = POWER,
    significance: float = SIGNIFICANCE,
) -> int:
    """Independent items a slice needs to tell a difference from none: 969 for three points."""
    reach = float(stats.norm.ppf(1 - significance / 2) + stats.norm.ppf(power))
    return round(reach**2 * variance / difference**2)


def underpowered(independent_items: float, difference: float = RESOLVED_DIFFERENCE) -> bool:
    """Whether a slice is too small for the difference; its level may still be published."""
    return independent_items < items_to_resolve(difference)
