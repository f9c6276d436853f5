"""What a withdrawal does to snapshots: they are served no more, replaced, and whoever has them is told."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from governance.background import DEFAULT
from governance.dataset.draft import discard_drafts
from governance.dataset.home import snapshots_home, take_turn
from governance.dataset.stores import snapshot_store
from governance.dataset_models import Snapshot, SnapshotRecall, WithdrawalNotice
from governance.journal import record
from governance.models import Judge, Withdrawal
from governance.withdrawal_clocks import LICENSEES

logger = logging.getLogger(__name__)

ACTOR = "system:dataset"
#: Makes what is owed; it is sent by its name, since whoever runs it knows this module.
REPLACE_TASK = "governance.replace_touched_snapshots"


#: A build that begins so long after a withdrawal reads the database without what it took out.
COMMITTED_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a snapshot that a withdrawal touched, for whoever withdrew.

    Attributes:
        snapshot: the one that was touched, and ``replacement`` the one made instead; None while it is not made.
        licensees: how many have it, and how many of them were ``told`` so far.
        due_at: by when all of them must be.
    """

    snapshot: Snapshot
    replacement: Snapshot | None
    licensees: int
    told: int
    due_at: datetime


def snapshots_touched(*, judge: Judge, kinds: Collection[str] | None = None) -> QuerySet[Snapshot]:
    """Snapshots that have labels of a judge, of these kinds or of any, and are in force or still with a licensee.

    One that was replaced is with those who were not told of that yet.
    """
    shares: dict[str, Any] = {"shares__judge": judge}
    if kinds is not None:
        shares["shares__kind__in"] = list(kinds)
    untold = WithdrawalNotice.objects.filter(sent_at=None).values("snapshot")
    return Snapshot.objects.filter(Q(replaced_by__isnull=True) | Q(pk__in=untold), **shares).distinct()


def done_withdrawals() -> dict[UUID, str]:
    """Withdrawals that were acted on, and whose they are."""
    return dict(Withdrawal.objects.filter(corpus_done_at__isnull=False).values_list("pk", "judge_id"))


def withdraw_from_snapshots(*, withdrawal: Withdrawal, actor: str = ACTOR) -> list[Snapshot]:
    """Stop serving what a withdrawal touches, in the transaction of the withdrawal; returns those snapshots.

    Their files go when it commits. Licensees that have one are owed a replacement and a notice; where there is none,
    the second clock of the withdrawal stops at once.
    """
    take_turn()
    touched = list(snapshots_touched(judge=withdrawal.judge, kinds=_kinds_taken_back(withdrawal)))
    due_at = LICENSEES.due_at(withdrawal.received_at)
    for snapshot in touched:
        SnapshotRecall.objects.get_or_create(snapshot=snapshot, withdrawal=withdrawal, defaults={"due_at": due_at})
        record(actor=actor, action="governance:snapshot:recall", subject=str(snapshot.pk))
        for delivery in snapshot.deliveries.all():
            # The first withdrawal that touches a snapshot sets the clock.
            WithdrawalNotice.objects.get_or_create(
                licensee_id=delivery.licensee_id, snapshot=snapshot, defaults={"due_at": due_at}
            )
        transaction.on_commit(partial(_delete_files, snapshot.path))
    transaction.on_commit(forget_drafts)
    if touched:
        transaction.on_commit(_ring)
    stop_clocks([withdrawal])
    return touched


def _kinds_taken_back(withdrawal: Withdrawal) -> Collection[str] | None:
    """Labels of which kinds must stand in no snapshot any more; None for all.

    Whoever takes everything back, or is forgotten, has nothing left in any: not the words beside labels that stay, and
    not what was taken out of the corpus before, when a device signed in say.
    """
    if withdrawal.scope in {Withdrawal.Scope.EVERYTHING, Withdrawal.Scope.IDENTITY}:
        return None
    if withdrawal.scope == Withdrawal.Scope.KIND:
        return [withdrawal.kind]
    return [kind for kind, count in withdrawal.removed.items() if count]


def _delete_files(path: str) -> None:
    try:
        snapshot_store().delete(path)
    except OSError as problem:
        logger.warning(
            "files of the recalled snapshot %s could not be deleted at once; the sweep tries again: %s",
            path,
            problem.strerror,
        )


def is_entered(name: str) -> bool:
    """Whether a snapshot of this identifier is known."""
    return Snapshot.objects.filter(pk=name).exists()


def forget_drafts() -> None:
    """Delete what a build that was stopped left behind, if something was withdrawn since it was begun."""
    withdrawn = Withdrawal.objects.aggregate(last=Max("corpus_done_at"))["last"]
    if withdrawn is not None:
        discard_drafts(snapshots_home(), before=withdrawn + COMMITTED_WITHIN, entered=is_entered)


def sweep_files() -> None:
    """Delete files that a withdrawal was to delete and that are there all the same, and those of builds that died."""
    store = snapshot_store()
    try:
        recalled = Snapshot.objects.filter(recalls__isnull=False, path__in=store.names()).distinct()
        for path in recalled.values_list("path", flat=True):
            _delete_files(path)
        store.sweep(is_entered)
    except OSError as problem:
        logger.warning("the files of snapshots cannot be listed, so none is swept: %s", problem.strerror)
    forget_drafts()


def _ring() -> None:
    """Have replacements made soon; the hourly sweep makes them where the broker cannot be reached."""
    try:
        current_app.send_task(REPLACE_TASK, queue=DEFAULT)
    except OperationalError:
        logger.warning("replacements of snapshots wait for the sweep: the broker cannot be reached")


def stop_clocks(withdrawals: Collection[Withdrawal] | QuerySet[Withdrawal]) -> None:
    """Stop the second clock of withdrawals that owe nobody anything more."""
    for withdrawal in withdrawals:
        touched = withdrawal.recalls.values("snapshot")
        if WithdrawalNotice.objects.filter(snapshot__in=touched, sent_at__isnull=True).exists():
            continue
        withdrawal.licensees_done_at = timezone.now()
        withdrawal.save(update_fields=["licensees_done_at"])


def told_of(withdrawal: Withdrawal) -> list[Told]:
    """What a withdrawal did to snapshots, for the page of whoever withdrew."""
    found = []
    for recall in withdrawal.recalls.select_related("snapshot").order_by("pk"):
        notices = recall.snapshot.notices.all()
        found.append(
            Told(
                recall.snapshot,
                Snapshot.objects.filter(replaces=recall.snapshot).first(),
                len(notices),
                sum(notice.sent_at is not None for notice in notices),
                recall.due_at,
            )
        )
    return found
