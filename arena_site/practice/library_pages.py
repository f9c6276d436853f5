"""The practice library's public pages: the frame, the catalogue and the house."""

from __future__ import annotations

from collections.abc import Sequence

from arena_site.practice.forms import options
from arena_site.practice.library_branches import BRANCHES, TODAY, WEEKDAYS, Branch, long_date
from arena_site.practice.library_catalogue import (
    FORMATS,
    LANGUAGES,
    NEWEST,
    PAGE_SIZE,
    SEARCH_BY,
    SORTS,
    Copy,
    Record,
    Search,
)
from arena_site.practice.library_lending import LOAN_DAYS, MOST_HOLDS, MOST_RENEWALS, ReadingList
from arena_site.practice.markup import Html, html, joined, table_rows
from arena_site.practice.wsgi_site import address

LIBRARY_NAME = "Brackwater Public Library"
#: What returning late costs a day, in cents.
LATE_CENTS = 35

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="/library.css">
<link rel="icon" href="/library.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="house">
  <p class="name"><a href="/">{library}</a></p>
  <nav aria-label="Main">
    <a href="/">Catalogue</a>
    <a href="/branches">Branches and hours</a>
    <a href="/lists">Reading lists</a>
    <a href="/borrowing">Borrowing</a>
    <a href="/suggest">Suggest a purchase</a>
    <a href="/account">{account}</a>
  </nav>
</header>
<main id="content">{body}</main>
<footer class="house"><p>{library}, 2 Guildhall Square, Brackwater. Today is {weekday}, {today}.</p></footer>
</body>
</html>
"""


def document(title: str, body: Html, card: str) -> Html:
    """A whole page; an empty title is the home page's."""
    return html(
        _DOCUMENT,
        title=f"{title} - {LIBRARY_NAME}" if title else LIBRARY_NAME,
        library=LIBRARY_NAME,
        account=f"My account ({card})" if card else "My account",
        body=body,
        weekday=WEEKDAYS[TODAY.weekday()],
        today=long_date(TODAY),
    )


def problem(title: str, message: str) -> Html:
    return html(
        '<h1>{title}</h1><p>{message}</p><p><a href="/">Back to the catalogue</a></p>', title=title, message=message
    )


def message(text: object, *, bad: bool = False) -> Html:
    """A message above the content; nothing when there is none."""
    if not text:
        return Html("")
    role = "alert" if bad else "status"
    return html(
        '<p class="message {kind}" role="{role}">{text}</p>', kind="bad" if bad else "good", role=role, text=text
    )


# The catalogue


def _search_band(search: Search) -> Html:
    return html(
        '<form class="band" action="/search" method="get" role="search"><label for="q">Search the catalogue</label>'
        '<input type="search" id="q" name="q" value="{words}" maxlength="120">'
        '<label for="by" class="unseen">Search in</label><select id="by" name="by">{by}</select>'
        '<button type="submit">Search</button> <a href="/advanced">Advanced search</a></form>',
        words=search.words,
        by=options(tuple(SEARCH_BY.items()), search.by),
    )


def home() -> Html:
    hours = joined(
        html(
            '<tr><th scope="row"><a href="/branches/{b.slug}">{b.name}</a></th><td>{hours}</td></tr>',
            b=branch,
            hours=branch.hours_on(TODAY),
        )
        for branch in BRANCHES.values()
    )
    return html(
        '<h1 class="unseen">Catalogue</h1>{band}<div class="halves"><section><h2>New in the catalogue</h2>'
        '<ul class="shelf">{newest}</ul></section><section><h2>Open today</h2><table>{hours}</table>'
        '<h2>News</h2><ul class="news"><li><strong>Sewing evening.</strong> Every Thursday at Millgate from 17:00.</li>'
        "<li><strong>Reading room.</strong> Maps and local history may be read there without an appointment.</li>"
        "<li><strong>Quayside.</strong> The lift is repaired.</li></ul></section></div>",
        band=_search_band(Search()),
        newest=[_on_shelf(record) for record in NEWEST],
        hours=hours,
    )


def _on_shelf(record: Record) -> Html:
    return html(
        '<li><a href="/record/{r.number}"><img src="/covers/{r.number}.svg" alt="" width="90" height="130">'
        "<span>{r.title}</span></a>{r.author}</li>",
        r=record,
    )


def results(search: Search, found: Sequence[Record]) -> Html:
    """The results with the limits beside them."""
    pages = max(1, -(-len(found) // PAGE_SIZE))
    current = min(search.page, pages)
    first = (current - 1) * PAGE_SIZE
    shown = found[first : first + PAGE_SIZE]
    tally = f"{len(found)} title{'' if len(found) == 1 else 's'} found"
    if pages > 1:
        tally += f", {first + 1} to {first + len(shown)} shown"
    nothing = "" if found else Html("<p>Nothing fits. Try fewer words, or search anywhere.</p>")
    return html(
        '{band}<div class="columns">{limits}<section><h1>Search results</h1><p class="tally">{tally}</p>{nothing}'
        '<ol class="results" start="{start}">{items}</ol>{pager}</section></div>',
        band=_search_band(search),
        limits=_limits(search),
        tally=tally,
        nothing=nothing,
        start=first + 1,
        items=[_result(record) for record in shown],
        pager=_pager(search, current, pages),
    )


def _limits(search: Search) -> Html:
    kept = {"q": search.words, "by": search.by, "title": search.title, "author": search.author}
    hidden = joined(
        html('<input type="hidden" name="{k}" value="{v}">', k=k, v=v)
        for k, v in {**kept, "subject": search.subject}.items()
        if v
    )
    return html(
        '<form class="limits" action="/search" method="get" aria-label="Narrow the results">{hidden}<h2>Narrow</h2>'
        "{controls}"
        '<p class="tick"><input type="checkbox" id="available" name="available" value="yes"{ticked}>'
        '<label for="available">On the shelf now</label></p>'
        '<p><label for="sort">Order</label><select id="sort" name="sort">{sorts}</select></p>'
        '<button type="submit">Apply</button></form>',
        hidden=hidden,
        controls=_limit_controls(search),
        ticked=Html(" checked") if search.available else "",
        sorts=options(tuple(SORTS.items()), search.sort),
    )


def _limit_controls(search: Search) -> Html:
    formats = (("", "All formats"), *((name, name) for name in FORMATS))
    languages = (("", "All languages"), *((name, name) for name in LANGUAGES))
    branches = (("", "All branches"), *((branch.slug, branch.name) for branch in BRANCHES.values()))
    return html(
        '<p><label for="format">Format</label><select id="format" name="format">{formats}</select></p>'
        '<p><label for="language">Language</label><select id="language" name="language">{languages}</select></p>'
        '<p><label for="branch">Branch</label><select id="branch" name="branch">{branches}</select></p>'
        '<p class="years"><label for="from">Year from</label><input id="from" name="from" value="{s.year_from}" '
        'inputmode="numeric" maxlength="4"><label for="to">to</label><input id="to" name="to" value="{s.year_to}" '
        'inputmode="numeric" maxlength="4"></p>',
        s=search,
        formats=options(formats, search.format),
        languages=options(languages, search.language),
        branches=options(branches, search.branch),
    )


def _result(record: Record) -> Html:
    at = ", ".join(BRANCHES[slug].name for slug in record.available_at)
    if at:
        state = html('<p class="in">On the shelf: {at}</p>', at=at)
    elif record.can_be_reserved:
        state = Html('<p class="out">On loan</p>')
    else:
        state = Html("<p>Reading room only</p>")
    return html(
        '<li><img src="/covers/{r.number}.svg" alt="" width="62" height="90"><div>'
        '<h2><a href="/record/{r.number}">{r.title}</a></h2><p>{r.author}</p>'
        '<p class="facts">{r.format}, {r.language}, {r.year}. Shelf mark {r.shelf_mark}</p>{state}</div></li>',
        r=record,
        state=state,
    )


def _pager(search: Search, current: int, pages: int) -> Html:
    if pages == 1:
        return Html("")
    links = []
    for number, text in ((current - 1, "Previous"), (current + 1, "Next")):
        if 1 <= number <= pages:
            links.append(html('<a href="{a}">{t}</a>', a=address("/search", **search.query(page=str(number))), t=text))
    return html(
        '<nav class="pager" aria-label="Pages">{links} <span>Page {current} of {pages}</span></nav>',
        links=links,
        current=current,
        pages=pages,
    )


def advanced() -> Html:
    return html(
        '<h1>Advanced search</h1><form class="sheet" action="/search" method="get">'
        '<p><label for="title">Title</label><input id="title" name="title" maxlength="120"></p>'
        '<p><label for="author">Author</label><input id="author" name="author" maxlength="120"></p>'
        '<p><label for="subject">Subject</label><input id="subject" name="subject" maxlength="120"></p>{controls}'
        '<p><label for="sort">Order</label><select id="sort" name="sort">{sorts}</select></p>'
        '<button type="submit">Search</button></form>',
        controls=_limit_controls(Search()),
        sorts=options(tuple(SORTS.items()), "relevance"),
    )


# One title


def record(record: Record, lists: Sequence[ReadingList], added: ReadingList | None, *, problem: str = "") -> Html:
    """A title with its copies; ``added`` is the list it was just put on."""
    noted = html('Added to <a href="/lists/show/{l.slug}">{l.name}</a>.', l=added) if added else ""
    return html(
        '{noted}{problem}<div class="title-page"><img src="/covers/{r.number}.svg" alt="" width="180" height="260">'
        '<section><h1>{r.title}</h1><p class="author">{author}</p><p>{r.summary}</p><table>{facts}</table></section>'
        '<aside aria-label="What you can do">{reserve}{to_list}</aside></div>'
        "<h2>Copies</h2>{copies}",
        r=record,
        noted=message(noted),
        problem=message(problem, bad=True),
        author=_search_link(record.author, "author"),
        facts=_facts(record),
        reserve=_reserve(record),
        to_list=_to_list(record, lists),
        copies=_copies(record),
    )


def _search_link(text: str, by: str) -> Html:
    return html('<a href="{href}">{text}</a>', href=address("/search", q=text.replace(",", ""), by=by), text=text)


def _facts(record: Record) -> Html:
    subjects: list[object] = []
    for position, subject in enumerate(record.subjects):
        subjects += ["; " if position else "", _search_link(subject, "subject")]
    rows: list[tuple[str, object]] = [
        ("Format", record.format),
        ("Language", record.language),
        ("Published", f"{record.publisher}, {record.year}"),
        ("Extent", record.extent),
        ("Subjects", joined(subjects)),
        ("Shelf mark", record.shelf_mark),
        ("Record number", record.number),
    ]
    if record.series:
        rows.insert(4, ("Series", record.series))
    return table_rows(rows)


def _reserve(record: Record) -> Html:
    if not record.can_be_reserved:
        return Html("<p>For use in the reading room only.</p>")
    return html('<p><a class="button" href="/record/{r.number}/hold">Reserve this title</a></p>', r=record)


def _to_list(record: Record, lists: Sequence[ReadingList]) -> Html:
    choices = tuple((each.slug, each.name) for each in lists)
    return html(
        '<form action="/record/{r.number}/list" method="post"><label for="list">Reading list</label>'
        '<select id="list" name="list">{choices}</select>'
        '<button type="submit" class="plain">Add to list</button></form>'
        '<p><a href="/lists/new">Begin a new list</a></p>',
        r=record,
        choices=options(choices, ""),
    )


def _copy_state(copy: Copy) -> Html:
    if copy.due:
        return html('<span class="out">On loan, due back {due}</span>', due=long_date(copy.due))
    return Html("Reading room only") if copy.reading_room else Html('<span class="in">On the shelf</span>')


def _copies(record: Record) -> Html:
    rows = joined(
        html(
            '<tr><td><a href="/branches/{b.slug}">{b.name}</a></td><td>{mark}</td><td>{state}</td></tr>',
            b=BRANCHES[copy.branch],
            mark=record.shelf_mark,
            state=_copy_state(copy),
        )
        for copy in record.copies
    )
    return html(
        '<table class="wide"><thead><tr><th>Branch</th><th>Shelf mark</th><th>State</th></tr></thead>'
        "<tbody>{rows}</tbody></table>",
        rows=rows,
    )


# The house


def branches() -> Html:
    heads = joined(html("<th>{day}</th>", day=day[:3]) for day in WEEKDAYS)
    rows = joined(
        html(
            '<tr><th scope="row"><a href="/branches/{b.slug}">{b.name}</a></th>{hours}</tr>',
            b=branch,
            hours=[html("<td>{h}</td>", h=hours.replace(" to ", "–") or "closed") for hours in branch.hours],
        )
        for branch in BRANCHES.values()
    )
    return html(
        '<h1>Branches and opening hours</h1><table class="wide hours"><thead><tr><th>Branch</th>{heads}</tr></thead>'
        "<tbody>{rows}</tbody></table>",
        heads=heads,
        rows=rows,
    )


def branch(branch: Branch) -> Html:
    hours = table_rows((day, branch.hours[position] or "Closed") for position, day in enumerate(WEEKDAYS))
    return html(
        '<h1>{b.name}</h1><p>{b.about}</p><div class="halves"><section><h2>Opening hours</h2><table>{hours}</table>'
        "</section><section><h2>Address</h2><p>{b.street}, Brackwater<br>Telephone {b.phone}</p><h2>Here you find</h2>"
        "<ul>{facilities}</ul></section></div>",
        b=branch,
        hours=hours,
        facilities=[html("<li>{f}</li>", f=facility) for facility in branch.facilities],
    )


def borrowing() -> Html:
    return html(
        "<h1>Borrowing</h1><p>Books, large print, audiobooks and maps are lent for {days} days, films for 7. A loan "
        'can be renewed {renewals} times in <a href="/account">your account</a>. Returning late costs {late} cents a '
        "day for each title, for children nothing.</p>"
        "<h2>Reservations</h2><p>Up to {holds} titles can be reserved with one card. We keep a title for you for "
        "9 days once it has arrived at the branch you chose.</p>"
        "<h2>Joining</h2><p>A card is free for everybody who lives in Brackwater. Bring something with your address "
        "on it to any branch.</p>",
        days=LOAN_DAYS,
        renewals=MOST_RENEWALS,
        late=LATE_CENTS,
        holds=MOST_HOLDS,
    )
