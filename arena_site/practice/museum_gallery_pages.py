"""The practice museum's exhibitions, rooms, objects and the visitor's own selection."""

from __future__ import annotations

from collections.abc import Sequence

from arena_site.practice.forms import options
from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.museum_collection import MATERIALS, OBJECTS, ORDERS, PAGE_SIZE, Exhibit, Looking
from arena_site.practice.museum_house import ROOMS, Room
from arena_site.practice.museum_pages import exhibition_card, lines_of, span_of, told
from arena_site.practice.museum_programme import EXHIBITIONS, Exhibition
from arena_site.practice.wsgi_site import address

# Exhibitions


def exhibitions() -> Html:
    parts = joined(
        html(
            '<h2>{head}</h2><section class="thirds">{cards}</section>',
            head=head,
            cards=[exhibition_card(each) for each in EXHIBITIONS.values() if each.time == time],
        )
        for time, head in (("now", "Now"), ("coming", "Coming"), ("past", "Past"))
    )
    return html("<h1>Exhibitions</h1>{parts}", parts=parts)


def exhibition(shown: Exhibition) -> Html:
    return html(
        '<p class="over">{span}</p><h1>{e.title}</h1><p class="opening">{e.lead}</p>'
        '<div class="beside"><img src="/pictures/exhibition/{e.slug}.svg" alt="" width="480" height="360"><div>'
        "<table>{facts}</table>{lines}</div></div>"
        '<p><a href="/exhibitions">All exhibitions</a></p>',
        e=shown,
        span=span_of(shown),
        facts=table_rows([("Dates", span_of(shown)), ("Where", shown.place)]),
        lines=lines_of(shown.paragraphs),
    )


# The collection


def collection(looking: Looking, found: Sequence[Exhibit]) -> Html:
    """The objects that fit, a page of them, under the form that narrows them."""
    pages = max(1, -(-len(found) // PAGE_SIZE))
    current = min(looking.page, pages)
    shown = found[(current - 1) * PAGE_SIZE : current * PAGE_SIZE]
    return html(
        '<h1>The collection</h1><p>A choice from our register. Walk through the <a href="/rooms">rooms</a>, or look '
        'for something.</p>{form}<p class="tally">{tally}</p><ul class="objects">{items}</ul>{pager}',
        form=_looking_form(looking),
        tally=f"{len(found)} object{'' if len(found) == 1 else 's'}" if found else "No object fits.",
        items=[_tile(exhibit) for exhibit in shown],
        pager=_pager(looking, current, pages),
    )


def _looking_form(looking: Looking) -> Html:
    materials = (("", "Any material"), *((name, name) for name in MATERIALS))
    rooms = (("", "Anywhere"), *((str(room.number), f"Room {room.number}, {room.name}") for room in ROOMS.values()))
    return html(
        '<form class="narrow" action="/collection" method="get"><p><label for="words">Word or name</label>'
        '<input id="words" name="words" value="{l.words}" maxlength="100"></p>'
        '<p><label for="material">Material</label><select id="material" name="material">{materials}</select></p>'
        '<p><label for="room">Room</label><select id="room" name="room">{rooms}</select></p>'
        '<p><label for="order">Order</label><select id="order" name="order">{orders}</select></p>'
        '<p class="tick"><input type="checkbox" id="on_display" name="on_display" value="yes"{ticked}>'
        '<label for="on_display">Only what is on display</label></p><button type="submit">Show objects</button></form>',
        l=looking,
        materials=options(materials, looking.material),
        rooms=options(rooms, looking.room),
        orders=options(tuple(ORDERS.items()), looking.order),
        ticked=Html(" checked") if looking.on_display else "",
    )


def _tile(exhibit: Exhibit) -> Html:
    return html(
        '<li><a href="/collection/{o.number}"><img src="/pictures/object/{o.number}.svg" alt="" width="160" '
        'height="120">{o.name}</a><p>{o.maker}, {o.dated}</p></li>',
        o=exhibit,
    )


def _pager(looking: Looking, current: int, pages: int) -> Html:
    if pages == 1:
        return Html("")
    links = [
        html('<a href="{href}">{text}</a>', href=address("/collection", **looking.query(number)), text=text)
        for number, text in ((current - 1, "Previous page"), (current + 1, "Next page"))
        if 1 <= number <= pages
    ]
    return html(
        '<nav class="pager" aria-label="Pages">{links}<span>Page {current} of {pages}</span></nav>',
        links=links,
        current=current,
        pages=pages,
    )


def exhibit_page(shown: Exhibit, *, selected: bool, just_added: bool) -> Html:
    place: object = shown.place
    if shown.room:
        place = html('<a href="/rooms/{o.room.number}">{o.place}</a>', o=shown)
    facts = [
        ("Made by", shown.maker),
        ("Date", shown.dated),
        ("Material", shown.material),
        ("Size", shown.size),
        ("Where to see it", place),
        ("How it came to us", shown.given),
        ("Inventory number", f"LM {shown.number}"),
    ]
    return html(
        '{told}<p class="over"><a href="/collection">Collection</a></p><h1>{o.name}</h1><div class="beside">'
        '<img src="/pictures/object/{o.number}.svg" alt="{o.name}" width="480" height="360"><div><p>{o.text}</p>'
        "<table>{facts}</table>{button}</div></div>",
        told=told(Html('Added. <a href="/selection">See my selection</a>') if just_added else ""),
        o=shown,
        facts=table_rows(facts),
        button=_selection_button(shown, selected=selected),
    )


def _selection_button(exhibit: Exhibit, *, selected: bool) -> Html:
    if selected:
        return Html('<p>This object is in <a href="/selection">your selection</a>.</p>')
    return html(
        '<form action="/collection/{o.number}/select" method="post"><button type="submit">Add to my selection</button>'
        "</form>",
        o=exhibit,
    )


def selection(chosen: Sequence[Exhibit]) -> Html:
    if not chosen:
        return Html(
            "<h1>My selection</h1><p>There is nothing here yet. Every object of the "
            '<a href="/collection">collection</a> has a button to add it.</p>'
        )
    items = joined(
        html(
            '<li><img src="/pictures/object/{o.number}.svg" alt="" width="120" height="90"><div>'
            '<h2><a href="/collection/{o.number}">{o.name}</a></h2><p>{o.place}</p></div>'
            '<form action="/selection/remove" method="post"><input type="hidden" name="number" value="{o.number}">'
            '<button type="submit" class="plain" aria-label="Remove {o.name}">Remove</button></form></li>',
            o=exhibit,
        )
        for exhibit in chosen
    )
    return html('<h1>My selection</h1><ul class="chosen">{items}</ul>', items=items)


# Rooms


def rooms() -> Html:
    floors = dict.fromkeys(room.floor for room in ROOMS.values())
    parts = joined(
        html(
            '<h2>{floor}</h2><ul class="rooms">{items}</ul>',
            floor=floor,
            items=[
                html('<li><a href="/rooms/{r.number}">Room {r.number}, {r.name}</a><p>{r.about}</p></li>', r=room)
                for room in ROOMS.values()
                if room.floor == floor
            ],
        )
        for floor in floors
    )
    return html(
        "<h1>Rooms</h1>{parts}<p>Exhibitions are in the Vat House on the ground floor, the Small gallery on the first "
        "and the Upper gallery on the second floor.</p>",
        parts=parts,
    )


def room(shown: Room) -> Html:
    here = [exhibit for exhibit in OBJECTS.values() if exhibit.room == shown]
    return html(
        '<p class="over">{r.floor}</p><h1>Room {r.number}, {r.name}</h1><p class="opening">{r.about}</p>'
        '<ul class="objects">{items}</ul><p><a href="/rooms">All rooms</a></p>',
        r=shown,
        items=[_tile(exhibit) for exhibit in here],
    )
