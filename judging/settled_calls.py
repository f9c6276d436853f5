"""The scored calls of all judges at once, for what leaves with their labels."""

from __future__ import annotations

import itertools
from datetime import datetime

from django.db.models import CharField
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from battles.gold import known_winners
from battles.models import Battle
from judging.calibration import Call, independent_votes, majority, verdict_of
from judging.visibility import second_looks_pending

#: :func:`judging.calibration.verdict_of` as the database says it.
_VERDICT = Coalesce(Cast("winner_id", CharField()), "choice")


def settled_calls(at: datetime) -> dict[str, list[Call]]:
    """The scored calls of every judge that were settled by then: :func:`judging.calibration.scored_calls` for all at
    once, since asking for each of thousands of judges takes minutes."""
    final = independent_votes()
    found: dict[str, list[Call]] = {}
    gold = list(final.filter(battle__kind=Battle.Kind.GOLD, locked_at__lte=at).exclude(battle__state=Battle.State.VOID))
    winners = known_winners({vote.battle_id for vote in gold})
    for vote in gold:
        if vote.battle_id in winners and vote.locked_at is not None:
            expected = str(winners[vote.battle_id])
            call = Call(vote.battle_id, "gold", verdict_of(vote), expected, vote.locked_at)
            found.setdefault(vote.judge_id, []).append(call)
    scored = final.filter(
        battle__kind=Battle.Kind.LIVE,
        battle__judges_needed__gt=1,
        battle__state=Battle.State.CLOSED,
        battle__closed_at__lte=at,
        battle__task__withdrawn_at__isnull=True,
    )
    waiting = second_looks_pending(now=timezone.now())
    rows = scored.order_by("battle_id", "pk").values_list("battle_id", "battle__closed_at", "judge_id", _VERDICT)
    for (battle, closed_at), votes in itertools.groupby(rows.iterator(), key=lambda row: row[:2]):
        said = [row[2:] for row in votes]
        for place, (judge, verdict) in enumerate(said):
            expected_verdict = majority([other for at_place, (_, other) in enumerate(said) if at_place != place])
            if expected_verdict is not None and (battle, judge) not in waiting:
                call = Call(battle, "majority", verdict, expected_verdict, closed_at)
                found.setdefault(judge, []).append(call)
    return found
