"""The second look: a judge gets recordings they judged before, slots swapped, and votes once more.

What they say then is stored apart (:class:`RepeatVote`) and rates nobody: it tells how often a judge's verdict follows
the pane instead of the lane. Both looks are blind, so the names wait for the second one.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from battles.models import Battle, Lane
from governance.consent import receipt_in_force
from governance.deadlocks import done_again
from governance.errors import Conflict, Gone
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge
from judging.access import NoSuchBattle, under_report
from judging.models import REVISABLE_FOR, Assignment, RepeatCompletion, RepeatVote, Vote
from judging.seats import end_assignment
from judging.visibility import REPEAT_WITHIN
from judging.votes import Ballot, NoVoteYet, check_ballot, judged_lanes

#: So many other votes come in between: the recordings are no longer fresh in the judge's mind.
VOTES_BETWEEN = 5


def due_second_look(judge: Judge, now: datetime) -> Assignment | None:
    """The first assignment whose second look is due, the longest waiting first; None when none is."""
    marked = Assignment.objects.filter(
        judge=judge,
        comes_back=True,
        outcome=Assignment.Outcome.VOTED,
        leased_at__gt=now - REPEAT_WITHIN,
        battle__state__in=[Battle.State.RESOLVED, Battle.State.CLOSED],
        battle__task__withdrawn_at__isnull=True,
    ).exclude(repeat__outcome__in=_SETTLED)
    hidden = Battle.objects.filter(under_report()).values("pk")
    for first in marked.exclude(battle__in=hidden).select_related("battle__task").order_by("leased_at"):
        vote = Vote.objects.filter(battle=first.battle, judge=judge, withdrawn_at__isnull=True).first()
        if vote is None or not vote.is_locked(now):
            continue
        if Vote.objects.filter(judge=judge, cast_at__gt=vote.cast_at).count() >= VOTES_BETWEEN:
            return first
    return None


_SETTLED = (
    Assignment.Outcome.VOTED,
    Assignment.Outcome.SKIPPED,
    Assignment.Outcome.REPORTED,
    Assignment.Outcome.IMPOSSIBLE,
    Assignment.Outcome.TAKEN_BACK,
)


def second_look(battle: Battle, viewer: Judge | None, *, now: datetime | None = None) -> Assignment | None:
    """The viewer's second look at this battle while they may vote in it; their pages show swapped slots then."""
    if viewer is None:
        return None
    now = now or timezone.now()
    swapped = Assignment.objects.filter(battle=battle, judge=viewer, swapped=True).first()
    if swapped is None:
        return None
    if swapped.outcome == Assignment.Outcome.OPEN:
        return swapped if now < swapped.leased_until else None
    if swapped.outcome == Assignment.Outcome.VOTED:
        return swapped if RepeatVote.objects.filter(assignment=swapped, locked_at__isnull=True).exists() else None
    return None


def looks_twice(battle: Battle, judge: Judge) -> bool:
    """Whether this battle came back to this judge, so that what they send now is about their second look.

    Their first vote is final by then. Where the second look ran out or was settled, the refusal says so.
    """
    return Assignment.objects.filter(battle=battle, judge=judge, swapped=True).exists()


def shown_slot(lane: Lane, *, swapped: bool) -> str:
    """The letter under which a lane is shown."""
    if not swapped:
        return lane.slot
    return Lane.Slot.B if lane.slot == Lane.Slot.A else Lane.Slot.A


@done_again
def cast_repeat(*, battle: Battle, judge: Judge, ballot: Ballot) -> RepeatVote:
    """Store what a judge says at the second look, or revise it. The ballot names lanes, as always.

    Raises:
        NoSuchBattle: this judge has no second look at this battle.
        Conflict: ``vote_locked``; ``lease_over``: the half hour ran out.
        Gone: ``void``.
        VoteRefused, ConsentNeeded, TooMany: as for every vote.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    now = timezone.now()
    assignment = Assignment.objects.filter(battle=battle, judge=judge, swapped=True).first()
    if assignment is None or Battle.objects.filter(under_report(), pk=battle.pk).exists():
        raise NoSuchBattle
    if battle.state == Battle.State.VOID:
        raise Gone("This battle is void, so it takes no votes. Nothing else was lost.", code="void")
    lanes = judged_lanes(battle)
    check_ballot(ballot, lanes)
    ballot = _without_first_look(ballot, battle, judge)
    vote = RepeatVote.objects.filter(assignment=assignment).first()
    if vote is None:
        vote = _first_cast(assignment, ballot, now)
        action = "judging:repeat:cast"
    elif vote.withdrawn_at is None and _says(vote) == _said(ballot):
        return vote
    elif vote.is_locked(now):
        raise Conflict("Your vote is locked; it can no longer be changed.", code="vote_locked")
    else:
        check_label_limit(judge)
        # What is said now is said under the sentence in force, also where the vote was withdrawn in between.
        vote.receipt = receipt_in_force(judge)
        vote.withdrawn_at = None
        vote.revised_at = now
        action = "judging:repeat:revise"
    _write(vote, lanes, ballot)
    record(actor=f"judge:{judge.pk}", action=action, subject=str(vote.pk), battle=str(battle.pk))
    return vote


def _without_first_look(ballot: Ballot, battle: Battle, judge: Judge) -> Ballot:
    """The ballot with the time of this look alone: a page adds up what a battle took over all visits."""
    first = Vote.objects.filter(battle=battle, judge=judge).first()
    if ballot.focus_ms is None or first is None or first.focus_ms is None:
        return ballot
    return replace(ballot, focus_ms=max(0, ballot.focus_ms - first.focus_ms))


def _first_cast(assignment: Assignment, ballot: Ballot, now: datetime) -> RepeatVote:
    if assignment.outcome != Assignment.Outcome.OPEN or assignment.leased_until <= now:
        raise Conflict("Your half hour with this battle ran out; please take the next one.", code="lease_over")
    check_label_limit(assignment.judge)
    receipt = receipt_in_force(assignment.judge)
    end_assignment(assignment, Assignment.Outcome.VOTED, now)
    return RepeatVote(
        assignment=assignment, battle_id=assignment.battle_id, judge=assignment.judge, receipt=receipt, cast_at=now
    )


def _write(vote: RepeatVote, lanes: Mapping[str, Lane], ballot: Ballot) -> None:
    vote.winner = lanes.get(ballot.choice)
    vote.choice = Vote.Choice.LANE if vote.winner is not None else ballot.choice
    vote.confidence = ballot.confidence
    vote.reasons = sorted(set(ballot.reasons))
    vote.note = ballot.note
    vote.focus_ms = ballot.focus_ms
    vote.steps_opened = ballot.steps_opened
    vote.rubric_id = ballot.rubric
    vote.save()
    vote.completions.all().delete()
    RepeatCompletion.objects.bulk_create(
        RepeatCompletion(vote=vote, lane=lanes[lane], verdict=verdict) for lane, verdict in ballot.completions.items()
    )


def _says(vote: RepeatVote) -> tuple[object, ...]:
    verdicts = {str(lane): verdict for lane, verdict in vote.completions.values_list("lane_id", "verdict")}
    choice = str(vote.winner_id) if vote.winner_id else vote.choice
    return choice, vote.confidence, vote.reasons, vote.note, verdicts


def _said(ballot: Ballot) -> tuple[object, ...]:
    return ballot.choice, ballot.confidence, sorted(set(ballot.reasons)), ballot.note, dict(ballot.completions)


@done_again
def lock_repeat(*, battle: Battle, judge: Judge) -> RepeatVote:
    """Make the second vote final, which shows this judge the names. Locking twice is locking once.

    Raises:
        NoVoteYet: there is no second vote to lock.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    vote = RepeatVote.objects.filter(battle=battle, judge=judge).first()
    if vote is None:
        raise NoVoteYet
    if vote.locked_at is None:
        _make_final(vote, min(timezone.now(), vote.locks_at), f"judge:{judge.pk}")
    return vote


def lock_overdue_repeats() -> int:
    """Make second votes final that are ten minutes old; returns how many."""
    overdue = RepeatVote.objects.filter(locked_at__isnull=True, cast_at__lte=timezone.now() - REVISABLE_FOR)
    made_final = 0
    for vote_id in list(overdue.values_list("pk", flat=True)):
        with transaction.atomic():
            made_final += _lock_overdue(vote_id)
    return made_final


def _lock_overdue(vote_id: uuid.UUID) -> bool:
    vote = RepeatVote.objects.select_for_update(no_key=True).get(pk=vote_id)
    if vote.locked_at is not None:
        return False
    _make_final(vote, vote.locks_at, "system:clock")
    return True


def _make_final(vote: RepeatVote, at: datetime, actor: str) -> None:
    vote.locked_at = at
    vote.save(update_fields=["locked_at"])
    record(actor=actor, action="judging:repeat:lock", subject=str(vote.pk), battle=str(vote.battle_id))


@dataclass(frozen=True, slots=True)
class Consistency:
    """How a judge's second looks went. A pane followed is a flip: the other lane won from the same pane.

    Attributes:
        repeats: locked second votes whose first vote is not withdrawn.
        same: the same verdict about the lanes.
        followed_pane: a preference both times, for the pane instead of the lane.
    """

    repeats: int
    same: int
    followed_pane: int


def consistency(judge: Judge | None = None) -> Consistency:
    """Of one judge, or of all."""
    seconds = RepeatVote.objects.filter(locked_at__isnull=False, withdrawn_at__isnull=True)
    if judge is not None:
        seconds = seconds.filter(judge=judge)
    repeats = same = flipped = 0
    for second in seconds:
        first = Vote.objects.filter(
            battle_id=second.battle_id, judge_id=second.judge_id, withdrawn_at__isnull=True
        ).first()
        if first is None:
            continue
        repeats += 1
        same += (first.choice, first.winner_id) == (second.choice, second.winner_id)
        both = first.winner_id is not None and second.winner_id is not None
        flipped += both and first.winner_id != second.winner_id
    return Consistency(repeats, same, flipped)
