"""A practice museum: exhibitions, a collection, guided tours, a membership and what a visit needs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TypeVar

from arena_site.practice import museum_desk_pages as desk
from arena_site.practice import museum_gallery_pages as gallery
from arena_site.practice import museum_pages as pages
from arena_site.practice.forms import Filled, read_form
from arena_site.practice.markup import Html
from arena_site.practice.museum_collection import OBJECTS, Looking
from arena_site.practice.museum_forms import (
    AID_FORM,
    MEMBER_FORM,
    NEWSLETTER_FORM,
    QUESTION_FORM,
    TOPICS,
    booking_form,
)
from arena_site.practice.museum_house import ROOMS, hours_on
from arena_site.practice.museum_pictures import drawing_of
from arena_site.practice.museum_programme import EXHIBITIONS, NEWS, TOURS, Departure
from arena_site.practice.museum_search import search
from arena_site.practice.wsgi_site import Request, Response, WsgiSite, page, see_other
from governance.errors import Conflict, NotFound

#: Enough for any visit; a visitor cannot fill the memory.
_MOST_ENTRIES = 50
_FIRST_BOOKING = 3108
_Thing = TypeVar("_Thing")


class Museum(WsgiSite):
    """The museum as one visitor finds it. What was sent is kept form by form, as it was typed."""

    host = "museum.practice.test"
    assets = ("museum.css", "museum.svg")

    def __init__(self) -> None:
        super().__init__()
        self.selection: list[str] = []
        self.bookings: list[dict[str, str]] = []
        self.members: list[dict[str, str]] = []
        self.aids: list[dict[str, str]] = []
        self.subscriptions: list[dict[str, str]] = []
        self.questions: list[dict[str, str]] = []
        add = self.routes.add
        add("/", get=self.home)
        add("/search", get=self.search)
        add("/visit", get=self.visit)
        add("/access", get=self.access)
        add("/access/reserve", get=self.aid_form, post=self.reserve_aid)
        add("/cafe", get=self.cafe)
        add("/about", get=self.about)
        add("/news", get=self.news)
        add("/news/{slug}", get=self.article)
        add("/exhibitions", get=self.exhibitions)
        add("/exhibitions/{slug}", get=self.exhibition)
        add("/rooms", get=self.rooms)
        add("/rooms/{number}", get=self.room)
        add("/collection", get=self.collection)
        add("/collection/{number}", get=self.exhibit)
        add("/collection/{number}/select", post=self.select)
        add("/selection", get=self.show_selection)
        add("/selection/remove", post=self.unselect)
        add("/pictures/object/{number}.svg", get=self.object_picture)
        add("/pictures/exhibition/{slug}.svg", get=self.exhibition_picture)
        add("/tours", get=self.tours)
        add("/tours/{slug}", get=self.tour)
        add("/tours/{slug}/book", get=self.booking, post=self.book)
        add("/bookings/{reference}", get=self.booked)
        add("/membership", get=self.membership)
        add("/membership/rules", get=self.rules)
        add("/membership/join", get=self.join_form, post=self.join)
        add("/membership/welcome", get=self.welcome)
        add("/newsletter", get=self.newsletter, post=self.subscribe)
        add("/contact", get=self.contact, post=self.ask)

    def _page(self, title: str, body: Html, *, status: int = 200, typed: str = "") -> Response:
        return page(pages.document(title, body, len(self.selection), typed), status)

    def problem_page(self, status: int, title: str, message: str) -> Html:
        return pages.document(title, pages.problem(title, message), len(self.selection))

    # The house

    def home(self, _request: Request) -> Response:
        return self._page("", pages.home())

    def search(self, request: Request) -> Response:
        typed = request.query.text("q")[:100]
        return self._page("Search", pages.results(typed, *search(typed)), typed=typed)

    def visit(self, _request: Request) -> Response:
        return self._page("Your visit", pages.visit())

    def access(self, _request: Request) -> Response:
        return self._page("Access", pages.access())

    def cafe(self, _request: Request) -> Response:
        return self._page("Café at the vats", pages.cafe())

    def about(self, _request: Request) -> Response:
        return self._page("About the museum", pages.about())

    def news(self, _request: Request) -> Response:
        return self._page("News", pages.news())

    def article(self, _request: Request, slug: str) -> Response:
        shown = _known(NEWS, slug, "piece of news")
        return self._page(shown.title, pages.article(shown))

    # Exhibitions and collection

    def exhibitions(self, _request: Request) -> Response:
        return self._page("Exhibitions", gallery.exhibitions())

    def exhibition(self, _request: Request, slug: str) -> Response:
        shown = _known(EXHIBITIONS, slug, "exhibition")
        return self._page(shown.title, gallery.exhibition(shown))

    def rooms(self, _request: Request) -> Response:
        return self._page("Rooms", gallery.rooms())

    def room(self, _request: Request, number: str) -> Response:
        shown = _known({str(room.number): room for room in ROOMS.values()}, number, "room")
        return self._page(f"Room {number}", gallery.room(shown))

    def collection(self, request: Request) -> Response:
        looking = Looking.read(request.query)
        return self._page("The collection", gallery.collection(looking, looking.find()))

    def exhibit(self, request: Request, number: str) -> Response:
        shown, selected = _known(OBJECTS, number, "object"), number in self.selection
        body = gallery.exhibit_page(shown, selected=selected, just_added=selected and "added" in request.query)
        return self._page(shown.name, body)

    def object_picture(self, _request: Request, number: str) -> Response:
        shown = _known(OBJECTS, number, "object")
        return _picture(shown.picture, shown.colour)

    def exhibition_picture(self, _request: Request, slug: str) -> Response:
        shown = _known(EXHIBITIONS, slug, "exhibition")
        return _picture(shown.picture, shown.colour)

    def select(self, _request: Request, number: str) -> Response:
        shown = _known(OBJECTS, number, "object")
        if shown.number not in self.selection:
            self.selection.append(shown.number)
        return see_other(f"/collection/{shown.number}", added="1")

    def show_selection(self, _request: Request) -> Response:
        return self._page("My selection", gallery.selection([OBJECTS[number] for number in self.selection]))

    def unselect(self, request: Request) -> Response:
        number = request.form.text("number")
        if number in self.selection:
            self.selection.remove(number)
        return see_other("/selection")

    # Tours

    def _left(self, slug: str, departure: Departure) -> int:
        taken = [int(b["people"]) for b in self.bookings if (b["tour"], b["date"]) == (slug, departure.key)]
        return departure.places - sum(taken)

    def _open_dates(self, slug: str) -> list[Departure]:
        return [departure for departure in TOURS[slug].departures if self._left(slug, departure) > 0]

    def tours(self, _request: Request) -> Response:
        return self._page("Guided tours", desk.tours())

    def tour(self, _request: Request, slug: str) -> Response:
        shown = _known(TOURS, slug, "tour")
        return self._page(shown.title, desk.tour(shown, lambda departure: self._left(slug, departure)))

    def booking(self, request: Request, slug: str) -> Response:
        shown = _known(TOURS, slug, "tour")
        filled = Filled({"date": request.query.text("date")})
        return self._page(f"Book: {shown.title}", desk.book(shown, booking_form(self._open_dates(slug)), filled))

    def book(self, request: Request, slug: str) -> Response:
        shown = _known(TOURS, slug, "tour")
        fields = booking_form(self._open_dates(slug))
        filled = read_form(fields, request.form)
        departure = shown.departure(filled["date"])
        if filled.ok and departure and int(filled["people"]) > (left := self._left(slug, departure)):
            filled.errors["people"] = f"Number of people: the most for this date is {left}."
        if not filled.ok:
            return self._page(f"Book: {shown.title}", desk.book(shown, fields, filled), status=422)
        reference = f"T-{_FIRST_BOOKING + len(self.bookings)}"
        _keep(self.bookings, {**filled.values, "tour": slug, "reference": reference})
        return see_other(f"/bookings/{reference}")

    def booked(self, _request: Request, reference: str) -> Response:
        made = _known({each["reference"]: each for each in self.bookings}, reference, "booking")
        tour = TOURS[made["tour"]]
        departure = _known({each.key: each for each in tour.departures}, made["date"], "date")
        return self._page(f"Booking {reference}", desk.booked(reference, tour, departure, made))

    # Membership

    def membership(self, _request: Request) -> Response:
        return self._page("Become a member", desk.membership())

    def rules(self, _request: Request) -> Response:
        return self._page("Rules of the association", desk.rules())

    def join_form(self, _request: Request) -> Response:
        return self._page("Join the association", desk.join(Filled()))

    def join(self, request: Request) -> Response:
        filled = read_form(MEMBER_FORM, request.form)
        if not filled.ok:
            return self._page("Join the association", desk.join(filled), status=422)
        _keep(self.members, dict(filled.values))
        return see_other("/membership/welcome")

    def welcome(self, _request: Request) -> Response:
        if not self.members:
            return see_other("/membership")
        return self._page("Your membership", desk.joined_now(self.members[-1]))

    # Aids, newsletter, questions

    def aid_form(self, request: Request) -> Response:
        return self._page("Reserve a wheelchair", desk.aid(Filled(), _last(self.aids, request)))

    def reserve_aid(self, request: Request) -> Response:
        filled = read_form(AID_FORM, request.form)
        if filled.ok and not _is_open(filled["day"], filled["time"]):
            hours = hours_on(date.fromisoformat(filled["day"]))
            filled.errors["time"] = f"From: on this day the museum is open from {hours}."
        if not filled.ok:
            return self._page("Reserve a wheelchair", desk.aid(filled), status=422)
        _keep(self.aids, dict(filled.values))
        return see_other("/access/reserve", done="1")

    def newsletter(self, request: Request) -> Response:
        return self._page("Newsletter", desk.newsletter(Filled(), _last(self.subscriptions, request)))

    def subscribe(self, request: Request) -> Response:
        filled = read_form(NEWSLETTER_FORM, request.form)
        if filled.ok and not any(filled.ticked(topic) for topic in TOPICS):
            filled.errors[next(iter(TOPICS))] = "Please choose at least one topic."
        if not filled.ok:
            return self._page("Newsletter", desk.newsletter(filled), status=422)
        _keep(self.subscriptions, dict(filled.values))
        return see_other("/newsletter", done="1")

    def contact(self, request: Request) -> Response:
        return self._page("Contact", desk.contact(Filled(), sent=_last(self.questions, request) is not None))

    def ask(self, request: Request) -> Response:
        filled = read_form(QUESTION_FORM, request.form)
        if not filled.ok:
            return self._page("Contact", desk.contact(filled), status=422)
        _keep(self.questions, dict(filled.values))
        return see_other("/contact", done="1")


def _known(things: Mapping[str, _Thing], key: str, what: str) -> _Thing:
    if key not in things:
        raise NotFound(f"We have no such {what}.")
    return things[key]


def _picture(picture: str, colour: str) -> Response:
    caching = (("Cache-Control", "max-age=600"),)
    return Response(drawing_of(picture, colour), content_type="image/svg+xml", headers=caching)


def _keep(entries: list[dict[str, str]], entry: dict[str, str]) -> None:
    if len(entries) >= _MOST_ENTRIES:
        raise Conflict("Thank you, we cannot take more today. Please come back tomorrow.")
    entries.append(entry)


def _last(entries: list[dict[str, str]], request: Request) -> dict[str, str] | None:
    """What was sent last, on the page that says so."""
    return entries[-1] if entries and "done" in request.query else None


def _is_open(day: str, time: str) -> bool:
    """Whether the museum is open at a time ("14:00") of an open day ("2027-04-03")."""
    first, _, last = hours_on(date.fromisoformat(day)).partition(" to ")
    return first <= time < last
