"""Cards, loans, reservations and reading lists of the practice library."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta

from arena_site.practice.library_branches import TODAY
from arena_site.practice.library_catalogue import RECORDS, Record

LOAN_DAYS = 21
MOST_RENEWALS = 2
MOST_HOLDS = 10
MOST_LISTS = 20
MOST_ON_A_LIST = 60
CARDS = ("2204118703", "2204550194")


@dataclass(frozen=True, slots=True)
class Loan:
    card: str
    number: str
    due: date
    renewals: int = 0

    @property
    def record(self) -> Record:
        return RECORDS[self.number]

    @property
    def refusal(self) -> str:
        """Why it cannot be renewed, or ""."""
        return f"Already renewed {MOST_RENEWALS} times" if self.renewals >= MOST_RENEWALS else ""

    def renewed(self) -> Loan:
        return Loan(self.card, self.number, TODAY + timedelta(days=LOAN_DAYS), self.renewals + 1)


@dataclass(frozen=True, slots=True)
class Hold:
    """A reservation; ``until`` is the last day it is of use, if there is one."""

    card: str
    number: str
    branch: str
    until: date | None = None

    @property
    def record(self) -> Record:
        return RECORDS[self.number]


@dataclass(slots=True)
class ReadingList:
    name: str
    note: str = ""
    numbers: list[str] = field(default_factory=list)

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:60] or "list"


def first_loans() -> list[Loan]:
    return [
        Loan(CARDS[0], "10180", date(2027, 3, 20)),
        Loan(CARDS[0], "10220", date(2027, 3, 24), renewals=2),
        Loan(CARDS[0], "10131", date(2027, 3, 31)),
        Loan(CARDS[1], "10203", date(2027, 3, 21)),
    ]


def first_holds() -> list[Hold]:
    return [Hold(CARDS[0], "10164", "central"), Hold(CARDS[0], "10170", "millgate")]


def first_lists() -> list[ReadingList]:
    return [
        ReadingList("Weekend reading", "Nothing too heavy.", ["10142", "10221"]),
        ReadingList("For the children", "", ["10240"]),
    ]


def hold_problem(holds: list[Hold], card: str, record: Record) -> str:
    """Why this card cannot reserve this record, or ""."""
    own = [hold for hold in holds if hold.card == card]
    if not record.can_be_reserved:
        return "This title stays in the reading room and cannot be reserved."
    if any(hold.number == record.number for hold in own):
        return "You have already reserved this title."
    if len(own) >= MOST_HOLDS:
        return f"A card can hold {MOST_HOLDS} reservations. Please cancel one first."
    return ""
