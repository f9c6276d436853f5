"""The practice railway's pages for travelling: the frame, planner, boards and stations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from arena_site.practice.forms import Filled, options, problem_summary
from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.timetable_forms import PLAN_FORM, TIMES, long_date, short_date
from arena_site.practice.timetable_network import (
    EXPRESS,
    FIRST_DAY,
    LAST_DAY,
    LINES,
    STATIONS,
    TODAY,
    Station,
    Train,
    clock,
    minute_of,
    platform,
)
from arena_site.practice.timetable_notices import NOTICES
from arena_site.practice.timetable_planner import Journey, Leg
from arena_site.practice.wsgi_site import address

RAILWAY_NAME = "Alder & Marram Railway"
JOURNEYS_SHOWN = 4
BOARD_ROWS = 10
_EARLIER_MINUTES = 120

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="/timetable.css">
<link rel="icon" href="/timetable.svg" type="image/svg+xml">
<script src="/timetable.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="rail">
  <a class="name" href="/">{railway}</a>
  <nav aria-label="Main">
    <a href="/">Journey planner</a>
    <a href="/departures">Departures</a>
    <a href="/stations">Stations</a>
    <a href="/fares">Fares</a>
    <a href="/reservations">My reservation</a>
    <a href="/notices">Service notices</a>
  </nav>
</header>
<main id="content">{body}</main>
<footer class="rail">
  <nav aria-label="More">
    <a href="/alerts">Notices by email</a>
    <a href="/lost-property">Lost property</a>
    <a href="/on-board">On board</a>
  </nav>
  <p>Today is {today}. Timetable of {first} to {last}.</p>
</footer>
<datalist id="station-names">{names}</datalist>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """A question to the planner that could be answered; ``found`` are the whole day's journeys."""

    origin: Station
    destination: Station
    day: date
    found: Sequence[Journey]


def document(title: str, body: Html) -> Html:
    """A whole page; an empty title is the home page's."""
    return html(
        _DOCUMENT,
        title=f"{title} | {RAILWAY_NAME}" if title else RAILWAY_NAME,
        railway=RAILWAY_NAME,
        body=body,
        today=long_date(TODAY),
        first=short_date(FIRST_DAY),
        last=short_date(LAST_DAY),
        names=[html('<option value="{s.name}">', s=station) for station in STATIONS.values()],
    )


def problem(title: str, message: str) -> Html:
    return html(
        '<h1>{title}</h1><p>{message}</p><p><a href="/">To the journey planner</a></p>', title=title, message=message
    )


# Journeys


def _planner(filled: Filled) -> Html:
    return html(
        '<form class="planner" action="/journeys" method="get">'
        '<p><label for="from">From</label><input id="from" name="from" value="{f[from]}" list="station-names" '
        'autocomplete="off" maxlength="60"></p>'
        '<p class="swap"><button type="button" id="swap" hidden>Swap</button></p>'
        '<p><label for="to">To</label><input id="to" name="to" value="{f[to]}" list="station-names" '
        'autocomplete="off" maxlength="60"></p>'
        '<p><label for="date">Date</label><input type="date" id="date" name="date" value="{f[date]}" '
        'min="{first}" max="{last}"></p>'
        '<p><label for="time">Leave after</label><select id="time" name="time">{times}</select></p>'
        '<p><button type="submit">Find journeys</button></p></form>',
        f=filled,
        first=FIRST_DAY.isoformat(),
        last=LAST_DAY.isoformat(),
        times=options(TIMES, filled["time"]),
    )


def home(filled: Filled) -> Html:
    notices = joined(
        html('<li><a href="/notices/{n.slug}">{n.title}</a></li>', n=notice)
        for notice in NOTICES
        if notice.ends >= TODAY
    )
    return html(
        '<h1>Where are you going?</h1>{planner}<div class="pair"><section><h2>Service notices</h2>'
        '<ul class="plain">{notices}</ul></section><section><h2>Departures</h2>'
        '<form class="inline" action="/departures" method="get"><label for="station">Station</label>'
        '<select id="station" name="station">{stations}</select><button type="submit">Show board</button></form>'
        "<h2>The network</h2>{network}</section></div>",
        planner=_planner(filled),
        notices=notices,
        stations=options([(station.slug, station.name) for station in STATIONS.values()], "brackwater"),
        network=_network(),
    )


def _network() -> Html:
    lines = joined(
        html(
            '<dt class="{line.slug}">{line.name}</dt><dd>{stations}</dd>',
            line=line,
            stations=", ".join(STATIONS[slug].name for slug in line.stations),
        )
        for line in LINES.values()
    )
    return html('<dl class="network">{lines}</dl>', lines=lines)


def plan(filled: Filled, answer: Plan | None = None) -> Html:
    """The planner with the journeys found, or with what is wrong in it."""
    if answer is None:
        return html(
            "<h1>Plan a journey</h1>{wrong}{planner}",
            wrong=problem_summary(PLAN_FORM, filled),
            planner=_planner(filled),
        )
    after = minute_of(filled["time"])
    later = [journey for journey in answer.found if journey.departs >= after]
    shown = later[:JOURNEYS_SHOWN]
    if shown:
        rows = joined(_journey(journey, answer.day) for journey in shown)
        content = html('<ol class="journeys">{rows}</ol>', rows=rows)
    else:
        content = Html("<p>No train leaves after this time on this day.</p>")
    return html(
        '{planner}<h1>{a.origin.name} to {a.destination.name}</h1><p class="when">{day}, leaving after {time}</p>'
        "{content}{around}",
        planner=_planner(filled),
        a=answer,
        day=long_date(answer.day),
        time=filled["time"],
        content=content,
        around=_earlier_and_later(filled, after, later),
    )


def _earlier_and_later(filled: Filled, after: int, later: Sequence[Journey]) -> Html:
    first, last = minute_of(TIMES[0][0]), minute_of(TIMES[-1][0])
    links = []
    if after > first:
        links.append(("Earlier trains", max(first, after - _EARLIER_MINUTES)))
    if len(later) > JOURNEYS_SHOWN:
        links.append(("Later trains", min(last, max(after + 30, later[JOURNEYS_SHOWN].departs // 30 * 30))))
    anchors = joined(
        html(
            '<a href="{href}">{text}</a>',
            href=address(
                "/journeys",
                **{"from": filled["from"], "to": filled["to"], "date": filled["date"], "time": clock(minute)},
            ),
            text=text,
        )
        for text, minute in links
    )
    return html('<nav class="around" aria-label="Other times">{anchors}</nav>', anchors=anchors)


def duration(minutes: int) -> str:
    """Minutes as ``1 h 05 min``."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02d} min" if hours else f"{rest} min"


def _journey(journey: Journey, day: date) -> Html:
    changes = "direct" if not journey.changes else f"{journey.changes} change{'s' * (journey.changes > 1)}"
    return html(
        '<li><p class="times"><strong>{departs}</strong> to <strong>{arrives}</strong></p>'
        '<p class="facts">{duration}, {changes}</p><ol class="legs">{legs}</ol></li>',
        departs=clock(journey.departs),
        arrives=clock(journey.arrives),
        duration=duration(journey.minutes),
        changes=changes,
        legs=[_leg(leg, day) for leg in journey.legs],
    )


def _leg(leg: Leg, day: date) -> Html:
    reserve = ""
    if leg.train.kind == EXPRESS and day >= TODAY:
        reserve = html(
            ' <a href="/reserve/{leg.train.number}/{leg.origin}/{leg.destination}/{day}">Reserve a seat</a>',
            leg=leg,
            day=day.isoformat(),
        )
    return html(
        '<li><span class="train {leg.train.line}">{leg.train.title}</span> '
        "{departs} {origin}, platform {from_platform}, to "
        "{arrives} {destination}, platform {to_platform}{reserve}</li>",
        leg=leg,
        departs=clock(leg.departs),
        origin=STATIONS[leg.origin].name,
        from_platform=platform(leg.train, leg.origin),
        arrives=clock(leg.arrives),
        destination=STATIONS[leg.destination].name,
        to_platform=platform(leg.train, leg.destination),
        reserve=reserve,
    )


# Boards and stations


def board(station: Station, day: date, after: int, found: Sequence[tuple[int, Train]]) -> Html:
    shown = found[:BOARD_ROWS]
    later = ""
    if len(found) > BOARD_ROWS:
        href = address("/departures", station=station.slug, date=day.isoformat(), time=clock(found[BOARD_ROWS][0]))
        later = html('<p><a href="{href}">Later departures</a></p>', href=href)
    return html(
        '<h1>Departures from {s.name}</h1><form class="inline" action="/departures" method="get">'
        '<label for="station">Station</label><select id="station" name="station">{stations}</select>'
        '<label for="date">Date</label>'
        '<input type="date" id="date" name="date" value="{day}" min="{first}" max="{last}">'
        '<label for="time">From</label><select id="time" name="time">{times}</select>'
        '<button type="submit">Show board</button></form><p class="when">{long_day}, from {time}</p>{table}{later}'
        '<p><a href="/stations/{s.slug}">About {s.name} station</a></p>',
        s=station,
        stations=options([(each.slug, each.name) for each in STATIONS.values()], station.slug),
        day=day.isoformat(),
        first=FIRST_DAY.isoformat(),
        last=LAST_DAY.isoformat(),
        times=options(TIMES, clock(after // 30 * 30)),
        long_day=long_date(day),
        time=clock(after),
        table=board_table(station, shown),
        later=later,
    )


def board_table(station: Station, shown: Sequence[tuple[int, Train]]) -> Html:
    """Departures as rows: time, train, destination with the calls before it, platform."""
    if not shown:
        return Html("<p>No more trains on this day.</p>")
    rows = joined(
        html(
            '<tr><td class="time">{time}</td><td><strong>{to}</strong>{calls}</td>'
            '<td><span class="train {train.line}">{train.title}</span></td><td class="platform">{platform}</td></tr>',
            time=clock(minute),
            to=STATIONS[train.destination].name,
            calls=_calls(station, train),
            train=train,
            platform=platform(train, station.slug),
        )
        for minute, train in shown
    )
    return html(
        '<table class="board"><thead><tr><th>Time</th><th>To</th><th>Train</th><th>Platform</th></tr></thead>'
        "<tbody>{rows}</tbody></table>",
        rows=rows,
    )


def _calls(station: Station, train: Train) -> Html:
    between = ", ".join(
        f"{STATIONS[stop.station].name} {clock(stop.minute)}" for stop in train.calls_after(station.slug)
    )
    return html('<br><span class="calls">{between}</span>', between=between)


def stations() -> Html:
    groups = joined(
        html(
            '<section><h2 class="{line.slug}">{line.name}</h2><ul class="plain">{items}</ul></section>',
            line=line,
            items=[
                html('<li><a href="/stations/{s.slug}">{s.name}</a></li>', s=STATIONS[slug]) for slug in line.stations
            ],
        )
        for line in LINES.values()
    )
    return html('<h1>Stations</h1><div class="triple">{groups}</div>', groups=groups)


def station(station: Station, next_trains: Sequence[tuple[int, Train]]) -> Html:
    lines = ", ".join(line.name for line in LINES.values() if station.slug in line.stations)
    office = table_rows(
        [
            ("Monday to Friday", station.office_week),
            ("Saturday", station.office_saturday),
            ("Sunday", station.office_sunday),
        ]
    )
    facilities = table_rows(
        [
            ("Lines", lines),
            ("Lift", station.lift),
            ("Car parking", f"{station.parking} spaces"),
            ("Bicycle stands", f"{station.bicycles} stands"),
            ("Toilets", station.toilets),
            ("Waiting room", station.waiting_room),
        ]
    )
    return html(
        '<h1>{s.name}</h1><p>{s.street}. {s.about}</p><div class="pair"><section><h2>Next departures</h2>{board}'
        '<p><a href="/departures?station={s.slug}">All departures from {s.name}</a></p></section>'
        "<section><h2>Ticket office</h2><table>{office}</table><h2>At the station</h2><table>{facilities}</table>"
        "</section></div>",
        s=station,
        board=board_table(station, next_trains),
        office=office,
        facilities=facilities,
    )
