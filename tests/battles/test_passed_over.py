"""What operators are told of agents that the draw passes over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.alarms import note_passed_over, passed_over
from battles.models import Agent, Battle, Task
from tests.battles.factories import make_agent, make_task

pytestmark = pytest.mark.django_db


def draws(task: Task, agents, number: int) -> None:
    pair = {"agent_a": agents[0], "agent_b": agents[1], "kind": Battle.Kind.LIVE}
    Battle.objects.bulk_create(Battle(task=task, pair_probability=0.3, **pair) for _ in range(number))


def test_an_agent_is_told_of_until_a_night_finds_it_drawn_again():
    agents = [make_agent(key) for key in ("a", "b", "c")]
    Agent.objects.update(created_at=timezone.now() - timedelta(days=60))
    task = make_task()
    draws(task, agents[:2], 60)
    assert passed_over(timezone.now()).items == ()
    assert note_passed_over() == ["c"]
    (item,) = passed_over(timezone.now()).items
    assert item.words.startswith("c: 0% of draws, ")
    draws(task, (agents[0], agents[2]), 60)
    draws(task, (agents[1], agents[2]), 60)
    assert note_passed_over() == []
    assert passed_over(timezone.now()).waiting == 0


def test_reading_it_asks_for_no_battle(django_assert_num_queries):
    note_passed_over()
    with django_assert_num_queries(1) as asked:
        passed_over(timezone.now())
    assert "battles_battle" not in asked.captured_queries[0]["sql"]
