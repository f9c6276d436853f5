"""Tasks, battles, lanes, steps and frames as they leave in a snapshot."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import connection

from battles.imagery.masks import NotExamined, exported_image
from battles.lanes.vocabulary import VERBS
from battles.models import Frame, Step, Task
from battles.redacted_texts import Details, hidden_row, known_details
from battles.screening.overlap import OVERLAP_POSTURE
from governance.exports import (
    Column,
    ColumnKind,
    ExportFact,
    ExportRule,
    ExportTable,
    ExportUniverse,
    Form,
    Row,
    register_fact,
    register_preparation,
    register_rule,
    register_table,
    register_universe,
)

ID, CODE, CODES, WHOLE = ColumnKind.ID, ColumnKind.CODE, ColumnKind.CODES, ColumnKind.WHOLE
NUMBER, FLAG, INSTANT, JUDGE = ColumnKind.NUMBER, ColumnKind.FLAG, ColumnKind.INSTANT, ColumnKind.JUDGE
TEXT, ADDRESS, DATA, BYTES = ColumnKind.TEXT, ColumnKind.ADDRESS, ColumnKind.DATA, ColumnKind.BYTES

#: Lanes of chosen battles, also of an attempt that broke; one that still runs is nobody's business yet.
LANES = """
    FROM battles_lane lane
    JOIN battles_attempt attempt ON attempt.id = lane.attempt_id AND attempt.outcome <> 'running'
    JOIN snapshot_battle chosen ON chosen.id = attempt.battle_id
"""
_TYPED = f"""
    SELECT lane.id, task.instruction, task.start_url, step.arguments::text, step.target::text
    {LANES}
    JOIN battles_battle battle ON battle.id = attempt.battle_id JOIN battles_task task ON task.id = battle.task_id
    LEFT JOIN battles_step step ON step.lane_id = lane.id AND jsonb_exists_any(step.arguments, '{{text,option,keys}}')
    WHERE NOT chosen.private ORDER BY task.id, lane.id, step.number
"""
_STATED = """
    SELECT task.id, task.instruction, task.start_url
    FROM battles_task task JOIN snapshot_task chosen ON chosen.id = task.id WHERE NOT chosen.private
"""
#: Rows fetched, and lanes written, at once.
FETCHED = 500
_DETECTORS = ("text_redaction", "picture_redaction")

register_universe(
    ExportUniverse(
        "battle",
        "battles",
        "tasks",
        """SELECT battle.id, task.receipt_id AS receipt, task.judge_id AS judge,
               task.withdrawn_at IS NOT NULL AS withdrawn
        FROM battles_battle battle JOIN battles_task task ON task.id = battle.task_id
        WHERE battle.created_at <= %(at)s""",
    )
)
register_rule(
    ExportRule(
        "battle",
        "secret",
        "It checks or trains judges, who may still meet it.",
        "SELECT id FROM battles_battle WHERE kind IN ('gold', 'calibration')",
    )
)
register_rule(
    ExportRule(
        "battle",
        "unfinished",
        "It had not been raced to its end.",
        """SELECT id FROM battles_battle
        WHERE coalesce(votable_at > %(at)s, TRUE) AND (state <> 'void' OR voided_at > %(at)s)""",
    )
)
register_universe(
    ExportUniverse(
        "task",
        "tasks",
        "tasks",
        """SELECT id, receipt_id AS receipt, judge_id AS judge, withdrawn_at IS NOT NULL AS withdrawn
        FROM battles_task WHERE created_at <= %(at)s""",
        counts_for="task",
    )
)
register_rule(
    ExportRule(
        "task",
        "no_battle",
        "None of its battles is in the snapshot.",
        """SELECT task.id FROM battles_task task WHERE NOT EXISTS (
            SELECT FROM battles_battle battle JOIN snapshot_battle chosen ON chosen.id = battle.id
            WHERE battle.task_id = task.id)""",
    )
)
register_rule(
    ExportRule(
        "task",
        "never_offered",
        "Its submitter never offered a battle of it to other judges.",
        """SELECT battle.task_id FROM battles_battle battle JOIN snapshot_battle chosen ON chosen.id = battle.id
        GROUP BY battle.task_id HAVING bool_and(chosen.private)""",
        only_texts=True,
    )
)
register_universe(
    ExportUniverse(
        "image",
        "images of frames",
        "",
        f"""SELECT frame.id, NULL::uuid AS receipt, NULL::varchar AS judge, FALSE AS withdrawn
        {LANES} JOIN battles_frame frame ON frame.lane_id = lane.id WHERE attempt.ended_at <= %(at)s""",
        grows=True,
    )
)
register_rule(
    ExportRule(
        "image",
        "not_stored",
        "The image could not be stored, or was deleted when its time was over.",
        "SELECT id FROM battles_frame WHERE size = 0",
    )
)
register_rule(
    ExportRule(
        "image",
        "never_offered",
        "Its battle was never offered to other judges.",
        f"SELECT frame.id {LANES} JOIN battles_frame frame ON frame.lane_id = lane.id WHERE chosen.private",
    )
)
for fact in (Frame.Redaction.NOT_EXAMINED, Frame.Redaction.DETECTOR_FAILED):
    register_rule(
        ExportRule(
            "image",
            fact.value,
            "One of the two detectors of personal data has not looked at it."
            if fact == Frame.Redaction.NOT_EXAMINED
            else "One of the two detectors of personal data failed on it.",
            f"SELECT id FROM battles_frame WHERE '{fact.value}' IN ({', '.join(_DETECTORS)})",  # noqa: S608
        )
    )

register_table(
    ExportTable(
        "agents",
        "An agent that raced: a pinned model version with an adapter.",
        (
            Column("agent", CODE, "key", "Key of the agent."),
            Column("name", CODE, "name", "Its name."),
            Column("provider", CODE, "provider", "Who provides the model."),
            Column("adapter", CODE, "adapter", "Which adapter drives it."),
            Column("model_version", CODE, "model_version", "The pinned version."),
            Column("kind", CODE, "kind", "model, or baseline."),
            Column(
                "affiliated_from",
                INSTANT,
                "CASE WHEN affiliated_from <= %(at)s THEN affiliated_from END",
                "Since when the operator has a stake in it; null where it has none.",
            ),
            Column("joined_at", INSTANT, "created_at", "When it joined the roster."),
            Column(
                "retired_at",
                INSTANT,
                "CASE WHEN retired_at <= %(at)s THEN retired_at END",
                "When it was retired; null while it is active.",
            ),
        ),
        """FROM battles_agent WHERE key IN (
            SELECT battle.agent_a_id FROM battles_battle battle JOIN snapshot_battle chosen ON chosen.id = battle.id
            UNION SELECT battle.agent_b_id FROM battles_battle battle
            JOIN snapshot_battle chosen ON chosen.id = battle.id)""",
        "key",
        form=Form.JSONL,
    )
)
register_table(
    ExportTable(
        "tasks",
        "What a person, or a practice site, wants done in a browser.",
        (
            Column("task", ID, "task.id", "Identifier of the task."),
            Column("submitter", JUDGE, "task.judge_id", "Who posted it; null for practice tasks."),
            Column("consent_version", WHOLE, "receipt.text_id", "The consent sentence it was given under."),
            Column("instruction", TEXT, "task.instruction", "What was asked."),
            Column("start_url", ADDRESS, "task.start_url", "Where both lanes begin."),
            Column("hosts", DATA, "to_json(task.hosts)::text", "Hosts that the task is about."),
            Column("kind", CODE, "task.kind", "answer, or action."),
            Column("category", CODE, "task.category", "Kind of errand."),
            Column("overlap", CODE, "task.overlap", "Screened against public benchmarks: novel, or near."),
            Column("overlap_match", TEXT, "task.overlap_match", "The public item that it is near to."),
            Column("practice_key", CODE, "task.practice_key", "Key of a practice task; empty for posted ones."),
            Column("posted_at", INSTANT, "task.created_at", "When it was posted."),
        ),
        """FROM battles_task task JOIN snapshot_task chosen ON chosen.id = task.id
        LEFT JOIN snapshot_task_detail detail ON detail.task_id = task.id
        LEFT JOIN governance_consentreceipt receipt ON receipt.id = task.receipt_id""",
        "task.id",
        private="chosen.private",
        known="detail.known",
        hide=hidden_row,
    )
)
register_table(
    ExportTable(
        "battles",
        "One task raced by two agents.",
        (
            Column("battle", ID, "battle.id", "Identifier of the battle."),
            Column("task", ID, "battle.task_id", "The task."),
            Column("kind", CODE, "battle.kind", "live, or practice."),
            Column(
                "state",
                CODE,
                "CASE WHEN battle.state = 'void' AND battle.voided_at > %(at)s THEN 'votable' ELSE battle.state END",
                "Where it stands; void counts for nobody.",
            ),
            Column("agent_a", CODE, "battle.agent_a_id", "Agent in slot A."),
            Column("agent_b", CODE, "battle.agent_b_id", "Agent in slot B."),
            Column("pair_probability", NUMBER, "battle.pair_probability", "Chance with which this pair was drawn."),
            Column("judges_needed", WHOLE, "battle.judges_needed", "Judges asked for, drawn when it was made."),
            Column("leak_scan", CODE, "battle.leak_scan", "Whether visible text named an agent."),
            Column("starts_differ", FLAG, "battle.starts_differ", "The lanes began from visibly different pages."),
            Column("offered", FLAG, "NOT chosen.private", "False where only its submitter saw it: texts are withheld."),
            Column("created_at", INSTANT, "battle.created_at", "When it was drawn."),
            Column("votable_at", INSTANT, "battle.votable_at", "When it could first be judged."),
        ),
        "FROM battles_battle battle JOIN snapshot_battle chosen ON chosen.id = battle.id",
        "battle.id",
        private="chosen.private",
    )
)
register_table(
    ExportTable(
        "lanes",
        "One agent's run in a battle.",
        (
            Column("lane", ID, "lane.id", "Identifier of the lane."),
            Column("battle", ID, "attempt.battle_id", "The battle."),
            Column("attempt", WHOLE, "attempt.number", "Which try at racing it."),
            Column("attempt_outcome", CODE, "attempt.outcome", "finished counts; broken is kept for the record."),
            Column("slot", CODE, "lane.slot", "A or B."),
            Column("agent", CODE, "lane.agent_id", "Who ran."),
            Column("agent_version", CODE, "lane.agent_version", "The version that ran."),
            Column("budget_steps", WHOLE, "lane.budget_steps", "Steps granted."),
            Column("budget_seconds", NUMBER, "lane.budget_seconds", "Seconds granted."),
            Column("ended", CODE, "lane.ended", "How it ended."),
            Column("seconds", NUMBER, "lane.seconds", "Seconds from start to end."),
            Column("steps_charged", WHOLE, "lane.steps_charged", "Steps that counted against the budget."),
            Column("answer", TEXT, "lane.answer", "The final answer."),
            Column("passed", FLAG, "lane.passed", "What a practice task's check said; null where there is none."),
            Column("started_at", INSTANT, "lane.started_at", "When it started."),
            Column("ended_at", INSTANT, "lane.ended_at", "When it ended."),
        ),
        LANES + "LEFT JOIN snapshot_detail detail ON detail.lane_id = lane.id WHERE attempt.ended_at <= %(at)s",
        "lane.id",
        private="chosen.private",
        known="detail.known",
        hide=hidden_row,
    )
)
_STEP_COLUMNS = (
    Column("lane", ID, "step.lane_id", "The lane."),
    Column("number", WHOLE, "step.number", "Place in the lane; 0 is the start page."),
    Column("step", ID, "step.id", "Identifier of the step."),
    Column(
        "verb",
        CODE,
        "CASE WHEN step.verb = ANY (%(verbs)s) THEN step.verb ELSE 'unknown' END",
        "Entry of the shared action vocabulary; empty for the start page, unknown for what is none.",
    ),
    Column("arguments", DATA, "step.arguments::text", "Arguments of the verb, JSON."),
    Column("reasoning", TEXT, "step.reasoning", "What the agent said beside it."),
    Column("charged", FLAG, "step.charged", "Counted against the budget."),
    Column("ok", FLAG, "step.ok", "Whether it could be done."),
    Column("code", CODE, "step.code", "What kind of error; empty without one."),
    Column("result", TEXT, "step.result", "What the agent was told."),
    Column("page_text", TEXT, "step.page_text", "Text that was read."),
    Column("changes", DATA, "step.changes::text", "What changed on the page, JSON."),
    Column("target", DATA, "step.target::text", "The element that was aimed at, JSON."),
    Column("refusals", DATA, "step.refusals::text", "Loads that the egress rules refused, JSON."),
    Column("url_before", ADDRESS, "step.url_before", "Address before."),
    Column("url_after", ADDRESS, "step.url_after", "Address after."),
    Column("title", TEXT, "step.title", "Title of the page after."),
    Column("tabs", WHOLE, "step.tabs", "Open tabs after."),
    Column("page_before", CODE, "step.page_before", "Fingerprint of the page before."),
    Column("page_after", CODE, "step.page_after", "Fingerprint of the page after."),
    Column("overlay", CODE, "step.overlay", "What covered the page; empty for nothing."),
    Column("wall", CODE, "step.wall", "Key of the bot wall that the page is; empty for none."),
    Column("frame", ID, "step.frame_id", "The screenshot after the step."),
    Column("observe_ms", WHOLE, "step.observe_ms", "Milliseconds of looking."),
    Column("model_ms", WHOLE, "step.model_ms", "Milliseconds of waiting for the model."),
    Column("act_ms", WHOLE, "step.act_ms", "Milliseconds of acting."),
    Column("clock", NUMBER, "step.clock", "Seconds on the lane's clock at its end."),
    Column("model_called", FLAG, "step.model_called", "Whether a model was asked."),
    Column("input_plain", WHOLE, "step.input_plain", "Input tokens at the plain price; null where not reported."),
    Column("input_cache_read", WHOLE, "step.input_cache_read", "Input tokens read from the cache."),
    Column("input_cache_write", WHOLE, "step.input_cache_write", "Input tokens written to the cache."),
    Column("output", WHOLE, "step.output", "Output tokens, reasoning included."),
    Column("output_reasoning", WHOLE, "step.output_reasoning", "Output tokens of reasoning, a part of output."),
)
register_table(
    ExportTable(
        "steps",
        "One observation, one executed verb, its effect.",
        _STEP_COLUMNS,
        LANES
        + """JOIN battles_step step ON step.lane_id = lane.id
        LEFT JOIN snapshot_detail detail ON detail.lane_id = lane.id WHERE attempt.ended_at <= %(at)s""",
        "step.lane_id, step.number",
        private="chosen.private",
        known="detail.known",
        hide=hidden_row,
        together=("arguments", "changes", "target", "refusals"),
        values={"verbs": ["", *VERBS]},
    )
)
register_table(
    ExportTable(
        "frames",
        "One screenshot: what is known of it, and the digest of its image where that leaves.",
        (
            Column("frame", ID, "frame.id", "Identifier of the frame."),
            Column("lane", ID, "frame.lane_id", "The lane."),
            Column(
                "image",
                ID,
                """CASE WHEN image.id IS NOT NULL THEN
                    min(frame.id::text) FILTER (WHERE image.id IS NOT NULL) OVER (PARTITION BY frame.sha256) END""",
                "Its image in the table images; null where that was left out.",
            ),
            Column("width", WHOLE, "frame.width", "Pixels."),
            Column("height", WHOLE, "frame.height", "Pixels."),
            Column("taken_at", INSTANT, "frame.taken_at", "When it was taken."),
            Column("text_redaction", CODE, "frame.text_redaction", "What the detector on page texts came to."),
            Column("picture_redaction", CODE, "frame.picture_redaction", "What the detector on pictures came to."),
        ),
        LANES
        + """JOIN battles_frame frame ON frame.lane_id = lane.id
        LEFT JOIN snapshot_image image ON image.id = frame.id WHERE attempt.ended_at <= %(at)s""",
        "frame.id",
        private="chosen.private",
    )
)


def _with_image(row: Row) -> Row:
    """The row with the image's bytes as they may leave; null where there are none."""
    image, mime, _, *rest = row
    try:
        shown: bytes | None = exported_image(Frame.objects.get(pk=image))
    except (FileNotFoundError, NotExamined, ValueError):
        shown = None
    return (image, mime, shown, *rest)


register_table(
    ExportTable(
        "images",
        "An image that frames show, once however many do, with everything masked that was found in any of them.",
        (
            Column("image", ID, "min(frame.id::text)", "Identifier of the first frame that shows it."),
            Column("mime", CODE, "min(frame.mime)", "Its type."),
            Column("bytes", BYTES, "NULL::bytea", "The encoded image; null where the store lost it."),
        ),
        "FROM battles_frame frame JOIN snapshot_image image ON image.id = frame.id GROUP BY frame.sha256",
        "min(frame.id::text)",
        complete=_with_image,
    )
)


def prepare_details(at: datetime) -> None:
    """Fill ``snapshot_detail`` and ``snapshot_task_detail``: what a lane, or a task alone, holds that is personal
    wherever it comes again.
    """
    _prepare("snapshot_detail", "lane_id", ((lane, known_details(task, typed)) for lane, task, typed in _typed()))
    _prepare("snapshot_task_detail", "task_id", ((task.pk, known_details(task, ())) for task in _stated()))


def _prepare(table: str, key: str, details: Iterable[tuple[uuid.UUID, Details]]) -> None:
    """A table of rows of which something is known, with that as JSON."""
    rows = ((row, json.dumps(known, ensure_ascii=False, sort_keys=True)) for row, known in details if known)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{table}")
        cursor.execute(f"CREATE TEMPORARY TABLE {table} ({key} uuid PRIMARY KEY, known text) ON COMMIT DROP")
        while some := list(itertools.islice(rows, FETCHED)):
            cursor.executemany(f"INSERT INTO {table} VALUES (%s, %s)", some)  # noqa: S608 - names of ours


def _typed() -> Iterator[tuple[uuid.UUID, Task, list[Step]]]:
    """Lanes whose words leave, with what was asked of them and their steps that typed something."""
    for (lane, instruction, start_url), steps in itertools.groupby(_rows(_TYPED), key=lambda row: row[:3]):
        yield (
            lane,
            Task(instruction=instruction, start_url=start_url),
            [
                Step(arguments=json.loads(arguments), target=target and json.loads(target))
                for *_, arguments, target in steps
                if arguments
            ],
        )


def _stated() -> Iterator[Task]:
    """Tasks whose words leave."""
    for task, instruction, start_url in _rows(_STATED):
        yield Task(pk=task, instruction=instruction, start_url=start_url)


def _rows(statement: str) -> Iterator[Row]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement)
        yield from itertools.chain.from_iterable(iter(lambda: cursor.fetchmany(FETCHED), []))


register_preparation("details", prepare_details)


def overlap_screening(at: datetime) -> dict[str, Any]:
    """How tasks are screened against public benchmarks, and how well that was measured to do."""
    return {
        "duplicate_cosine": OVERLAP_POSTURE.duplicate_cosine,
        "duplicate_containment": OVERLAP_POSTURE.duplicate_containment,
        "near_cosine": OVERLAP_POSTURE.near_cosine,
        "near_containment": OVERLAP_POSTURE.near_containment,
        "containment_min_words": OVERLAP_POSTURE.containment_min_words,
        "measured": OVERLAP_POSTURE.measured,
    }


register_fact(ExportFact("overlap_screening", overlap_screening))
