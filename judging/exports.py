"""Labels as they leave in a snapshot, each with the calibration of whoever gave it."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

import battles.exports  # noqa: F401  # its universes come first: labels hang on battles
from governance.exports import (
    Column,
    ColumnKind,
    ExportRule,
    ExportTable,
    ExportUniverse,
    Form,
    register_preparation,
    register_rule,
    register_table,
    register_universe,
)
from judging.calibration import Call
from judging.intervals import wilson_interval
from judging.models.votes import REVISABLE_FOR
from judging.settled_calls import settled_calls
from judging.visibility import REPEAT_WITHIN

ID, CODE, CODES, WHOLE = ColumnKind.ID, ColumnKind.CODE, ColumnKind.CODES, ColumnKind.WHOLE
NUMBER, FLAG, INSTANT, JUDGE = ColumnKind.NUMBER, ColumnKind.FLAG, ColumnKind.INSTANT, ColumnKind.JUDGE
TEXT = ColumnKind.TEXT

_TIMES = {"revisable": REVISABLE_FOR, "blind_for": REPEAT_WITHIN}
_FINAL_AT = "least(vote.locked_at, vote.cast_at + %(revisable)s)"

register_rule(
    ExportRule(
        "battle",
        "judged_blind",
        "Somebody may still judge it blind.",
        f"""SELECT battle.id FROM battles_battle battle
        WHERE battle.kind = 'live' AND NOT coalesce(battle.voided_at <= %(at)s, FALSE)
          AND NOT coalesce(battle.closed_at <= %(at)s, FALSE)
          AND NOT coalesce(battle.votable_at <= %(at)s - %(blind_for)s, FALSE)
          AND NOT (NOT EXISTS (SELECT FROM judging_offer offer
                               WHERE offer.battle_id = battle.id AND offer.offered_at <= %(at)s)
                   AND EXISTS (SELECT FROM judging_vote vote WHERE vote.battle_id = battle.id
                               AND vote.by_submitter AND {_FINAL_AT} <= %(at)s))""",  # noqa: S608
        values=_TIMES,
    )
)
register_rule(
    ExportRule(
        "battle",
        "never_offered",
        "Its submitter never offered it to other judges, so that only they saw it.",
        """SELECT battle.id FROM battles_battle battle
        WHERE battle.kind = 'live' AND NOT EXISTS (
            SELECT FROM judging_offer offer WHERE offer.battle_id = battle.id AND offer.offered_at <= %(at)s)""",
        only_texts=True,
    )
)
register_universe(
    ExportUniverse(
        "vote",
        "votes",
        "judgments",
        f"""SELECT vote.id, vote.receipt_id AS receipt, vote.judge_id AS judge,
               vote.withdrawn_at IS NOT NULL AS withdrawn
        FROM judging_vote vote WHERE {_FINAL_AT} <= %(at)s""",  # noqa: S608
        counts_for="vote",
        values=_TIMES,
    )
)
register_rule(
    ExportRule(
        "vote",
        "second_look",
        "Its judge is to look at the battle a second time.",
        f"""SELECT vote.id FROM judging_vote vote
        LEFT JOIN battles_battle battle ON battle.id = vote.battle_id
        WHERE {_FINAL_AT} > %(at)s - %(blind_for)s AND NOT coalesce(battle.voided_at <= %(at)s, FALSE)
          AND EXISTS (SELECT FROM judging_assignment seat
                      LEFT JOIN judging_assignment again ON again.first_id = seat.id
                      WHERE seat.battle_id = vote.battle_id AND seat.comes_back AND seat.outcome = 'voted'
                        AND (again.id IS NULL OR again.outcome IN ('open', 'expired')
                             OR again.ended_at > %(at)s - %(revisable)s))""",  # noqa: S608
        values=_TIMES,
    )
)
register_rule(
    ExportRule(
        "vote",
        "judged_blind",
        "A seat of its battle is still free.",
        f"""SELECT vote.id FROM judging_vote vote JOIN battles_battle battle ON battle.id = vote.battle_id
        WHERE battle.kind = 'live' AND {_FINAL_AT} > %(at)s - %(blind_for)s
          AND NOT coalesce(battle.voided_at <= %(at)s, FALSE) AND NOT coalesce(battle.closed_at <= %(at)s, FALSE)
          AND EXISTS (SELECT FROM judging_offer offer
                      WHERE offer.battle_id = battle.id AND offer.offered_at <= %(at)s)""",  # noqa: S608
        values=_TIMES,
    )
)
_LABELS = {
    "step_verdict": (
        "step verdicts",
        "judging_stepverdict",
        "battles_step shown ON shown.id = label.step_id",
    ),
    "annotation": (
        "annotations",
        "judging_annotation",
        "battles_frame shown ON shown.id = label.frame_id",
    ),
    "click": (
        "clicks",
        "judging_click",
        "battles_frame shown ON shown.id = label.frame_id",
    ),
}
_HELD_WITH_BATTLE = "Its battle is not in the snapshot."
register_rule(
    ExportRule(
        "vote",
        "no_battle",
        _HELD_WITH_BATTLE,
        """SELECT vote.id FROM judging_vote vote
        WHERE NOT EXISTS (SELECT FROM snapshot_battle chosen WHERE chosen.id = vote.battle_id)""",
    )
)
for _of, (_words, _table, _shown) in _LABELS.items():
    register_universe(
        ExportUniverse(
            _of,
            _words,
            "judgments",
            f"""SELECT id, receipt_id AS receipt, judge_id AS judge, erased_at IS NOT NULL AS withdrawn
            FROM {_table} WHERE at <= %(at)s""",  # noqa: S608
            counts_for=_of.replace("_", " "),
        )
    )
    register_rule(
        ExportRule(
            _of,
            "no_battle",
            _HELD_WITH_BATTLE,
            f"""SELECT label.id FROM {_table} label JOIN {_shown}
            JOIN battles_lane lane ON lane.id = shown.lane_id
            JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
            WHERE NOT EXISTS (SELECT FROM snapshot_battle chosen WHERE chosen.id = attempt.battle_id)""",  # noqa: S608
        )
    )

_GIVER = (
    Column("judge", JUDGE, "label.judge_id", "Who gave it."),
    Column("consent_version", WHOLE, "receipt.text_id", "The consent sentence it was given under."),
    Column("judge_trust", CODE, "judge.trust", "State of its judge's trust."),
    Column("judge_calls", WHOLE, "judge.calls", "How many calls of its judge could be scored."),
    Column("judge_right", WHOLE, "judge.calls_right", "How many of them were right."),
)
_FROM_GIVER = """
    JOIN governance_consentreceipt receipt ON receipt.id = label.receipt_id
    JOIN snapshot_calibration judge ON judge.judge_id = label.judge_id
"""
register_table(
    ExportTable(
        "judges",
        "Somebody who gave labels, and how often what could be scored was right. Keys differ between snapshots.",
        (
            Column("judge", JUDGE, "judge_id", "Opaque key, good for this snapshot only."),
            Column("trust", CODE, "trust", "new, trusted, untrusted or suspended."),
            Column("calls", WHOLE, "calls", "Scored calls: gold battles, and the majority of the other judges."),
            Column("gold_calls", WHOLE, "gold_calls", "Those on gold battles."),
            Column("right", WHOLE, "calls_right", "Right ones."),
            Column("gold_right", WHOLE, "gold_right", "Right ones on gold battles."),
            Column("lower", NUMBER, "lower", "95% Wilson interval of the share that is right; null without a call."),
            Column("upper", NUMBER, "upper", "Its other end."),
        ),
        "FROM snapshot_calibration",
        'judge_id COLLATE "C"',
        form=Form.JSONL,
    )
)
register_table(
    ExportTable(
        "votes",
        "One judge's label on one battle.",
        (
            Column("vote", ID, "label.id", "Identifier of the vote."),
            Column("battle", ID, "label.battle_id", "The battle."),
            *_GIVER,
            Column("choice", CODE, "label.choice", "lane, tie, or both_bad."),
            Column("winner", ID, "label.winner_id", "The better lane; null without one."),
            Column("winner_slot", CODE, "winner.slot", "Its slot."),
            Column("confidence", CODE, "label.confidence", "As the judge said; empty where they did not."),
            Column("reasons", CODES, "label.reasons", "Tags."),
            Column("note", TEXT, "label.note", "What the judge wrote."),
            Column("by_submitter", FLAG, "label.by_submitter", "The judge posted the task."),
            Column("focus_ms", WHOLE, "label.focus_ms", "Focused milliseconds."),
            Column("steps_opened", WHOLE, "label.steps_opened", "Steps opened or played."),
            Column("rubric_version", WHOLE, "label.rubric_id", "The rubric that was shown."),
            Column("cast_at", INSTANT, "label.cast_at", "When it was cast."),
        ),
        f"""FROM judging_vote label JOIN snapshot_vote chosen ON chosen.id = label.id
        JOIN snapshot_battle battle ON battle.id = label.battle_id
        LEFT JOIN battles_lane winner ON winner.id = label.winner_id {_FROM_GIVER}""",
        "label.id",
        private="battle.private",
    )
)
register_table(
    ExportTable(
        "completions",
        "What a vote says of one lane: did it do the task?",
        (
            Column("vote", ID, "mark.vote_id", "The vote."),
            Column("lane", ID, "mark.lane_id", "The lane."),
            Column("verdict", CODE, "mark.verdict", "done, partly, not_done, or cannot_tell."),
        ),
        "FROM judging_completion mark JOIN snapshot_vote chosen ON chosen.id = mark.vote_id",
        "mark.vote_id, mark.lane_id",
    )
)
register_table(
    ExportTable(
        "step_verdicts",
        "What a judge says of one step.",
        (
            Column("step_verdict", ID, "label.id", "Identifier."),
            Column("step", ID, "label.step_id", "The step."),
            *_GIVER,
            Column("verdict", CODE, "label.verdict", "helpful, unnecessary, wrong, or unsafe."),
            Column("at", INSTANT, "label.at", "When it was first given."),
        ),
        f"""FROM judging_stepverdict label JOIN snapshot_step_verdict chosen ON chosen.id = label.id
        {_FROM_GIVER}""",
        "label.id",
    )
)
_PRIVATE_FRAME = """(SELECT battle.private FROM battles_frame frame
    JOIN battles_lane lane ON lane.id = frame.lane_id JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
    JOIN snapshot_battle battle ON battle.id = attempt.battle_id WHERE frame.id = label.frame_id)"""
register_table(
    ExportTable(
        "annotations",
        "A box drawn on a frame, with a tag and a remark.",
        (
            Column("annotation", ID, "label.id", "Identifier."),
            Column("frame", ID, "label.frame_id", "The frame."),
            *_GIVER,
            Column("x", NUMBER, "label.x", "Left edge, share of the frame's width."),
            Column("y", NUMBER, "label.y", "Upper edge, share of its height."),
            Column("width", NUMBER, "label.width", "Share of its width."),
            Column("height", NUMBER, "label.height", "Share of its height."),
            Column("tag", CODE, "label.tag", "What is wrong there."),
            Column("note", TEXT, "label.note", "What the judge wrote."),
            Column("at", INSTANT, "label.at", "When it was drawn."),
        ),
        f"""FROM judging_annotation label JOIN snapshot_annotation chosen ON chosen.id = label.id
        {_FROM_GIVER}""",
        "label.id",
        private=_PRIVATE_FRAME,
    )
)
register_table(
    ExportTable(
        "clicks",
        "Where a judge would click next on a frame.",
        (
            Column("click", ID, "label.id", "Identifier."),
            Column("frame", ID, "label.frame_id", "The frame."),
            *_GIVER,
            Column("x", NUMBER, "label.x", "Share of the frame's width."),
            Column("y", NUMBER, "label.y", "Share of its height."),
            Column("milliseconds", WHOLE, "label.milliseconds", "From the frame being shown to the click."),
            Column("at", INSTANT, "label.at", "When it was made."),
        ),
        f"""FROM judging_click label JOIN snapshot_click chosen ON chosen.id = label.id {_FROM_GIVER}""",
        "label.id",
    )
)


def prepare_calibration(at: datetime) -> None:
    """Fill ``snapshot_calibration``: a row for each judge whose labels leave, as their own page showed it then."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.snapshot_calibration")
        cursor.execute(
            """CREATE TEMPORARY TABLE snapshot_calibration (judge_id varchar PRIMARY KEY, trust varchar, calls int,
            calls_right int, gold_calls int, gold_right int, lower float8, upper float8) ON COMMIT DROP"""
        )
        givers = " UNION ".join(f"SELECT judge FROM snapshot_{of}" for of in ("vote", *_LABELS))  # noqa: S608
        cursor.execute(
            f"""SELECT judge, coalesce((SELECT state FROM judging_trustchange change
                WHERE change.judge_id = judge AND at <= %s ORDER BY id DESC LIMIT 1), 'new')
            FROM ({givers}) AS givers WHERE judge IS NOT NULL""",  # noqa: S608
            [at],
        )
        calls = settled_calls(at)
        rows = [(judge, trust, *_figures(calls.get(judge, []))) for judge, trust in cursor.fetchall()]
        cursor.executemany(
            "INSERT INTO snapshot_calibration VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            rows,
        )


def _figures(calls: list[Call]) -> tuple[int, int, int, int, float | None, float | None]:
    gold = [call for call in calls if call.source == "gold"]
    right, gold_right = sum(call.right for call in calls), sum(call.right for call in gold)
    lower, upper = wilson_interval(right, len(calls)) if calls else (None, None)
    return len(calls), right, len(gold), gold_right, lower, upper


register_preparation("calibration", prepare_calibration)
