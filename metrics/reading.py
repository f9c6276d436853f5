"""From what was counted to what is published: a number with its interval, or nothing with a reason. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from ratings.inference.status import underpowered


class Why(StrEnum):
    """Why there is no number, or no interval."""

    NO_DATA = "no_data"
    BELOW_FLOOR = "below_floor"
    NOT_MEASURED = "not_measured"
    NO_VARIATION = "no_variation"
    NOT_CONNECTED = "not_connected"
    UNBOUNDED = "unbounded"
    NOT_IDENTIFIED = "not_identified"
    DEGENERATE_INTERVAL = "degenerate_interval"
    UNDERPOWERED = "underpowered"


class Floor(Enum):
    """Below how many of what a value is not published: it would jump, and tell how few they are."""

    LANES = ("lanes", 20)
    BATTLES = ("battles", 20)
    VOTES = ("rated votes", 30)
    STEPS = ("steps", 20)
    NONE = ("", 1)

    @property
    def of(self) -> str:
        return self.value[0]

    @property
    def least(self) -> int:
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Reading:
    """One computed value before anything is withheld.

    Attributes:
        value: None with a ``reason``.
        lower, upper: ends of the 95% interval; None where there is none.
        counted, over: what it is a share or ratio of; None where it is none.
        size: how many lanes, votes or steps stand behind it: what the floor is held against.
        effective: how many independent items they are worth; None where nothing is resolved by counting.
        reason: why value or interval is missing.
        detail: further counts, for staff.
    """

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    counted: float | None = None
    over: float | None = None
    size: float = 0
    effective: float | None = None
    reason: Why | None = None
    detail: Mapping[str, float] = field(default_factory=dict)


NO_DATA = Reading(reason=Why.NO_DATA)


@dataclass(frozen=True, slots=True)
class Published:
    """A value that may be shown. ``underpowered``: too little to tell a difference of three points from none."""

    value: float | None
    lower: float | None
    upper: float | None
    reason: Why | None
    underpowered: bool | None


def publishable(reading: Reading, floor: Floor, decimals: int) -> Published:
    """Hold a reading to its floor and round it. Never 0 or 1 for what is not known."""
    reason = reading.reason
    if reading.value is None:
        return Published(None, None, None, reason or Why.NO_DATA, None)
    if reading.size < floor.least:
        return Published(None, None, None, Why.BELOW_FLOOR, None)
    weak = None if reading.effective is None else underpowered(reading.effective)
    ends = (reading.lower, reading.upper)
    lower, upper = (None if end is None else round(end, decimals) + 0.0 for end in ends)
    return Published(round(reading.value, decimals) + 0.0, lower, upper, reason, weak)
