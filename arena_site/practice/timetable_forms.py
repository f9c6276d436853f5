"""The forms of the practice railway, and how typed stations, days and times are understood."""

from __future__ import annotations

from datetime import date

from arena_site.practice.forms import Field, parse_date
from arena_site.practice.timetable_network import FIRST_DAY, LAST_DAY, LINES, STATIONS, TODAY, Station

COACHES = {"quiet": "Quiet coach", "family": "Family coach", "ordinary": "Ordinary coach"}
SEATS = {"window": "Window", "aisle": "Aisle", "table": "At a table", "any": "No preference"}
CLASSES = {"standard": "Standard class", "first": "First class"}
TICKETS = {"single": "Single", "return": "Return"}
FREQUENCIES = {"at-once": "As soon as something changes", "daily": "Once a day", "weekly": "Once a week"}
THINGS = {
    "bag": "Bag or suitcase",
    "clothing": "Clothing",
    "umbrella": "Umbrella",
    "phone": "Phone or computer",
    "keys": "Keys or wallet",
    "other": "Something else",
}
TIMES = tuple((f"{h:02d}:{m:02d}", f"{h:02d}:{m:02d}") for h in range(5, 24) for m in (0, 30))
_LINE_CHOICES = tuple((line.slug, line.name) for line in LINES.values())


def find_station(typed: str) -> Station | None:
    """The station a name means: exactly, or as the only one that begins so."""
    wanted = typed.casefold().strip()
    if not wanted:
        return None
    for station in STATIONS.values():
        if wanted in {station.name.casefold(), station.slug}:
            return station
    beginning = [station for station in STATIONS.values() if station.name.casefold().startswith(wanted)]
    return beginning[0] if len(beginning) == 1 else None


def station_problem(value: str) -> str:
    return "" if find_station(value) else f"We do not know the station “{value}”. Please choose one from the list."


def travel_date_problem(value: str) -> str:
    day = parse_date(value)
    if day and FIRST_DAY <= day <= LAST_DAY:
        return ""
    return f"Date: this timetable covers {short_date(FIRST_DAY)} to {short_date(LAST_DAY)}."


def long_date(day: date) -> str:
    """A date as the railway prints it: ``Tuesday 16 March 2027``."""
    return f"{day:%A} {short_date(day)}"


def short_date(day: date) -> str:
    """The same without the weekday: ``16 March 2027``."""
    return f"{day.day} {day:%B %Y}"


def _past_day_problem(value: str) -> str:
    day = parse_date(value)
    return "" if day and day <= TODAY else "When: please give a day that is not in the future."


PLAN_FORM = (
    Field("from", "From", check=station_problem),
    Field("to", "To", check=station_problem),
    Field("date", "Date", "date", check=travel_date_problem),
    Field("time", "Leave after", "select", choices=TIMES),
)
FARE_FORM = (
    Field("from", "From", suggestions="station-names", check=station_problem),
    Field("to", "To", suggestions="station-names", check=station_problem),
    Field("ticket", "Ticket", "radio", choices=tuple(TICKETS.items())),
    Field("class", "Class", "select", choices=tuple(CLASSES.items())),
    Field("adults", "Adults", "number", least=0, most=9),
    Field("children", "Children aged 5 to 15", "number", least=0, most=9),
    Field("card", "The adults have a Marram Card", "checkbox", required=False),
)
RESERVE_FORM = (
    Field("name", "Name", hint="The family name is asked for when you look the reservation up."),
    Field("email", "Email", "email"),
    Field("people", "Seats", "number", least=1, most=4),
    Field("class", "Class", "select", choices=tuple(CLASSES.items())),
    Field("coach", "Coach", "radio", choices=tuple(COACHES.items())),
    Field("seat", "Where would you like to sit?", "select", choices=tuple(SEATS.items())),
    Field("bicycles", "Bicycles", "number", least=0, most=2, hint="€3.50 each, paid on the train."),
)
FIND_FORM = (
    Field("reference", "Reference", longest=20, hint="It looks like R-7000."),
    Field("family_name", "Family name"),
)
ALERT_FORM = (
    Field("email", "Email", "email", autocomplete="email"),
    Field("line", "Line", "select", choices=_LINE_CHOICES),
    Field("frequency", "How often?", "radio", choices=tuple(FREQUENCIES.items())),
)
LOST_FORM = (
    Field("thing", "What have you lost?", "select", choices=tuple(THINGS.items())),
    Field("description", "Describe it", "textarea", longest=600, hint="Colour, size, what is in it."),
    Field("line", "On which line?", "select", choices=_LINE_CHOICES),
    Field("day", "When?", "date", check=_past_day_problem),
    Field("name", "Your name", autocomplete="name"),
    Field("phone", "Telephone", longest=30, autocomplete="tel"),
)
