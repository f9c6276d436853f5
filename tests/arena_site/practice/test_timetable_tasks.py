"""Each task of the railway can be done through its pages, and only doing it counts."""

from __future__ import annotations

import pytest

from arena_site.practice.timetable import Timetable
from arena_site.practice.timetable_tasks import TASKS
from tests.arena_site.practice.visitor import Visitor

OTTILIE = {
    "Name": "Ottilie Brandon",
    "Email": "o.brandon@example.test",
    "Quiet coach": True,
    "Where would you like to sit?": "Window",
}
RUBEN = {
    "Name": "Ruben Castel",
    "Email": "castel@example.test",
    "Seats": 2,
    "Family coach": True,
    "Where would you like to sit?": "At a table",
    "Bicycles": 2,
}
UMBRELLA = {
    "What have you lost?": "Umbrella",
    "Describe it": "Green umbrella with a wooden handle.",
    "On which line?": "Valley line",
    "When?": "2027-03-15",
    "Your name": "Jessamy Orr",
    "Telephone": "5550 148",
}
ALERT = {"Email": "t.ellwood@example.test", "Line": "Marsh line", "Once a day": True}


def plan(visitor: Visitor, origin: str, destination: str, **when: str) -> Visitor:
    return visitor.open("/").fill("Find journeys", {"From": origin, "To": destination, **when})


def platform(visitor: Visitor) -> str:
    visitor.open("/").fill("Show board", {"Station": "Brackwater"})
    row = visitor.page.text.partition("11:05 Tarn Head")[2]
    assert row.partition("Local V261")[2].strip().startswith("5")
    return "The 11:05 (Local V261) leaves from platform 5."


def first_after_two(visitor: Visitor) -> str:
    plan(visitor, "Sandling Cross", "Lastingby", **{"Leave after": "14:00"})
    assert "leaving after 14:00 15:05 to 15:39" in visitor.page.text
    return "The first train leaves at 3:05 pm and arrives at 15:39."


def ticket_office(visitor: Visitor) -> str:
    visitor.open("/").follow("Stations").follow("Marram")
    assert "Saturday 8:20 to 12:50" in visitor.page.text
    return "Until 12:50."


def single_fare(visitor: Visitor) -> str:
    visitor.open("/").follow("Fares").fill("Show fares", {"From": "Alderhaven", "To": "Port Ennis"})
    assert "Together €9.40" in visitor.page.text
    return "9,40 €"


def lift(visitor: Visitor) -> str:
    visitor.open("/").follow("Dunmere: lift out of order")
    assert "Friday 23 April 2027" in visitor.page.text
    return "Until Friday, April 23, 2027."


def bicycle(visitor: Visitor) -> str:
    assert "A bicycle costs €3.50" in visitor.open("/").follow("On board").page.text
    return "3.50 euros"


def marsh_alerts(visitor: Visitor) -> None:
    visitor.open("/").follow("Notices by email").fill("Subscribe", ALERT)


def find(visitor: Visitor, reference: str, family_name: str) -> Visitor:
    visitor.open("/").follow("My reservation")
    return visitor.fill("Find reservation", {"Reference": reference, "Family name": family_name})


def cancel(visitor: Visitor) -> None:
    find(visitor, "r-7304", "pymm").follow("Cancel this reservation").press("Yes, cancel it")
    assert "The reservation is cancelled." in visitor.page.text


def last_train(visitor: Visitor) -> str:
    plan(visitor, "port ennis", "Highfold", **{"Date": "2027-03-20", "Leave after": "19:00"})
    assert "19:37 to 21:33" in visitor.page.text
    assert "Later trains" not in visitor.page.text
    return "19:37"


def where_to_change(visitor: Visitor) -> str:
    plan(visitor, "Cape Lorn", "Oxmoor")
    assert "1 change Local" in visitor.page.text
    return "You change at Sandling Cross."


def fastest(visitor: Visitor) -> str:
    plan(visitor, "Alderhaven", "Cape Lorn")
    assert "58 min, direct" in visitor.page.text
    return "58 minutes"


def noon_at_the_cape(visitor: Visitor) -> str:
    plan(visitor, "Tarn Head", "Cape Lorn", **{"Date": "2027-03-18", "Leave after": "09:00"})
    assert "09:50 to 11:53" in visitor.page.text
    return "Leave Tarn Head at 9:50, you arrive at 11:53."


def family_fare(visitor: Visitor) -> str:
    visitor.open("/fares").fill(
        "Show fares",
        {
            "From": "Brackwater",
            "To": "Cape Lorn",
            "Return": True,
            "Adults": 2,
            "Children aged 5 to 15": 3,
            "The adults have a Marram Card": True,
        },
    )
    assert "Together €56.20" in visitor.page.text
    return "Together they cost €56.20."


def to_the_form(visitor: Visitor, origin: str, destination: str, train: str, **when: str) -> Visitor:
    plan(visitor, origin, destination, **when)
    for _, href in [link for link in visitor.page.links if link[0] == "Reserve a seat"]:
        if f"/{train}/" in href:
            return visitor.open(href)
    raise AssertionError(f"{train} cannot be reserved on {visitor.path}")


def window_seat(visitor: Visitor) -> None:
    when = {"Date": "2027-03-18", "Leave after": "10:00"}
    to_the_form(visitor, "Alderhaven", "Cape Lorn", "C115", **when).fill("Reserve", OTTILIE)
    assert "Reserved. Your reference is R-7311." in visitor.page.text


def two_with_bicycles(visitor: Visitor) -> None:
    to_the_form(visitor, "Brackwater", "Port Ennis", "C127", **{"Leave after": "14:00"}).fill("Reserve", RUBEN)


def lost_umbrella(visitor: Visitor) -> None:
    visitor.open("/").follow("Lost property").fill("Send report", UMBRELLA)


WAYS = {f"timetable-{way.__name__.replace('_', '-')}": way for way in (
    platform, first_after_two, ticket_office, single_fare, lift, bicycle, marsh_alerts, cancel, last_train,
    where_to_change, fastest, noon_at_the_cape, family_fare, window_seat, two_with_bicycles, lost_umbrella,
)}  # fmt: skip

WRONG_ANSWERS = {
    "timetable-platform": ["6", "Platform 6", "platform 5 or 6", "platforms 5 and 6", "11:05", "V261"],
    "timetable-first-after-two": ["13:50", "14:00", "15:05 or 15:39", "15:05, 16:20", "15:39", "3:05", "5 past 3"],
    "timetable-ticket-office": ["8:20", "12:40", "12:40 or 12:50", "17:45", "It is closed"],
    "timetable-single-fare": ["€16.90", "€15.00", "9.40 or 15.00 euros", "94", "€4.70"],
    "timetable-lift": ["8 March 2027", "22 or 23 April", "14 May 2027", "8 March or 23 April 2027"],
    "timetable-bicycle": ["€2.20", "Free on local trains", "€2.20 or €3.50", "35 euros"],
    "timetable-last-train": ["20:37", "21:33", "18:37 or 19:37", "7:37", "21:05"],
    "timetable-where-to-change": ["Brackwater", "Sandling Cross or Brackwater", "Oxmoor", "No change"],
    "timetable-fastest": ["1 h 11 min", "58 or 71 minutes", "58 hours", "58", "0:58"],
    "timetable-noon-at-the-cape": ["8:50", "10:50", "8:50 or 9:50", "11:53", "9:50 pm"],
    "timetable-family-fare": ["€65.50", "€28.00", "56 euros", "€56.20 or €65.50", "€31.20"],
}


def wrong_line(visitor: Visitor) -> None:
    visitor.open("/alerts").fill("Subscribe", ALERT | {"Line": "Valley line"})


def wrong_name(visitor: Visitor) -> None:
    find(visitor, "R-7304", "Ardenne")
    assert visitor.status == 422
    assert visitor.request("POST", "/reservations/R-7304/cancel", b"")[0] == 404


def wrong_not_confirmed(visitor: Visitor) -> None:
    find(visitor, "R-7304", "Pymm").follow("Cancel this reservation").follow("No, keep it")


def wrong_reservation(visitor: Visitor) -> None:
    find(visitor, "R-7308", "Ardenne").follow("Cancel this reservation").press("Yes, cancel it")


def wrong_seat(visitor: Visitor) -> None:
    visitor.open("/reserve/C115/alderhaven/cape-lorn/2027-03-18")
    visitor.fill("Reserve", OTTILIE | {"Where would you like to sit?": "Aisle"})


def wrong_day(visitor: Visitor) -> None:
    visitor.open("/reserve/C115/alderhaven/cape-lorn/2027-03-19").fill("Reserve", OTTILIE)


def wrong_train(visitor: Visitor) -> None:
    visitor.open("/reserve/C121/alderhaven/cape-lorn/2027-03-18").fill("Reserve", OTTILIE)


def wrong_twice(visitor: Visitor) -> None:
    for _ in range(2):
        visitor.open("/reserve/C115/alderhaven/cape-lorn/2027-03-18").fill("Reserve", OTTILIE)


def wrong_one_bicycle(visitor: Visitor) -> None:
    visitor.open("/reserve/C127/brackwater/port-ennis/2027-03-16").fill("Reserve", RUBEN | {"Bicycles": 1})


def wrong_too_far(visitor: Visitor) -> None:
    visitor.open("/reserve/C127/brackwater/cape-lorn/2027-03-16").fill("Reserve", RUBEN)


def wrong_umbrella_day(visitor: Visitor) -> None:
    visitor.open("/lost-property").fill("Send report", UMBRELLA | {"When?": "2027-03-14"})


WRONG_WAYS = {
    "timetable-marsh-alerts": [wrong_line],
    "timetable-cancel": [wrong_name, wrong_not_confirmed, wrong_reservation],
    "timetable-window-seat": [wrong_seat, wrong_day, wrong_train, wrong_twice],
    "timetable-two-with-bicycles": [wrong_one_bicycle, wrong_too_far],
    "timetable-lost-umbrella": [wrong_umbrella_day],
}


def test_every_task_has_a_right_and_a_wrong_way():
    keys = {task.key for task in TASKS}
    assert set(WAYS) == keys
    assert set(WRONG_ANSWERS) | set(WRONG_WAYS) == keys


@pytest.mark.parametrize("key", sorted(WAYS))
def test_doing_the_task_counts(key, task, visit):
    railway = Timetable()
    assert not task(key).check(railway, "")
    answer = WAYS[key](visit(railway)) or ""
    assert task(key).check(railway, answer)


@pytest.mark.parametrize(("key", "answer"), [(key, answer) for key, wrong in WRONG_ANSWERS.items() for answer in wrong])
def test_a_wrong_answer_does_not_count(key, answer, task):
    assert not task(key).check(Timetable(), answer)


@pytest.mark.parametrize(("key", "way"), [(key, way) for key, ways in WRONG_WAYS.items() for way in ways])
def test_a_wrong_way_does_not_count(key, way, task, visit):
    railway = Timetable()
    way(visit(railway))
    assert not task(key).check(railway, "Done.")
