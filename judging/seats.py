"""Seats: how many independent judges a battle still wants, counted from rows and from nothing else.

A seat is taken by an independent vote that stands, or by a lease that runs. A lease that ran out frees its seat without
anybody doing anything, and so does a vote that is taken back: the battle still wants that many judges.
"""

from datetime import datetime, timedelta

from django.db.models import F, QuerySet
from django.utils import timezone

from battles.models import Battle
from governance.errors import Conflict
from governance.models import Judge
from judging.access import NoSuchBattle, may_read
from judging.models import Assignment, Vote

#: Judging with care takes some minutes; half an hour leaves room for a phone call.
LEASE = timedelta(minutes=30)
#: Kinds of battles that are handed to everybody who is to judge them, so that nobody takes a seat.
SEATLESS = (Battle.Kind.GOLD, Battle.Kind.CALIBRATION)


def seated_votes() -> QuerySet[Vote]:
    """Votes that fill a seat: the submitter's fills none, nor does one that was taken back."""
    return Vote.objects.filter(by_submitter=False, withdrawn_at__isnull=True)


def running_leases(now: datetime | None = None) -> QuerySet[Assignment]:
    """Leases on a first look that have neither ended nor run out."""
    return Assignment.objects.filter(
        outcome=Assignment.Outcome.OPEN, swapped=False, leased_until__gt=now or timezone.now()
    )


def seats_taken(battle: Battle, *, by_others_than: Judge | None = None, now: datetime | None = None) -> int:
    """Independent votes that stand and running leases on a battle, without those of one judge where one is named."""
    votes = seated_votes().filter(battle=battle)
    leases = running_leases(now).filter(battle=battle)
    if by_others_than is not None:
        votes, leases = votes.exclude(judge=by_others_than), leases.exclude(judge=by_others_than)
    return votes.count() + leases.count()


def seats_free(battle: Battle, *, now: datetime | None = None) -> int:
    """Seats that nobody has taken; never below 0."""
    return max(0, battle.judges_needed - seats_taken(battle, now=now))


def take_seat(battle: Battle, judge: Judge, now: datetime) -> Assignment | None:
    """The assignment under which a judge's first vote on a battle is cast; the caller holds judge and battle.

    A practice battle is everybody's, and the submitter's vote fills no seat: None. A judge whose lease ran out, or who
    skipped and thought better of it, may still vote while a seat is free.

    Raises:
        NoSuchBattle: the battle was never handed to this judge, or is hidden.
        Conflict: ``seat_taken``: another judge has the seat by now.
    """
    if battle.task.judge_id == judge.pk:
        return None
    if not may_read(battle, judge):
        raise NoSuchBattle
    if battle.kind == Battle.Kind.PRACTICE:
        return None
    assignment = Assignment.objects.filter(battle=battle, judge=judge, swapped=False).order_by("-leased_at").first()
    if assignment is None:
        raise NoSuchBattle
    check_seat(battle, judge, now, lost="Your half hour with this battle ran out")
    return assignment


def check_seat(battle: Battle, judge: Judge, now: datetime, *, lost: str) -> None:
    """Refuse a vote whose seat became free and was given to somebody else.

    Args:
        lost: how the seat became free, for whoever had it.

    Raises:
        Conflict: ``seat_taken``.
    """
    if battle.kind in {*SEATLESS, Battle.Kind.PRACTICE}:
        return
    if seats_taken(battle, by_others_than=judge, now=now) >= battle.judges_needed:
        raise Conflict(
            f"{lost} and another judge has it now, so your vote was not counted. Nothing else was lost; please take "
            "the next one.",
            code="seat_taken",
        )


def end_assignment(assignment: Assignment, outcome: str, now: datetime, *, skip_reason: str = "") -> None:
    """Write how an assignment ended. One that ran out can still be voted on."""
    assignment.outcome = outcome
    assignment.skip_reason = skip_reason
    assignment.ended_at = now
    assignment.save(update_fields=["outcome", "skip_reason", "ended_at"])


def expire_leases(judge: Judge, now: datetime) -> None:
    """Close a judge's lease that ran out, so that the next one can be given; the caller holds the judge."""
    Assignment.objects.filter(judge=judge, outcome=Assignment.Outcome.OPEN, leased_until__lte=now).update(
        outcome=Assignment.Outcome.EXPIRED, ended_at=F("leased_until")
    )


def take_back(battle: Battle, now: datetime) -> int:
    """End every open lease on a battle that nobody may judge for now; returns how many. The caller holds the battle.

    One that is being ended at this moment is passed over: whoever ends it may be waiting for this very battle.
    """
    held = Assignment.objects.filter(battle=battle, outcome=Assignment.Outcome.OPEN)
    free = list(held.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True))
    return Assignment.objects.filter(pk__in=free).update(outcome=Assignment.Outcome.TAKEN_BACK, ended_at=now)
