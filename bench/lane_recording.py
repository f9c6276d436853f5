"""Rows for ``bench.lanes`` to record into."""

import uuid

from battles.lanes.recorder import Recorder
from battles.models import Agent, Battle, Task
from battles.racing import start_attempt


def make_recorder() -> Recorder:
    """The recorder of a fresh attempt, with all its rows."""
    agents = [
        Agent.objects.create(
            key=f"bench-{number}-{uuid.uuid4().hex[:6]}",
            name=f"Bench {number}",
            provider="Bench",
            adapter="reference-random",
            model_version="1",
            kind=Agent.Kind.BASELINE,
        )
        for number in (1, 2)
    ]
    task = Task.objects.create(
        instruction="Add one.",
        start_url="http://bench.practice.test/",
        kind=Task.Kind.ACTION,
        category="shopping",
        practice_key="bench",
    )
    battle = Battle.objects.create(
        task=task,
        kind=Battle.Kind.PRACTICE,
        agent_a=agents[0],
        agent_b=agents[1],
        pair_probability=1.0,
        judges_needed=1,
    )
    ticket = start_attempt(battle_id=battle.pk, worker="bench")
    if ticket is None:
        raise SystemExit("the battle could not be started")
    return Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
