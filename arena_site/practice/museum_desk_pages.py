"""What is done at the practice museum's ticket desk: tours, membership, aids, newsletter and questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arena_site.practice.forms import Field, Filled, drawn, problem_summary
from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.museum_forms import AID_FORM, AIDS, MEMBER_FORM, NEWSLETTER_FORM, QUESTION_FORM, TOPICS
from arena_site.practice.museum_house import MEMBERSHIPS, PHONE, STREET, euros
from arena_site.practice.museum_pages import told
from arena_site.practice.museum_programme import TOURS, Departure, Tour

Places = Callable[[Departure], int]


def _form(action: str, fields: tuple[Field, ...], filled: Filled, button: str) -> Html:
    return html(
        '{wrong}<form class="card-form" action="{action}" method="post" novalidate>{fields}'
        '<button type="submit">{button}</button></form>',
        wrong=problem_summary(fields, filled),
        action=action,
        fields=drawn(fields, filled),
        button=button,
    )


# Tours


def tours() -> Html:
    items = joined(
        html(
            '<li><h2><a href="/tours/{t.slug}">{t.title}</a></h2><p>{t.text}</p><p class="when">{t.minutes} minutes, '
            "{price} each, in {t.language}. Next: {next}</p></li>",
            t=tour,
            price=euros(tour.cents),
            next=tour.departures[0].spoken,
        )
        for tour in TOURS.values()
    )
    return html(
        "<h1>Guided tours</h1><p>The price of a tour is added to admission. For groups of more than twelve please <a "
        'href="/contact">write to us</a>.</p><ul class="hits">{items}</ul>',
        items=items,
    )


def tour(shown: Tour, left: Places) -> Html:
    """One tour; ``left`` says how many places a date still has."""
    rows = []
    for departure in shown.departures:
        places = left(departure)
        if places:
            link = html('<a href="/tours/{t.slug}/book?date={d.key}">Book</a>', t=shown, d=departure)
            rows.append((departure.spoken, f"{places} place{'' if places == 1 else 's'} left", link))
        else:
            rows.append((departure.spoken, "Sold out", Html("")))
    dates = joined(html("<tr><td>{d}</td><td>{p}</td><td>{link}</td></tr>", d=d, p=p, link=link) for d, p, link in rows)
    facts = [
        ("Length", f"{shown.minutes} minutes"),
        ("Price", f"{euros(shown.cents)} for each person, plus admission"),
        ("Meeting point", shown.meeting),
        ("Language", shown.language),
    ]
    return html(
        '<p class="over"><a href="/tours">Guided tours</a></p><h1>{t.title}</h1><p class="opening">{t.text}</p>'
        '<table>{facts}</table><h2>Dates</h2><table class="wide"><tbody>{dates}</tbody></table>'
        '<p><a class="button" href="/tours/{t.slug}/book">Book this tour</a></p>',
        t=shown,
        facts=table_rows(facts),
        dates=dates,
    )


def book(shown: Tour, fields: tuple[Field, ...], filled: Filled) -> Html:
    return html(
        '<p class="over">Booking</p><h1>{t.title}</h1><p>{price} for each person. You pay at the ticket desk on the '
        "day.</p>{form}",
        t=shown,
        price=euros(shown.cents),
        form=_form(f"/tours/{shown.slug}/book", fields, filled, "Book places"),
    )


def booked(reference: str, tour: Tour, departure: Departure, details: Mapping[str, str]) -> Html:
    people = int(details["people"])
    rows = [
        ("Tour", tour.title),
        ("Date", departure.spoken),
        ("People", str(people)),
        ("Name", details["name"]),
        ("To pay at the desk", euros(people * tour.cents)),
        ("Meeting point", tour.meeting),
    ]
    return html(
        "{told}<h1>Booking {reference}</h1><table>{rows}</table><p>Please be there ten minutes early.</p>",
        told=told(f"Thank you, your places are booked. The booking number is {reference}."),
        reference=reference,
        rows=table_rows(rows),
    )


# Membership


def membership() -> Html:
    rows = joined(
        html(
            '<tr><th scope="row">{m.name}</th><td>{price} a year</td><td>{m.about}</td></tr>',
            m=kind,
            price=euros(kind.cents),
        )
        for kind in MEMBERSHIPS.values()
    )
    return html(
        '<h1>Become a member</h1><p class="opening">The museum belongs to those who want it to be there.</p>'
        "<p>Members come in free, are invited to openings, and get a tenth off in the café.</p>"
        '<table class="wide"><tbody>{rows}</tbody></table><p><a class="button" href="/membership/join">Join now</a></p>'
        "<p>A membership runs from the day you join until the end of the next year. <a "
        'href="/membership/rules">Rules of the association</a></p>',
        rows=rows,
    )


def rules() -> Html:
    return Html(
        "<h1>Rules of the association</h1><ol><li>The association keeps the museum of Lowenby and makes it "
        "accessible to everybody.</li><li>Everybody may join. Members under 16 need the consent of a parent.</li>"
        "<li>The assembly meets every May and elects a board of five.</li><li>Whoever wants to leave says so in "
        "writing by the end of November.</li></ol>"
        '<p><a href="/membership">Back to membership</a></p>'
    )


def join(filled: Filled) -> Html:
    return html(
        "<h1>Join the association</h1>{form}",
        form=_form("/membership/join", MEMBER_FORM, filled, "Become a member"),
    )


def joined_now(details: Mapping[str, str]) -> Html:
    kind = MEMBERSHIPS[details["kind"]]
    return html(
        "{told}<h1>Your membership</h1><table>{rows}</table><p>Your card comes by post within two weeks.</p>",
        told=told(f"Welcome, {details['name']}. You are a member now."),
        rows=table_rows([("Membership", kind.name), ("A year", euros(kind.cents)), ("Name", details["name"])]),
    )


# Aids, newsletter, questions


def aid(filled: Filled, arranged: Mapping[str, str] | None = None) -> Html:
    """The form for wheelchairs and seats; ``arranged`` is what was reserved just now."""
    done = ""
    if arranged:
        done = f"Reserved: {AIDS[arranged['aid']]} for {arranged['name']}. It waits at the ticket desk."
    return html(
        '{told}<p class="over"><a href="/access">Access</a></p><h1>Reserve a wheelchair or seat</h1>'
        "<p>Free of charge, for as long as you stay.</p>{form}",
        told=told(done),
        form=_form("/access/reserve", AID_FORM, filled, "Reserve"),
    )


def newsletter(filled: Filled, signed_up: Mapping[str, str] | None = None) -> Html:
    done = ""
    if signed_up:
        topics = ", ".join(label for name, label in TOPICS.items() if signed_up[name])
        done = f"Thank you. {signed_up['email']} is signed up for: {topics}."
    return html(
        "{told}<h1>Newsletter</h1><p>Once a month. Choose one topic or more, and give us your address.</p>{form}",
        told=told(done),
        form=_form("/newsletter", NEWSLETTER_FORM, filled, "Sign up"),
    )


def contact(filled: Filled, *, sent: bool = False) -> Html:
    return html(
        '{told}<h1>Contact</h1><div class="halves"><section><h2>Write to us</h2>{form}</section>'
        "<section><h2>The house</h2><p>{street}<br>Telephone {phone}</p><p>The telephone is answered from Tuesday to "
        "Friday between 9:00 and 15:00.</p><h2>People</h2><table>{people}</table></section></div>",
        told=told("Thank you, your message has been sent. We answer within three days." if sent else ""),
        form=_form("/contact", QUESTION_FORM, filled, "Send message"),
        street=STREET,
        phone=PHONE,
        people=table_rows(
            [
                ("Director", "Dr. Sunniva Hale"),
                ("Collection", "Benno Aske"),
                ("Schools and families", "Pia Lund"),
                ("Ticket desk and café", "Oda Reimers"),
            ]
        ),
    )
