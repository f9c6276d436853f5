"""Seat reservations of the practice railway."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from arena_site.practice.forms import Filled
from arena_site.practice.timetable_planner import Leg


@dataclass(frozen=True, slots=True)
class Reservation:
    """Seats on one train. ``departs`` is minutes after midnight; coach, seat and class are form values."""

    reference: str
    name: str
    email: str
    train: str
    origin: str
    destination: str
    day: date
    departs: int
    people: int
    travel_class: str
    coach: str
    seat: str
    bicycles: int

    @classmethod
    def of(cls, reference: str, leg: Leg, day: date, filled: Filled) -> Reservation:
        """From a reservation form without errors."""
        return cls(
            reference=reference,
            name=filled["name"],
            email=filled["email"],
            train=leg.train.number,
            origin=leg.origin,
            destination=leg.destination,
            day=day,
            departs=leg.departs,
            people=int(filled["people"]),
            travel_class=filled["class"],
            coach=filled["coach"],
            seat=filled["seat"],
            bicycles=int(filled["bicycles"]),
        )

    @property
    def family_name(self) -> str:
        return self.name.split()[-1] if self.name.split() else ""

    @property
    def seats(self) -> str:
        """The numbers given, side by side: ``C 21, C 22``. The coach follows from class and kind."""
        letter = "A" if self.travel_class == "first" else {"quiet": "C", "family": "E"}.get(self.coach, "D")
        first = 1 + sum(map(ord, self.reference)) * 7 % 60
        return ", ".join(f"{letter} {first + offset}" for offset in range(self.people))


FIRST_RESERVATIONS = (
    Reservation(
        reference="R-7304",
        name="Halvard Pymm",
        email="pymm@example.test",
        train="C121",
        origin="brackwater",
        destination="cape-lorn",
        day=date(2027, 3, 19),
        departs=743,
        people=1,
        travel_class="standard",
        coach="quiet",
        seat="window",
        bicycles=0,
    ),
    Reservation(
        reference="R-7308",
        name="Lene Ardenne",
        email="ardenne@example.test",
        train="C115",
        origin="alderhaven",
        destination="port-ennis",
        day=date(2027, 3, 24),
        departs=612,
        people=3,
        travel_class="standard",
        coach="family",
        seat="table",
        bicycles=2,
    ),
)
