"""The two clocks of a withdrawal: spans of 24-hour days from the instant it was received, whatever wall clocks do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from governance.errors import ArenaError

#: Out of the corpus, and what it says erased, within this time.
CORPUS_WITHIN = timedelta(days=7)
#: Holders of delivered data told, with a replacement, within this time.
LICENSEES_WITHIN = timedelta(days=30)
#: A request that nobody acted on is acted on so long before it is due, so that a day on which that fails is no breach.
ACTS_BEFORE = timedelta(days=1)
#: Operators are reminded so long before the sweep acts for them.
REMINDS_BEFORE = timedelta(days=2)


class UnknownTimeZone(ArenaError):
    code = "unknown_time_zone"
    status = 422


@dataclass(frozen=True, slots=True)
class Clock:
    """One of the two: its name, and when it must have stopped."""

    name: str
    within: timedelta

    def due_at(self, received_at: datetime) -> datetime:
        return received_at + self.within

    def acts_at(self, received_at: datetime) -> datetime:
        """From when on the sweep acts by itself."""
        return self.due_at(received_at) - ACTS_BEFORE

    def reminds_at(self, received_at: datetime) -> datetime:
        return self.acts_at(received_at) - REMINDS_BEFORE

    def overdue(self, received_at: datetime, done_at: datetime | None, now: datetime) -> bool:
        """Whether it has run out: not before the instant it is due, and from that instant on."""
        return done_at is None and now >= self.due_at(received_at)


CORPUS = Clock("corpus", CORPUS_WITHIN)
LICENSEES = Clock("licensees", LICENSEES_WITHIN)


def instant_words(at: datetime, time_zone: str = "UTC") -> str:
    """An instant as somebody in a time zone reads it: ``5 April 2026 00:30 CEST``.

    Args:
        time_zone: a name of the IANA database.

    Raises:
        UnknownTimeZone: there is none of that name.
    """
    try:
        local = at.astimezone(ZoneInfo(time_zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise UnknownTimeZone(
            'That is no time zone. Please give one as "Europe/Berlin" or "UTC".', field="time_zone"
        ) from problem
    return f"{local.day} {local:%B %Y %H:%M} {local.tzname()}"
