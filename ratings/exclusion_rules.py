"""The rules by which labels are left out, as one digest: a change of any of them enters the ledger.

What is digested is what decides: the reasons in their order, the statements that give them, the spans that those wait
for, and what outranking does with every pair of reasons. Comments and line breaks of the statements are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from django.db import connection, transaction

from battles.lane_facts import DEFINITION
from governance.journal import record
from governance.models import JournalEntry, LedgerEntry
from judging.models.votes import REVISABLE_FOR
from judging.visibility import REPEAT_WITHIN
from ratings.canonical import canonical, digest
from ratings.eligibility import REASON_WORDS, Reason, outrank_submitters
from ratings.models import Publication

ACTION = "ratings:exclusion_rules:change"
ACTOR = "system:exclusion-rules"

STATEMENTS = Path(__file__).parent / "statements"
#: The statements that say of a label or a battle why it does not rate.
DECIDING = ("races", "labels", "battles")


def exclusion_rules() -> dict[str, Any]:
    """Everything that decides which labels rate, as plain values."""
    return {
        "reasons": [[reason.value, reason.name, REASON_WORDS.get(reason, "")] for reason in Reason],
        "statements": {name: _plain((STATEMENTS / f"{name}.sql").read_text("utf-8")) for name in DECIDING},
        "seconds": {"revisable": int(REVISABLE_FOR.total_seconds()), "blind": int(REPEAT_WITHIN.total_seconds())},
        "lane_facts": str(DEFINITION),
        "outranking": list(_outranking()),
    }


def _plain(statement: str) -> str:
    """A statement without its comments, its white space as single spaces."""
    return " ".join(re.sub(r"--[^\n]*", "", statement).split())


def _outranking() -> Iterator[list[int]]:
    """For every two reasons: what becomes of a submitter's label beside an independent one."""
    for own in Reason:
        for other in Reason:
            reasons = np.array([own, other], dtype=np.int64)
            found = outrank_submitters(reasons, np.zeros(2, dtype=np.int64), np.array([True, False]))
            yield [own.value, other.value, *found.tolist()]


def rules_digest() -> str:
    """SHA-256 of the rules in force, in hexadecimal."""
    return digest(canonical(exclusion_rules()))


@transaction.atomic
def note_exclusion_rules() -> bool:
    """Enter the rules in force into the ledger where they are not those that were entered last; returns whether so."""
    before = JournalEntry.objects.filter(action=ACTION).order_by("-at", "-pk").values_list("subject", flat=True).first()
    now = rules_digest()
    if before == now:
        return False
    record(actor=ACTOR, action=ACTION, subject=now, digest=now, before=before)
    return True


def note_after_migrating(**_: Any) -> None:
    """New code counts by its rules from here on: for ``post_migrate``, once something was published by earlier ones."""
    there = connection.introspection.table_names()
    if {Publication._meta.db_table, LedgerEntry._meta.db_table} <= set(there) and Publication.objects.exists():
        note_exclusion_rules()
