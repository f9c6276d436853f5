"""What operators look at in ratings: a board whose refit failed, or whose numbers are old."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.urls import reverse

from governance.due import Due, DueItem, DueQueue, due_of, register_due
from governance.identifiers import first_id_at
from judging.models import Vote
from ratings.models import Board, Refit
from ratings.publications import NOTHING_YET

#: A refit runs every night; later than this one was missed.
EVERY = timedelta(hours=26)
DONE = (Refit.Outcome.PUBLISHED, Refit.Outcome.UNCHANGED)


def refits(now: datetime) -> Due:
    """Boards whose last refit failed, with its reason, and boards that no refit has looked at for too long."""
    items = []
    for board in Board:
        runs = Refit.objects.filter(board=board).order_by("-pk")
        latest = runs.exclude(outcome=Refit.Outcome.RUNNING).first()
        if latest is None:
            if Vote.objects.filter(pk__lt=first_id_at(now - EVERY), locked_at__isnull=False).exists():
                items.append(DueItem(f"{board.value}: no refit ever came, and votes wait for one", now))
            continue
        good = runs.filter(outcome__in=DONE).first()
        due_at = (good.started_at if good else latest.started_at) + EVERY
        page = reverse("admin:ratings_refit_change", args=[latest.pk])
        if latest.reason == NOTHING_YET:
            due_at = latest.started_at + EVERY
        if latest.outcome == Refit.Outcome.FAILED and latest.reason != NOTHING_YET:
            items.append(DueItem(f"{board.value}: the last refit failed", due_at, page, latest.reason))
        elif due_at <= now:
            items.append(DueItem(f"{board.value}: no refit since {latest.started_at:%-d %b}", due_at, page))
    return due_of(items, now=now, href=reverse("admin:ratings_refit_changelist"))


register_due(DueQueue("refits", "Refits", refits, "the last good publication is shown with its age"))
