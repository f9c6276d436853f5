"""The words of a battle that its page shows: as recorded to the task's submitter, redacted to everybody else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from battles.models import Lane, Step, Task
from battles.redacted_texts import HIDDEN_FROM_JUDGES, known_details, redacted_task, redacted_words
from governance.redaction import Kind
from governance.remembering import remembered

REMEMBERED = 4_000
"""Redacted words kept by each server process: a page is opened more often than written."""


@dataclass(frozen=True, slots=True)
class StepWords:
    """The columns of a step that a page shows."""

    verb: str
    arguments: dict[str, Any]
    target: dict[str, Any] | None
    result: str
    reasoning: str
    url_after: str


@dataclass(frozen=True, slots=True)
class LaneWords:
    """Steps by their number."""

    steps: dict[int, StepWords]
    answer: str
    detail: str


def shown_task(task: Task, *, original: bool) -> dict[str, str]:
    """``instruction`` and ``start_url`` of a task as a page shows them."""
    if original:
        return {"instruction": task.instruction, "start_url": task.start_url}
    return cast("dict[str, str]", redacted_task(task, kinds=HIDDEN_FROM_JUDGES))


def shown_remark(task: Task, said: str, *, original: bool, steps: Sequence[Step] = ()) -> str:
    """A sentence about a battle or out of it, which may quote what its task states or what a page showed.

    ``steps``: those of its lanes, where the sentence may hold what was typed in one.
    """
    if original or not said:
        return said
    known = known_details(task, steps, kinds=HIDDEN_FROM_JUDGES)
    return cast("str", redacted_words(said, known, HIDDEN_FROM_JUDGES))


def recorded_words(lane: Lane, steps: Sequence[Step]) -> LaneWords:
    return LaneWords({step.number: StepWords(**_columns(step)) for step in steps}, lane.answer, lane.detail)


def words_for_judges(task: Task, lane: Lane, steps: Sequence[Step]) -> LaneWords:
    known = tuple(sorted(known_details(task, steps, kinds=HIDDEN_FROM_JUDGES).items()))
    said = _redacted(json.dumps({"answer": lane.answer, "detail": lane.detail}), known)
    return LaneWords(
        {step.number: StepWords(**_redacted(json.dumps(_columns(step)), known)) for step in steps},
        said["answer"],
        said["detail"],
    )


def _columns(step: Step) -> dict[str, Any]:
    return {name: getattr(step, name) for name in StepWords.__slots__}


def _redacted(words: str, known: tuple[tuple[str, Kind], ...]) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(_remembered(words, known)))


@remembered(most=REMEMBERED)
def _remembered(words: str, known: tuple[tuple[str, Kind], ...]) -> str:
    return json.dumps(redacted_words(json.loads(words), dict(known), HIDDEN_FROM_JUDGES))
