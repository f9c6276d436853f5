"""A judge's scored calls: gold battles, and what the other judges of a redundant battle said.

Calibration counts what can be scored. It says how often a judge sees what a check or most others saw, not how good
their taste is.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import QuerySet
from django.utils import timezone

from battles.gold import known_winners
from battles.models import Battle
from governance.models import Judge
from judging.intervals import wilson_interval
from judging.models import Vote
from judging.visibility import second_looks_pending

#: A verdict: the identifier of the better lane, ``tie`` or ``both_bad``.
Verdict = str
#: With fewer other judges there is no majority to speak of.
OTHERS_NEEDED = 2


@dataclass(frozen=True, slots=True)
class Call:
    """One scored call.

    Attributes:
        battle: where it was made.
        source: ``gold``, a known outcome, or ``majority`` of the other judges.
        said, expected: verdicts.
        settled_at: when it could first be scored.
    """

    battle: uuid.UUID
    source: Literal["gold", "majority"]
    said: Verdict
    expected: Verdict
    settled_at: datetime

    @property
    def right(self) -> bool:
        return self.said == self.expected


@dataclass(frozen=True, slots=True)
class Calibration:
    """All scored calls of a judge, oldest first; the interval is Wilson's, 95%. None while there is no call."""

    calls: tuple[Call, ...]
    right: int
    accuracy: float | None
    lower: float | None
    upper: float | None


def calibration(judge: Judge) -> Calibration:
    """What the judge's own page shows, call by call. A call is there once it is settled, never before."""
    calls = scored_calls(judge)
    right = sum(call.right for call in calls)
    if not calls:
        return Calibration((), 0, None, None, None)
    lower, upper = wilson_interval(right, len(calls))
    return Calibration(tuple(calls), right, right / len(calls), lower, upper)


def scored_calls(judge: Judge, *, after: datetime | None = None) -> list[Call]:
    """A judge's settled calls, oldest first, those settled after an instant only where one is given."""
    calls = [*_gold_calls(judge), *_majority_calls(judge)]
    return sorted(
        (call for call in calls if after is None or call.settled_at > after),
        key=lambda call: (call.settled_at, call.battle),
    )


def verdict_of(vote: Vote) -> Verdict:
    return str(vote.winner_id) if vote.winner_id else vote.choice


def majority(verdicts: Sequence[Verdict]) -> Verdict | None:
    """What more than half of the others said; None where there is no such verdict, or too few others."""
    if len(verdicts) < OTHERS_NEEDED:
        return None
    verdict, said = Counter(verdicts).most_common(1)[0]
    return verdict if said * 2 > len(verdicts) else None


def independent_votes() -> QuerySet[Vote]:
    """Final votes of others than the submitter: what calls are scored from."""
    return Vote.objects.filter(locked_at__isnull=False, withdrawn_at__isnull=True, by_submitter=False)


def _gold_calls(judge: Judge) -> list[Call]:
    gold = independent_votes().filter(judge=judge, battle__kind=Battle.Kind.GOLD)
    # An operator voids a battle whose recording or check was wrong.
    votes = list(gold.exclude(battle__state=Battle.State.VOID))
    winners = known_winners([vote.battle_id for vote in votes])
    return [
        Call(vote.battle_id, "gold", verdict_of(vote), str(winners[vote.battle_id]), vote.locked_at)
        for vote in votes
        if vote.battle_id in winners and vote.locked_at is not None
    ]


def _majority_calls(judge: Judge) -> list[Call]:
    """On live battles with three seats, once all are locked: agreement with the others, leaving the judge out.

    Where the judge is to look a second time, the call waits: what the others said would be no secret at that look.
    """
    own = independent_votes().filter(
        judge=judge,
        battle__kind=Battle.Kind.LIVE,
        battle__judges_needed__gt=1,
        battle__state=Battle.State.CLOSED,
        battle__task__withdrawn_at__isnull=True,
    )
    calls = []
    votes = {vote.battle_id: vote for vote in own.select_related("battle")}
    others: dict[uuid.UUID, list[Verdict]] = {battle: [] for battle in votes}
    for other in independent_votes().filter(battle__in=votes).exclude(judge=judge):
        others[other.battle_id].append(verdict_of(other))
    waiting = second_looks_pending(now=timezone.now(), battle__in=votes, judge=judge)
    for battle, vote in votes.items():
        expected = majority(others[battle])
        if expected is not None and vote.battle.closed_at is not None and (battle, judge.pk) not in waiting:
            calls.append(Call(battle, "majority", verdict_of(vote), expected, vote.battle.closed_at))
    return calls
