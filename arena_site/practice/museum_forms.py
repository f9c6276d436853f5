"""The forms of the practice museum."""

from __future__ import annotations

from collections.abc import Iterable

from arena_site.practice.forms import Field, parse_date
from arena_site.practice.museum_house import MEMBERSHIPS, TODAY, euros, hours_on
from arena_site.practice.museum_programme import Departure

#: Larger parties are groups and write to the museum.
MOST_PEOPLE = 12
SUBJECTS = {
    "visit": "Your visit",
    "schools": "School visits",
    "collection": "The collection",
    "gift": "Giving an object to the museum",
    "rent": "Renting a room",
    "other": "Something else",
}
TOPICS = {
    "topic_programme": "Exhibitions and tours",
    "topic_families": "Families",
    "topic_schools": "Schools",
    "topic_research": "Collection and research",
}
PAYMENTS = {"invoice": "By invoice", "desk": "At the ticket desk"}
AIDS = {"wheelchair": "Wheelchair", "walker": "Walking frame with seat", "stool": "Folding stool"}
#: When an aid can be fetched at the ticket desk.
FETCH_TIMES = tuple((f"{hour}:{minute:02d}", f"{hour}:{minute:02d}") for hour in range(10, 18) for minute in (0, 30))


def _postcode_problem(value: str) -> str:
    return "" if value.isdecimal() and len(value) == 5 else "Postcode: please give the five digits."


def _phone_problem(value: str) -> str:
    digits = sum(c.isdecimal() for c in value)
    return "" if digits >= 5 else "Telephone: please give a number we can call."


def _visit_problem(value: str) -> str:
    day = parse_date(value)
    if day is None or day < TODAY:
        return "Date: please give a day from today on."
    return "" if hours_on(day) else "Date: the museum is closed on this day."


def booking_form(departures: Iterable[Departure]) -> tuple[Field, ...]:
    """The form to book a tour on one of these dates."""
    return (
        Field("date", "Date", "select", choices=tuple((each.key, each.spoken) for each in departures)),
        Field("people", "Number of people", "number", least=1, most=MOST_PEOPLE),
        Field("name", "Name", autocomplete="name"),
        Field("email", "Email", "email", autocomplete="email"),
        Field("phone", "Telephone", required=False, longest=30, autocomplete="tel", check=_phone_problem),
        Field("remarks", "Remarks", "textarea", required=False, longest=600),
    )


MEMBER_FORM = (
    Field(
        "kind",
        "Membership",
        "radio",
        choices=tuple((kind.slug, f"{kind.name}, {euros(kind.cents)} a year") for kind in MEMBERSHIPS.values()),
    ),
    Field("name", "Name", autocomplete="name"),
    Field("street", "Street and number", autocomplete="street-address"),
    Field("postcode", "Postcode", longest=5, autocomplete="postal-code", check=_postcode_problem),
    Field("town", "Town", autocomplete="address-level2"),
    Field("email", "Email", "email", autocomplete="email"),
    Field("payment", "How would you like to pay?", "radio", choices=tuple(PAYMENTS.items())),
    Field("newsletter", "Send me the newsletter as well", "checkbox", required=False),
    Field(
        "rules",
        "I accept the rules of the association",
        "checkbox",
        missing="Please accept the rules of the association.",
    ),
)
QUESTION_FORM = (
    Field("subject", "Subject", "select", choices=tuple(SUBJECTS.items())),
    Field("name", "Your name", autocomplete="name"),
    Field("email", "Your email", "email", autocomplete="email"),
    Field("message", "Message", "textarea", longest=2000),
)
NEWSLETTER_FORM = (
    Field("email", "Email", "email", autocomplete="email"),
    *(Field(name, label, "checkbox", required=False) for name, label in TOPICS.items()),
)
AID_FORM = (
    Field("aid", "What do you need?", "radio", choices=tuple(AIDS.items())),
    Field("day", "Date", "date", check=_visit_problem),
    Field("time", "From", "select", choices=FETCH_TIMES),
    Field("name", "Name of the visitor"),
    Field("phone", "Telephone", longest=30, autocomplete="tel", check=_phone_problem),
)
