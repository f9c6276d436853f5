"""Rows for tests, made the way the use cases make them wherever one exists."""

import itertools
import uuid

from django.db import transaction
from django.utils import timezone

from battles.finishing import finish_battle
from battles.lanes.endings import Ending
from battles.lanes.events import Action, ActionResult, FrameShot, LaneEnded, LaneStarted, StepTaken
from battles.lanes.recorder import Recorder
from battles.models import Agent, Battle, Lane, Task
from battles.racing import start_attempt
from governance.consent import current_text, give_consent
from governance.models import Judge
from governance.redaction.pictures import PageWords

_numbers = itertools.count(1)

#: The smallest WebP image: one black pixel.
PIXEL = bytes.fromhex("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700")


def make_agent(key: str = "", *, kind: str = Agent.Kind.MODEL, **fields) -> Agent:
    key = key or f"agent-{next(_numbers)}"
    return Agent.objects.create(
        key=key,
        name=fields.pop("name", key.replace("-", " ").title()),
        provider=fields.pop("provider", "Maker"),
        adapter=fields.pop("adapter", "reference-random"),
        model_version=fields.pop("model_version", f"{key}-1"),
        kind=kind,
        **fields,
    )


def make_judge(*, consented: bool = True) -> Judge:
    judge = Judge.objects.create()
    if consented:
        text = current_text()
        give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge


def make_task(judge: Judge | None = None, **fields) -> Task:
    judge = judge or make_judge()
    return Task.objects.create(
        judge=judge,
        receipt=judge.receipts.first(),
        instruction=fields.pop("instruction", "Find the opening hours of the town library."),
        start_url=fields.pop("start_url", "https://example.org/"),
        kind=Task.Kind.ANSWER,
        category="research",
        **fields,
    )


def make_battle(
    *, task: Task | None = None, kind: str = Battle.Kind.LIVE, agents=None, judges_needed: int = 1
) -> Battle:
    one, other = agents or (make_agent(), make_agent())
    if kind == Battle.Kind.PRACTICE and task is None:
        task = Task.objects.create(
            instruction="Put the kettle in the basket.",
            start_url="http://shop.practice.test/",
            kind=Task.Kind.ACTION,
            category="shopping",
            practice_key="shop-kettle",
        )
    return Battle.objects.create(
        task=task or make_task(),
        kind=kind,
        agent_a=one,
        agent_b=other,
        pair_probability=0.5,
        judges_needed=judges_needed,
    )


def started(slot: str, *, digest: str = "d" * 64) -> LaneStarted:
    return LaneStarted(
        slot=slot,
        frame=FrameShot(image=PIXEL + uuid.uuid4().bytes, mime="image/webp", page=PageWords()),
        url="https://example.org/",
        title="Example",
        page_digest=digest,
        sandboxed=True,
        isolated_network=True,
    )


def step(slot: str, number: int = 1, *, verb: str = "click", **fields) -> StepTaken:
    values = {
        "action": Action(verb, {"x": 10, "y": 20}),
        "reasoning": "",
        "result": ActionResult(ok=True, message="Clicked."),
        "charged": True,
        "frame": FrameShot(image=PIXEL + bytes([number]), mime="image/webp", page=PageWords()),
        "url_before": "https://example.org/",
        "url_after": "https://example.org/",
        "title": "Example",
        "tabs": 1,
        "page_before": "a" * 16,
        "page_after": "b" * 16,
        "target": {"x": 10, "y": 20, "role": "button", "name": "Go"},
        "refusals": (),
        "observe_ms": 1,
        "model_ms": 2,
        "act_ms": 3,
        "clock": float(number),
        "model_called": False,
        "usage": None,
    }
    return StepTaken(slot=slot, number=number, **(values | fields))


def ended(slot: str, *, ending: Ending = Ending.ANSWERED, answer: str = "Done.", **fields) -> LaneEnded:
    values = {"detail": "", "seconds": 3.0, "steps": 1, "passed": None}
    return LaneEnded(slot=slot, ending=ending, answer=answer, **(values | fields))


def race(battle: Battle, *, events=None) -> Battle:
    """Record a whole race through the recorder, without a browser."""
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
    for event in events or [event for slot in "AB" for event in (started(slot), step(slot), ended(slot))]:
        recorder.write(event)
    finish_battle(attempt_id=ticket.attempt_id, token=ticket.token)
    battle.refresh_from_db()
    return battle


def make_votable(**fields) -> Battle:
    return race(make_battle(**fields))


def lane_of(battle: Battle, slot: str) -> Lane:
    return Lane.objects.get(attempt__battle=battle, attempt__outcome="finished", slot=slot)


def unknown_id() -> uuid.UUID:
    return uuid.uuid4()


def minutes_ago(minutes: float):
    return timezone.now() - timezone.timedelta(minutes=minutes)


def set_on(rows, **values):
    """Give rows what no use case would, in a test that commits: outside a transaction their managers refuse it."""
    with transaction.atomic():
        return rows.update(**values)
