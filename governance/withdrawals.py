"""Withdrawal: people take back what they gave, all of it or a part, and are forgotten if they ask for that.

A request is a row from the moment it is received, so that a promise is kept even if nobody looks: what is asked on the
site is acted on at once, what an operator enters waits for them, and the sweep acts on whatever is left a day before it
is due. Acting twice is acting once.
"""

import contextlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from governance.contributions import ALL, Part, contributions
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict, Gone, NotFound
from governance.identities import erase_identity
from governance.journal import record
from governance.models import Judge, Withdrawal
from governance.signals import labels_withdrawn

Scope = Withdrawal.Scope
Channel = Withdrawal.Channel

LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be taken back: everything, one ``kind``, one task or battle (``subject``), or who somebody is."""

    scope: str = Scope.EVERYTHING
    kind: str = ""
    subject: uuid.UUID | None = None


WHOLE = Wanted()


def read_wanted(text: str) -> Wanted:
    """What a form or an operator says: ``everything``, ``identity``, ``kind:vote``, ``task:<id>`` or ``battle:<id>``.

    Raises:
        WithdrawalRefused: ``unknown_scope``.
    """
    scope, _, rest = text.partition(":")
    if scope in {Scope.EVERYTHING, Scope.IDENTITY} and not rest:
        return Wanted(scope)
    if scope == Scope.KIND and rest in {known.kind for known in contributions()}:
        return Wanted(scope, kind=rest)
    if scope in {Scope.TASK, Scope.BATTLE}:
        with contextlib.suppress(ValueError):
            return Wanted(scope, subject=uuid.UUID(rest))
    raise WithdrawalRefused("Please choose what is to be taken back.", code="unknown_scope", field="what")


class NothingToWithdraw(NotFound):
    code = "nothing_to_withdraw"

    def __init__(self) -> None:
        super().__init__("There is nothing of that left to take back.", field="what")


class WithdrawalRefused(ArenaError):
    code = "withdrawal_refused"
    status = 422


@done_again
def request_withdrawal(
    *,
    judge: Judge,
    actor: str,
    wanted: Wanted = WHOLE,
    channel: str = Channel.SITE,
    received_at: datetime | None = None,
    reason: str = "",
) -> Withdrawal:
    """Receive a request; both clocks run from now, or from when a letter came. Asking twice is asking once.

    Raises:
        Gone: ``erased``: this judge is nobody's any more.
        NothingToWithdraw: the judge gave nothing of it, or took it back already.
        WithdrawalRefused: the letter comes from the future.
    """
    now = timezone.now()
    received_at = received_at or now
    if received_at > now:
        raise WithdrawalRefused("Nothing can have been received later than now.", field="received_at")
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if judge.erased_at is not None:
        raise Gone("This judge was erased before; there is nothing left that is theirs.", code="erased")
    about = {"judge": judge, "scope": wanted.scope, "kind": wanted.kind, "subject": wanted.subject}
    waiting = Withdrawal.objects.filter(**about, corpus_done_at=None, called_off_at=None).first()
    if waiting is not None:
        return waiting
    withdrawal = Withdrawal(**about, channel=channel, received_at=received_at)
    if wanted.scope not in {Scope.EVERYTHING, Scope.IDENTITY} and not sum(held_labels(withdrawal).values()):
        raise NothingToWithdraw
    withdrawal.save(force_insert=True)
    record(
        actor=actor,
        action="governance:withdrawal:receive",
        subject=str(withdrawal.pk),
        reason=reason,
        scope=wanted.scope,
        channel=channel,
    )
    return withdrawal


@done_again
def act_on(*, withdrawal: Withdrawal, actor: str, reason: str = "") -> Withdrawal:
    """Take the labels out and erase what they say, and who gave them where that was asked; the next fit follows.

    What is left are rows without content, so that counts and audits still add up. Done once, it stays as it is.

    Raises:
        Conflict: ``called_off``.
    """
    # The judge first, as everywhere: whoever has it locked can act on what waits for it.
    judge = Judge.objects.select_for_update(no_key=True).get(pk=withdrawal.judge_id)
    withdrawal = Withdrawal.objects.select_for_update(no_key=True).get(pk=withdrawal.pk)
    if withdrawal.called_off_at is not None:
        raise Conflict("This request was called off.", code="called_off")
    if withdrawal.corpus_done_at is not None:
        return withdrawal
    labels_stay = withdrawal.scope == Scope.IDENTITY
    withdrawal.removed = {} if labels_stay else _take_out(withdrawal)
    now = timezone.now()
    if withdrawal.scope in {Scope.EVERYTHING, Scope.IDENTITY} and judge.erased_at is None:
        _erase(judge, labels_stay=labels_stay, at=now)
    withdrawal.corpus_done_at = now
    withdrawal.save(update_fields=["removed", "corpus_done_at"])
    labels_withdrawn.send(sender=Withdrawal, withdrawal=withdrawal)
    record(
        actor=actor,
        action="governance:withdrawal:done",
        subject=str(withdrawal.pk),
        reason=reason,
        removed=withdrawal.removed,
        scope=withdrawal.scope,
    )
    return withdrawal


def act_on_waiting(*, judge: Judge, actor: str) -> list[Withdrawal]:
    """Act on every request of a judge that still waits, in the order in which they came."""
    waiting = Withdrawal.objects.filter(judge=judge, corpus_done_at=None, called_off_at=None)
    return [act_on(withdrawal=withdrawal, actor=actor) for withdrawal in waiting.order_by("received_at", "pk")]


def withdraw_everything(*, judge: Judge) -> Withdrawal:
    """A judge takes everything back, at once and by themselves."""
    actor = f"judge:{judge.pk}"
    return act_on(withdrawal=request_withdrawal(judge=judge, actor=actor), actor=actor)


@transaction.atomic
def call_off(*, withdrawal: Withdrawal, reason: str, actor: str) -> Withdrawal:
    """Close a letter that was entered for the wrong judge or that its author took back, before it was acted on.

    Raises:
        WithdrawalRefused: no reason, or one that cannot be kept whole.
        Conflict: ``already_done``, ``called_off``; ``not_a_letter``: somebody asked for it on the site.
    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON or not reason.isprintable():
        raise WithdrawalRefused(
            f"Please say why in one line of at most {LONGEST_REASON} characters; it is kept.",
            code="reason_needed",
            field="reason",
        )
    withdrawal = Withdrawal.objects.select_for_update(no_key=True).get(pk=withdrawal.pk)
    if withdrawal.corpus_done_at is not None:
        raise Conflict("This was done already, and what was erased is gone.", code="already_done")
    if withdrawal.channel != Channel.MAIL:
        raise Conflict("Whoever gave these labels asked for this on the site, so it is done.", code="not_a_letter")
    if withdrawal.called_off_at is not None:
        raise Conflict("This request was called off before.", code="called_off")
    withdrawal.called_off_at = timezone.now()
    withdrawal.called_off_reason = reason
    withdrawal.save(update_fields=["called_off_at", "called_off_reason"])
    record(actor=actor, action="governance:withdrawal:call_off", subject=str(withdrawal.pk), reason=reason)
    return withdrawal


def leaving(judges: Iterable[str]) -> set[str]:
    """Those of these judges who took everything back or were forgotten, or asked to: nobody can hand them anything."""
    whole = (Scope.EVERYTHING, Scope.IDENTITY)
    asked = Withdrawal.objects.filter(judge__in=judges, scope__in=whole, called_off_at__isnull=True)
    return set(asked.values_list("judge_id", flat=True))


def part_of(withdrawal: Withdrawal) -> Part:
    """Which labels it is about, of the kinds it is about."""
    if withdrawal.scope == Scope.TASK:
        return Part(task=withdrawal.subject)
    return Part(battle=withdrawal.subject) if withdrawal.scope == Scope.BATTLE else ALL


def held_labels(withdrawal: Withdrawal) -> dict[str, int]:
    """How many labels it would take out now, by kind."""
    part = part_of(withdrawal)
    return {kind.kind: kind.held(withdrawal.judge, part) for kind in contributions() if _about(withdrawal, kind.kind)}


def _about(withdrawal: Withdrawal, kind: str) -> bool:
    return withdrawal.scope != Scope.IDENTITY and withdrawal.kind in {"", kind}


def _take_out(withdrawal: Withdrawal) -> dict[str, int]:
    judge, part = withdrawal.judge, part_of(withdrawal)
    return {kind.kind: kind.withdraw(judge, part) for kind in contributions() if _about(withdrawal, kind.kind)}


def _erase(judge: Judge, *, labels_stay: bool, at: datetime) -> None:
    """Forget who a judge is: nobody is recognised as them any more, whatever cookie, name or code they have."""
    if labels_stay:
        for kind in contributions():
            kind.erase_words(judge)
    erase_identity(judge, labels_stay=labels_stay)
    judge.erased_at = at
    judge.save(update_fields=["erased_at"])
