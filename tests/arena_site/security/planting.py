"""Hostile text in every text column that a person, a page or a model can reach."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

APPS = ("governance", "battles", "judging", "ratings", "metrics", "accounts")

#: Breaks out of attributes and elements, runs as an address, as a template, as a formula and as a header, commands a
#: terminal, and turns the line around. What must be whole comes first: short columns hold the beginning.
HOSTILE = (
    "\"'><x-hit x-hit='1'></x-hit></title></textarea></script><script>hit('script')</script>"
    "<img src=x onerror=hit('attribute')><svg/onload=hit('svg')><a href=\"javascript:hit('address')\">go</a>"
    "<iframe srcdoc=\"<script>parent.hit('frame')</script>\"></iframe>{{ 7|add:35 }}{% now %}\u202egnp.exe\u2066"
    "\u001b[31m\u009b2J\r\nSet-Cookie: hit=1\r\n\r\n=HYPERLINK(1);=1+1\t@x"
)
#: As an address it is one that runs.
HOSTILE_ADDRESS = f"javascript:hit('stored')//{HOSTILE}"
#: As the first of a cell it is a formula, full-width too.
HOSTILE_CELL = f"\uff1dcmd|' /C calc'!A0{HOSTILE}"
#: As long as an answer may be (battles.lanes.vocabulary.TEXT_LIMIT), without a place to break the line.
LONG = HOSTILE + "A" * 10_000

#: Columns whose words the code chooses from a closed list, or makes itself: identifiers, digests, signatures, versions.
CLOSED = {
    "accounts.Account.password",
    "accounts.ApiToken",
    "accounts.Attempt",
    "accounts.KeptAnswer",
    "accounts.SignInSession",
    "accounts.SpentProof",
    "battles.Agent.adapter",
    "battles.Agent.key_variable",
    "battles.Battle.void_reason",
    "battles.Attempt.worker",
    "battles.Frame",
    "battles.LaneFacts.definition",
    "battles.Lane.start_digest",
    "battles.Lane.ended",
    "battles.LexiconName",
    "battles.Preregistration.category",
    "battles.Preregistration.metric",
    "battles.Step.verb",
    "battles.Step.code",
    "battles.Step.overlay",
    "battles.Step.page_before",
    "battles.Step.page_after",
    "battles.Task.category",
    "battles.Task.practice_key",
    "governance.ConsentText.language",
    "governance.ConsentReceipt",
    "governance.JournalEntry.action",
    "governance.JournalEntry.subject",
    "governance.Judge.id",
    "governance.Licensee.token_sha256",
    "governance.RecoveryCode",
    "governance.LedgerCheckpoint",
    "governance.LedgerEntry",
    "governance.LedgerKey",
    "governance.LedgerSignature",
    "governance.Snapshot",
    "governance.SnapshotShare.kind",
    "governance.Withdrawal.kind",
    "governance.Withdrawal.removed",
    "governance.ConsentText.sha256",
    "judging.Assignment.skip_reason",
    "judging.JudgeAccount",
    "judging.Panel.fit_label",
    "judging.Report.kind",
    "judging.Rubric",
    "judging.StylometryReading",
    "judging.Vote.idempotency_key",
    "judging.VoteRevision",
    "metrics.MeasuresPublication",
    "ratings.Publication",
}
#: Keys of stored JSON under which the code keeps words of its own.
OWN_KEYS = {"kind", "reason", "code", "verb", "ref", "role", "scope"}


def planted_columns() -> Iterator[tuple[type[models.Model], models.Field]]:
    """Every text column that is not closed, and is no key or choice."""
    for model in apps.get_models():
        label = model._meta.label
        if model._meta.app_label not in APPS or label in CLOSED:
            continue
        for field in model._meta.local_concrete_fields:
            is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
            if is_text and not field.primary_key and not field.choices and f"{label}.{field.name}" not in CLOSED:
                yield model, field


def plant() -> set[str]:
    """Write it everywhere, past every check that the code and the database have; names what was written to.

    The site must show safely whatever is stored, however it came there: an older version, another program, a restore.
    """
    written = set()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for model, field in planted_columns():
            name = f"{model._meta.label}.{field.name}"
            for number, (key, value) in enumerate(model._base_manager.values_list("pk", field.name)):
                text = planted_in(field, value, number, name)
                if text is None:
                    continue
                kind = "::jsonb" if isinstance(field, models.JSONField) else ""
                statement = (
                    f'UPDATE "{model._meta.db_table}" SET "{field.column}" = %s{kind} '
                    f'WHERE "{model._meta.pk.column}" = %s'
                )
                # What a constraint of the table itself refuses is nowhere.
                with contextlib.suppress(IntegrityError), transaction.atomic():
                    cursor.execute(statement, [text, model._meta.pk.get_db_prep_value(key, connection)])
                    written.add(name)
        cursor.execute("SET session_replication_role = origin")
    return written


def planted_in(field: models.Field, value: Any, number: int, name: str) -> str | None:
    """What this column of this row gets; None where it stays."""
    if isinstance(field, models.JSONField):
        return json.dumps(hostile_leaves(value)) if value else None
    if value is None:
        return None
    text = HOSTILE_ADDRESS if "url" in field.name else (HOSTILE, HOSTILE_CELL)[number % 2]
    if name == "battles.Lane.answer":
        text = LONG
    ending = str(number) if field.unique else ""
    return text[: (field.max_length or len(text)) - len(ending)] + ending


def hostile_leaves(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: hostile_leaves(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [hostile_leaves(each, key) for each in value]
    return HOSTILE if isinstance(value, str) and key not in OWN_KEYS else value
