"""When votes were cast, in the ways that files say it."""

from __future__ import annotations

import math
from datetime import UTC, datetime

#: Seconds since 1970 of the years 1 and 9999. Milliseconds of our days are beyond and are never guessed at.
FIRST, LAST = -62_135_596_800.0, 253_402_300_800.0


def seconds_of(text: str | None) -> float:
    """Seconds since 1970 of a number of them, or of a time by ISO 8601; NaN for anything else.

    A time without an offset from UTC is taken as UTC, and a date is its first instant.
    """
    if text is None:
        return math.nan
    words = text.strip()
    try:
        # Python's own numbers may have underscores, nobody else's.
        seconds = float("nan" if "_" in words else words)
    except ValueError:
        seconds = _of_a_date(words)
    return seconds if FIRST <= seconds < LAST else math.nan


def _of_a_date(words: str) -> float:
    try:
        instant = datetime.fromisoformat(words)
    except ValueError:
        return math.nan
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
