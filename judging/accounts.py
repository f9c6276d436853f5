"""Signing in: which judge an account is, and what a device gave before it was known to be theirs."""

from typing import Any

from django.db import models
from django.utils import timezone

from battles.models import Task
from governance.contributions import ALL, contributions
from governance.dataset.home import take_turn
from governance.dataset_models import SnapshotShare
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict
from governance.identifiers import judge_identifier
from governance.identities import IdentityTrace, register_identity_trace
from governance.journal import record
from governance.models import Judge, RecoveryCode
from governance.withdrawals import act_on_waiting
from judging.labels import ANNOTATION_ERASED, CLICK_ERASED
from judging.models import (
    FORGOTTEN,
    Annotation,
    Assignment,
    Attention,
    Click,
    HeldLabel,
    ImpossibleMark,
    JudgeAccount,
    Offer,
    Report,
    StepOpened,
    StepVerdict,
    Vote,
)
from judging.trust import HOLD_DECIDED_WITHIN, SAME_PERSON, carry_trust

#: What is one per judge and thing, with the column that names the thing: the account's own stands.
ONE_EACH: tuple[tuple[type[models.Model], str], ...] = (
    (StepVerdict, "step_id"),
    (ImpossibleMark, "battle_id"),
    (Attention, "battle_id"),
    (StepOpened, "step_id"),
)


class BindingRefused(ArenaError):
    code = "binding_refused"


def is_signed_in(judge: Judge | None) -> bool:
    """Whether this judge is an account's. The one place that says so."""
    return judge is not None and JudgeAccount.in_use().filter(judge=judge).exists()


@done_again
def bind_device(*, device: Judge, account: str, actor: str) -> Judge:
    """Make a browser's judge the account's; returns the judge that the browser's cookie must name from now on.

    The first device gives the account its judge. What every further one gave before moves to that judge, and from then
    on the device's is nobody. Where both said something of one battle, step or picture, the account's own word stands
    and the device's is taken back: no withdrawal of the account would ever find it. What was asked to be taken back of
    a device and waits is taken back first: afterwards nobody could tell what it was about.

    Raises:
        BindingRefused: no account was named.
        Conflict: ``other_account``: this browser is another account's.
    """
    if not account:
        raise BindingRefused("There is no account to bind this browser to.", field="account")
    bound = JudgeAccount.objects.filter(judge=device).first()
    if bound is not None and bound.account != account:
        raise Conflict("This browser is signed in to another account; sign out there first.", code="other_account")
    device = _nothing_waiting(device, actor) if bound is None else device
    judge, created = _locked_judge(account, device)
    if judge.pk == device.pk and not created:
        return judge
    moved, left = ({}, {}) if created else (_move(device, judge, actor), _take_back_the_rest(device))
    record(actor=actor, action="judging:account:bind", subject=judge.pk, device=device.pk, moved=moved, left=left)
    return judge


def _locked_judge(account: str, device: Judge) -> tuple[Judge, bool]:
    """The account's judge, locked with the device's, and whether the device gave the account its judge just now.

    Whoever waited for a lock meanwhile may find that the account took everything back or was forgotten: its judge is
    nobody's then, and nothing may move there. The account begins anew with this device.
    """
    while True:
        # Two devices that sign in to a new account at once: one row is made, the other waits for it.
        known, created = JudgeAccount.objects.get_or_create(account=account, defaults={"judge": device})
        # In one order, so that two that bind each other's devices wait instead of stopping each other.
        locked = Judge.objects.select_for_update(no_key=True).filter(pk__in=[device.pk, known.judge_id]).order_by("pk")
        judges = {judge.pk: judge for judge in locked}
        if JudgeAccount.objects.filter(account=account, judge=known.judge_id).exists():
            return judges[known.judge_id], created


def _nothing_waiting(device: Judge, actor: str) -> Judge:
    """The device's judge once no withdrawal of theirs waits; a new one where they are nobody any more."""
    Judge.objects.select_for_update(no_key=True).get(pk=device.pk)
    act_on_waiting(judge=device, actor=actor)
    device.refresh_from_db()
    return device if device.erased_at is None else Judge.objects.create()


@done_again
def forget_account(*, judge: Judge, actor: str) -> None:
    """Erase which account a judge is, and leave the labels: they go on rating, and nobody signs in as this judge again.

    Forgetting twice is forgetting once.

    Raises:
        Conflict: ``no_account``: this judge has none.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    bound = JudgeAccount.objects.filter(judge=judge).first()
    if bound is None:
        raise Conflict("This browser has no account.", code="no_account")
    if bound.account.startswith(FORGOTTEN):
        return
    bound.account = f"{FORGOTTEN}{judge_identifier()}"
    bound.save(update_fields=["account"])
    record(actor=actor, action="judging:account:forget", subject=judge.pk)


def erase_binding(judge: Judge, labels_stay: bool) -> None:
    """Which account a judge is, and what the judge looked at, go; labels that stay go on rating as an account's."""
    Attention.objects.filter(judge=judge).delete()
    StepOpened.objects.filter(judge=judge).delete()
    bound = JudgeAccount.objects.filter(judge=judge)
    if not labels_stay:
        bound.delete()
    elif bound.exists():
        forget_account(judge=judge, actor=f"judge:{judge.pk}")


register_identity_trace(IdentityTrace("account binding", erase_binding))


def _move(device: Judge, judge: Judge, actor: str) -> dict[str, int]:
    """Re-key what a device gave; returns how many labels, by kind."""
    moved = {"task": _move_tasks(device, judge), "vote": _move_votes(device, judge, actor)}
    for model, thing in ONE_EACH:
        taken = model._default_manager.filter(judge=judge).values(thing)
        mine = model._default_manager.filter(judge=device)
        moved[model._meta.model_name or ""] = mine.exclude(**{f"{thing}__in": taken}).update(judge=judge)
    # Of a battle that both reported, the account's ticket is the one that speaks.
    reported = Report.objects.filter(judge=judge, resolved_at__isnull=True).values("battle_id")
    Report.objects.filter(judge=device).exclude(resolved_at__isnull=True, battle_id__in=reported).update(judge=judge)
    RecoveryCode.objects.filter(judge=device).update(judge=judge)
    Offer.objects.filter(judge=device).update(judge=judge)
    _share_snapshots(device, judge)
    # A device that was never signed in was handed nothing, and has at most skipped practice battles.
    Assignment.objects.filter(judge=device).exclude(outcome=Assignment.Outcome.OPEN).update(judge=judge)
    moved["annotation"] = sum(_move_frozen(row, judge) for row in _alive(Annotation, device))
    clicked = Click.objects.filter(judge=judge, erased_at__isnull=True).values("frame_id")
    moved["click"] = sum(_move_frozen(row, judge) for row in _alive(Click, device).exclude(frame_id__in=clicked))
    carry_trust(device=device, judge=judge, actor=actor)
    return moved


def _share_snapshots(device: Judge, judge: Judge) -> None:
    """Snapshots that have something of the device's are touched by what the account takes back from now on.

    One that is being entered at this moment is waited for.
    """
    take_turn()
    theirs = SnapshotShare.objects.filter(judge=device).values_list("snapshot_id", "kind", "labels")
    shares = [SnapshotShare(judge=judge, snapshot_id=snapshot, kind=kind, labels=n) for snapshot, kind, n in theirs]
    SnapshotShare.objects.bulk_create(shares, ignore_conflicts=True)


def _take_back_the_rest(device: Judge) -> dict[str, int]:
    """Take back what stayed with the device since the account had said it already; returns how many labels, by kind.

    The device's judge is nobody from then on: a form of another tab, sent a moment later, is refused instead of stored
    where nobody could take it back.
    """
    left = {}
    for kind in contributions():
        if kind.held(device, ALL):
            left[kind.kind] = kind.withdraw(device, ALL)
    # These are no labels, and may be there without one.
    Report.objects.filter(judge=device).update(note="")
    for model in (Attention, StepOpened, ImpossibleMark):
        model._default_manager.filter(judge=device).delete()
    device.erased_at = timezone.now()
    device.save(update_fields=["erased_at"])
    return left


def _move_tasks(device: Judge, judge: Judge) -> int:
    """Whoever posted a task is its submitter on every device; a submission key is one per judge."""
    keys = Task.objects.filter(judge=judge).exclude(submission_key="").values_list("submission_key", flat=True)
    tasks = Task.objects.filter(judge=device)
    tasks.filter(submission_key__in=list(keys)).update(submission_key="")
    return tasks.update(judge=judge)


def _move_votes(device: Judge, judge: Judge, actor: str) -> int:
    taken = Vote.objects.filter(judge=judge).values("battle_id")
    votes = Vote.objects.filter(judge=device)
    now = timezone.now()
    for twice in votes.filter(battle_id__in=taken, withdrawn_at__isnull=True).exclude(
        pk__in=HeldLabel.objects.exclude(decision=HeldLabel.Decision.RELEASED).values("vote_id")
    ):
        HeldLabel.objects.create(
            vote=twice,
            reason=SAME_PERSON,
            held_by=actor,
            held_at=now,
            due_at=now + HOLD_DECIDED_WITHIN,
            decision=HeldLabel.Decision.EXCLUDED,
            decided_by=actor,
            decided_reason=SAME_PERSON,
            decided_at=now,
        )
    moved = votes.exclude(battle_id__in=taken).update(judge=judge)
    # A vote that looked independent was cast by whoever posted the task.
    Vote.objects.filter(judge=judge, battle__task__judge=judge, by_submitter=False).update(by_submitter=True)
    return moved


def _alive(model: type[Annotation] | type[Click], device: Judge) -> Any:
    return model._default_manager.filter(judge=device, erased_at__isnull=True)


def _move_frozen(row: Annotation | Click, judge: Judge) -> int:
    """An append-only label cannot be re-keyed: the same label is stored for the judge, and the old one emptied."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.name != "id"}
    emptied = ANNOTATION_ERASED if isinstance(row, Annotation) else CLICK_ERASED
    type(row)._default_manager.create(**values | {"judge_id": judge.pk})
    type(row)._default_manager.filter(pk=row.pk).update(**emptied, erased_at=timezone.now())
    return 1
