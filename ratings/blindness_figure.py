"""How blind judging is, as the methods page shows it: the newest reading of stylometry, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from judging.stylometry_reading import latest_reading, what_it_means

#: Why there is no figure; how many there are is for operators.
TOO_FEW = "too few agents have been in battles enough"


@dataclass(frozen=True, slots=True)
class BlindnessView:
    """Percent, rounded; all None where ``reason`` says why there is no figure.

    Attributes:
        at: when the reading was taken; None before the first one.
        meaning: the plain sentence for the figure.
    """

    at: datetime | None
    accuracy: int | None = None
    chance: int | None = None
    lower: int | None = None
    upper: int | None = None
    meaning: str = ""
    reason: str = ""


def blindness_view() -> BlindnessView:
    """What is published of how well style tells who raced."""
    reading = latest_reading()
    if reading is None:
        return BlindnessView(at=None, reason="it is measured every night, and no night has passed yet")
    accuracy, chance, lower, upper = reading.accuracy, reading.chance, reading.lower, reading.upper
    if accuracy is None or chance is None or lower is None or upper is None:
        return BlindnessView(at=reading.at, reason=TOO_FEW)
    return BlindnessView(
        at=reading.at,
        accuracy=round(100 * accuracy),
        chance=round(100 * chance),
        lower=round(100 * lower),
        upper=round(100 * upper),
        meaning=what_it_means(accuracy, chance, lower),
    )
