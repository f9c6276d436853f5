"""Operators' pages of the dataset: snapshots, licensees, deliveries, and notices of withdrawals."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from governance.admin_base import Act, Link, OperatorAdmin, Panel, ReasonForm
from governance.dataset.chains import is_to_be_replaced, latest_replacement, read_chains
from governance.dataset.notices import record_notice
from governance.dataset.requests import ask_for_replacement, ask_for_snapshot
from governance.dataset_models import Delivery, Licensee, Snapshot, WithdrawalNotice
from governance.due import Due, DueItem, DueQueue, due_of, register_due
from governance.licensing import deliver_snapshot, end_licence, is_served, register_licensee
from governance.operators import Ability
from governance.waiting import Waiting


class LicenseeForm(ReasonForm):
    """Who is licensed, and under which terms."""

    name = forms.CharField(max_length=200)
    terms = forms.CharField(widget=forms.Textarea(attrs={"rows": 8}), help_text="Kept verbatim with each delivery.")
    provider = forms.CharField(
        max_length=80, required=False, help_text="Provider of agents that it is tied to; public when one races here."
    )
    address = forms.EmailField(required=False, help_text="Where notices of withdrawals are mailed.")


class DeliverForm(ReasonForm):
    """Whom a snapshot is handed to."""

    licensee = forms.ModelChoiceField(Licensee.objects.filter(ended_at=None))


def _register(*, actor: str, reason: str, **fields: Any) -> HttpResponse:
    """The token as a text of its own: it is shown this once."""
    registered = register_licensee(actor=actor, reason=reason, **fields)
    words = f"{registered.licensee.name} has this token. It is not shown again.\n\n{registered.token}\n"
    return HttpResponse(words, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


@admin.register(Snapshot)
class SnapshotAdmin(OperatorAdmin):
    introduction = "Datasets as they were made. One that a withdrawal touched is served no more, and is replaced."
    ordering = ("-pk",)
    list_display = ("made_at", "id", "as_of")
    search_by = ("pk", "digest")
    search_help_text = "An identifier or a digest."
    facts = ("id", "digest", "state", "as_of", "made_at", "path", "replaces")
    acts = (
        Act(
            name="make",
            words="Make a snapshot",
            ability=Ability.STEWARD,
            of_rows=False,
            do=ask_for_snapshot,
            meaning="Everything that may leave, as of now. It is made in the background and is listed here when done.",
        ),
        Act(
            name="deliver",
            words="Deliver",
            ability=Ability.STEWARD,
            form=DeliverForm,
            do=lambda *, row, actor, reason, licensee: deliver_snapshot(
                snapshot=row, licensee=licensee, actor=actor, reason=reason
            ),
            fits=is_served,
            meaning="The licensee can fetch it with its token, under its terms of now.",
        ),
        Act(
            name="replace",
            words="Replace",
            ability=Ability.STEWARD,
            do=lambda *, row, actor, reason: ask_for_replacement(snapshot=row, actor=actor, reason=reason),
            fits=is_to_be_replaced,
            meaning="It is made again without what was withdrawn, in the background. Whoever has it gets the "
            "replacement and is told by mail where that can be; the others are listed under Withdrawal notices. What a "
            "licensee waits for is also replaced every hour by itself.",
        ),
    )

    @admin.display(description="state")
    def state(self, row: Snapshot) -> str:
        if is_served(row):
            return "served"
        return "withdrawn from, not replaced yet" if is_to_be_replaced(row) else "replaced"

    def panels(self, request: HttpRequest, row: Snapshot) -> list[Panel]:
        manifest = json.loads(row.manifest)
        left_out = [(each["of"], each["words"], each["rows"]) for each in manifest["left_out"]]
        deliveries = row.deliveries.select_related("licensee").order_by("-delivered_at")[:50]
        return [
            Panel("Tables", ("table", "rows"), [(table["name"], table["rows"]) for table in manifest["tables"]]),
            Panel("Held back", ("of", "why", "rows"), left_out, "Nothing."),
            Panel("Delivered", ("when", "to"), [(each.delivered_at, each.licensee.name) for each in deliveries]),
        ]


@admin.register(Licensee)
class LicenseeAdmin(OperatorAdmin):
    introduction = "Who may have snapshots, and under which terms."
    list_display = ("name", "provider", "registered_at", "ended_at")
    search_by = ("pk", "name")
    search_help_text = "An identifier or the whole name."
    facts = ("id", "name", "provider", "address", "registered_at", "ended_at", "terms")
    acts = (
        Act(
            name="register",
            words="Register a licensee",
            ability=Ability.STEWARD,
            of_rows=False,
            form=LicenseeForm,
            do=_register,
            meaning="Its token is shown once, on the next page.",
        ),
        Act(
            name="end",
            words="End the licence",
            ability=Ability.STEWARD,
            do=lambda *, row, actor, reason: end_licence(licensee=row, actor=actor, reason=reason),
            fits=lambda row: row.ended_at is None,
            meaning="It gets nothing new. Its token still opens what it has; notices of withdrawals, and replacements, "
            "still go to it.",
        ),
    )

    def panels(self, request: HttpRequest, row: Licensee) -> list[Panel]:
        deliveries = row.deliveries.order_by("-delivered_at")[:50]
        had = [(each.delivered_at, _snapshot_link(each.snapshot_id)) for each in deliveries]
        return [Panel("Snapshots it has", ("when", "snapshot"), had, "None yet.")]


def _snapshot_link(snapshot: uuid.UUID) -> Link:
    return Link(str(snapshot), _snapshot_page(snapshot))


def _snapshot_page(snapshot: uuid.UUID) -> str:
    return reverse("admin:governance_snapshot_change", args=[snapshot])


@admin.register(Delivery)
class DeliveryAdmin(OperatorAdmin):
    introduction = "Which snapshot was handed to whom, when, and under which terms."
    ordering = ("-pk",)
    list_display = ("delivered_at", "licensee", "snapshot_id")
    list_select_related = ("licensee",)
    search_by = ("pk", "snapshot", "licensee")
    search_help_text = "An identifier of a delivery, a snapshot or a licensee."
    facts = ("id", "delivered_at", "licensee", "snapshot_id", "terms")


class WaitingNotices(Waiting):
    title = "notice"
    waiting = {"sent_at__isnull": True}


@admin.register(WithdrawalNotice)
class WithdrawalNoticeAdmin(OperatorAdmin):
    introduction = "Licensees that are owed word of a withdrawal. It is mailed with the replacement where it can be."
    list_display = ("due_at", "licensee", "snapshot_id", "sent_at", "channel")
    list_filter = (WaitingNotices,)
    list_select_related = ("licensee",)
    search_by = ("pk", "licensee", "snapshot")
    search_help_text = "An identifier of a notice, a licensee or a snapshot."
    facts = ("id", "licensee", "snapshot_it_has", "replacement", "due_at", "sent_at", "channel")
    acts = (
        Act(
            name="told",
            words="I told them",
            ability=Ability.STEWARD,
            do=lambda *, row, actor, reason: record_notice(notice=row, actor=actor, reason=reason),
            fits=lambda row: row.sent_at is None and latest_replacement(row.snapshot) is not None,
            meaning="For a licensee without an address, or whose mail does not arrive. Say how in the reason.",
        ),
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("due_at", "pk") if Waiting.shows_waiting(request) else ("-pk",)

    @admin.display(description="snapshot it has")
    def snapshot_it_has(self, row: WithdrawalNotice) -> Link:
        return _snapshot_link(row.snapshot_id)

    @admin.display(description="replacement")
    def replacement(self, row: WithdrawalNotice) -> Link:
        """The replacement, or where it can be begun."""
        last = read_chains().end(row.snapshot_id)
        made = latest_replacement(row.snapshot) is not None
        return _snapshot_link(last) if made else Link("not made yet: replace it", _snapshot_page(last))


def open_notices(now: datetime) -> Due:
    """Notices that were not sent yet."""
    waiting = WithdrawalNotice.objects.filter(sent_at=None).select_related("licensee").order_by("due_at")
    items = [
        DueItem(
            words=f"Tell {notice.licensee.name} of a withdrawal",
            due_at=notice.due_at,
            href=reverse("admin:governance_withdrawalnotice_change", args=[notice.pk]),
        )
        for notice in waiting
    ]
    return due_of(items, now=now, href=reverse("admin:governance_withdrawalnotice_changelist"))


register_due(
    DueQueue("notices", "Licensees to be told", open_notices, "replacements are made, and mailed where they can be")
)
