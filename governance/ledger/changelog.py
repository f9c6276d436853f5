"""The public changelog: every change of a rule and of the roster, as the ledger has them, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from governance.ledger.kinds import ledger_kinds
from governance.models import LedgerEntry


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        index: of its entry in the ledger, where it can be proved.
        at: when it was made.
        kind: the action that the ledger names.
        words: what happened, with the reason where that one is public.
    """

    index: int
    at: datetime
    kind: str
    words: str


def changelog(*, newest: int | None = None) -> list[Change]:
    """Changes of rules and of the roster, the newest first.

    Args:
        newest: so many of them at most; all of them without one.
    """
    return list(_changes(newest))


def _changes(newest: int | None) -> Iterator[Change]:
    told = {action: kind.told for action, kind in ledger_kinds().items() if kind.told is not None}
    entries = LedgerEntry.objects.filter(kind__in=told).select_related("journal").order_by("-index")
    for entry in entries[:newest]:
        journal = entry.journal
        yield Change(entry.index, journal.at, entry.kind, told[entry.kind](journal))
