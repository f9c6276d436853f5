"""The lane facts: what is counted of a lane's steps and answer, once, when its race has finished.

Every statement about a million steps would otherwise read them again. A lane whose facts are missing, or were computed
by another definition than the one in force, gets them from :func:`complete_lane_facts`, which every reader calls first;
the definition is named by the digest of the statement, so that none can change unnoticed. What may change after the
race is no fact: prices, votes, how a battle stands, and which board it is on are joined by whoever asks.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass

from django.db import connection, transaction

from battles.evidence import ANSWER_CHARACTERS
from battles.lanes.vocabulary import KINDS
from battles.step_facts import CLEAR_WITHIN, FOLDED_STEPS, LEAVE_WITHIN, SAME_PAGES, runs

#: Advisory lock of PostgreSQL: lanes are completed by one at a time, and while nobody erases what they show.
LOCK = 7_321
#: What a sort may take before PostgreSQL writes it to disk: more steps take more disk, not more memory.
_SORTING_MEMORY = "64MB"

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
_BLANKS = r"E' \t\r\n'"
_OFF = """(SELECT count(*) FROM unnest(folded.loaded_hosts) AS host WHERE NOT EXISTS (
    SELECT FROM unnest(task.hosts) AS own
    WHERE host = own OR right(host, length(own) + 1) = '.' || own))"""

#: What facts are read from: the lanes that are wanted, and what is joined to them.
PARTS = {
    "answer": "",
    "steps": f"LEFT JOIN ({FOLDED_STEPS}) folded ON folded.lane_id = wanted.lane_id",
    "hosts": "JOIN battles_task task ON task.id = wanted.task_id",
    "evidence": f"""LEFT JOIN LATERAL (
        SELECT array_agg(DISTINCT {_folded_text("match[1]")}) AS parts
        FROM regexp_matches(left(wanted.answer, {ANSWER_CHARACTERS}), '({_VALUES})', 'g') AS match
    ) searched ON TRUE
    LEFT JOIN (
        SELECT step.lane_id, {_folded_text("string_agg(concat_ws(' ', step.title, step.page_text), ' ')")} AS text
        FROM battles_step step JOIN wanted ON wanted.lane_id = step.lane_id
        WHERE step.page_text <> '' GROUP BY step.lane_id
    ) captured ON captured.lane_id = wanted.lane_id""",  # noqa: S608
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A column of :class:`~battles.models.LaneFacts`: an expression over the parts it needs."""

    expression: str
    parts: tuple[str, ...] = ("steps",)


def _lines(pattern: str) -> Fact:
    """How often a pattern occurs in the answer; ^ begins a line."""
    return Fact(f"regexp_count(wanted.answer, '{pattern}', 1, 'n')", ("answer",))


_COUNTS = (
    "steps",
    *(f"{kind}_actions" for kind in KINDS),
    *("acts", "repeats", "compared_clicks", "dead_clicks", "aimed", "missed", "errors", "early_errors", "recovered"),
    *("loads", "tried", "blocked", "model_ms", "calls", "unknown_calls"),
    *("input_plain", "input_cache_read", "input_cache_write", "output"),
)
#: By the name of the column.
FACTS = {
    **{name: Fact(f"coalesce(folded.{name}, 0)") for name in _COUNTS},
    "loops": Fact(f"coalesce(folded.equal_steps, FALSE) OR {SAME_PAGES}"),
    "returns": Fact("coalesce(folded.loads - folded.addresses, 0)"),
    "hosted_loads": Fact(
        "CASE WHEN cardinality(task.hosts) > 0 THEN coalesce(folded.loads, 0) ELSE 0 END", ("steps", "hosts")
    ),
    "off_site": Fact(f"CASE WHEN cardinality(task.hosts) > 0 THEN {_OFF} ELSE 0 END", ("steps", "hosts")),
    "overlays": Fact(runs(1)),
    "cleared": Fact(runs(1, CLEAR_WITHIN)),
    "walls": Fact(runs(2)),
    "walls_left": Fact(runs(2, LEAVE_WITHIN)),
    "step_ms": Fact("coalesce(folded.step_ms, ARRAY[]::int[])"),
    "answer_characters": Fact("char_length(wanted.answer)", ("answer",)),
    "answer_words": Fact(
        rf"""CASE WHEN btrim(wanted.answer, {_BLANKS}) = '' THEN 0
        ELSE cardinality(regexp_split_to_array(btrim(wanted.answer, {_BLANKS}), '\s+')) END""",
        ("answer",),
    ),
    "answer_headers": _lines(r"^ {0,3}#{1,6}[ \t]"),
    "answer_lists": _lines(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]"),
    "answer_bold": _lines(r"\*\*[^*\n]+\*\*|__[^_\n]+__"),
    "answer_values": Fact("coalesce(cardinality(searched.parts), 0)", ("evidence",)),
    "answer_values_found": Fact(
        f"(SELECT count(*) FROM unnest(searched.parts) AS part WHERE {_FOUND})",  # noqa: S608
        ("evidence",),
    ),
}

#: One row a lane of ``wanted (lane_id, answer, task_id)``.
_COUNTED = f"""
    SELECT wanted.lane_id, {", ".join(f"{fact.expression} AS {name}" for name, fact in FACTS.items())}
    FROM wanted {" ".join(PARTS.values())}
"""  # noqa: S608
#: The definition in force. Rows of another one are as good as missing.
DEFINITION = hashlib.sha256(_COUNTED.encode()).hexdigest()

#: All lanes are set against all facts first, so that no plan looks lane by lane, as one did before the tables had
#: statistics; what is left over is little, or has to be counted anyway.
_LACKING = """
    WITH bare AS MATERIALIZED (
        SELECT id FROM battles_lane EXCEPT SELECT lane_id FROM battles_lanefacts WHERE definition = %(definition)s
    )
    SELECT lane.id FROM bare JOIN battles_lane lane ON lane.id = bare.id
    JOIN battles_attempt attempt ON attempt.id = lane.attempt_id AND attempt.outcome = 'finished'
"""
_WANTED = """
    SELECT lane.id AS lane_id, lane.answer, battle.task_id
    FROM battles_lane lane JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
    JOIN battles_battle battle ON battle.id = attempt.battle_id
"""


def _storing(wanted: str) -> str:
    """The statement that computes and stores the facts of the lanes wanted."""
    names = ["definition", *FACTS]
    return f"""
        WITH wanted AS MATERIALIZED ({wanted})
        INSERT INTO battles_lanefacts (lane_id, {", ".join(names)})
        SELECT lane_id, %(definition)s, {", ".join(FACTS)} FROM ({_COUNTED}) counted
        ON CONFLICT (lane_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in names)}
    """  # noqa: S608


_OF_AN_ATTEMPT = _storing(f"{_WANTED} WHERE attempt.id = %(attempt)s")
_OF_ALL_LACKING = _storing(f"{_WANTED} WHERE lane.id IN ({_LACKING})")


def store_lane_facts(attempt_id: uuid.UUID) -> None:
    """Count the lanes of an attempt that has ended; its caller holds the battle."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_AN_ATTEMPT, {"definition": DEFINITION, "attempt": attempt_id})


def complete_lane_facts() -> int:
    """Have the facts of every lane of a finished attempt, by the definition in force; gives how many were missing.

    Where none is, this is one look at the lanes. A first run over a million steps takes as long as a few dozen scans.
    """
    values = {"definition": DEFINITION}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS ({_LACKING})", values)
        if not cursor.fetchone()[0]:
            return 0
        hold_lane_facts()
        cursor.execute(f"SET LOCAL work_mem = '{_SORTING_MEMORY}'")
        cursor.execute(_OF_ALL_LACKING, values)
        return int(cursor.rowcount)


def hold_lane_facts() -> None:
    """Until this transaction ends, nobody counts what it is about to erase."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
