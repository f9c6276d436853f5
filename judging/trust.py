"""Trust: whether a judge's labels rate. States change by a stated rule or by an operator, and every change is kept."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from governance.errors import ArenaError, Conflict
from governance.journal import record
from governance.models import Judge
from judging.calibration import scored_calls
from judging.models import Assignment, HeldLabel, TrustChange, Vote
from judging.remarks import has_control_characters
from judging.trust_rule import CALLS_NEEDED, WINDOW, speaks_against

State = TrustChange.State

#: States in which nobody is rated by a judge's labels.
INADMISSIBLE = (State.UNTRUSTED, State.SUSPENDED)
#: A label that was put aside is decided in this time: the judge may be right.
HOLD_DECIDED_WITHIN = timedelta(days=7)
#: A reason is some sentences, and is kept whole.
REASON_MAX = 500
#: Why a device's vote is put aside where its owner voted on the same battle.
SAME_PERSON = "The same person voted on this battle from another device."


class ReasonNeeded(ArenaError):
    code = "reason_needed"
    status = 422

    def __init__(self) -> None:
        super().__init__("Please say why, in words: the reason is kept with the decision.", field="reason")


class ReasonRefused(ArenaError):
    code = "reason_refused"
    status = 422


def require_reason(reason: str) -> str:
    """The reason an operator gave.

    Raises:
        ReasonNeeded: none was given.
        ReasonRefused: ``reason_too_long``, ``control_characters``: it cannot be kept as it is.
    """
    if not reason.strip():
        raise ReasonNeeded
    if len(reason.strip()) > REASON_MAX:
        raise ReasonRefused(f"The reason is longer than {REASON_MAX} characters.", code="reason_too_long")
    if has_control_characters(reason):
        raise ReasonRefused("The reason contains control characters.", code="control_characters")
    return reason.strip()


def trust_state(judge: Judge) -> TrustChange.State:
    """The state in force."""
    latest = judge.trust_changes.order_by("-id").first()
    return State(latest.state) if latest else State.NEW


@transaction.atomic
def settle_trust(*, judge: Judge, actor: str = "system:trust") -> TrustChange | None:
    """Apply the rule to a judge's settled calls; returns the change, or None when the state stays.

    With too few calls nothing happens; a suspended judge stays suspended; after an operator's decision only calls
    settled since then count.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    state = trust_state(judge)
    if state == State.SUSPENDED:
        return None
    calls = [call.right for call in scored_calls(judge, after=_decided_at(judge))]
    against = speaks_against(calls)
    if against is None:
        return None
    wanted = State.UNTRUSTED if against else State.TRUSTED
    if wanted == state:
        return None
    latest = calls[-WINDOW:]
    reason = f"{sum(latest)} of the last {len(latest)} scored calls were right."
    return _change(judge, state, wanted, actor, reason, calls=len(latest), right=sum(latest))


def _decided_at(judge: Judge) -> datetime | None:
    """When an operator last decided about this judge."""
    decided = judge.trust_changes.filter(calls__isnull=True).order_by("-id").first()
    return decided.at if decided else None


def check_decision(before: TrustChange.State, state: TrustChange.State) -> None:
    """Refuse what an operator's decision would change nothing of.

    Raises:
        Conflict: ``already_suspended``; ``not_out``: nothing is to be reinstated.
    """
    if state == State.SUSPENDED and before == State.SUSPENDED:
        raise Conflict("This judge is suspended already.", code="already_suspended")
    if state == State.NEW and before not in INADMISSIBLE:
        raise Conflict("This judge is neither untrusted nor suspended.", code="not_out")


@transaction.atomic
def suspend_judge(*, judge: Judge, actor: str, reason: str) -> TrustChange:
    """Take a judge's labels out of every fit from the next one on, and close the pool to them.

    What they have in hand is taken back, so that its seat is free for somebody whose vote rates.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: the judge is suspended already.
    """
    reason = require_reason(reason)
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    state = trust_state(judge)
    check_decision(state, State.SUSPENDED)
    Assignment.objects.filter(judge=judge, outcome=Assignment.Outcome.OPEN).update(
        outcome=Assignment.Outcome.TAKEN_BACK, ended_at=timezone.now()
    )
    return _change(judge, state, State.SUSPENDED, actor, reason)


@transaction.atomic
def reinstate_judge(*, judge: Judge, actor: str, reason: str) -> TrustChange:
    """Let a judge's labels rate again from the next fit on. What they are called is open: the rule starts anew.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: the judge's labels rate as it is.
    """
    reason = require_reason(reason)
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    state = trust_state(judge)
    check_decision(state, State.NEW)
    return _change(judge, state, State.NEW, actor, reason)


def carry_trust(*, device: Judge, judge: Judge, actor: str) -> None:
    """Distrust earned before signing in follows the person; the caller holds both judges' locks."""
    state = trust_state(device)
    if state in INADMISSIBLE and trust_state(judge) not in INADMISSIBLE:
        _change(judge, trust_state(judge), state, actor, "Carried over from a browser that signed in.")


def _change(
    judge: Judge,
    before: TrustChange.State,
    state: TrustChange.State,
    actor: str,
    reason: str,
    *,
    calls: int | None = None,
    right: int | None = None,
) -> TrustChange:
    change = TrustChange.objects.create(
        judge=judge, before=before, state=state, actor=actor, reason=reason[:500], calls=calls, right=right
    )
    record(actor=actor, action=f"judging:judge:{state}", subject=judge.pk, reason=reason[:500])
    return change


@transaction.atomic
def flag_judge(*, judge: Judge, votes: Collection[Vote], detector: str, reason: str) -> list[HeldLabel]:
    """Put aside what a detector finds improbable together; returns the new holds. No ban, and no verdict on the judge.

    What is held or excluded already is left as it is, and so is what an operator released from this detector before:
    a run of it holds nothing twice.

    Args:
        votes: this judge's.
        detector: its name; holds carry it as ``system:<detector>``.
        reason: what was found and how improbable it is, for the operator who decides.

    Raises:
        ReasonNeeded: no reason was given.
    """
    reason = require_reason(reason)
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    actor = f"system:{detector}"
    settled = HeldLabel.objects.exclude(decision=HeldLabel.Decision.RELEASED) | HeldLabel.objects.filter(held_by=actor)
    own = Vote.objects.filter(pk__in=[vote.pk for vote in votes], judge=judge, withdrawn_at__isnull=True)
    fresh = own.exclude(pk__in=settled.values("vote_id")).order_by("cast_at", "pk")
    held = [hold_label(vote=vote, actor=actor, reason=reason) for vote in fresh]
    if held:
        record(actor=actor, action="judging:judge:flag", subject=judge.pk, reason=reason[:500], held=len(held))
    return held


def released_from(detector: str) -> QuerySet[HeldLabel]:
    """Holds of a detector that an operator released: for it these labels are evidence of nothing any more."""
    return HeldLabel.objects.filter(held_by=f"system:{detector}", decision=HeldLabel.Decision.RELEASED)


@transaction.atomic
def hold_label(*, vote: Vote, actor: str, reason: str) -> HeldLabel:
    """Put a vote aside: it rates nobody until an operator decides, which is due within a week.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: ``withdrawn``: its judge took the vote back, so it rates nobody; ``already_held``: it is held or
            excluded already.
    """
    reason = require_reason(reason)
    vote = Vote.objects.select_for_update(no_key=True).get(pk=vote.pk)
    if vote.withdrawn_at is not None:
        raise Conflict("Its judge took this vote back, so it rates nobody as it is.", code="withdrawn")
    if vote.holds.exclude(decision=HeldLabel.Decision.RELEASED).exists():
        raise Conflict("This vote is held or excluded already.", code="already_held")
    now = timezone.now()
    held = HeldLabel.objects.create(
        vote=vote, reason=reason[:500], held_by=actor, held_at=now, due_at=now + HOLD_DECIDED_WITHIN
    )
    record(actor=actor, action="judging:vote:hold", subject=str(vote.pk), reason=reason[:500])
    return held


@transaction.atomic
def decide_hold(*, held: HeldLabel, decision: str, actor: str, reason: str) -> HeldLabel:
    """Release a held vote, or exclude it for good; the next fit follows.

    Raises:
        ReasonNeeded: no reason was given.
        ArenaError: ``unknown_decision``.
        Conflict: it was decided already.
    """
    reason = require_reason(reason)
    if decision not in HeldLabel.Decision:
        raise ArenaError("Please release the vote or exclude it.", code="unknown_decision", field="decision")
    held = HeldLabel.objects.select_for_update(no_key=True).get(pk=held.pk)
    if held.decision:
        raise Conflict(f"This was decided already: {held.decision}.", code="already_decided")
    held.decision = decision
    held.decided_by = actor
    held.decided_reason = reason[:500]
    held.decided_at = timezone.now()
    held.save()
    record(actor=actor, action=f"judging:vote:{decision}", subject=str(held.vote_id), reason=reason[:500])
    return held


def admissible_votes(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    """Those that are not held or excluded, of judges who are neither untrusted nor suspended."""
    held = HeldLabel.objects.exclude(decision=HeldLabel.Decision.RELEASED).values("vote_id")
    latest = TrustChange.objects.filter(judge=OuterRef("judge")).order_by("-id").values("state")[:1]
    now = votes.annotate(trust=Coalesce(Subquery(latest), Value(State.NEW.value)))
    return now.exclude(pk__in=held).exclude(trust__in=INADMISSIBLE)


def open_holds() -> QuerySet[HeldLabel]:
    """Held votes that wait for an operator, the most urgent first. Of one that was taken back nothing is to decide."""
    waiting = HeldLabel.objects.filter(decision="", vote__withdrawn_at__isnull=True)
    return waiting.select_related("vote").order_by("due_at")


def distance_to_decision(judge: Judge) -> tuple[int, int]:
    """Scored calls that count and those the rule needs, for the judge's own page."""
    return len(scored_calls(judge, after=_decided_at(judge))), CALLS_NEEDED
