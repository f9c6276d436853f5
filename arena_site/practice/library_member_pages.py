"""The practice library's pages for members: reservations, account, reading lists and suggestions."""

from __future__ import annotations

from collections.abc import Sequence

from arena_site.practice.forms import Filled, drawn, problem_summary
from arena_site.practice.library_branches import BRANCHES, long_date
from arena_site.practice.library_catalogue import RECORDS, Record
from arena_site.practice.library_forms import HOLD_FORM, LIST_FORM, SIGN_IN_FORM, SUGGEST_FORM
from arena_site.practice.library_lending import Hold, Loan, ReadingList
from arena_site.practice.library_pages import message
from arena_site.practice.markup import Html, html, joined


def hold_form(record: Record, filled: Filled) -> Html:
    return html(
        '<h1>Reserve a title</h1><p><a href="/record/{r.number}">{r.title}</a>, {r.author} ({r.format}, {r.year})</p>'
        '{wrong}<form class="sheet" action="/record/{r.number}/hold" method="post" novalidate>{fields}'
        '<button type="submit">Place reservation</button></form>',
        r=record,
        wrong=problem_summary(HOLD_FORM, filled),
        fields=drawn(HOLD_FORM, filled),
    )


def sign_in(filled: Filled) -> Html:
    return html(
        "<h1>My account</h1>{wrong}<p>Enter your card number to see your loans and reservations.</p>"
        '<form class="sheet" action="/account" method="post" novalidate>{fields}'
        '<button type="submit">Show my account</button></form>',
        wrong=problem_summary(SIGN_IN_FORM, filled),
        fields=drawn(SIGN_IN_FORM, filled),
    )


def account(card: str, loans: Sequence[Loan], holds: Sequence[Hold], notice: str) -> Html:
    return html(
        '{notice}<h1>My account</h1><form class="inline" action="/account/sign-out" method="post"><p>Card {card} '
        '<button type="submit" class="plain">Sign out</button></p></form>'
        "<h2>Loans</h2>{loans}<h2>Reservations</h2>{holds}",
        notice=message(notice),
        card=card,
        loans=_loans(loans),
        holds=_holds(holds),
    )


def _button(path: str, number: str, text: str, of: str) -> Html:
    return html(
        '<form action="{path}" method="post"><input type="hidden" name="record" value="{number}">'
        '<button type="submit" class="plain" aria-label="{text} {of}">{text}</button></form>',
        path=path,
        number=number,
        text=text,
        of=of,
    )


def _loans(loans: Sequence[Loan]) -> Html:
    if not loans:
        return Html("<p>You have nothing on loan.</p>")
    rows = joined(
        html(
            '<tr><td><a href="/record/{loan.number}">{loan.record.title}</a></td><td>{due}</td>'
            "<td>{loan.renewals}</td><td>{renew}</td></tr>",
            loan=loan,
            due=long_date(loan.due),
            renew=loan.refusal or _button("/account/renew", loan.number, "Renew", loan.record.title),
        )
        for loan in loans
    )
    return html(
        '<table class="wide"><thead><tr><th>Title</th><th>Due back</th><th>Renewals</th><td></td></tr></thead>'
        "<tbody>{rows}</tbody></table>",
        rows=rows,
    )


def _holds(holds: Sequence[Hold]) -> Html:
    if not holds:
        return Html("<p>You have no reservations.</p>")
    rows = joined(
        html(
            '<tr><td><a href="/record/{hold.number}">{hold.record.title}</a> ({hold.record.format})</td>'
            "<td>{branch}</td><td>{until}</td><td>{cancel}</td></tr>",
            hold=hold,
            branch=BRANCHES[hold.branch].name,
            until=long_date(hold.until) if hold.until else "",
            cancel=_button("/account/cancel", hold.number, "Cancel", hold.record.title),
        )
        for hold in holds
    )
    return html(
        '<table class="wide"><thead><tr><th>Title</th><th>Pick up at</th><th>Not needed after</th><td></td></tr>'
        "</thead><tbody>{rows}</tbody></table>",
        rows=rows,
    )


def lists(lists: Sequence[ReadingList]) -> Html:
    items = joined(
        html(
            '<li><a href="/lists/show/{l.slug}">{l.name}</a> ({count} title{s})</li>',
            l=each,
            count=len(each.numbers),
            s="" if len(each.numbers) == 1 else "s",
        )
        for each in lists
    )
    return html(
        '<h1>Reading lists</h1><ul class="lists">{items}</ul><p><a class="button" href="/lists/new">New list</a></p>',
        items=items,
    )


def list_form(filled: Filled) -> Html:
    return html(
        '<h1>New reading list</h1>{wrong}<form class="sheet" action="/lists/new" method="post" novalidate>{fields}'
        '<button type="submit">Create list</button></form>',
        wrong=problem_summary(LIST_FORM, filled),
        fields=drawn(LIST_FORM, filled),
    )


def reading_list(shown: ReadingList) -> Html:
    if not shown.numbers:
        content = Html("<p>The list is empty. Open a title in the catalogue to add it here.</p>")
    else:
        rows = joined(
            html(
                '<tr><td><a href="/record/{r.number}">{r.title}</a></td><td>{r.author}</td><td>{r.format}</td>'
                "<td>{remove}</td></tr>",
                r=RECORDS[number],
                remove=_button(f"/lists/show/{shown.slug}/remove", number, "Remove", RECORDS[number].title),
            )
            for number in shown.numbers
        )
        content = html(
            '<table class="wide"><thead><tr><th>Title</th><th>Author</th><th>Format</th><td></td></tr></thead>'
            "<tbody>{rows}</tbody></table>",
            rows=rows,
        )
    return html(
        '<p><a href="/lists">All reading lists</a></p><h1>{l.name}</h1><p>{l.note}</p>{content}',
        l=shown,
        content=content,
    )


def suggest(filled: Filled, *, sent: bool = False) -> Html:
    return html(
        "{sent}<h1>Suggest a purchase</h1>{wrong}<p>We buy about a third of what is suggested.</p>"
        '<form class="sheet" action="/suggest" method="post" novalidate>{fields}'
        '<button type="submit">Send suggestion</button></form>',
        sent=message("Thank you, we have your suggestion." if sent else ""),
        wrong=problem_summary(SUGGEST_FORM, filled),
        fields=drawn(SUGGEST_FORM, filled),
    )
