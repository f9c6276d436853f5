"""Departure boards, journeys with changes, and fares of the practice railway. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from arena_site.practice.timetable_network import Train, kilometres, kind_of_day, trains_on

#: A change takes at least so many minutes.
CHANGE_MINUTES = 4
BASE_CENTS, KILOMETRE_CENTS = 160, 17
FIRST_CLASS_PERCENT, RETURN_PERCENT, CHILD_PERCENT, CARD_PERCENT = 160, 180, 50, 75
_NEVER = 10_000


@dataclass(frozen=True, slots=True)
class Leg:
    """One train of a journey, from where to where, in minutes after midnight."""

    train: Train
    origin: str
    destination: str
    departs: int
    arrives: int


@dataclass(frozen=True, slots=True)
class Journey:
    legs: tuple[Leg, ...]

    @property
    def departs(self) -> int:
        return self.legs[0].departs

    @property
    def arrives(self) -> int:
        return self.legs[-1].arrives

    @property
    def minutes(self) -> int:
        return self.arrives - self.departs

    @property
    def changes(self) -> int:
        return len(self.legs) - 1


def departures(station: str, day: date, after: int) -> list[tuple[int, Train]]:
    """Trains that leave a station from a minute on, in order, without those that end there."""
    found = []
    for train in trains_on(kind_of_day(day)):
        minute = train.minute_at(station)
        if minute is not None and minute >= after and train.destination != station:
            found.append((minute, train))
    return sorted(found, key=lambda pair: (pair[0], pair[1].number))


def journeys(origin: str, destination: str, day: date) -> tuple[Journey, ...]:
    """The day's journeys by departure; one that leaves earlier but arrives no earlier is left out."""
    return _journeys(origin, destination, kind_of_day(day))


@lru_cache(maxsize=1024)
def _journeys(origin: str, destination: str, days: str) -> tuple[Journey, ...]:
    starts = {minute for train in trains_on(days) if (minute := train.minute_at(origin)) is not None}
    kept: list[Journey] = []
    for start in sorted(starts, reverse=True):
        journey = _earliest_arrival(origin, destination, days, start)
        if journey and journey.departs == start and (not kept or journey.arrives < kept[-1].arrives):
            kept.append(journey)
    return tuple(reversed(kept))


@lru_cache(maxsize=4)
def _hops(days: str) -> tuple[tuple[int, int, str, str, Train], ...]:
    """Every ride from one stop to the next, by departure (a scan in this order meets no ride twice)."""
    hops = [
        (here.minute, there.minute, here.station, there.station, train)
        for train in trains_on(days)
        for here, there in zip(train.stops, train.stops[1:], strict=False)
    ]
    return tuple(sorted(hops, key=lambda hop: (hop[0], hop[1], hop[4].number)))


def _earliest_arrival(origin: str, destination: str, days: str, start: int) -> Journey | None:
    """The connection scan: ride what can be reached, note where each train was boarded."""
    reached = {origin: start - CHANGE_MINUTES}
    boarded: dict[str, tuple[str, int]] = {}
    last_leg: dict[str, Leg] = {}
    for departs, arrives, here, there, train in _hops(days):
        if departs < start:
            continue
        if train.number not in boarded:
            if reached.get(here, _NEVER) + CHANGE_MINUTES > departs:
                continue
            boarded[train.number] = (here, departs)
        if arrives < reached.get(there, _NEVER):
            reached[there] = arrives
            on, at = boarded[train.number]
            last_leg[there] = Leg(train, on, there, at, arrives)
    if destination not in last_leg:
        return None
    legs, station = [], destination
    while station != origin:
        legs.append(last_leg[station])
        station = last_leg[station].origin
    return Journey(tuple(reversed(legs)))


@dataclass(frozen=True, slots=True)
class Fare:
    """What tickets cost together, in cents."""

    adult: int
    child: int
    total: int


def fare(
    *, origin: str, destination: str, ticket: str, first_class: bool, adults: int, children: int, card: bool
) -> Fare:
    """Fares of one journey. ``ticket`` is single or return; ``card`` lowers the adults' fare."""
    adult = _rounded(BASE_CENTS + KILOMETRE_CENTS * kilometres(origin, destination))
    if first_class:
        adult = _rounded(adult * FIRST_CLASS_PERCENT / 100)
    if ticket == "return":
        adult = _rounded(adult * RETURN_PERCENT / 100)
    child = _rounded(adult * CHILD_PERCENT / 100)
    if card:
        adult = _rounded(adult * CARD_PERCENT / 100)
    return Fare(adult, child, adult * adults + child * children)


def _rounded(cents: float) -> int:
    """To ten cents, halves up."""
    return int((cents + 5) // 10) * 10
