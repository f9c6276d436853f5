"""Rows to measure: races as they are stored, and votes on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from battles.models import Agent, Attempt, Battle, Lane, Step, Task
from judging.models import Completion, Vote
from metrics.catalog import BY_KEY
from metrics.computing import compute
from metrics.reading import Reading
from ratings.models import Board
from tests.battles.factories import make_agent, make_judge

PAGE = "https://example.org/"
HASH = "0123456789abcdef"


def baselines() -> tuple[Agent, Agent]:
    """Two agents of the demo board."""
    return make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)


def practice_task(**fields: Any) -> Task:
    values = {
        "instruction": "Put the kettle in the basket.",
        "start_url": PAGE,
        "kind": Task.Kind.ANSWER,
        "category": "shopping",
        "practice_key": "shop-kettle",
        "hosts": ["example.org"],
    }
    return Task.objects.create(**(values | fields))


def page(name: str) -> str:
    """The fingerprint of a page; the same name is the same page."""
    return f"{name:0>16}.{HASH}"


def step(verb: str = "click", before: str = "x", after: str = "y", **fields: Any) -> dict[str, Any]:
    """One step from one page to another. ``target`` is the name of the element it is aimed at."""
    target = fields.pop("target", None)
    values = {
        "verb": verb,
        "page_before": page(before),
        "page_after": page(after),
        "url_before": PAGE,
        "url_after": PAGE,
        "ok": True,
        "charged": True,
        "target": {"x": 1, "y": 2, "role": "button", "name": target} if target else None,
        "arguments": {"x": 1, "y": 2} if target else {},
    }
    return values | fields


def steps(verb: str, count: int, **fields: Any) -> list[dict[str, Any]]:
    """So many different steps of one verb."""
    return [step(verb, arguments={"n": number}, **fields) for number in range(count)]


def ran(
    pair: tuple[Agent, Agent],
    a: Iterable[Mapping[str, Any]] = (),
    b: Iterable[Mapping[str, Any]] = (),
    *,
    lane_a: Mapping[str, Any] | None = None,
    lane_b: Mapping[str, Any] | None = None,
    outcome: str = "finished",
    start: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Battle:
    """A battle that ran, with the steps of both lanes and whatever else is to be true of its rows."""
    now = timezone.now()
    values = {
        "task": fields.pop("task", None) or practice_task(),
        "kind": Battle.Kind.PRACTICE,
        "state": Battle.State.VOTABLE,
        "agent_a": pair[0],
        "agent_b": pair[1],
        "pair_probability": 0.5,
        "leak_scan": "clean",
        "votable_at": now,
    }
    battle = Battle.objects.create(**(values | fields))
    attempt = Attempt.objects.create(battle=battle, number=1, outcome=outcome, ended_at=now)
    for slot, agent, taken, told in (("A", pair[0], a, lane_a), ("B", pair[1], b, lane_b)):
        lane = {
            "agent_version": "version-1",
            "budget_steps": 30,
            "budget_seconds": 300,
            "state": Lane.State.ENDED,
            "ended": "answered",
            "started_at": now,
            "ended_at": now,
            "seconds": 10.0,
            "answer": "Done.",
        }
        lane = Lane.objects.create(attempt=attempt, slot=slot, agent=agent, **(lane | dict(told or {})))
        first = {"charged": False, "ok": True, "url_after": PAGE, "page_after": page("start")} | dict(start or {})
        # A lane without a step never ran, and its votes would not count.
        rows = [first, *(taken or [step("read", "start", "start")])]
        Step.objects.bulk_create(Step(lane=lane, number=number, **row) for number, row in enumerate(rows))
    return battle


def lane_of(battle: Battle, slot: str = "A") -> Lane:
    return Lane.objects.get(attempt__battle=battle, slot=slot)


def vote(
    battle: Battle, choice: str, *, judge: Any = None, marks: Mapping[str, str] | None = None, **fields: Any
) -> Vote:
    """A final vote: ``choice`` is a slot, tie or both_bad; ``marks`` are completion verdicts by slot."""
    judge = judge or make_judge()
    winner = lane_of(battle, choice) if choice in {"A", "B"} else None
    values = {"by_submitter": False, "locked_at": timezone.now()} | fields
    cast = Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.get(),
        choice="lane" if winner else choice,
        winner=winner,
        **values,
    )
    for slot, verdict in (marks or {}).items():
        Completion.objects.create(vote=cast, lane=lane_of(battle, slot), verdict=verdict)
    return cast


def reading(key: str, agent: str | None = "ada", *, board: Board = Board.DEMO) -> Reading:
    """What a measure comes to, before floors and rounding."""
    return compute(board, [BY_KEY[key]])[key][agent]


def counts(key: str, agent: str | None = "ada", **options: Any) -> tuple[float | None, float | None]:
    """Numerator and denominator."""
    found = reading(key, agent, **options)
    return found.counted, found.over
