"""The reference agents at work: real lanes, real Chromium, and checks that look at what was left on the site."""

import threading

import pytest

from battles.agents.registry import ADAPTERS, UnknownAdapter, make_agent
from battles.checks import practice_task
from battles.lanes.events import Budget, LaneEnded, LaneOrder
from battles.lanes.lane import run_lane
from battles.lanes.runtime_dir import lane_runtime_dir

#: One task on each site that both agents do; the whole table stands in docs/agents.md.
TASKS = ("shop-kettle-price", "library-add-to-list", "timetable-window-seat", "museum-selection")


def run(adapter, key) -> LaneEnded:
    task = practice_task(key)
    order = LaneOrder(
        slot="A",
        instruction=task.instruction,
        start_url=task.start_url,
        agent_key=adapter,
        adapter=adapter,
        agent_settings={},
        budget=Budget(),
        practice_key=key,
    )
    events = []
    with lane_runtime_dir() as folder:
        run_lane(order, events.append, threading.Barrier(1), threading.Event(), folder)
    return events[-1]


@pytest.mark.browser
@pytest.mark.parametrize("key", TASKS)
@pytest.mark.parametrize("adapter", ["reference-explorer", "reference-lexical"])
def test_both_reading_agents_do_a_task_on_every_site(adapter, key):
    assert run(adapter, key).passed


@pytest.mark.browser
def test_chance_does_not():
    assert not run("reference-random", TASKS[0]).passed


def test_an_adapter_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(UnknownAdapter, match="reference-lexical"):
        make_agent("no-such-adapter", {})
    assert {name for name, adapter in ADAPTERS.items() if not adapter.hosted} == {
        "reference-explorer",
        "reference-lexical",
        "reference-random",
    }
