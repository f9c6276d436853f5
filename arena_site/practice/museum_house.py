"""The practice museum's house: calendar, opening hours, prices, rooms, café and memberships."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

MUSEUM_NAME = "Lowenby Museum"
STREET = "4 Madder Lane, Lowenby"
PHONE = "Lowenby 2260"
#: The museum's calendar stands still, so that both lanes see the same dates.
TODAY = date(2027, 3, 16)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: From Monday; "" is closed.
HOURS = (
    "",
    "10:00 to 17:00",
    "10:00 to 17:00",
    "11:00 to 20:00",
    "10:00 to 17:00",
    "10:00 to 18:00",
    "11:00 to 18:00",
)
#: Days on which other hours hold, and their names.
SPECIAL_DAYS = {
    date(2027, 3, 26): ("Good Friday", ""),
    date(2027, 3, 29): ("Easter Monday", "11:00 to 18:00"),
    date(2027, 5, 1): ("First of May", ""),
    date(2027, 12, 24): ("Christmas Eve", ""),
}
#: What a ticket is called, for whom it is, and its price in cents.
TICKETS = (
    ("Adult", "", 850),
    ("Reduced", "students, apprentices, people without work, with proof", 500),
    ("Child", "from 6 to 17 years", 300),
    ("Child under 6", "", 0),
    ("Family", "two adults and their children", 1850),
    ("Group", "from 10 people, each", 700),
    ("Companion", "of a visitor with a disability", 0),
)


@dataclass(frozen=True, slots=True)
class Room:
    """A room of the permanent collection."""

    number: int
    name: str
    floor: str
    about: str


ROOMS = {
    room.number: room
    for room in (
        Room(1, "First finds", "Ground floor", "What lay under the streets: from the first houses to the town wall."),
        Room(2, "River and ferry", "Ground floor", "The Teel, its fish and the ferry that crossed it until 1958."),
        Room(3, "The dye works", "Ground floor", "Blue, red and the people who stood in it. The vats are in place."),
        Room(4, "Town and market", "First floor", "Seals, measures, signs and the keys of the five gates."),
        Room(5, "Time and measure", "First floor", "Clocks and scales, some of them going."),
        Room(6, "At home", "First floor", "A kitchen, a parlour and what was kept for best."),
        Room(7, "School and play", "Second floor", "A classroom to sit down in, and toys behind glass."),
    )
}

#: Prices in cents.
MENU = {
    "Warm": (
        ("Soup of the day with bread", 620),
        ("Baked potato with herb curd", 780),
        ("Leek tart with salad", 890),
        ("Herring roll", 540),
    ),
    "Cakes": (
        ("Poppy seed cake", 380),
        ("Apple cake with cream", 420),
        ("Madder bun", 260),
    ),
    "Drinks": (
        ("Coffee", 290),
        ("Pot of tea", 340),
        ("Hot chocolate", 360),
        ("Elderflower and soda", 310),
    ),
}


@dataclass(frozen=True, slots=True)
class Membership:
    """One way to belong to the museum's association; ``cents`` a year."""

    slug: str
    name: str
    cents: int
    about: str


MEMBERSHIPS = {
    kind.slug: kind
    for kind in (
        Membership("single", "Single", 2600, "One adult, free admission at any time."),
        Membership("household", "Household", 4200, "Two adults at one address and all children under 18."),
        Membership("young", "Under 27", 1400, "For everybody who has not turned 27."),
        Membership("patron", "Patron", 12000, "Household membership, and your name beside one restored object a year."),
    )
}


def hours_on(day: date) -> str:
    """When the museum is open on a day, or "" when it is closed."""
    return SPECIAL_DAYS[day][1] if day in SPECIAL_DAYS else HOURS[day.weekday()]


def long_date(day: date) -> str:
    """A date as the museum prints it: ``16 March 2027``."""
    return f"{day.day} {day:%B %Y}"


def full_date(day: date) -> str:
    """With its weekday: ``Tuesday 16 March 2027``."""
    return f"{WEEKDAYS[day.weekday()]} {long_date(day)}"


def euros(cents: int) -> str:
    """A price as the museum prints it: ``€8.50``, ``free`` for nothing."""
    return f"€{cents // 100}.{cents % 100:02d}" if cents else "free"
