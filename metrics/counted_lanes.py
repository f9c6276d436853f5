"""The lanes of a board with what measures count of each, in a table that lasts as long as the transaction.

What is counted of steps and answers was counted when the race finished (:mod:`battles.lane_facts`); here it meets what
may still change. A column belongs to parts, and a part to the tables it reads. Only the parts of the columns that are
asked for are joined, so that a measure is read from no record that it does not name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from battles.lane_facts import DEFINITION
from battles.lanes.vocabulary import KINDS
from metrics.population import LANES, NOT_VOID, OF_THE_BOARD, board_values, joined_values, row_of
from ratings.models import Board


class FactsMissing(Exception):
    """A lane of the board has not been counted by the definition in force: somebody changed it at this moment."""


#: What each part joins to the lanes.
_JOINS = {
    "lane": "",
    "task": "JOIN battles_task task ON task.id = battle.task_id",
    "facts": "LEFT JOIN battles_lanefacts facts ON facts.lane_id = lane.id AND facts.definition = %(definition)s",
    "marks": """LEFT JOIN (
        SELECT completion.lane_id, count(*) AS marks, count(*) FILTER (WHERE completion.verdict = 'done') AS done
        FROM judging_completion completion JOIN counted_votes vote ON vote.id = completion.vote_id AND vote.reason = 0
        WHERE completion.verdict <> 'cannot_tell' GROUP BY completion.lane_id
    ) marks ON marks.lane_id = lane.id""",
    "price": """LEFT JOIN LATERAL (
        SELECT entry.input_plain AS plain_rate, entry.output AS output_rate,
               coalesce(entry.input_cache_read, entry.input_plain) AS read_rate,
               coalesce(entry.input_cache_write, entry.input_plain) AS write_rate
        FROM battles_price entry
        WHERE entry.model_version = lane.agent_version AND entry.effective_from <= lane.started_at
        ORDER BY entry.effective_from DESC LIMIT 1
    ) price ON TRUE""",
}


@dataclass(frozen=True, slots=True)
class Column:
    """What is counted of a lane: an expression over the parts it needs."""

    expression: str
    parts: tuple[str, ...] = ("lane",)


def _whether(condition: str, *parts: str) -> Column:
    return Column(f"({condition})::int", parts or ("lane",))


def _fact(name: str) -> Column:
    return Column(f"facts.{name}", ("facts",))


_FULL_USAGE = "facts.calls > 0 AND facts.unknown_calls = 0"
_COST = """(facts.input_plain * price.plain_rate + facts.input_cache_read * price.read_rate
    + facts.input_cache_write * price.write_rate + facts.output * price.output_rate) / 1000000"""
_MARKED = "coalesce(marks.marks, 0) > 0"
_COMPLETE = "coalesce(marks.done * 2 > marks.marks, FALSE)"
_PRICED = f"{_FULL_USAGE} AND price.plain_rate IS NOT NULL"
_TOKENS_IN = "facts.input_plain + facts.input_cache_read + facts.input_cache_write"

COLUMNS = {
    "one": Column("1"),
    "claimed": _whether("lane.ended = 'answered'"),
    "self_ended": _whether("lane.ended IN ('answered', 'gave_up')"),
    "capped": _whether("lane.ended IN ('step_budget', 'time_budget')"),
    "gave_up": _whether("lane.ended = 'gave_up'"),
    "seconds": Column("lane.seconds"),
    "words": Column("nullif(facts.answer_words, 0)", ("facts",)),
    "asks": _whether("task.kind = 'answer'", "task"),
    "answers": _whether("task.kind = 'answer' AND facts.answer_words > 0", "task", "facts"),
    "marked": _whether(_MARKED, "marks"),
    "complete": _whether(_COMPLETE, "marks"),
    "marked_claims": _whether(f"lane.ended = 'answered' AND {_MARKED}", "marks"),
    "false_claims": _whether(f"lane.ended = 'answered' AND {_MARKED} AND NOT {_COMPLETE}", "marks"),
    "steps": _fact("steps"),
    "step_ms": _fact("step_ms"),
    "actions": Column(" + ".join(f"facts.{kind}_actions" for kind in KINDS), ("facts",)),
    **{kind: _fact(f"{kind}_actions") for kind in KINDS},
    "compared_clicks": _fact("compared_clicks"),
    "dead_clicks": _fact("dead_clicks"),
    "aimed": _fact("aimed"),
    "missed": _fact("missed"),
    "acts": _fact("acts"),
    "repeats": _fact("repeats"),
    "loops": _whether("facts.loops", "facts"),
    "loads": _fact("loads"),
    "returns": _fact("returns"),
    "hosted_loads": _fact("hosted_loads"),
    "off_site": _fact("off_site"),
    "tried": _fact("tried"),
    "blocked": _fact("blocked"),
    "errors": _fact("errors"),
    "early_errors": _fact("early_errors"),
    "recovered": _fact("recovered"),
    "overlays": _fact("overlays"),
    "cleared": _fact("cleared"),
    "walled": _whether("facts.walls > 0", "facts"),
    "walls": _fact("walls"),
    "walls_left": _fact("walls_left"),
    "hindered": _whether("facts.walls > 0 OR facts.blocked > 0", "facts"),
    "model_seconds": Column("least(facts.model_ms / 1000.0, lane.seconds)", ("facts",)),
    "calls": _fact("calls"),
    "unknown_calls": _fact("unknown_calls"),
    "tokens_in": Column(f"CASE WHEN {_FULL_USAGE} THEN {_TOKENS_IN} END", ("facts",)),
    "tokens_out": Column(f"CASE WHEN {_FULL_USAGE} THEN facts.output END", ("facts",)),
    "cost": Column(f"CASE WHEN {_FULL_USAGE} THEN {_COST} END", ("facts", "price")),
    "judged_cost": Column(f"CASE WHEN {_PRICED} AND {_MARKED} THEN {_COST} END", ("facts", "price", "marks")),
    "judged_complete": _whether(f"{_PRICED} AND {_COMPLETE}", "facts", "price", "marks"),
    "parts": _fact("answer_values"),
    "found": _fact("answer_values_found"),
}


def needs_marks(columns: Collection[str]) -> bool:
    """Whether any of the columns speaks of what judges said of a lane."""
    return any("marks" in COLUMNS[name].parts for name in columns)


def needs_facts(columns: Collection[str]) -> bool:
    """Whether any of the columns was counted when the race finished; labels are read with steps that were."""
    return any({"facts", "marks"} & set(COLUMNS[name].parts) for name in columns)


def make_counted_lanes(columns: Collection[str], board: Board, at: datetime) -> None:
    """Fill the table with these columns; it lasts until the transaction ends.

    Args:
        columns: names of :data:`COLUMNS`.
        board: whose lanes.
        at: as of when.

    Raises:
        FactsMissing: what is wanted of a lane has not been counted.
    """
    parts = dict.fromkeys(part for name in columns for part in COLUMNS[name].parts)
    counted = "".join(f", {COLUMNS[name].expression} AS {name}" for name in columns)
    missing = "facts.lane_id IS NULL" if "facts" in parts else "FALSE"
    joins = " ".join(_JOINS[part] for part in parts)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.counted_lanes")
        cursor.execute(
            f"""CREATE TEMPORARY TABLE counted_lanes ON COMMIT DROP AS
            SELECT {row_of("lane.agent_id")} AS agent, battle.id AS battle, {missing} AS missing{counted}
            FROM {LANES} {joins} WHERE {OF_THE_BOARD} AND {NOT_VOID}""",  # noqa: S608
            {**board_values(board, at), **joined_values(at), "definition": DEFINITION},
        )
        cursor.execute("SELECT EXISTS (SELECT FROM counted_lanes WHERE missing)")
        if cursor.fetchone()[0]:
            raise FactsMissing
        cursor.execute("ANALYZE counted_lanes (agent, battle)")
