"""A practice railway: journeys, departure boards, fares, seat reservations and notices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from arena_site.practice import timetable_desk_pages as desk
from arena_site.practice import timetable_pages as pages
from arena_site.practice.forms import Field, Filled, parse_date, read_form
from arena_site.practice.markup import Html
from arena_site.practice.timetable_forms import (
    ALERT_FORM,
    FARE_FORM,
    FIND_FORM,
    LOST_FORM,
    PLAN_FORM,
    RESERVE_FORM,
    find_station,
    travel_date_problem,
)
from arena_site.practice.timetable_network import (
    EXPRESS,
    LINES,
    NOW,
    STATIONS,
    TODAY,
    Station,
    clock,
    minute_of,
    train_called,
)
from arena_site.practice.timetable_notices import NOTICES
from arena_site.practice.timetable_planner import Leg, departures, fare, journeys
from arena_site.practice.timetable_reservations import FIRST_RESERVATIONS, Reservation
from arena_site.practice.wsgi_site import Params, Request, Response, WsgiSite, page, see_other
from governance.errors import Conflict, NotFound

_FIRST_REFERENCE = 7311
#: Enough for any visit; a visitor cannot fill the memory.
_MOST_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class Ride:
    """What a seat is reserved on: one leg of one day."""

    leg: Leg
    day: date


class Timetable(WsgiSite):
    """The railway's site as one visitor finds it."""

    host = "timetable.practice.test"
    assets = ("timetable.css", "timetable.svg", "timetable.js")

    def __init__(self) -> None:
        super().__init__()
        self.reservations: dict[str, Reservation] = {each.reference: each for each in FIRST_RESERVATIONS}
        self.opened: set[str] = set()
        self.alerts: list[dict[str, str]] = []
        self.lost: list[dict[str, str]] = []
        self._reserved = 0
        add = self.routes.add
        add("/", get=self.home)
        add("/journeys", get=self.plan)
        add("/departures", get=self.board)
        add("/stations", get=self.stations)
        add("/stations/{slug}", get=self.station)
        add("/fares", get=self.fares)
        add("/reserve/{number}/{origin}/{destination}/{day}", get=self.reserve_form, post=self.reserve)
        add("/reservations", get=self.find_form, post=self.find)
        add("/reservations/{reference}", get=self.reservation)
        add("/reservations/{reference}/cancel", get=self.confirm_cancel, post=self.cancel)
        add("/notices", get=self.notices)
        add("/notices/{slug}", get=self.notice)
        add("/alerts", get=self.alert_form, post=self.subscribe)
        add("/lost-property", get=self.lost_form, post=self.report_lost)
        add("/on-board", get=self.on_board)

    def _page(self, title: str, body: Html, status: int = 200) -> Response:
        return page(pages.document(title, body), status)

    def problem_page(self, status: int, title: str, message: str) -> Html:
        return pages.document(title, pages.problem(title, message))

    # Travelling

    def home(self, _request: Request) -> Response:
        start = Filled({"date": TODAY.isoformat(), "time": clock(NOW)})
        return self._page("", pages.home(start))

    def plan(self, request: Request) -> Response:
        filled = read_form(PLAN_FORM, _with_today(request.query))
        origin, destination = find_station(filled["from"]), find_station(filled["to"])
        if filled.ok and origin == destination:
            filled.errors["to"] = "To: please choose another station than the one you leave from."
        if not filled.ok or origin is None or destination is None:
            return self._page("Plan a journey", pages.plan(filled), status=422)
        day = parse_date(filled["date"]) or TODAY
        found = journeys(origin.slug, destination.slug, day)
        title = f"{origin.name} to {destination.name}"
        return self._page(title, pages.plan(filled, pages.Plan(origin, destination, day, found)))

    def board(self, request: Request) -> Response:
        station = find_station(request.query.text("station")) or STATIONS["brackwater"]
        day, after = _day(request.query), _minute(request.query)
        found = departures(station.slug, day, after)
        return self._page(f"Departures from {station.name}", pages.board(station, day, after, found))

    def stations(self, _request: Request) -> Response:
        return self._page("Stations", pages.stations())

    def station(self, _request: Request, slug: str) -> Response:
        station = _station(slug)
        return self._page(station.name, pages.station(station, departures(slug, TODAY, NOW)[:5]))

    def fares(self, request: Request) -> Response:
        if "from" not in request.query:
            start = Filled({"ticket": "single", "class": "standard", "adults": "1", "children": "0"})
            return self._page("Fares", desk.fares(start))
        filled = read_form(FARE_FORM, request.query)
        origin, destination = find_station(filled["from"]), find_station(filled["to"])
        if filled.ok and origin == destination:
            filled.errors["to"] = "To: please choose another station than the one you leave from."
        if filled.ok and filled["adults"] == filled["children"] == "0":
            filled.errors["adults"] = "Adults: please say who travels."
        if not filled.ok or origin is None or destination is None:
            return self._page("Fares", desk.fares(filled), status=422)
        cost = fare(
            origin=origin.slug,
            destination=destination.slug,
            ticket=filled["ticket"],
            first_class=filled["class"] == "first",
            adults=int(filled["adults"]),
            children=int(filled["children"]),
            card=filled.ticked("card"),
        )
        return self._page("Fares", desk.fares(filled, desk.Quote(origin, destination, cost)))

    def on_board(self, _request: Request) -> Response:
        return self._page("On board", desk.on_board())

    # Reservations

    def reserve_form(self, _request: Request, number: str, origin: str, destination: str, day: str) -> Response:
        ride = _ride(number, origin, destination, day)
        start = Filled({"people": "1", "class": "standard", "bicycles": "0"})
        return self._page("Reserve a seat", desk.reserve(ride.leg, ride.day, start))

    def reserve(self, request: Request, number: str, origin: str, destination: str, day: str) -> Response:
        ride, filled = _ride(number, origin, destination, day), read_form(RESERVE_FORM, request.form)
        if not filled.ok:
            return self._page("Reserve a seat", desk.reserve(ride.leg, ride.day, filled), status=422)
        if self._reserved >= _MOST_ENTRIES:
            raise Conflict("All seats that can be reserved today are taken.")
        reference = f"R-{_FIRST_REFERENCE + self._reserved}"
        self._reserved += 1
        self.reservations[reference] = Reservation.of(reference, ride.leg, ride.day, filled)
        self.opened.add(reference)
        return see_other(f"/reservations/{reference}", new="1")

    def find_form(self, request: Request) -> Response:
        return self._page("My reservation", desk.find(Filled(), cancelled="cancelled" in request.query))

    def find(self, request: Request) -> Response:
        filled = read_form(FIND_FORM, request.form)
        found = self.reservations.get(filled["reference"].upper())
        if filled.ok and (found is None or found.family_name.casefold() != filled["family_name"].casefold()):
            filled.errors["reference"] = "There is no reservation with this reference and family name."
        if not filled.ok or found is None:
            return self._page("My reservation", desk.find(filled), status=422)
        self.opened.add(found.reference)
        return see_other(f"/reservations/{found.reference}")

    def _opened(self, reference: str) -> Reservation:
        if reference not in self.opened or reference not in self.reservations:
            raise NotFound("Please look the reservation up with its reference and your family name.")
        return self.reservations[reference]

    def reservation(self, request: Request, reference: str) -> Response:
        shown = self._opened(reference)
        return self._page(f"Reservation {reference}", desk.reservation(shown, is_new="new" in request.query))

    def confirm_cancel(self, _request: Request, reference: str) -> Response:
        return self._page("Cancel a reservation", desk.confirm_cancel(self._opened(reference)))

    def cancel(self, _request: Request, reference: str) -> Response:
        del self.reservations[self._opened(reference).reference]
        return see_other("/reservations", cancelled="1")

    # Notices and forms

    def notices(self, request: Request) -> Response:
        line = request.query.text("line")
        line = line if line in LINES else ""
        shown = [notice for notice in NOTICES if not line or line in notice.lines]
        return self._page("Service notices", desk.notices(line, shown))

    def notice(self, _request: Request, slug: str) -> Response:
        for notice in NOTICES:
            if notice.slug == slug:
                return self._page(notice.title, desk.notice(notice))
        raise NotFound("There is no such notice, or it is over.")

    def alert_form(self, request: Request) -> Response:
        sent = "sent" in request.query and bool(self.alerts)
        return self._page("Notices by email", desk.alerts(Filled(), sent=sent))

    def subscribe(self, request: Request) -> Response:
        filled = self._kept(ALERT_FORM, request, self.alerts)
        if not filled.ok:
            return self._page("Notices by email", desk.alerts(filled), status=422)
        return see_other("/alerts", sent="1")

    def lost_form(self, request: Request) -> Response:
        sent = "sent" in request.query and bool(self.lost)
        return self._page("Lost property", desk.lost_property(Filled(), sent=sent))

    def report_lost(self, request: Request) -> Response:
        filled = self._kept(LOST_FORM, request, self.lost)
        if not filled.ok:
            return self._page("Lost property", desk.lost_property(filled), status=422)
        return see_other("/lost-property", sent="1")

    @staticmethod
    def _kept(fields: Sequence[Field], request: Request, box: list[dict[str, str]]) -> Filled:
        filled = read_form(fields, request.form)
        if filled.ok:
            if len(box) >= _MOST_ENTRIES:
                raise Conflict("We cannot take more of these today.")
            box.append(dict(filled.values))
        return filled


def _with_today(query: Params) -> Params:
    """The query with today and now where a visitor left date and time out."""
    names = ("from", "to", "date", "time")
    values: dict[str, Any] = {name: [query.text(name)] for name in names}
    values["date"] = [query.text("date") or TODAY.isoformat()]
    values["time"] = [query.text("time") or clock(NOW)]
    return Params(values)


def _day(query: Params) -> date:
    typed = query.text("date")
    day = parse_date(typed)
    return day if day and not travel_date_problem(typed) else TODAY


def _minute(query: Params) -> int:
    typed = query.text("time")
    return minute_of(typed) if re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", typed) else NOW


def _station(slug: str) -> Station:
    if slug not in STATIONS:
        raise NotFound("There is no such station.")
    return STATIONS[slug]


def _ride(number: str, origin: str, destination: str, day_text: str) -> Ride:
    """The leg an address names.

    Raises:
        NotFound: no such train on that day, or it does not go that way.
        Conflict: seats cannot be reserved on it.
    """
    day = parse_date(day_text)
    train = train_called(number, day) if day and not travel_date_problem(day_text) else None
    if day is None or train is None:
        raise NotFound("There is no such train on that day.")
    departs = train.minute_at(origin)
    arrives = next((stop.minute for stop in train.calls_after(origin) if stop.station == destination), None)
    if departs is None or arrives is None:
        raise NotFound("This train does not go there.")
    if train.kind != EXPRESS:
        raise Conflict("Seats can be reserved on express trains only.")
    return Ride(Leg(train, origin, destination, departs, arrives), day)
