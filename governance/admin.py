"""Operators' pages of the constitution: consent, the journal, the ledger."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

import governance.snapshots_admin
import governance.withdrawals_admin  # noqa: F401  # pages of their own
from governance.actors import actor_words, with_erased_actors
from governance.admin_base import Link, OperatorAdmin, Panel, csv_export
from governance.models import ConsentReceipt, ConsentText, JournalEntry, LedgerEntry
from governance.withheld import WITHHELD, detail_is_withheld, without_names

#: Changes that name agents by right, and say of no battle who raced.
ABOUT_AGENTS = ("battles:agent:", "battles:price:", "ratings:", "metrics:", "governance:")
#: The page of a consent text shows so many of its newest receipts.
RECEIPTS_SHOWN = 20


@admin.register(ConsentText)
class ConsentTextAdmin(OperatorAdmin):
    introduction = "Every sentence that people were asked to agree to, word for word. Nothing here can be changed."
    list_display = ("version", "sentence", "effective_from", "grantee")
    facts = ("version", "sentence", "scope", "grantee", "language", "effective_from", "sha256")

    def panels(self, request: HttpRequest, row: ConsentText) -> list[Panel]:
        newest = ConsentReceipt.objects.filter(text=row).order_by("-pk")[:RECEIPTS_SHOWN]
        receipts = [(receipt.given_at, receipt.judge_id, receipt.rendered_sha256 == row.sha256) for receipt in newest]
        note = "The newest ones."
        return [Panel("Who agreed", ("given", "judge", "shown as archived"), receipts, "Nobody yet.", note)]


def reason_shown(entry: JournalEntry) -> str:
    """Why, as an operator may read it who judges like everybody else: what is said of battles names no agent."""
    return entry.reason if entry.action.startswith(ABOUT_AGENTS) else without_names(entry.reason)


@admin.register(JournalEntry)
class JournalEntryAdmin(OperatorAdmin):
    introduction = "Who changed what, when and why. One row for each object; nothing here can be changed."
    list_display = ("at", "action", "shown_actor", "subject", "shown_reason")
    search_by = ("pk", "subject")
    search_help_text = "The whole identifier of what changed, or of a row of the journal."
    facts = ("at", "shown_actor", "action", "subject", "shown_reason", "details")
    acts = (
        csv_export(
            JournalEntry,
            ("at", "actor", "actor_erased_at", "action", "subject", "reason"),
            cell=lambda row, column: reason_shown(row) if column == "reason" else getattr(row, column),
            read=with_erased_actors,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[JournalEntry]:
        return with_erased_actors(super().get_queryset(request))

    @admin.display(description="actor")
    def shown_actor(self, row: JournalEntry) -> str:
        return actor_words(row.actor, row.actor_erased_at)  # type: ignore[attr-defined]  # annotated above

    @admin.display(description="reason")
    def shown_reason(self, row: JournalEntry) -> str:
        return reason_shown(row)

    @admin.display(description="detail")
    def details(self, row: JournalEntry) -> str:
        if detail_is_withheld(row.action):
            return WITHHELD
        return json.dumps(row.detail, ensure_ascii=False, indent=1, sort_keys=True) if row.detail else "none"


@admin.register(LedgerEntry)
class LedgerEntryAdmin(OperatorAdmin):
    introduction = "What strangers hold this arena to. Entries are hashed into one tree and stay for good."
    list_display = ("index", "kind", "text")
    list_select_related = ()
    search_by = ("index", "leaf_hash")
    search_help_text = "The number of an entry, or the whole hash of its leaf."
    facts = ("index", "kind", "text", "leaf_hash")

    def panels(self, request: HttpRequest, row: LedgerEntry) -> list[Panel]:
        page = self.admin_site._registry[JournalEntry]
        link = Link("the row of the journal", page.row_url(row.journal))  # type: ignore[attr-defined]  # ours
        reach: list[tuple[Any, ...]] = [(2 ** (place + 1), digest) for place, digest in enumerate(row.subtrees)]
        return [
            Panel("Commits to", ("what",), [(link,)]),
            Panel("Subtrees it filled", ("leaves", "hash"), reach, "None: the next entry will fill one."),
        ]
