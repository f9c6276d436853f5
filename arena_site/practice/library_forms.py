"""The forms of the practice library."""

from __future__ import annotations

from arena_site.practice.forms import Field, parse_date
from arena_site.practice.library_branches import BRANCHES, TODAY
from arena_site.practice.library_catalogue import FORMATS
from arena_site.practice.library_lending import CARDS

_BRANCH_CHOICES = tuple((branch.slug, branch.name) for branch in BRANCHES.values())


def plain_card(value: str) -> str:
    """A card number without the blanks people type into it."""
    return value.replace(" ", "")


def _card_problem(value: str) -> str:
    if plain_card(value) in CARDS:
        return ""
    return "Card number: we do not know this number. It has ten digits and is printed on the front of your card."


def _until_problem(value: str) -> str:
    day = parse_date(value)
    return "" if day and day > TODAY else "Not needed after: please give a day after today."


_CARD = Field("card", "Card number", longest=20, hint="Ten digits, on the front of your card.", check=_card_problem)
HOLD_FORM = (
    _CARD,
    Field("branch", "Pick up at", "select", choices=_BRANCH_CHOICES),
    Field("until", "Not needed after", "date", required=False, check=_until_problem),
)
SIGN_IN_FORM = (_CARD,)
LIST_FORM = (
    Field("name", "Name of the list", longest=60),
    Field("note", "Note", "textarea", required=False, longest=300),
)
SUGGEST_FORM = (
    Field("title", "Title"),
    Field("author", "Author"),
    Field("year", "Year of publication", "number", required=False, least=1450, most=2027),
    Field("format", "Format", "radio", choices=tuple((name, name) for name in FORMATS[:4])),
    Field("branch", "For which branch?", "select", choices=_BRANCH_CHOICES),
    Field("reason", "Why should we buy it?", "textarea", required=False, longest=600),
    Field("tell_me", "Tell me when it arrives", "checkbox", required=False),
    Field("email", "Email", "email", required=False, hint="Needed only if we should tell you."),
)
