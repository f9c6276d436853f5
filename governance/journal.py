"""The journal: one row for each change of state, in the transaction that makes it."""

from typing import Any

from governance.models import JournalEntry


def record(*, actor: str, action: str, subject: str, reason: str = "", **detail: Any) -> JournalEntry:
    """Write one journal row.

    Args:
        actor: ``judge:<id>``, ``operator:<id>`` or ``system:<part>``.
        action: ``source:subject:action``.
        subject: identifier of the row that changed.
        reason: why, in words, where somebody gave one.
        detail: plain JSON values worth keeping; never text that a person or a page wrote.
    """
    return JournalEntry.objects.create(actor=actor, action=action, subject=str(subject), reason=reason, detail=detail)
