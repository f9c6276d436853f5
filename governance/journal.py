"""The journal: one row for each change of state, in the transaction that makes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import transaction

from governance.ledger.entries import enter
from governance.models import JournalEntry

_witness: ContextVar[list[JournalEntry] | None] = ContextVar("journal_witness", default=None)


@contextmanager
def witnessed() -> Iterator[list[JournalEntry]]:
    """Rows that are written inside the ``with`` block, for whoever must know that there is one."""
    entries: list[JournalEntry] = []
    token = _witness.set(entries)
    try:
        yield entries
    finally:
        _witness.reset(token)


@transaction.atomic(savepoint=False)
def record(*, actor: str, action: str, subject: str, reason: str = "", **detail: Any) -> JournalEntry:
    """Write one journal row, and its entry in the ledger where its action has one (``ledger_kinds.py``).

    Args:
        actor: ``judge:<id>``, ``operator:<id>`` or ``system:<part>``.
        action: ``source:subject:action``.
        subject: identifier of the row that changed.
        reason: why, in words, where somebody gave one.
        detail: plain JSON values worth keeping; never text that a person or a page wrote.
    """
    journal = JournalEntry.objects.create(
        actor=actor, action=action, subject=str(subject), reason=reason, detail=detail
    )
    enter(journal)
    if (witness := _witness.get()) is not None:
        witness.append(journal)
    return journal
