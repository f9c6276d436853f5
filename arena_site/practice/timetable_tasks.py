"""What people ask to have done on the railway's site, and how each is checked."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from arena_site.practice.outcomes import (
    Check,
    by_answer,
    by_state,
    same_text,
    says_amount,
    says_date,
    says_duration,
    says_name,
    says_number,
    says_time,
)
from arena_site.practice.timetable import Timetable
from arena_site.practice.timetable_network import STATIONS
from arena_site.practice.timetable_reservations import FIRST_RESERVATIONS, Reservation
from battles.checks import PracticeTask

_STATION_NAMES = [station.name for station in STATIONS.values()]


def _unchanged(railway: Timetable, *, without: str = "") -> bool:
    """The reservations that were there still are, apart from the one named."""
    return all(
        (railway.reservations.get(each.reference) == each) is (each.reference != without) for each in FIRST_RESERVATIONS
    )


def _reserved(wanted: Reservation) -> Check:
    """Exactly one reservation was made, and it is this one (references and the spelling of a name aside)."""

    def made(railway: Timetable) -> bool:
        known = {each.reference for each in FIRST_RESERVATIONS}
        new = [each for reference, each in railway.reservations.items() if reference not in known]
        if len(new) != 1 or not _unchanged(railway):
            return False
        same = same_text(new[0].name, wanted.name) and same_text(new[0].email, wanted.email)
        return same and replace(new[0], reference="", name=wanted.name, email=wanted.email) == wanted

    return by_state(made)


def _received(box: str, **wanted: str) -> Check:
    """Exactly one form arrived in ``box``, with these values."""

    def arrived(railway: Timetable) -> bool:
        forms = getattr(railway, box)
        return len(forms) == 1 and all(same_text(forms[0].get(name, ""), value) for name, value in wanted.items())

    return by_state(arrived)


def _cancelled(reference: str) -> Check:
    return by_state(
        lambda railway: (
            len(railway.reservations) == len(FIRST_RESERVATIONS) - 1 and _unchanged(railway, without=reference)
        )
    )


def _platform_is(text: str, number: int) -> bool:
    """Whether the one platform named is this; its number may stand before or after the word."""
    listed = r"platforms? (\d+(?:(?: or | and |, | ?/ ?)\d+)*)"
    turned = re.sub(listed, r"\1 platform", text.replace("11:05", ""))
    return says_number(turned, number, unit="platforms?")


def _change_at(text: str) -> bool:
    """The one station named, apart from the two of the question."""
    for of_the_question in ("cape lorn", "oxmoor"):
        text = text.replace(of_the_question, "there")
    return says_name(text, "Sandling Cross", _STATION_NAMES)


def _task(key: str, kind: str, instruction: str, check: Check, path: str = "/") -> PracticeTask:
    return PracticeTask(f"timetable-{key}", Timetable.host, path, instruction, kind, check)


TASKS = (
    _task(
        "platform",
        "answer",
        'From which platform does the 11:05 train to Tarn Head leave in "Brackwater" today?',
        by_answer(lambda text: _platform_is(text, 5)),
    ),
    _task(
        "first-after-two",
        "answer",
        'I want to go from "Sandling Cross" to "Lastingby" today, after 14:00. When does the first train leave?',
        by_answer(lambda text: says_time(text, "15:05", also=["14:00", "15:39"])),
    ),
    _task(
        "ticket-office",
        "answer",
        "Until what time is the ticket office at Marram open on Saturdays?",
        by_answer(lambda text: says_time(text, "12:50", also=["08:20"])),
    ),
    _task(
        "single-fare",
        "answer",
        'What does a single ticket in standard class from "Alderhaven" to "Port Ennis" cost for one adult?',
        by_answer(lambda text: says_amount(text, 940)),
    ),
    _task(
        "lift",
        "answer",
        "The lift at Dunmere is out of order. Until which date?",
        by_answer(lambda text: says_date(text, date(2027, 4, 23), also=[date(2027, 3, 8)])),
    ),
    _task(
        "bicycle",
        "answer",
        "How much do I pay to take one bicycle on an express train?",
        by_answer(lambda text: says_amount(text, 350)),
    ),
    _task(
        "marsh-alerts",
        "action",
        'Please have service notices for the Marsh line sent to "t.ellwood@example.test", once a day.',
        _received("alerts", email="t.ellwood@example.test", line="marsh", frequency="daily"),
    ),
    _task(
        "cancel",
        "action",
        'Cancel my seat reservation. The reference is "R-7304" and my family name is "Pymm".',
        _cancelled("R-7304"),
    ),
    _task(
        "last-train",
        "answer",
        'When does the last train of the day leave that gets me from "Port Ennis" to "Highfold" on Saturday, '
        "20 March 2027?",
        by_answer(lambda text: says_time(text, "19:37", also=["20:15", "21:05", "21:33"])),
    ),
    _task(
        "where-to-change",
        "answer",
        'I am travelling from "Cape Lorn" to "Oxmoor". At which station do I have to change trains?',
        by_answer(_change_at),
    ),
    _task(
        "fastest",
        "answer",
        'How long does the fastest train from "Alderhaven" to "Cape Lorn" take?',
        by_answer(lambda text: says_duration(text, 58)),
    ),
    _task(
        "noon-at-the-cape",
        "answer",
        'I have to be in "Cape Lorn" by 12:00 at the latest on Thursday, 18 March 2027. What is the latest time I can '
        'leave "Tarn Head"?',
        by_answer(lambda text: says_time(text, "09:50", also=["12:00", "10:33", "10:56", "11:53"])),
    ),
    _task(
        "family-fare",
        "answer",
        'What do return tickets in standard class from "Brackwater" to "Cape Lorn" cost together for two adults with '
        "a Marram Card and three children?",
        by_answer(lambda text: says_amount(text, 5620, also=(1400, 2800, 940, 2820))),
    ),
    _task(
        "window-seat",
        "action",
        'Reserve one window seat in the quiet coach, standard class, on the 10:12 express from "Alderhaven" to '
        '"Cape Lorn" on Thursday, 18 March 2027. The name is "Ottilie Brandon" and the email address is '
        '"o.brandon@example.test". No bicycle.',
        _reserved(
            Reservation(
                reference="",
                name="Ottilie Brandon",
                email="o.brandon@example.test",
                train="C115",
                origin="alderhaven",
                destination="cape-lorn",
                day=date(2027, 3, 18),
                departs=612,
                people=1,
                travel_class="standard",
                coach="quiet",
                seat="window",
                bicycles=0,
            )
        ),
    ),
    _task(
        "two-with-bicycles",
        "action",
        "Reserve two seats at a table in the family coach, standard class, with two bicycles, on the express that "
        'leaves "Brackwater" for "Port Ennis" at 14:23 today. Name: "Ruben Castel", email: '
        '"castel@example.test".',
        _reserved(
            Reservation(
                reference="",
                name="Ruben Castel",
                email="castel@example.test",
                train="C127",
                origin="brackwater",
                destination="port-ennis",
                day=date(2027, 3, 16),
                departs=863,
                people=2,
                travel_class="standard",
                coach="family",
                seat="table",
                bicycles=2,
            )
        ),
    ),
    _task(
        "lost-umbrella",
        "action",
        "I left an umbrella on a train of the Valley line on 15 March 2027. Report it as lost: it is a "
        '"green umbrella with a wooden handle", my name is "Jessamy Orr" and my telephone number is "5550 148".',
        _received(
            "lost",
            thing="umbrella",
            description="green umbrella with a wooden handle",
            line="valley",
            day="2027-03-15",
            name="Jessamy Orr",
            phone="5550 148",
        ),
    ),
)
