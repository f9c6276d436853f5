"""The watch over votes: reads them, looks for runs that are too long to be chance, and puts those aside.

What is put aside waits for an operator, for a week at most; the judge is told nothing, loses nothing else and goes on.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, median

from django.db.models import F, FloatField, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Extract
from django.utils import timezone

from governance.models import Judge
from judging.improbable_runs import HASTE_PART, HORIZON, Choice, Others, Reading, improbable_runs
from judging.models import Assignment, HeldLabel, Vote
from judging.trust import flag_judge, released_from

#: A judge is looked at again when a vote of theirs became final in this time: twice the longest pause between looks.
LOOKED_AT = timedelta(days=2)
#: What the others do is read from so many of the newest votes.
CROWD_VOTES = 20_000
#: With fewer other judges "what others do" is one person's habit.
OTHERS_NEEDED = 5


@dataclass(frozen=True, slots=True)
class JudgeVotes:
    """One judge's final votes, oldest first, as identifiers and as readings."""

    votes: Sequence[Vote]
    readings: Sequence[Reading]


@dataclass(frozen=True, slots=True)
class Habits:
    """What one judge does, so that everybody counts once among the others however much they vote."""

    seconds: Sequence[float]
    tie: float
    both_bad: float


def hold_improbable_votes(now: datetime | None = None) -> list[HeldLabel]:
    """Put aside every improbable run of the judges who voted lately; returns the new holds.

    Running it again holds nothing twice, and what an operator released is evidence of nothing any more.
    """
    now = now or timezone.now()
    habits = crowd_habits()
    recent = _final_votes().filter(locked_at__gt=now - LOOKED_AT)
    held: list[HeldLabel] = []
    for judge in Judge.objects.filter(pk__in=recent.values("judge")).order_by("pk"):
        others = others_of(judge.pk, habits)
        for detector in ("haste", "one-pane", "one-choice"):
            own = votes_of(judge, detector)
            for run in improbable_runs(own.readings, others):
                if run.detector != detector:
                    continue
                reason = f"{run.words} Chance for an honest judge among {HORIZON:,} votes: {run.chance:.1g} at most."
                votes = [own.votes[place] for place in run.places]
                held += flag_judge(judge=judge, votes=votes, detector=detector, reason=reason)
    return held


def _final_votes() -> QuerySet[Vote]:
    """Final votes that were not taken back, with the time that their judge had at most."""
    lease = Assignment.objects.filter(
        battle=OuterRef("battle"), judge=OuterRef("judge"), swapped=False, leased_at__lte=OuterRef("cast_at")
    )
    first = lease.order_by().values("battle").annotate(first=Min("leased_at")).values("first")
    return Vote.objects.filter(locked_at__isnull=False, withdrawn_at__isnull=True).annotate(
        slot=F("winner__slot"),
        # A page says how long it was looked at; nobody looked longer than since the battle was handed out.
        in_hand=Extract(F("cast_at") - Subquery(first), "epoch", output_field=FloatField()),
    )


def votes_of(judge: Judge, detector: str) -> JudgeVotes:
    """The newest votes of a judge, without those that an operator released from this detector."""
    released = released_from(detector).values("vote_id")
    newest = list(_final_votes().filter(judge=judge).exclude(pk__in=released).order_by("-cast_at", "-pk")[:HORIZON])
    votes = newest[::-1]
    return JudgeVotes(votes, [Reading(_choice(vote), _seconds(vote)) for vote in votes])


def _choice(vote: Vote) -> Choice:
    said: dict[str, Choice] = {"A": "A", "B": "B", "tie": "tie", "both_bad": "both_bad"}
    return said[getattr(vote, "slot", None) or vote.choice]


def _seconds(vote: Vote) -> float | None:
    in_hand: float | None = getattr(vote, "in_hand", None)
    focused = None if vote.focus_ms is None else vote.focus_ms / 1000
    known = [seconds for seconds in (in_hand, focused) if seconds is not None]
    return min(known, default=None)


def crowd_habits() -> dict[str, Habits]:
    """Habits of the judges of the newest votes, by judge."""
    seconds: dict[str, list[float]] = defaultdict(list)
    choices: dict[str, list[Choice]] = defaultdict(list)
    # A held vote is no habit of anybody's.
    held = Q(holds__isnull=False) & ~Q(holds__decision=HeldLabel.Decision.RELEASED)
    for vote in _final_votes().exclude(pk__in=Vote.objects.filter(held).values("pk")).order_by("-pk")[:CROWD_VOTES]:
        choices[vote.judge_id].append(_choice(vote))
        spent = _seconds(vote)
        if spent is not None:
            seconds[vote.judge_id].append(spent)
    return {
        judge: Habits(seconds[judge], said.count("tie") / len(said), said.count("both_bad") / len(said))
        for judge, said in choices.items()
    }


def others_of(judge_id: str, habits: Mapping[str, Habits]) -> Others:
    """What everybody else does; shares are 0, and there is no median, where too few others are known."""
    others = [habit for judge, habit in habits.items() if judge != judge_id]
    if len(others) < OTHERS_NEEDED:
        return Others(None, 0, 0, 0)
    tie, both_bad = fmean(habit.tie for habit in others), fmean(habit.both_bad for habit in others)
    timed = [habit.seconds for habit in others if habit.seconds]
    if len(timed) < OTHERS_NEEDED:
        return Others(None, 0, tie, both_bad)
    middle = median(median(seconds) for seconds in timed)
    limit = HASTE_PART * middle
    hasty = fmean(sum(spent < limit for spent in seconds) / len(seconds) for seconds in timed)
    return Others(middle, hasty, tie, both_bad)
