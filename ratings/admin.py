"""Operators' pages of ratings: publications and the refits that make them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from battles.merges import register_merge_effect
from governance.actors import shown_actors
from governance.admin_base import Act, Link, OperatorAdmin, Panel
from governance.journal import record
from governance.models import JournalEntry
from governance.operators import Ability
from judging.exclusions import register_effect, register_release_effect
from judging.trust_effects import register_trust_effect
from ratings.foreseen_effects import foresee, foresee_merge, foresee_release, foresee_trust
from ratings.models import Publication, Refit
from ratings.publications import code_version
from ratings.refit_requests import request_refit_at_once
from ratings.reverification import ask_to_verify

register_effect(foresee)
register_release_effect(foresee_release)
register_merge_effect(foresee_merge)
register_trust_effect(foresee_trust)

#: The page of a publication shows so many refits and rows of the journal, the newest ones.
SHOWN = 20


def ask_for_refit(*, actor: str, reason: str) -> JournalEntry:
    """Have a worker fit both boards soon. Two at once take turns, and the second finds nothing to do."""
    transaction.on_commit(request_refit_at_once)
    return record(actor=actor, action="ratings:refit:request", subject="boards", reason=reason)


@admin.register(Publication)
class PublicationAdmin(OperatorAdmin):
    introduction = "Every publication of ratings. They are never changed and never taken back."
    list_display = ("short", "board", "number", "published_at", "labels_cast", "labels_withdrawn")
    list_display_links = ("short",)
    ordering = ("board", "-number")
    search_by = ("pk",)
    search_help_text = "The whole digest of a full document."
    facts = (
        "digest",
        "board",
        "number",
        "public_page",
        "corpus_digest",
        "corpus_read_at",
        "labels_cast",
        "labels_withdrawn",
        "published_at",
        "code_version",
    )
    acts = (
        Act(
            name="verify",
            words="Verify again",
            ability=Ability.STEWARD,
            meaning="A worker makes it again from the database and compares every number. The verdict appears below.",
            do=lambda *, row, actor, reason: ask_to_verify(publication=row, actor=actor, reason=reason),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Publication]:
        # Documents are large, and no list shows them.
        return super().get_queryset(request).defer("document", "public_document")

    @admin.display(description="publication")
    def short(self, row: Publication) -> str:
        return row.digest[:16]

    @admin.display(description="public page")
    def public_page(self, row: Publication) -> Link:
        return Link(row.public_digest, f"/publications/{row.public_digest}")

    @admin.display(description="version of the code")
    def code_version(self, row: Publication) -> str:
        return code_version(row)

    def panels(self, request: HttpRequest, row: Publication) -> list[Panel]:
        entries = JournalEntry.objects.filter(subject=row.pk).order_by("-at")[:SHOWN]
        who = shown_actors(entry.actor for entry in entries)
        history = [(entry.at, entry.action, who[entry.actor], entry.reason) for entry in entries]
        return [Panel("Published and verified", ("when", "what", "who", "why or verdict"), history, "Nothing yet.")]


@admin.register(Refit)
class RefitAdmin(OperatorAdmin):
    introduction = (
        "Every run of the fit. One that failed published nothing and says why; the last good one is in force."
    )
    list_display = ("id", "board", "outcome", "started_at", "ended_at", "reason")
    facts = ("board", "outcome", "reason", "publication_page", "started_at", "ended_at")
    acts = (
        Act(
            name="refit",
            words="Refit now",
            ability=Ability.STEWARD,
            of_rows=False,
            do=ask_for_refit,
            meaning="A worker fits both boards soon. Asking twice is harmless: the second finds nothing to do.",
        ),
    )

    @admin.display(description="publication")
    def publication_page(self, row: Refit) -> Any:
        if row.publication_id is None:
            return "none"
        page = self.admin_site._registry[Publication]
        address = page._reverse("change", row.publication_id)  # type: ignore[attr-defined]  # ours
        return Link(row.publication_id[:16], address)
