"""The practice railway's pages at the desk: fares, reservations, notices and forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from arena_site.practice.forms import Filled, drawn, options, problem_summary
from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.timetable_forms import (
    ALERT_FORM,
    CLASSES,
    COACHES,
    FARE_FORM,
    FIND_FORM,
    LOST_FORM,
    RESERVE_FORM,
    SEATS,
    TICKETS,
    long_date,
)
from arena_site.practice.timetable_network import LINES, STATIONS, Station, clock
from arena_site.practice.timetable_notices import Notice
from arena_site.practice.timetable_planner import Fare, Leg
from arena_site.practice.timetable_reservations import Reservation


@dataclass(frozen=True, slots=True)
class Quote:
    """An answer to the fares form."""

    origin: Station
    destination: Station
    cost: Fare


def _euros(cents: int) -> str:
    return f"€{cents // 100}.{cents % 100:02d}"


def _told(text: str) -> Html:
    return html('<p class="told" role="status">{text}</p>', text=text) if text else Html("")


# Fares


def fares(filled: Filled, quote: Quote | None = None) -> Html:
    """The fares form, with the answer above it once there is one."""
    return html(
        '<h1>Fares</h1>{answer}{wrong}<form class="panel" action="/fares" method="get" novalidate>{fields}'
        '<button type="submit">Show fares</button></form>',
        answer=_quote(filled, quote) if quote else "",
        wrong=problem_summary(FARE_FORM, filled),
        fields=drawn(FARE_FORM, filled),
    )


def _quote(filled: Filled, quote: Quote) -> Html:
    rows = []
    for word, count, cents in (
        ("Adult", int(filled["adults"]), quote.cost.adult),
        ("Child", int(filled["children"]), quote.cost.child),
    ):
        if count:
            rows.append((f"{word}, {count} at {_euros(cents)}", _euros(cents * count)))
    rows.append(("Together", _euros(quote.cost.total)))
    return html(
        '<section class="quote" aria-label="Your fare"><h2>{q.origin.name} to {q.destination.name}</h2>'
        "<p>{ticket}, {travel_class}{card}</p><table>{rows}</table></section>",
        q=quote,
        ticket=TICKETS[filled["ticket"]],
        travel_class=CLASSES[filled["class"]].lower(),
        card=", with Marram Card" if filled.ticked("card") else "",
        rows=table_rows(rows),
    )


# Reservations


def _leg_table(origin: str, destination: str, day: date, times: str, train: str) -> Html:
    return table_rows(
        [
            ("Train", train),
            ("From", STATIONS[origin].name),
            ("To", STATIONS[destination].name),
            ("Date", long_date(day)),
            ("Time", times),
        ]
    )


def reserve(leg: Leg, day: date, filled: Filled) -> Html:
    return html(
        '<h1>Reserve a seat</h1>{wrong}<div class="pair"><form class="panel" method="post" novalidate '
        'action="/reserve/{leg.train.number}/{leg.origin}/{leg.destination}/{day}">{fields}'
        '<button type="submit">Reserve</button></form>'
        "<section><h2>Your train</h2><table>{train}</table></section></div>",
        wrong=problem_summary(RESERVE_FORM, filled),
        leg=leg,
        day=day.isoformat(),
        fields=drawn(RESERVE_FORM, filled),
        train=_leg_table(
            leg.origin, leg.destination, day, f"{clock(leg.departs)} to {clock(leg.arrives)}", leg.train.title
        ),
    )


def find(filled: Filled, *, cancelled: bool = False) -> Html:
    return html(
        "{told}<h1>My reservation</h1>{wrong}<p>New reservations begin in the journey planner.</p>"
        '<form class="panel" action="/reservations" method="post" novalidate>{fields}'
        '<button type="submit">Find reservation</button></form>',
        told=_told("The reservation is cancelled." if cancelled else ""),
        wrong=problem_summary(FIND_FORM, filled),
        fields=drawn(FIND_FORM, filled),
    )


def reservation(shown: Reservation, *, is_new: bool = False) -> Html:
    rows = table_rows(
        [
            ("Name", shown.name),
            ("Seats", shown.seats),
            ("Class", CLASSES[shown.travel_class]),
            ("Coach", COACHES[shown.coach]),
            ("Wish", SEATS[shown.seat]),
            ("Bicycles", shown.bicycles),
        ]
    )
    return html(
        "{told}<h1>Reservation {r.reference}</h1><table>{leg}{rows}</table>"
        '<p><a href="/reservations/{r.reference}/cancel">Cancel this reservation</a></p>',
        told=_told(f"Reserved. Your reference is {shown.reference}." if is_new else ""),
        r=shown,
        leg=_leg_table(shown.origin, shown.destination, shown.day, clock(shown.departs), f"Express {shown.train}"),
        rows=rows,
    )


def confirm_cancel(shown: Reservation) -> Html:
    return html(
        "<h1>Cancel reservation {r.reference}?</h1><p>{origin} to {destination}, {day}, {departs}. This cannot be "
        'undone.</p><form action="/reservations/{r.reference}/cancel" method="post">'
        '<button type="submit">Yes, cancel it</button> <a href="/reservations/{r.reference}">No, keep it</a></form>',
        r=shown,
        origin=STATIONS[shown.origin].name,
        destination=STATIONS[shown.destination].name,
        day=long_date(shown.day),
        departs=clock(shown.departs),
    )


# Notices and forms


def _span(notice: Notice) -> str:
    if notice.starts == notice.ends:
        return long_date(notice.starts)
    return f"{long_date(notice.starts)} to {long_date(notice.ends)}"


def _lines(notice: Notice) -> str:
    return ", ".join(LINES[slug].name for slug in notice.lines)


def notices(line: str, shown: Sequence[Notice]) -> Html:
    choices = (("", "All lines"), *((each.slug, each.name) for each in LINES.values()))
    items = joined(
        html('<li><a href="/notices/{n.slug}">{n.title}</a> <span>{lines}</span></li>', n=notice, lines=_lines(notice))
        for notice in shown
    )
    return html(
        '<h1>Service notices</h1><form class="inline" action="/notices" method="get"><label for="line">Line</label>'
        '<select id="line" name="line">{choices}</select><button type="submit">Show</button></form>'
        '<ul class="plain notices">{items}</ul><p><a href="/alerts">Get notices by email</a></p>',
        choices=options(choices, line),
        items=items,
    )


def notice(notice: Notice) -> Html:
    return html(
        '<p><a href="/notices">All service notices</a></p><h1>{n.title}</h1>'
        '<p class="when">{lines}. {span}</p><p>{n.text}</p>',
        n=notice,
        lines=_lines(notice),
        span=_span(notice),
    )


def alerts(filled: Filled, *, sent: bool = False) -> Html:
    return html(
        "{told}<h1>Notices by email</h1>{wrong}"
        '<form class="panel" action="/alerts" method="post" novalidate>{fields}<button type="submit">Subscribe</button>'
        "</form>",
        told=_told("You are subscribed." if sent else ""),
        wrong=problem_summary(ALERT_FORM, filled),
        fields=drawn(ALERT_FORM, filled),
    )


def lost_property(filled: Filled, *, sent: bool = False) -> Html:
    return html(
        "{told}<h1>Lost property</h1>{wrong}<p>What is found is kept at Brackwater for six weeks.</p>"
        '<form class="panel" action="/lost-property" method="post" novalidate>{fields}'
        '<button type="submit">Send report</button></form>',
        told=_told("Thank you. We will call you when it is found." if sent else ""),
        wrong=problem_summary(LOST_FORM, filled),
        fields=drawn(LOST_FORM, filled),
    )


def on_board() -> Html:
    return Html(
        "<h1>On board</h1><h2>Bicycles</h2><p>A bicycle costs €3.50 on express trains and travels free on local "
        "trains, except between 7:00 and 8:30 on weekdays. Express trains carry six; please reserve.</p>"
        "<h2>Dogs</h2><p>Small dogs in a bag travel free. Others need a ticket for €2.20.</p>"
        "<h2>Luggage</h2><p>Two large pieces for each passenger. Express trains have a rack for skis and prams.</p>"
        "<h2>Food and drink</h2><p>A trolley comes through express trains between Brackwater and Port Ennis.</p>"
        "<h2>Marram Card</h2><p>The card costs €48 a year and takes a quarter off adult fares.</p>"
    )
