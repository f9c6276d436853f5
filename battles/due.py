"""What operators look at in battles: lanes that fail, and battles that wait too long for a worker."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Count
from django.urls import reverse

from battles.lanes.endings import NEVER_RAN
from battles.models import Battle, Lane
from governance.due import Due, DueItem, DueQueue, due_of, register_due
from governance.identifiers import first_id_at

#: Lanes of so long are looked at.
LOOKED_BACK = timedelta(hours=24)
#: A queued battle that waits longer than this says that no worker takes battles.
PATIENCE = timedelta(minutes=5)
#: Waiting battles are counted up to this.
COUNTED = 1_000


def failing_lanes(now: datetime) -> Due:
    """How lanes of the last day failed on our side or a provider's, by agent. Their battles are void, so names show."""
    recent = Lane.objects.filter(
        attempt__gte=first_id_at(now - LOOKED_BACK), ended__in=NEVER_RAN, attempt__battle__state=Battle.State.VOID
    )
    groups = recent.values("agent__name", "ended").annotate(lanes=Count("pk")).order_by("-lanes", "agent__name")
    items = [
        DueItem(f"{group['agent__name']}: {group['lanes']} ended as {group['ended'].replace('_', ' ')}")
        for group in groups
        if group["lanes"]
    ]
    return due_of(items, now=now)


def waiting_battles(now: datetime) -> Due:
    """Battles that no worker took in time."""
    late = Battle.objects.filter(state=Battle.State.QUEUED, created_at__lt=now - PATIENCE).order_by("created_at")
    found = list(late.values_list("pk", "created_at")[:COUNTED])
    items = [
        DueItem(f"battle {pk}", created_at + PATIENCE, reverse("admin:battles_battle_change", args=[pk]))
        for pk, created_at in found
    ]
    return due_of(items, now=now)


register_due(DueQueue("lanes", "Lanes that fail", failing_lanes, "their battles are void"))
register_due(DueQueue("waiting", "Battles without a worker", waiting_battles, "nobody can judge them"))
