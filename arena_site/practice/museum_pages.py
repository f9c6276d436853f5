"""The practice museum's frame, its first page and the pages for planning a visit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.museum_house import (
    HOURS,
    MENU,
    MUSEUM_NAME,
    PHONE,
    SPECIAL_DAYS,
    STREET,
    TICKETS,
    TODAY,
    WEEKDAYS,
    euros,
    full_date,
    hours_on,
    long_date,
)
from arena_site.practice.museum_programme import EXHIBITIONS, NEWS, TOURS, Article, Departure, Exhibition, Tour
from arena_site.practice.museum_search import Hit

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="/museum.css">
<link rel="icon" href="/museum.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="side">
  <p class="name"><a href="/"><img src="/museum.svg" alt="" width="44" height="44"><span>{museum}</span></a></p>
  <form class="seek" action="/search" method="get" role="search"><label for="q">Search the site</label>
  <input type="search" id="q" name="q" value="{typed}" maxlength="100"><button type="submit">Search</button></form>
  <nav aria-label="Main">
    <a href="/visit">Visit</a>
    <a href="/exhibitions">Exhibitions</a>
    <a href="/tours">Guided tours</a>
    <a href="/collection">Collection</a>
    <a href="/cafe">Café</a>
    <a href="/news">News</a>
    <a href="/membership">Become a member</a>
  </nav>
  <p class="own"><a href="/selection">My selection ({selected})</a></p>
</header>
<div class="page">
<main id="content">{body}</main>
<footer>
  <p>{museum}<br>{street}<br>{phone}</p>
  <p>Today, {today}:<br>{hours}</p>
  <nav aria-label="More">
    <a href="/contact">Contact</a>
    <a href="/access">Access</a>
    <a href="/newsletter">Newsletter</a>
    <a href="/about">About the museum</a>
  </nav>
</footer>
</div>
</body>
</html>
"""
#: The first page looks this far ahead.
_SOON = timedelta(days=14)


def document(title: str, body: Html, selected: int, typed: str = "") -> Html:
    """A whole page; an empty title is the first page's. ``selected`` counts the visitor's selection."""
    hours = hours_on(TODAY)
    return html(
        _DOCUMENT,
        title=f"{title} - {MUSEUM_NAME}" if title else MUSEUM_NAME,
        museum=MUSEUM_NAME,
        typed=typed,
        selected=selected,
        body=body,
        street=STREET,
        phone=PHONE,
        today=full_date(TODAY),
        hours=f"open {hours}" if hours else "closed",
    )


def problem(title: str, message: str) -> Html:
    return html(
        '<h1>{title}</h1><p>{message}</p><p><a href="/">To the first page</a></p>', title=title, message=message
    )


def told(text: object) -> Html:
    """A message that something was done; nothing when there is none."""
    return html('<p class="told" role="status">{text}</p>', text=text) if text else Html("")


def lines_of(paragraphs: Iterable[str]) -> Html:
    return joined(html("<p>{text}</p>", text=text) for text in paragraphs)


def span_of(exhibition: Exhibition) -> str:
    """From when to when: ``12 February to 30 May 2027``."""
    first, last = exhibition.starts, exhibition.ends
    begins = f"{first.day} {first:%B}" if first.year == last.year else long_date(first)
    return f"{begins} to {long_date(last)}"


# The first page


def home() -> Html:
    shown = [each for each in EXHIBITIONS.values() if each.time == "now"]
    lead, others = shown[0], shown[1:]
    coming = [each for each in EXHIBITIONS.values() if each.time == "coming"][:2]
    return html(
        '<h1 class="unseen">{museum}</h1><section class="lead"><a href="/exhibitions/{e.slug}">'
        '<img src="/pictures/exhibition/{e.slug}.svg" alt="" width="640" height="480"></a><div>'
        '<p class="over">Exhibition</p><h2><a href="/exhibitions/{e.slug}">{e.title}</a></h2><p>{e.lead}</p>'
        '<p class="when">{span}</p></div></section>'
        '<section class="thirds">{others}</section>'
        '<div class="halves"><section><h2>In the next two weeks</h2>{agenda}</section>'
        "<section><h2>News</h2>{news}</section></div>"
        '<section class="strip"><div><h2>Plan your visit</h2><p>Closed on Mondays. Open until 20:00 on Thursdays.</p>'
        '<p><a class="button" href="/visit">Hours and admission</a></p></div><div><h2>Stay in touch</h2>'
        '<p>Once a month, by email, only what interests you.</p><p><a class="button" href="/newsletter">'
        "Sign up for the newsletter</a></p></div></section>",
        museum=MUSEUM_NAME,
        e=lead,
        span=span_of(lead),
        others=[exhibition_card(each) for each in (*others, *coming)],
        agenda=_agenda(),
        news=_headlines(list(NEWS.values())[:3]),
    )


def exhibition_card(exhibition: Exhibition) -> Html:
    over = {"now": "Exhibition", "coming": "Coming soon", "past": "Past exhibition"}[exhibition.time]
    return html(
        '<article class="card"><a href="/exhibitions/{e.slug}"><img src="/pictures/exhibition/{e.slug}.svg" alt="" '
        'width="320" height="240"></a><p class="over">{over}</p><h3><a href="/exhibitions/{e.slug}">{e.title}</a></h3>'
        '<p>{e.lead}</p><p class="when">{span}</p></article>',
        e=exhibition,
        over=over,
        span=span_of(exhibition),
    )


def _agenda() -> Html:
    soon: list[tuple[Departure, Tour]] = [
        (departure, tour)
        for tour in TOURS.values()
        for departure in tour.departures
        if TODAY <= departure.begins.date() <= TODAY + _SOON
    ]
    soon.sort(key=lambda pair: pair[0].begins)
    items = joined(
        html(
            '<li><span class="when">{d.spoken}</span><a href="/tours/{t.slug}">{t.title}</a></li>', d=departure, t=tour
        )
        for departure, tour in soon
    )
    return html('<ul class="agenda">{items}</ul><p><a href="/tours">All guided tours</a></p>', items=items)


def _headlines(articles: Iterable[Article]) -> Html:
    items = joined(
        html(
            '<li><span class="when">{day}</span><a href="/news/{a.slug}">{a.title}</a></li>', a=a, day=long_date(a.day)
        )
        for a in articles
    )
    return html('<ul class="agenda">{items}</ul>', items=items)


def news() -> Html:
    return html("<h1>News</h1>{items}", items=_headlines(NEWS.values()))


def article(shown: Article) -> Html:
    return html(
        '<p class="over">{day}</p><h1>{a.title}</h1>{lines}<p><a href="/news">All news</a></p>',
        a=shown,
        day=long_date(shown.day),
        lines=lines_of(shown.paragraphs),
    )


# Planning a visit


def visit() -> Html:
    special = joined(
        html("<li>{name}, {day}: {hours}</li>", name=name, day=long_date(day), hours=hours or "closed")
        for day, (name, hours) in SPECIAL_DAYS.items()
    )
    prices = joined(
        html(
            '<tr><th scope="row">{name}{whom}</th><td>{price}</td></tr>',
            name=name,
            whom=html("<small>{whom}</small>", whom=whom) if whom else "",
            price=euros(cents),
        )
        for name, whom, cents in TICKETS
    )
    return html(
        '<h1>Your visit</h1><div class="halves"><section><h2>Opening hours</h2><table>{hours}</table>'
        "<p>Last admission is 45 minutes before we close.</p><ul>{special}</ul></section>"
        "<section><h2>Admission</h2><table>{prices}</table><p>The ticket is good for the collection and all "
        "exhibitions. Members are free.</p></section></div>"
        '<div class="halves"><section><h2>Getting here</h2><p>{street}. Bus 3 and 7 stop at Herring Stairs, from there '
        "it is four minutes on foot. Bicycles can be locked in Vat Yard; there is no car park at the house.</p>"
        '</section><section><h2>Good to know</h2><p>Large bags go into the lockers. <a href="/access">Access</a> tells '
        "about lifts, wheelchairs and the quiet hour. You may take photographs without flash, except in the Upper "
        "gallery.</p></section></div>",
        hours=table_rows((day, HOURS[position] or "Closed") for position, day in enumerate(WEEKDAYS)),
        special=special,
        prices=prices,
        street=STREET,
    )


def access() -> Html:
    return Html(
        "<h1>Access</h1><h2>Ways and lift</h2><p>The entrance in Vat Yard has no steps. The lift (90 by 140 cm) goes "
        "to all floors. In Room 3 a ramp leads past the vats.</p>"
        "<h2>Wheelchairs and seats</h2><p>We lend two wheelchairs, three walking frames with a seat and a dozen "
        'folding stools, free of charge.</p><p><a class="button" href="/access/reserve">Reserve a wheelchair or seat'
        "</a></p><h2>Hearing and seeing</h2><p>There is an induction loop at the ticket desk and in the lecture room. "
        "Labels in large print lie in every room. Assistance dogs are welcome.</p>"
        "<h2>Quiet hour</h2><p>On the first Wednesday of every month, from 10:00 to 11:30, we turn off all sound and "
        "dim the lights in the entrance hall.</p><h2>Companions</h2><p>Whoever comes along to help pays nothing.</p>"
    )


def cafe() -> Html:
    cards = joined(
        html(
            "<section><h2>{part}</h2><table>{dishes}</table></section>",
            part=part,
            dishes=table_rows((dish, euros(cents)) for dish, cents in dishes),
        )
        for part, dishes in MENU.items()
    )
    return html(
        "<h1>Café at the vats</h1><p>Between Room 3 and the yard, without a ticket. Open when the museum is, until "
        'half an hour before it closes. Warm dishes are served from 12:00 to 14:30.</p><div class="menu">{cards}</div>'
        "<p>Please ask about allergens. Prams and dogs may come into the yard.</p>",
        cards=cards,
    )


def about() -> Html:
    return Html(
        "<h1>About the museum</h1><p>The museum was founded in 1899 by the town's schoolmaster and eleven "
        "neighbours, with a drum and a seal in the attic of the town hall. Since 1936 it has been in the old dye works "
        "on the Teel, which closed the year before.</p><p>Today the register lists 6,380 objects. One in twelve is on "
        'display, in <a href="/rooms">seven rooms</a>.</p><h2>Who we are</h2><p>Four people work here, and forty-one '
        "volunteers. The director is Dr. Sunniva Hale, the collection is looked after by Benno Aske, schools and "
        "families by Pia Lund.</p><h2>Supporting us</h2><p>The museum belongs to an association of 512 members. "
        '<a href="/membership">Become one</a>.</p>'
    )


def results(typed: str, hits: Sequence[Hit], partial: bool) -> Html:
    """What the search over the site found."""
    if not hits:
        said = "Nothing was found. Try another word, or a shorter one." if typed else "Please type what you look for."
        return html("<h1>Search</h1><p>{said}</p>", said=said)
    items = joined(
        html('<li><p class="over">{h.kind}</p><h2><a href="{h.path}">{h.title}</a></h2><p>{h.summary}</p></li>', h=hit)
        for hit in hits
    )
    note = "Nothing has all these words. These pages have some of them." if partial else ""
    return html(
        '<h1>Search: {typed}</h1>{note}<ol class="hits">{items}</ol>',
        typed=typed,
        note=html("<p>{note}</p>", note=note) if note else "",
        items=items,
    )
