"""Votes that are nowhere stored, read by the statements that read the stored ones.

A statement is given its tables as rows in front of it, under their own names, which hide the stored ones. So the rules
that stand in SQL can be asked what they make of a battle, without writing anything.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, models
from django.utils import timezone

from battles.models import Agent, AgentMerge, Attempt, Battle, Lane, LaneFacts, Step, Task
from governance.asking import given
from governance.models import Judge
from judging.models import Assignment, HeldLabel, JudgeAccount, Offer, TrustChange, Vote
from ratings import corpus
from ratings.models import Board
from ratings.rated_corpus import Corpus

Row = dict[str, Any]
World = dict[type[models.Model], list[Row]]

#: Long enough ago that nobody judges these battles blind any more, and nothing about them is still open.
LONG_AGO = timedelta(days=60)


def battle_of_two_models(number: int, at: datetime) -> World:
    """A live battle of two models that ended, was scanned clean, and was judged by somebody with an account."""
    battle, attempt, judge = _id(number, 1), _id(number, 2), f"judge-{number}"
    then = (at - LONG_AGO).isoformat()
    lanes = {slot: _id(number, place) for place, slot in enumerate("AB", start=3)}
    agents = {slot: f"agent-{number}-{slot.lower()}" for slot in "AB"}
    roster = {"kind": Agent.Kind.MODEL, "created_at": then}
    lane = {"attempt_id": attempt, "ended": "answered", "budget_steps": 30, "budget_seconds": 300.0, "answer": "Nine."}
    return {
        Agent: [{"key": key, **roster} for key in agents.values()],
        Task: [{"id": _id(number, 5), "category": "research", "created_at": then}],
        Battle: [
            {
                "id": battle,
                "task_id": _id(number, 5),
                "kind": Battle.Kind.LIVE,
                "state": Battle.State.CLOSED,
                "agent_a_id": agents["A"],
                "agent_b_id": agents["B"],
                "pair_probability": 0.5,
                "leak_scan": Battle.Leak.CLEAN,
                **dict.fromkeys(("created_at", "votable_at", "closed_at"), then),
            }
        ],
        Attempt: [{"id": attempt, "battle_id": battle, "outcome": Attempt.Outcome.FINISHED}],
        Lane: [{"id": key, "slot": slot, "steps_charged": 5, "seconds": 9.0, **lane} for slot, key in lanes.items()],
        LaneFacts: [],
        Step: [{"lane_id": key, "number": 1} for key in lanes.values()],
        Vote: [
            {
                "id": _id(number, 6),
                "battle_id": battle,
                "judge_id": judge,
                "choice": Vote.Choice.LANE,
                "winner_id": lanes["A"],
                "by_submitter": False,
                "cast_at": then,
                "locked_at": then,
            }
        ],
        Judge: [{"id": judge}],
        JudgeAccount: [{"judge_id": judge, "bound_at": then}],
        TrustChange: [],
        HeldLabel: [],
        Offer: [{"battle_id": battle, "offered_at": then}],
        Assignment: [],
        AgentMerge: [],
    }


def read_planted(read: Callable[..., Corpus], changes: Sequence[Callable[[World], None]]) -> list[int]:
    """The reasons that a reading of the headline board gives to planted votes, one battle for each change of it.

    Args:
        read: :func:`ratings.corpus.read_corpus`, or what stands in its place.
        changes: each alters the world of one battle, which would rate otherwise.
    """
    at = timezone.now()
    world: World = {}
    for number, change in enumerate(changes, start=1):
        battle = battle_of_two_models(number, at)
        change(battle)
        for model, rows in battle.items():
            world.setdefault(model, []).extend(rows)
    reads = given(corpus._read, connection=_Planted(world))
    found = given(read, _read=reads)(Board.HEADLINE, at=at)
    return [int(reason) for reason in found.reason]


def _id(number: int, place: int) -> str:
    return str(uuid.UUID(int=number * 100 + place))


#: The type of a table's rows keeps its name where a planted table hides the table.
_POPULATED = '"{0}" AS (SELECT * FROM jsonb_populate_recordset(NULL::public."{0}", %(planted_{0})s::jsonb))'


class _Planted:
    """The connection, with tables of one's own."""

    def __init__(self, world: World) -> None:
        self._tables = {model._meta.db_table: json.dumps(rows) for model, rows in world.items()}

    def cursor(self) -> _PlantedCursor:
        return _PlantedCursor(self._tables)


class _PlantedCursor:
    def __init__(self, tables: Mapping[str, str]) -> None:
        self._tables = tables
        self._cursor = connection.cursor()

    def __enter__(self) -> _PlantedCursor:
        return self

    def __exit__(self, *error: object) -> None:
        self._cursor.close()

    def execute(self, statement: str, values: Mapping[str, Any] | None = None) -> None:
        if values is None:
            self._cursor.execute(statement)
        else:
            self._cursor.execute(*self._with_tables(statement, values))

    def copy(self, statement: str, values: Mapping[str, Any]) -> Any:
        return self._cursor.copy(*self._with_tables(statement, values))

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchall(self) -> Any:
        return self._cursor.fetchall()

    def _with_tables(self, statement: str, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The statement behind the planted tables: before its own parts, if it has any."""
        planted = ", ".join(_POPULATED.format(table) for table in self._tables)
        rows = {f"planted_{table}": text for table, text in self._tables.items()}
        head, found, rest = statement.partition("WITH ")
        whole = f"{head}WITH {planted}, {rest}" if found else f"WITH {planted}\n{statement}"
        return whole, {**values, **rows}
