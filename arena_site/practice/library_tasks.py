"""What people ask to have done at the library, and how each is checked."""

from __future__ import annotations

from datetime import date, timedelta

from arena_site.practice.library import Library
from arena_site.practice.library_branches import BRANCHES, TODAY
from arena_site.practice.library_catalogue import RECORDS
from arena_site.practice.library_lending import CARDS, LOAN_DAYS, Hold, first_holds, first_lists, first_loans
from arena_site.practice.outcomes import (
    Check,
    by_answer,
    by_state,
    same_text,
    says_amount,
    says_date,
    says_name,
    says_number,
    says_time,
)
from battles.checks import PracticeTask


def _spoken(author: str) -> list[str]:
    """Other ways to write "Wrenfield, Idony": given name first, and the family name alone."""
    family, _, given = author.partition(", ")
    return [f"{given} {family}", family] if given else []


_AUTHORS = {record.author: _spoken(record.author) for record in RECORDS.values()}
_TITLES = {record.title for record in RECORDS.values()}
_SHELF_MARKS = {record.shelf_mark for record in RECORDS.values()}
_BRANCH_NAMES = {branch.name: (["Central"] if branch.slug == "central" else []) for branch in BRANCHES.values()}


def _holds_are(*wanted: Hold) -> Check:
    """Exactly these reservations stand, in whatever order."""
    return by_state(lambda library: sorted(map(repr, library.holds)) == sorted(map(repr, wanted)))


def _holds_and(new: Hold) -> Check:
    return _holds_are(*first_holds(), new)


def _lists_are(wanted: dict[str, set[str]]) -> Check:
    """The reading lists have these names and titles, and there are no others."""
    return by_state(lambda library: {each.name: set(each.numbers) for each in library.lists} == wanted)


def _lists_and(changed: dict[str, set[str]]) -> Check:
    return _lists_are({each.name: set(each.numbers) for each in first_lists()} | changed)


def _renewed(card: str, number: str) -> Check:
    """This loan, and no other, runs for another three weeks."""
    due = TODAY + timedelta(days=LOAN_DAYS)
    wanted = {
        (loan.card, loan.number): due if (loan.card, loan.number) == (card, number) else loan.due
        for loan in first_loans()
    }
    return by_state(lambda library: {(loan.card, loan.number): loan.due for loan in library.loans} == wanted)


def _suggested(**wanted: str) -> Check:
    def arrived(library: Library) -> bool:
        if len(library.suggestions) != 1:
            return False
        sent = library.suggestions[0]
        return all(same_text(sent.get(name, ""), value) for name, value in wanted.items())

    return by_state(arrived)


def _task(key: str, kind: str, instruction: str, check: Check, path: str = "/") -> PracticeTask:
    return PracticeTask(f"library-{key}", Library.host, path, instruction, kind, check)


TASKS = (
    _task(
        "author",
        "answer",
        'Who wrote "The Quiet Drum"?',
        by_answer(lambda text: says_name(text, "Ambrose, Pell", _AUTHORS)),
    ),
    _task(
        "shelf-mark",
        "answer",
        'Under which shelf mark do I find "Ferns of the Inner Valley"?',
        by_answer(lambda text: says_name(text, "587.3 BRO", _SHELF_MARKS)),
    ),
    _task(
        "pages",
        "answer",
        'How many pages does the book "The Last Room at the Heron" have?',
        by_answer(lambda text: says_number(text, 318, unit="pages?")),
    ),
    _task(
        "saturday",
        "answer",
        "Until what time is the Quayside branch open on Saturdays?",
        by_answer(lambda text: says_time(text, "13:30", also=["09:30"])),
    ),
    _task(
        "late-fee",
        "answer",
        "What does it cost per day, for one title, when I bring a book back late?",
        by_answer(lambda text: says_number(text, 35, unit="cents?") if "cent" in text else says_amount(text, 35)),
    ),
    _task(
        "reserve",
        "action",
        'Reserve "The Winter Ferryman" for me, to be picked up at Millgate. My card number is "2204118703".',
        _holds_and(Hold(CARDS[0], "10133", "millgate")),
    ),
    _task(
        "add-to-list",
        "action",
        'Put "The Hedge Almanac" on the reading list called Weekend reading.',
        _lists_and({"Weekend reading": {"10142", "10221", "10162"}}),
    ),
    _task(
        "renew",
        "action",
        'Renew the loan of "The Cartographer\'s Sister". The card number is "2204118703".',
        _renewed(CARDS[0], "10180"),
    ),
    _task(
        "due-back",
        "answer",
        'The copy of "A Light on Gull Rock" at Northfield is on loan. When is it due back?',
        by_answer(lambda text: says_date(text, date(2027, 3, 30))),
    ),
    _task(
        "audiobooks",
        "answer",
        "How many audiobooks by Tobiah Renn does the library have?",
        by_answer(lambda text: says_number(text, 3, unit="(?:different )?(?:audio ?books?|titles?|recordings?)")),
    ),
    _task(
        "oldest-lighthouse-book",
        "answer",
        "Which is the oldest book on the subject of lighthouses in the catalogue? I mean a book, not a map.",
        by_answer(lambda text: says_name(text, "Keepers of the Outer Light", _TITLES)),
    ),
    _task(
        "where-is-it",
        "answer",
        'I would like to take "Bread from Four Flours" home today. At which branch is a copy on the shelf?',
        by_answer(lambda text: says_name(text, "Northfield", _BRANCH_NAMES)),
    ),
    _task(
        "cancel",
        "action",
        'I no longer need "Bread from Four Flours". Please cancel the reservation on card "2204118703" and leave my '
        "other reservation as it is.",
        _holds_are(first_holds()[0]),
    ),
    _task(
        "new-list",
        "action",
        'Create a reading list called "Night sky" and put the books "A First Telescope" and "The Patient Sky" on it.',
        _lists_and({"Night sky": {"10190", "10192"}}),
    ),
    _task(
        "large-print",
        "action",
        'Reserve the large print edition of "The House with Eleven Doors" with card "2204550194". It should come to '
        "the Central Library, and after 30 April 2027 it is no longer needed.",
        _holds_and(Hold(CARDS[1], "10182", "central", date(2027, 4, 30))),
    ),
    _task(
        "suggestion",
        "action",
        'Suggest that the library buys the audiobook "The Glass Ferry" by "Nell Hartow", published in "2025", for the '
        'Quayside branch. As the reason write "My father can no longer read small print." and ask to be told at '
        '"hartow.reader@example.test" when it arrives.',
        _suggested(
            title="The Glass Ferry",
            author="Nell Hartow",
            year="2025",
            format="Audiobook",
            branch="quayside",
            reason="My father can no longer read small print.",
            tell_me="yes",
            email="hartow.reader@example.test",
        ),
    ),
)
