"""Whose lanes count on a board, in SQL: the same rule as the ratings', so that both speak of the same races."""

from __future__ import annotations

from typing import Any

from django.db import connection

from battles.lanes.endings import NEVER_RAN
from battles.models import Battle
from ratings.models import Board

#: Battles of a board between agents that are ranked there.
BATTLES = """
    battles_battle battle
    JOIN battles_agent one ON one.key = battle.agent_a_id
    JOIN battles_agent other ON other.key = battle.agent_b_id
"""
OF_THE_BOARD = """
    battle.kind = ANY(%(kinds)s) AND NOT one.operator_affiliated AND NOT other.operator_affiliated
    AND (NOT %(headline)s OR (one.kind = 'model' AND other.kind = 'model'))
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


def board_values(board: Board) -> dict[str, Any]:
    """Parameters of the conditions above."""
    kinds = [Battle.Kind.LIVE] if board == Board.HEADLINE else [Battle.Kind.LIVE, Battle.Kind.PRACTICE]
    return {
        "kinds": [str(kind) for kind in kinds],
        "headline": board == Board.HEADLINE,
        "never_ran": [str(ending) for ending in NEVER_RAN],
    }


def has_raced(board: Board) -> bool:
    """Whether any lane counts on the board."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM {LANES} WHERE {OF_THE_BOARD} AND {NOT_VOID})", board_values(board))  # noqa: S608
        return bool(cursor.fetchone()[0])
