"""What waits for operators in judging: reports, held labels, judges whose votes are improbable, and leaks."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, Min
from django.urls import reverse

from governance.due import SHOWN, Due, DueItem, DueQueue, due_of, register_due
from governance.withheld import without_names
from judging.leak_reviews import leaks_to_review
from judging.models import HeldLabel, Report
from judging.objections import REPORT_KINDS, open_reports
from judging.trust import open_holds

#: Leaks are counted up to this.
COUNTED = 500


def _page(name: str, *arguments: object) -> str:
    return reverse(f"admin:{name}", args=arguments)


def reports_due(now: datetime) -> Due:
    """Reports that nobody has decided."""

    def item(report: Report) -> DueItem:
        words = REPORT_KINDS.get(report.kind, report.kind)
        return DueItem(words, report.due_at, _page("judging_report_change", report.pk))

    return _first(open_reports(), item, now, "judging_report_changelist")


def holds_due(now: datetime) -> Due:
    """Votes put aside that nobody has decided."""

    def item(held: HeldLabel) -> DueItem:
        page = _page("judging_heldlabel_change", held.pk)
        return DueItem(f"vote {str(held.vote_id)[-12:]}", held.due_at, page, without_names(held.reason))

    return _first(open_holds(), item, now, "judging_heldlabel_changelist")


def _first(rows: object, item: object, now: datetime, page: str) -> Due:
    due = list(rows.values_list("due_at", flat=True))  # type: ignore[attr-defined]  # rows with a deadline
    items = tuple(item(row) for row in rows[:SHOWN])  # type: ignore[operator,index]  # as above
    return Due(len(due), sum(at <= now for at in due), items, _page(page))


def anomalies(now: datetime) -> Due:
    """Judges of whom a test holds votes that nobody has decided: one decision about them may settle many."""
    held = open_holds().filter(held_by__startswith="system:").order_by()
    groups = held.values("vote__judge").annotate(votes=Count("pk"), due_at=Min("due_at")).order_by("due_at")
    items = [
        DueItem(
            f"judge {group['vote__judge'][:8]}: {group['votes']} held",
            group["due_at"],
            _page("governance_judge_change", group["vote__judge"]),
        )
        for group in groups
    ]
    return due_of(items, now=now)


def leaks(now: datetime) -> Due:
    """Battles in which a name was found, or which could not be scanned, of the last two weeks."""
    found = list(leaks_to_review(now).values_list("pk", "leak_scan", "created_at")[:COUNTED])
    items = [
        DueItem(f"{state} on {created_at:%-d %b}", None, _page("battles_battle_change", pk))
        for pk, state, created_at in found
    ]
    return due_of(items, now=now)


register_due(DueQueue("reports", "Reports", reports_due, "reported battles stay hidden"))
register_due(DueQueue("labels", "Held labels", holds_due, "held labels rate nobody"))
register_due(DueQueue("anomalies", "Judges whose votes are improbable", anomalies, "those votes rate nobody"))
register_due(DueQueue("leaks", "Leaks to look at", leaks, "these battles rate nobody"))
