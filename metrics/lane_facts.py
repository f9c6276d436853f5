"""The lane facts: one row a lane with what measures count, in a table that lasts as long as the transaction.

A column belongs to a part, and a part to the tables it reads. Only the parts of the columns that are asked for are
joined, so that a measure is read from no record that it does not name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import connection

from battles.lanes.vocabulary import KINDS
from metrics.population import LANES, NOT_VOID, OF_THE_BOARD
from metrics.step_facts import CLEAR_WITHIN, FOLDED_STEPS, LEAVE_WITHIN, SAME_PAGES, runs

#: Values of an answer that are looked for: dates with a month in words, other runs of two and more digits, names of two
#: and more words.
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_VALUES = "|".join(
    (
        rf"\d{{1,2}} {_MONTH}",
        rf"{_MONTH} \d{{1,2}}",
        r"\d[\d.,:/''’-]*\d",
        r"[[:upper:]][[:alpha:]''’-]+(?: [[:upper:]][[:alpha:]''’-]+)+",
    )
)
#: Longer answers are an essay; their first part is searched (:data:`battles.evidence.ANSWER_CHARACTERS`).
_SEARCHED = 8_000


def _folded_text(text: str) -> str:
    """One case, one kind of space, and no commas, which stand within numbers in some places only."""
    return f"replace(replace(lower({text}), ',', ''), E'\\n', ' ')"


#: A value stands in a text when nothing before or after makes it part of a longer one. A plain look finds most; where
#: the first place is within something longer, a slower search looks for another.
_AT = "strpos(captured.text, part)"
_FOUND = rf"""CASE WHEN {_AT} = 0 THEN FALSE
    WHEN substr(captured.text, {_AT} - 1, 1) ~ '[[:alnum:].]'
        OR substr(captured.text, {_AT} + length(part), 2) ~ '^([[:alnum:]]|[.]\d)'
    THEN captured.text ~ ('(?<![[:alnum:].])' || replace(part, '.', '[.]') || '(?![[:alnum:]]|[.]\d)')
    ELSE TRUE END"""

_ANSWERED = "btrim(lane.answer, E' \\t\\r\\n') <> ''"

#: What each part joins to the lanes.
_JOINS = {
    "lane": "",
    "task": "JOIN battles_task task ON task.id = battle.task_id",
    "steps": f"JOIN ({FOLDED_STEPS}) folded ON folded.lane_id = lane.id",
    "marks": """LEFT JOIN (
        SELECT completion.lane_id, count(*) AS marks, count(*) FILTER (WHERE completion.verdict = 'done') AS done
        FROM judging_completion completion JOIN unnest(%(rated)s::uuid[]) AS rated(vote) ON vote = completion.vote_id
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
    "evidence": f"""LEFT JOIN LATERAL (
        SELECT array_agg(DISTINCT {_folded_text("match[1]")}) AS parts
        FROM regexp_matches(left(lane.answer, {_SEARCHED}), '({_VALUES})', 'g') AS match
    ) searched ON TRUE
    LEFT JOIN (
        SELECT step.lane_id, {_folded_text("string_agg(concat_ws(' ', step.title, step.page_text), ' ')")} AS text
        FROM battles_step step
        WHERE step.page_text <> '' GROUP BY step.lane_id
    ) captured ON captured.lane_id = lane.id""",  # noqa: S608
}


@dataclass(frozen=True, slots=True)
class Column:
    """One fact of a lane: an expression over the parts it needs."""

    expression: str
    parts: tuple[str, ...] = ("lane",)


def _whether(condition: str, *parts: str) -> Column:
    return Column(f"({condition})::int", parts or ("lane",))


_FULL_USAGE = "folded.calls > 0 AND folded.unknown_calls = 0"
_COST = """(folded.plain * price.plain_rate + folded.cache_read * price.read_rate
    + folded.cache_write * price.write_rate + folded.output * price.output_rate) / 1000000"""
_MARKED = "coalesce(marks.marks, 0) > 0"
_COMPLETE = "coalesce(marks.done * 2 > marks.marks, FALSE)"
_PRICED = f"{_FULL_USAGE} AND price.plain_rate IS NOT NULL"
_OFF = """(SELECT count(*) FROM unnest(folded.loaded_hosts) AS host WHERE NOT EXISTS (
    SELECT FROM unnest(task.hosts) AS own
    WHERE host = own OR right(host, length(own) + 1) = '.' || own))"""

COLUMNS = {
    "one": Column("1"),
    "claimed": _whether("lane.ended = 'answered'"),
    "self_ended": _whether("lane.ended IN ('answered', 'gave_up')"),
    "capped": _whether("lane.ended IN ('step_budget', 'time_budget')"),
    "gave_up": _whether("lane.ended = 'gave_up'"),
    "seconds": Column("lane.seconds"),
    "words": Column(
        f"CASE WHEN {_ANSWERED} THEN cardinality(regexp_split_to_array(btrim(lane.answer, E' \\t\\r\\n'), '\\s+')) END"
    ),
    "asks": _whether("task.kind = 'answer'", "task"),
    "answers": _whether(f"task.kind = 'answer' AND {_ANSWERED}", "task"),
    "marked": _whether(_MARKED, "marks"),
    "complete": _whether(_COMPLETE, "marks"),
    "marked_claims": _whether(f"lane.ended = 'answered' AND {_MARKED}", "marks"),
    "false_claims": _whether(f"lane.ended = 'answered' AND {_MARKED} AND NOT {_COMPLETE}", "marks"),
    "steps": Column("folded.steps", ("steps",)),
    "step_ms": Column("folded.step_ms", ("steps",)),
    "actions": Column("folded.actions", ("steps",)),
    **{kind: Column(f"folded.{kind}", ("steps",)) for kind in KINDS},
    "compared_clicks": Column("folded.compared_clicks", ("steps",)),
    "dead_clicks": Column("folded.dead_clicks", ("steps",)),
    "aimed": Column("folded.aimed", ("steps",)),
    "missed": Column("folded.missed", ("steps",)),
    "acts": Column("folded.acts", ("steps",)),
    "repeats": Column("folded.repeats", ("steps",)),
    "loops": _whether(f"folded.equal_steps OR {SAME_PAGES}", "steps"),
    "loads": Column("folded.loads", ("steps",)),
    "returns": Column("folded.loads - folded.addresses", ("steps",)),
    "hosted_loads": Column("CASE WHEN cardinality(task.hosts) > 0 THEN folded.loads ELSE 0 END", ("steps", "task")),
    "off_site": Column(f"CASE WHEN cardinality(task.hosts) > 0 THEN {_OFF} ELSE 0 END", ("steps", "task")),
    "tried": Column("folded.tried", ("steps",)),
    "blocked": Column("folded.blocked", ("steps",)),
    "errors": Column("folded.errors", ("steps",)),
    "early_errors": Column("folded.early_errors", ("steps",)),
    "recovered": Column("folded.recovered", ("steps",)),
    "overlays": Column(runs(1), ("steps",)),
    "cleared": Column(runs(1, CLEAR_WITHIN), ("steps",)),
    "walled": _whether("folded.walls", "steps"),
    "walls": Column(runs(2), ("steps",)),
    "walls_left": Column(runs(2, LEAVE_WITHIN), ("steps",)),
    "hindered": _whether("folded.walls OR folded.blocked > 0", "steps"),
    "model_seconds": Column("least(folded.model_seconds, lane.seconds)", ("steps",)),
    "calls": Column("folded.calls", ("steps",)),
    "unknown_calls": Column("folded.unknown_calls", ("steps",)),
    "tokens_in": Column(
        f"CASE WHEN {_FULL_USAGE} THEN folded.plain + folded.cache_read + folded.cache_write END", ("steps",)
    ),
    "tokens_out": Column(f"CASE WHEN {_FULL_USAGE} THEN folded.output END", ("steps",)),
    "cost": Column(f"CASE WHEN {_FULL_USAGE} THEN {_COST} END", ("steps", "price")),
    "judged_cost": Column(f"CASE WHEN {_PRICED} AND {_MARKED} THEN {_COST} END", ("steps", "price", "marks")),
    "judged_complete": _whether(f"{_PRICED} AND {_COMPLETE}", "steps", "price", "marks"),
    "parts": Column("coalesce(cardinality(searched.parts), 0)", ("evidence",)),
    "found": Column(f"(SELECT count(*) FROM unnest(searched.parts) AS part WHERE {_FOUND})", ("evidence",)),  # noqa: S608
}


def needs_marks(columns: Collection[str]) -> bool:
    """Whether any of the columns speaks of what judges said of a lane."""
    return any("marks" in COLUMNS[name].parts for name in columns)


def make_lane_facts(columns: Collection[str], values: dict[str, Any]) -> None:
    """Fill the table with these columns; it lasts until the transaction ends.

    Args:
        columns: names of :data:`COLUMNS`.
        values: :func:`metrics.population.board_values`, and ``rated``: votes that rate, by identifier.
    """
    parts = dict.fromkeys(part for name in columns for part in COLUMNS[name].parts)
    facts = "".join(f", {COLUMNS[name].expression} AS {name}" for name in columns)
    joins = " ".join(_JOINS[part] for part in parts)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.lane_facts")
        cursor.execute(
            f"""CREATE TEMPORARY TABLE lane_facts ON COMMIT DROP AS
            SELECT lane.agent_id AS agent, battle.id AS battle, lane.slot{facts}
            FROM {LANES} {joins} WHERE {OF_THE_BOARD} AND {NOT_VOID}""",  # noqa: S608
            values,
        )
        cursor.execute("ANALYZE lane_facts")
