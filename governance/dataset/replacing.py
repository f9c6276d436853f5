"""Making good on a withdrawal: touched snapshots are made again without what went, and whoever has one is told."""

from __future__ import annotations

from typing import Any

from governance.dataset.building import Say, build_snapshot
from governance.dataset.notices import tell
from governance.dataset.recalls import ACTOR, stop_clocks, sweep_files
from governance.dataset_models import Delivery, Snapshot, WithdrawalNotice
from governance.licensing import newest_snapshot
from governance.models import Withdrawal


def owed() -> list[Snapshot]:
    """Touched snapshots without a replacement that somebody has, or that was the newest; the earliest first."""
    found = Snapshot.objects.filter(recalls__isnull=False, replaced_by__isnull=True).distinct().order_by("made_at")
    delivered = set(Delivery.objects.values_list("snapshot_id", flat=True))
    newest = Snapshot.objects.order_by("-made_at").first()
    in_force = newest_snapshot()
    return [each for each in found if each.pk in delivered or (each == newest and in_force is None)]


def replace_snapshots(*, actor: str = ACTOR, processes: int = 1, say: Say | None = None) -> list[Snapshot]:
    """Make what is owed for touched snapshots, hand it to whoever had them, and tell them; returns what was made.

    Raises:
        ExportRefused: no legal name is set.
        SnapshotInProgress: another one is being made.
    """
    sweep_files()
    said: dict[str, Any] = {} if say is None else {"say": say}
    made = []
    for snapshot in owed():
        replacement = build_snapshot(
            actor=actor, reason="Something in it was withdrawn.", replaces=snapshot, processes=processes, **said
        )
        made.append(replacement)
    for notice in WithdrawalNotice.objects.filter(sent_at__isnull=True).select_related("licensee", "snapshot"):
        tell(notice, actor)
    stop_clocks(Withdrawal.objects.filter(recalls__isnull=False, licensees_done_at__isnull=True).distinct())
    return made
