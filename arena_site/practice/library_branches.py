"""The branches of the practice library and when they are open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

#: The library's calendar stands still, so that both lanes see the same due dates.
TODAY = date(2027, 3, 16)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch; ``hours`` are from Monday, "" is closed."""

    slug: str
    name: str
    street: str
    phone: str
    hours: tuple[str, ...]
    facilities: tuple[str, ...]
    about: str

    def hours_on(self, day: date) -> str:
        return self.hours[day.weekday()] or "Closed"


BRANCHES = {
    branch.slug: branch
    for branch in (
        Branch(
            "central",
            "Central Library",
            "2 Guildhall Square",
            "Brackwater 4100",
            (*("9:00 to 19:00",) * 5, "9:30 to 16:00", ""),
            ("Reading room", "Study desks", "Lift to all floors", "Café", "Photocopier"),
            "The largest collection, with the reading room for maps and local history on the second floor.",
        ),
        Branch(
            "millgate",
            "Millgate",
            "31 Millgate",
            "Brackwater 4152",
            ("", "10:00 to 18:00", "10:00 to 18:00", "10:00 to 19:30", "10:00 to 18:00", "10:00 to 14:00", ""),
            ("Sewing table", "Photocopier", "Step-free entrance"),
            "A former spinning mill with the craft collection and a sewing table for everybody.",
        ),
        Branch(
            "quayside",
            "Quayside",
            "Customs House, North Quay",
            "Brackwater 4163",
            ("13:00 to 18:00", "10:00 to 17:30", "", "10:00 to 17:30", "10:00 to 17:30", "9:30 to 13:30", ""),
            ("Children's boat", "Step-free entrance"),
            "In the old customs house. Children read in the boat.",
        ),
        Branch(
            "northfield",
            "Northfield",
            "90 Orchard Road",
            "Brackwater 4177",
            ("", "14:00 to 18:30", "", "14:00 to 18:30", "9:00 to 12:30", "10:00 to 13:00", ""),
            ("Garden", "Photocopier"),
            "A small branch with a garden, next to the school.",
        ),
    )
}


def long_date(day: date) -> str:
    """A date as the library prints it: ``16 March 2027``."""
    return f"{day.day} {day:%B %Y}"
