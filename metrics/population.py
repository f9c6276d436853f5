"""Whose lanes count on a board, in SQL: the same rule as the ratings', so that both speak of the same races."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from battles.lanes.endings import NEVER_RAN
from battles.merges import merges_in_force
from battles.models import Battle
from judging.visibility import REPEAT_WITHIN
from ratings.models import Board

#: Battles of a board between agents that are ranked there.
BATTLES = """
    battles_battle battle
    JOIN battles_agent one ON one.key = battle.agent_a_id
    JOIN battles_agent other ON other.key = battle.agent_b_id
"""
#: A number that moved because of a battle that somebody may still judge blind would tell them who ran in it. Such a
#: battle waits until its seats are locked, or its submitter's vote where nobody else is asked; two weeks at most.
NOT_BLIND = """
    (battle.kind <> 'live' OR battle.state IN ('closed', 'void') OR battle.votable_at <= now() - %(blind_for)s
     OR (NOT EXISTS (SELECT FROM judging_offer offer WHERE offer.battle_id = battle.id)
         AND EXISTS (SELECT FROM judging_vote own
                     WHERE own.battle_id = battle.id AND own.by_submitter AND own.locked_at IS NOT NULL)))
"""
OF_THE_BOARD = f"""
    battle.kind = ANY(%(kinds)s) AND coalesce(least(one.affiliated_from, other.affiliated_from) > %(at)s, TRUE)
    AND (NOT %(headline)s OR (one.kind = 'model' AND other.kind = 'model'))
    AND {NOT_BLIND}
"""
#: Lanes of such battles that ran; with :data:`NOT_VOID`, to their end and not in vain.
LANES = """
    battles_lane lane
    JOIN battles_attempt attempt ON attempt.id = lane.attempt_id AND attempt.outcome = 'finished'
    JOIN battles_battle battle ON battle.id = attempt.battle_id
    JOIN battles_agent one ON one.key = battle.agent_a_id
    JOIN battles_agent other ON other.key = battle.agent_b_id
"""
NOT_VOID = "battle.state <> 'void' AND lane.state = 'ended' AND NOT lane.ended = ANY(%(never_ran)s)"


def board_values(board: Board, at: datetime) -> dict[str, Any]:
    """Parameters of the conditions above, as they are at an instant."""
    kinds = [Battle.Kind.LIVE] if board == Board.HEADLINE else [Battle.Kind.LIVE, Battle.Kind.PRACTICE]
    return {
        "at": at,
        "kinds": [str(kind) for kind in kinds],
        "headline": board == Board.HEADLINE,
        "blind_for": REPEAT_WITHIN,
        "never_ran": [str(ending) for ending in NEVER_RAN],
    }


def joined_rows(at: datetime) -> dict[str, str]:
    """Of each version that counts in another's row at an instant, by key: in whose."""
    return {key: merge.into_id for key, merge in merges_in_force(at).items()}


def joined_values(at: datetime) -> dict[str, list[str]]:
    """Parameters of :func:`row_of`."""
    rows = joined_rows(at)
    return {"joined": list(rows), "joined_rows": list(rows.values())}


def row_of(agent: str) -> str:
    """The row of the board that an agent counts in, in SQL: its own, or that of the version it was joined to."""
    return f"coalesce((%(joined_rows)s::text[])[array_position(%(joined)s::text[], {agent})], {agent})"


def has_raced(board: Board) -> bool:
    """Whether any lane counts on the board."""
    values = board_values(board, timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM {LANES} WHERE {OF_THE_BOARD} AND {NOT_VOID})", values)  # noqa: S608
        return bool(cursor.fetchone()[0])
