"""Battles as a page shows them: plain values, no names, nothing that tells the agents apart."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from battles.evidence import answer_parts
from battles.lanes.ending_words import plain_detail, plain_void_reason
from battles.lanes.endings import Ending
from battles.models import Attempt, Battle, Lane, Step
from battles.racing import BUDGET
from battles.shown_words import LaneWords, StepWords, recorded_words, shown_remark, shown_task, words_for_judges

#: How an ending reads on the page. ``{steps}`` is the number of charged steps.
ENDING_WORDS = {
    Ending.ANSWERED: "Finished by itself after {steps}",
    Ending.GAVE_UP: "Gave up after {steps}",
    Ending.STEP_BUDGET: "Stopped: all {steps} used",
    Ending.TIME_BUDGET: "Stopped: time was up after {steps}",
    Ending.AGENT_ERROR: "Stopped: three actions in a row made no sense",
    Ending.PAGE_HUNG: "Stopped: the page stopped answering",
    Ending.BLOCKED_BY_SITE: "Stopped: the site blocked the browser",
    Ending.PROVIDER_ERROR: "Broken off: a model's provider did not answer",
    Ending.BROWSER_ERROR: "Broken off: the browser failed",
    Ending.LOST: "Broken off: lost on our side",
}
#: How a battle's state reads in a list.
STATE_WORDS = {
    Battle.State.QUEUED: "Waiting for two browsers",
    Battle.State.RACING: "Racing now",
    Battle.State.VOTABLE: "Waiting for its first vote",
    Battle.State.RESOLVED: "Judged, open to more votes",
    Battle.State.CLOSED: "Closed",
    Battle.State.VOID: "Does not count",
}
#: Whoever has waited so long for two browsers wants to know whether something is wrong.
LONG_WAIT = timedelta(minutes=2)
#: Longer texts of a step are cut in the list; the record keeps them whole. Names of targets can be whole paragraphs.
SUMMARY_CHARACTERS = 80
NAME_CHARACTERS = 48


@dataclass(frozen=True, slots=True)
class StepView:
    number: int
    verb: str
    summary: str
    ok: bool
    message: str
    changed: bool | None
    seconds: float
    clock: str
    point: tuple[int, int] | None
    box: tuple[int, int, int, int] | None
    typed: str | None
    path: tuple[tuple[int, int], ...]
    scroll: str
    frame_url: str | None
    reasoning: str
    url: str
    my_verdict: str = ""


@dataclass(frozen=True, slots=True)
class AnswerPartView:
    """A piece of a final answer; with ``href`` it is on the page after ``step`` as well, said in ``where``."""

    text: str
    step: int | None = None
    href: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class LaneView:
    slot: str
    id: str
    state: str
    steps: Sequence[StepView]
    start_frame_url: str | None
    frame_url: str | None
    seconds: float
    clock: str
    budget_seconds: float
    budget_clock: str
    budget_steps: int
    steps_used: int
    answer: str
    ended: bool
    ended_words: str
    detail: str
    my_completion: str | None = None
    answer_parts: Sequence[AnswerPartView] = ()
    answer_was_seen: bool = False


@dataclass(frozen=True, slots=True)
class BattleView:
    id: str
    state: str
    state_words: str
    waits_long: bool
    instruction: str
    start_url: str
    kind: str
    category: str
    void_reason: str
    closed_at: Any


def clock(seconds: float) -> str:
    """Minutes and seconds, ``m:ss``."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def step_clock(seconds: float) -> str:
    """Minutes, seconds and tenths, ``m:ss.t``: quick agents take several steps in a second."""
    tenths = max(0, int(seconds * 10))
    return f"{clock(tenths / 10)}.{tenths % 10}"


def battle_view(battle: Battle, *, original: bool = False) -> BattleView:
    """A battle without its lanes. ``original``: for its submitter, who reads what was recorded."""
    asked = shown_task(battle.task, original=original)
    return BattleView(
        id=str(battle.pk),
        state=battle.state,
        state_words=STATE_WORDS[Battle.State(battle.state)],
        waits_long=_waits_long(battle),
        instruction=asked["instruction"],
        start_url=asked["start_url"],
        kind=battle.kind,
        category=battle.task.category,
        void_reason=shown_remark(battle.task, plain_void_reason(battle.void_reason), original=original),
        closed_at=battle.closed_at,
    )


def _waits_long(battle: Battle) -> bool:
    return battle.state == Battle.State.QUEUED and timezone.now() - battle.created_at > LONG_WAIT


def shown_lanes(battle: Battle) -> list[Lane]:
    """The lanes a page shows: those of the latest attempt, A before B. Empty before the first."""
    attempt = battle.attempts.order_by("-number").first()
    if attempt is None or (attempt.outcome == Attempt.Outcome.BROKEN and battle.state == Battle.State.QUEUED):
        return []
    return list(attempt.lanes.order_by("slot"))


def lane_views(
    battle: Battle, lanes: Sequence[Lane], completions: dict[uuid.UUID, str], *, original: bool = False
) -> list[LaneView]:
    """Lanes with their steps, in one query. ``completions`` are the viewer's own verdicts by lane.

    ``original``: for the battle's submitter, who reads what was recorded; everybody else reads it redacted.

    A battle that waits has two empty lanes, so that its page keeps its shape when the race starts.
    """
    if not lanes and battle.state in {Battle.State.QUEUED, Battle.State.RACING}:
        return [_empty_lane(slot) for slot in Lane.Slot.values]
    steps: dict[uuid.UUID, list[Step]] = {lane.pk: [] for lane in lanes}
    for step in Step.objects.filter(lane__in=lanes).order_by("number"):
        steps[step.lane_id].append(step)
    return [
        _lane_view(
            battle,
            lane,
            steps[lane.pk],
            completions.get(lane.pk),
            recorded_words(lane, steps[lane.pk]) if original else words_for_judges(battle.task, lane, steps[lane.pk]),
        )
        for lane in lanes
    ]


def frame_url(battle_id: uuid.UUID, frame_id: uuid.UUID | None) -> str | None:
    """Address of a frame under its battle, where access is checked."""
    if frame_id is None:
        return None
    return reverse("frame", kwargs={"battle_id": battle_id, "frame_id": frame_id})


def live_version(battle: Battle, lanes: Sequence[Lane]) -> str:
    """Changes with anything a live page shows except the clocks, which tick in the page itself."""
    newest = dict(Step.objects.filter(lane__in=lanes).values_list("lane").annotate(Max("number")))
    parts = [
        battle.state,
        str(_waits_long(battle)),
        *(f"{lane.pk}:{lane.state}:{newest.get(lane.pk)}" for lane in lanes),
    ]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def replay_data(lanes: Sequence[LaneView]) -> dict[str, Any]:
    """What the replay's script needs, as JSON values (the form is documented in ``docs/components.md``)."""
    return {
        "lanes": [
            {
                "slot": lane.slot,
                "id": lane.id,
                "start": lane.start_frame_url,
                "end_clock": lane.clock,
                "ended_words": lane.ended_words,
                "steps": [
                    {
                        "n": step.number,
                        "verb": step.verb,
                        "summary": step.summary,
                        "ok": step.ok,
                        "message": step.message,
                        "changed": step.changed,
                        "seconds": step.seconds,
                        "clock": step.clock,
                        "point": step.point,
                        "box": step.box,
                        "typed": step.typed,
                        "path": step.path,
                        "scroll": step.scroll,
                        "frame": step.frame_url,
                    }
                    for step in lane.steps
                ],
            }
            for lane in lanes
        ]
    }


def _lane_view(battle: Battle, lane: Lane, steps: Sequence[Step], completion: str | None, words: LaneWords) -> LaneView:
    start = next((step for step in steps if step.number == 0), None)
    taken = [_step_view(battle, step, words.steps[step.number]) for step in steps if step.number > 0]
    start_url = frame_url(battle.pk, start.frame_id) if start else None
    newest = next((step.frame_url for step in reversed(taken) if step.frame_url), start_url)
    seconds = _seconds(lane)
    answer = _answer(words.answer, steps, start_url, taken)
    return LaneView(
        slot=lane.slot,
        id=str(lane.pk),
        state=lane.state,
        steps=taken,
        start_frame_url=start_url,
        frame_url=newest,
        seconds=seconds,
        clock=clock(seconds),
        budget_seconds=lane.budget_seconds,
        budget_clock=clock(lane.budget_seconds),
        budget_steps=lane.budget_steps,
        steps_used=lane.steps_charged,
        answer=words.answer,
        ended=lane.state == Lane.State.ENDED,
        ended_words=_ended_words(lane),
        detail=plain_detail(lane.ended, words.detail),
        my_completion=completion,
        answer_parts=answer,
        answer_was_seen=any(part.href for part in answer),
    )


def _answer(
    answer: str, steps: Sequence[Step], start_url: str | None, taken: Sequence[StepView]
) -> list[AnswerPartView]:
    """The final answer in pieces; what was on a captured page leads to the frame that shows that page."""
    if not answer:
        return []
    frames = {0: start_url} | {step.number: step.frame_url for step in taken}
    views = []
    for part in answer_parts(answer, captured_texts(steps)):
        shown = frames.get(part.step) if part.step is not None else None
        where = "Seen on the start page" if part.step == 0 else f"Seen after step {part.step}"
        views.append(AnswerPartView(part.text, part.step, shown, where) if shown else AnswerPartView(part.text))
    return views


def captured_texts(steps: Sequence[Step]) -> dict[int, list[str]]:
    """What the page after each step said, as far as it was captured as text; 0 is the start page.

    What a verb was aimed at was on the page before it.
    """
    said: dict[int, list[str]] = {step.number: [step.page_text, step.title] for step in steps}
    for step in steps:
        if step.target and step.target.get("name"):
            said.setdefault(step.number - 1, []).append(str(step.target["name"]))
    return said


def _empty_lane(slot: str) -> LaneView:
    return LaneView(
        slot=slot,
        id="",
        state=Lane.State.WAITING,
        steps=[],
        start_frame_url=None,
        frame_url=None,
        seconds=0.0,
        clock=clock(0.0),
        budget_seconds=BUDGET.seconds,
        budget_clock=clock(BUDGET.seconds),
        budget_steps=BUDGET.steps,
        steps_used=0,
        answer="",
        ended=False,
        ended_words="",
        detail="",
    )


def _seconds(lane: Lane) -> float:
    if lane.seconds is not None:
        return lane.seconds
    if lane.started_at is None:
        return 0.0
    return min(lane.budget_seconds, (timezone.now() - lane.started_at).total_seconds())


def _ended_words(lane: Lane) -> str:
    if not lane.ended:
        return ""
    steps = f"{lane.steps_charged} step" if lane.steps_charged == 1 else f"{lane.steps_charged} steps"
    return ENDING_WORDS[Ending(lane.ended)].format(steps=steps)


def _step_view(battle: Battle, step: Step, words: StepWords) -> StepView:
    target = words.target or {}
    point = (int(target["x"]), int(target["y"])) if "x" in target and "y" in target else None
    typed = words.arguments.get("text") if step.verb == "type" else words.arguments.get("keys")
    return StepView(
        number=step.number,
        verb=words.verb,
        summary=step_summary(words.verb, words.arguments, target),
        ok=step.ok,
        message=words.result,
        changed=step.changed,
        seconds=step.clock,
        clock=step_clock(step.clock),
        point=point,
        box=None if step.verb == "scroll" else _box(target),
        typed=str(typed) if typed else None,
        path=tuple((int(x), int(y)) for x, y in target.get("path", ())),
        scroll=_direction(words.arguments) if step.verb == "scroll" else "",
        frame_url=frame_url(battle.pk, step.frame_id),
        reasoning=words.reasoning,
        url=words.url_after,
    )


def _box(target: dict[str, Any]) -> tuple[int, int, int, int] | None:
    if not target.get("box"):
        return None
    x, y, width, height = target["box"]
    return int(x), int(y), int(width), int(height)


def step_summary(verb: str, arguments: dict[str, Any], target: dict[str, Any]) -> str:
    """One line: the verb and what it was aimed at or given, as a person would say it."""
    name = target.get("name") or target.get("role") or ""
    spoken = {
        "navigate": arguments.get("url"),
        "history": arguments.get("go"),
        "type": arguments.get("text"),
        "press": arguments.get("keys"),
        "select": arguments.get("option"),
        "wait": f"{arguments.get('seconds')} s" if "seconds" in arguments else None,
        "scroll": _direction(arguments),
        "tab": arguments.get("op"),
        "read": arguments.get("what"),
        "answer": None,
        "give_up": arguments.get("reason"),
    }.get(verb)
    parts = [verb.replace("_", " ")]
    if spoken not in {None, ""}:
        parts.append(f"“{_cut(str(spoken))}”" if verb in {"type", "select", "give_up"} else _cut(str(spoken)))
    # What a wheel turns over is most of the page, and named by all its text.
    if verb == "scroll":
        return " ".join(parts)
    if name:
        named = f"“{_cut(str(name), NAME_CHARACTERS)}”"
        parts.append(f"in {named}" if verb in {"type", "select", "upload"} else named)
    elif "x" in target and "y" in target:
        parts.append(f"at {int(target['x'])}, {int(target['y'])}")
    return " ".join(parts)


def _direction(arguments: dict[str, Any]) -> str:
    dx, dy = arguments.get("dx") or 0, arguments.get("dy") or 0
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "up" if dy < 0 else "down"


def _cut(text: str, most: int = SUMMARY_CHARACTERS) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
