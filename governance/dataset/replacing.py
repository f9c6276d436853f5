"""Making good on a withdrawal: touched snapshots are made again without what went, and whoever has one is told.

Snapshots form chains: what replaces one can be touched by the next withdrawal, and is replaced in turn. Withdrawals,
builds and notices come in any order, and a process may be killed between any two of them. Whenever a transaction has
ended, this holds:

* Whoever was handed a snapshot that a withdrawal touched has a notice of it. Handing over, touching and entering take
  turns, so that what is handed over was touched by nothing.
* The chain of an unsent notice ends in a snapshot that is served, and then the licensee can be told; or in one that was
  touched, and then that one is owed a replacement. So the notice waits for the next run at the most, never for ever.
* A notice that was sent was sent with a replacement that was handed over. If that is touched later, it has a notice of
  its own.
* The second clock of a withdrawal runs while somebody who has labels of it in a snapshot was not told.

What is owed is read from the rows at each run, and nothing remembers an earlier one: a run that was killed, or one of
whose builds failed, leaves the rest to the next. A build that fails keeps no other from being made and nobody whose
replacement is there from being told.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from governance.dataset.building import AlreadyReplaced, Say, build_snapshot
from governance.dataset.chains import ends_of_untold, is_to_be_replaced, read_chains
from governance.dataset.notices import tell
from governance.dataset.recalls import ACTOR, stop_clocks, sweep_files
from governance.dataset.requests import asked_for
from governance.dataset_models import Snapshot, WithdrawalNotice
from governance.licensing import newest_snapshot
from governance.models import Withdrawal

REASON = "Something in it was withdrawn."


def owed() -> list[Snapshot]:
    """Touched snapshots without a replacement that somebody waits for, or that was the newest; the earliest first.

    A licensee waits, or a steward who asked for it while another one was made.
    """
    found = Snapshot.objects.filter(recalls__isnull=False, replaced_by__isnull=True).distinct().order_by("made_at")
    awaited = ends_of_untold() | {UUID(each) for each in asked_for()}
    newest = Snapshot.objects.order_by("-made_at").first()
    in_force = newest_snapshot()
    return [each for each in found if each.pk in awaited or (each == newest and in_force is None)]


def replace_snapshots(*, actor: str = ACTOR, processes: int = 1, say: Say | None = None) -> list[Snapshot]:
    """Make what is owed for touched snapshots, hand it to whoever had them, and tell them; returns what was made.

    Raises:
        ExportRefused: no legal name is set.
        Exception: what the first build that failed raised, once all others were tried.
    """
    sweep_files()
    _tell(actor)
    made = []
    failures = []
    for snapshot in owed():
        try:
            made += replace_snapshot(snapshot=snapshot, actor=actor, reason=REASON, processes=processes, say=say)
        except Exception as failure:
            # Whatever is wrong with one must not keep the others: each is a promise of its own.
            failures.append(failure)
    _stop_clocks()
    if failures:
        raise failures[0]
    return made


def replace_snapshot(
    *, snapshot: Snapshot, actor: str, reason: str, processes: int = 1, say: Say | None = None
) -> list[Snapshot]:
    """Make the replacement of one touched snapshot and tell whoever waits for it; returns it, or nothing.

    It is not made again where it is there already.

    Raises:
        as build_snapshot.
    """
    if not is_to_be_replaced(snapshot):
        return []
    said: dict[str, Any] = {} if say is None else {"say": say}
    try:
        replacement = build_snapshot(actor=actor, reason=reason, replaces=snapshot, processes=processes, **said)
    except AlreadyReplaced:
        return []
    _tell(actor, only=replacement.pk)
    _stop_clocks()
    return [replacement]


def _tell(actor: str, only: UUID | None = None) -> None:
    """Tell everybody who can be told, or who waited for one replacement."""
    waiting = WithdrawalNotice.objects.filter(sent_at=None).select_related("licensee", "snapshot").order_by("due_at")
    chains = read_chains()
    for notice in waiting:
        if only is None or chains.end(notice.snapshot_id) == only:
            tell(notice, actor)


def _stop_clocks() -> None:
    stop_clocks(Withdrawal.objects.filter(recalls__isnull=False, licensees_done_at__isnull=True).distinct())
