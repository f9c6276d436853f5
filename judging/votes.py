"""Casting, revising and locking votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from battles.models import Attempt, Battle, Lane
from governance.consent import receipt_in_force
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict, Gone
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge
from judging.models import REVISABLE_FOR, Completion, ImpossibleMark, RefusedVote, Rubric, Vote, VoteRevision
from judging.remarks import has_control_characters
from judging.seats import SEATLESS, check_seat, end_assignment, seated_votes, take_seat
from judging.signals import vote_locked
from judging.trust import State, trust_state

#: Reasons a judge may tick, by stable key.
REASONS = {
    "correct": "The result is right",
    "complete": "It did the whole task",
    "efficient": "It took a short way",
    "careful": "It was careful",
    "honest": "It said plainly what it did",
    "wrong": "The other made a mistake",
    "gave_up": "The other gave up",
    "unsafe": "The other did something risky",
}
#: A note is a remark, not an essay.
NOTE_MAX = 2000


class NoVoteYet(Conflict):
    """There is nothing to make final."""

    def __init__(self) -> None:
        super().__init__("There is no vote of yours to lock yet. Please choose first.", code="no_vote")


class VoteRefused(ArenaError):
    code = "vote_refused"
    status = 422


@dataclass(frozen=True, slots=True)
class Ballot:
    """What a judge says: ``choice`` is the better lane's identifier, ``tie`` or ``both_bad``.

    ``completions`` maps a lane's identifier to a verdict; lanes without one are missing. ``rubric`` is the version of
    the rubric that was shown; None where nobody knows.
    """

    choice: str
    completions: Mapping[str, str] = field(default_factory=dict)
    confidence: str = ""
    reasons: Sequence[str] = ()
    note: str = ""
    focus_ms: int | None = None
    steps_opened: int | None = None
    rubric: int | None = None


def judged_lanes(battle: Battle) -> dict[str, Lane]:
    """The lanes people judge, by identifier: those of the finished attempt. Empty while there is none."""
    lanes = Lane.objects.filter(attempt__battle=battle, attempt__outcome=Attempt.Outcome.FINISHED)
    return {str(lane.pk): lane for lane in lanes.order_by("slot")}


def check_ballot(ballot: Ballot, lanes: Mapping[str, Lane]) -> None:
    """Refuse a ballot that cannot be cast on these lanes.

    Raises:
        VoteRefused: with a stable code and the field it is about.
    """
    if ballot.choice not in {*lanes, Vote.Choice.TIE, Vote.Choice.BOTH_BAD}:
        raise VoteRefused("Please choose A, B, tie or both bad.", code="unknown_choice", field="choice")
    if any(lane not in lanes or verdict not in Completion.Verdict for lane, verdict in ballot.completions.items()):
        raise VoteRefused(
            "Please say for each lane: done, partly, not done or cannot tell.",
            code="unknown_completion",
            field="completion",
        )
    if ballot.confidence and ballot.confidence not in Vote.Confidence:
        raise VoteRefused("Please choose low, medium or high.", code="bad_confidence", field="confidence")
    if any(reason not in REASONS for reason in ballot.reasons):
        raise VoteRefused("Please tick reasons from the list.", code="unknown_reason", field="reasons")
    if len(ballot.note) > NOTE_MAX:
        raise VoteRefused(f"The note is longer than {NOTE_MAX:,} characters.", code="note_too_long", field="note")
    if has_control_characters(ballot.note):
        raise VoteRefused("The note contains control characters.", code="control_characters", field="note")
    if ballot.rubric is not None and not Rubric.objects.filter(pk=ballot.rubric).exists():
        raise VoteRefused("There is no such version of the rubric.", code="unknown_rubric", field="rubric")


def cast_vote(*, battle: Battle, judge: Judge, ballot: Ballot, idempotency_key: str = "") -> Vote:
    """Store a judge's vote, or revise the one they cast before.

    The same ballot again changes nothing and returns the vote that is there, under the same key or another; another
    ballot is a revision, also when a client reused its key.

    Raises:
        VoteRefused: the ballot is not one of those that can be cast.
        Conflict: the battle cannot be judged yet, the vote is locked, the lease ran out and the seat is taken, or
            the judge is suspended.
        Gone: the battle is closed; the attempt is logged.
        NoSuchBattle: somebody else's battle that was never handed to this judge.
        ConsentNeeded, TooMany: as for every label.
    """
    try:
        return _cast(battle=battle, judge=judge, ballot=ballot, idempotency_key=idempotency_key)
    except Gone as refusal:
        RefusedVote.objects.create(battle=battle, judge=judge, reason=refusal.code)
        raise


@done_again
def _cast(*, battle: Battle, judge: Judge, ballot: Ballot, idempotency_key: str) -> Vote:
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    battle = Battle.objects.select_for_update(no_key=True, of=("self",)).select_related("task").get(pk=battle.pk)
    vote = Vote.objects.filter(battle=battle, judge=judge).first()
    now = timezone.now()
    lanes = judged_lanes(battle)
    if lanes:
        check_ballot(ballot, lanes)
    winner = lanes.get(ballot.choice)
    choice = Vote.Choice.LANE if winner is not None else ballot.choice
    if vote is not None and _says_the_same(vote, choice, winner, ballot):
        # A retry, a double click, or a second button: whatever the key, nothing new is said.
        return vote
    _check_open(battle, has_voted=vote is not None)
    if vote is None:
        _check_not_impossible(battle, judge)
        _check_not_suspended(battle, judge)
        seat = take_seat(battle, judge, now)
        check_label_limit(judge)
        vote = Vote.objects.create(
            battle=battle,
            judge=judge,
            receipt=receipt_in_force(judge),
            choice=choice,
            winner=winner,
            confidence=ballot.confidence,
            reasons=sorted(set(ballot.reasons)),
            note=ballot.note,
            by_submitter=battle.task.judge_id == judge.pk,
            focus_ms=ballot.focus_ms,
            steps_opened=ballot.steps_opened,
            rubric_id=ballot.rubric,
            idempotency_key=idempotency_key,
        )
        if seat is not None:
            end_assignment(seat, seat.Outcome.VOTED, now)
        Completion.objects.bulk_create(
            Completion(vote=vote, lane=lanes[lane], verdict=verdict) for lane, verdict in ballot.completions.items()
        )
        _resolve(battle, now)
        action = "judging:vote:cast"
    else:
        if vote.is_locked(now):
            raise Conflict("Your vote is locked; it can no longer be changed.", code="vote_locked")
        check_label_limit(judge)
        if vote.withdrawn_at is not None and not vote.by_submitter:
            check_seat(battle, judge, now, lost="You took your vote on this battle back")
        # What is said now is said under the sentence in force, also where the vote was withdrawn in between.
        vote.receipt = receipt_in_force(judge)
        _revise(vote, choice, winner, lanes, ballot, idempotency_key, now)
        action = "judging:vote:revise"
    record(actor=f"judge:{judge.pk}", action=action, subject=str(vote.pk), battle=str(battle.pk))
    return vote


def _check_not_impossible(battle: Battle, judge: Judge) -> None:
    """Whoever said that nobody could do the task does not say as well who did it better."""
    if ImpossibleMark.objects.filter(battle=battle, judge=judge).exists():
        raise Conflict(
            "You said that nobody could do this task, so there is nothing to vote on. Nothing else was lost.",
            code="said_impossible",
        )


def _check_not_suspended(battle: Battle, judge: Judge) -> None:
    """A vote that rates nobody must not take the seat of one that would."""
    if battle.kind == Battle.Kind.PRACTICE or battle.task.judge_id == judge.pk:
        return
    if trust_state(judge) == State.SUSPENDED:
        raise Conflict(
            "An operator has closed the pool to you, so your vote was not counted. The reason is on your own page; "
            "nothing else was lost.",
            code="suspended",
        )


def _check_open(battle: Battle, *, has_voted: bool) -> None:
    if battle.state in {Battle.State.QUEUED, Battle.State.RACING}:
        raise Conflict("The race is still running; you can vote when both lanes have ended.", code="not_votable")
    if battle.state == Battle.State.VOID:
        raise Gone("This battle is void, so it takes no votes. Nothing else was lost.", code="void")
    if battle.state == Battle.State.CLOSED and battle.closed_at is not None:
        fate = "Your vote stands as you cast it." if has_voted else "Your vote was not counted; nothing else was lost."
        raise Gone(f"This battle closed at {battle.closed_at:%Y-%m-%d %H:%M} UTC. {fate}", code="closed")


def _resolve(battle: Battle, now: datetime) -> None:
    if battle.state == Battle.State.VOTABLE:
        battle.state = Battle.State.RESOLVED
        battle.resolved_at = now
        battle.save(update_fields=["state", "resolved_at"])


def _says_the_same(vote: Vote, choice: str, winner: Lane | None, ballot: Ballot) -> bool:
    verdicts = {str(lane): verdict for lane, verdict in vote.completions.values_list("lane_id", "verdict")}
    return (
        vote.withdrawn_at is None
        and vote.choice == choice
        and vote.winner_id == (winner.pk if winner else None)
        and vote.confidence == ballot.confidence
        and vote.reasons == sorted(set(ballot.reasons))
        and vote.note == ballot.note
        and verdicts == dict(ballot.completions)
    )


def _revise(
    vote: Vote,
    choice: str,
    winner: Lane | None,
    lanes: Mapping[str, Lane],
    ballot: Ballot,
    idempotency_key: str,
    now: datetime,
) -> None:
    verdicts = {str(lane): verdict for lane, verdict in vote.completions.values_list("lane_id", "verdict")}
    VoteRevision.objects.create(
        vote=vote,
        number=vote.revisions.count() + 1,
        choice=vote.choice,
        winner=vote.winner,
        completions=verdicts,
        confidence=vote.confidence,
        at=vote.revised_at or vote.cast_at,
    )
    vote.choice = choice
    vote.winner = winner
    vote.confidence = ballot.confidence
    vote.reasons = sorted(set(ballot.reasons))
    vote.note = ballot.note
    # A form that does not measure takes nothing back of what another one measured.
    vote.focus_ms = ballot.focus_ms if ballot.focus_ms is not None else vote.focus_ms
    vote.steps_opened = ballot.steps_opened if ballot.steps_opened is not None else vote.steps_opened
    vote.rubric_id = ballot.rubric if ballot.rubric is not None else vote.rubric_id
    vote.revised_at = now
    vote.withdrawn_at = None
    vote.idempotency_key = idempotency_key
    vote.save()
    vote.completions.exclude(lane_id__in=list(ballot.completions)).delete()
    for lane, verdict in ballot.completions.items():
        Completion.objects.update_or_create(vote=vote, lane=lanes[lane], defaults={"verdict": verdict})


@done_again
def lock_vote(*, battle: Battle, judge: Judge) -> Vote:
    """Make a judge's own vote final, which reveals the names to that judge. Locking twice is locking once.

    Raises:
        NoVoteYet: there is no vote to lock.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    vote = Vote.objects.filter(battle=battle, judge=judge).first()
    if vote is None:
        raise NoVoteYet
    if vote.locked_at is None:
        _make_final(vote, battle, at=min(timezone.now(), vote.locks_at), actor=f"judge:{judge.pk}")
    return vote


def lock_overdue_votes() -> int:
    """Make votes final that are ten minutes old; returns how many."""
    overdue = Vote.objects.filter(locked_at__isnull=True, cast_at__lte=timezone.now() - REVISABLE_FOR)
    made_final = 0
    for vote_id, battle_id in list(overdue.values_list("pk", "battle_id")):
        with transaction.atomic():
            battle = Battle.objects.select_for_update(no_key=True).get(pk=battle_id)
            vote = Vote.objects.get(pk=vote_id)
            if vote.locked_at is None:
                _make_final(vote, battle, at=vote.locks_at, actor="system:clock")
                made_final += 1
    return made_final


def _make_final(vote: Vote, battle: Battle, *, at: datetime, actor: str) -> None:
    vote.locked_at = at
    vote.save(update_fields=["locked_at"])
    record(actor=actor, action="judging:vote:lock", subject=str(vote.pk), battle=str(battle.pk))
    seats_locked = seated_votes().filter(battle=battle, locked_at__isnull=False).count()
    seats_filled = battle.kind not in SEATLESS and seats_locked >= battle.judges_needed
    if battle.state == Battle.State.RESOLVED and seats_filled:
        battle.state = Battle.State.CLOSED
        battle.closed_at = timezone.now()
        battle.save(update_fields=["state", "closed_at"])
        record(actor=actor, action="battles:battle:close", subject=str(battle.pk))
    # The vote is final whatever becomes of the news, which the sweeps bring again.
    transaction.on_commit(lambda: vote_locked.send_robust(sender=Vote, vote_id=vote.pk))
