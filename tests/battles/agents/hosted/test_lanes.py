"""Whole lanes in a real Chromium, driven by each provider's adapter over real HTTP."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from battles import checks
from battles.checks import PracticeTask, register_site
from battles.lanes.endings import Ending
from battles.lanes.events import Budget, LaneEnded, LaneEvent, LaneOrder, StepTaken
from battles.lanes.lane import run_lane
from battles.lanes.processes import descendants
from battles.lanes.runtime_dir import lane_runtime_dir
from tests.battles.agents.hosted.conftest import KEY, row
from tests.battles.agents.hosted.local_provider import Answer, LocalProvider, Request

pytestmark = pytest.mark.browser

HOST = "henhouse.practice.test"


class HenHouse:
    """A site with state: how many eggs were laid."""

    host = HOST

    def __init__(self) -> None:
        self.eggs = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.eggs += environ["PATH_INFO"] == "/lay"
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [f"<title>Hens</title><h1>{self.eggs} eggs</h1><p>by Berta</p><a href=/lay>Lay an egg</a>".encode()]


@pytest.fixture(autouse=True)
def practice_site() -> Iterator[None]:
    def right(site: Any, answer: str) -> bool:
        return bool(site.eggs == 1 and "Berta" in answer)

    kept = dict(checks._sites), dict(checks._tasks)
    register_site(HOST, HenHouse, [PracticeTask("hen.egg", HOST, "/", "Lay an egg and say who did", "action", right)])
    yield
    checks._sites, checks._tasks = kept


class Run:
    """One lane against a local provider, from nothing to its ending. Nothing of it may be left afterwards."""

    def __init__(self, provider: LocalProvider, **budget: float) -> None:
        self.events: list[LaneEvent] = []
        order = LaneOrder(
            slot="A",
            instruction="Lay an egg and say who did",
            start_url=f"http://{HOST}/",
            agent_key="key",
            adapter=provider.dialect.adapter,
            agent_settings=row(provider),
            budget=Budget(steps=int(budget.get("steps", 20)), seconds=budget.get("seconds", 90.0)),
            practice_key="hen.egg",
        )
        threads = set(threading.enumerate())
        with lane_runtime_dir() as folder:
            run_lane(order, self.events.append, threading.Barrier(1), threading.Event(), folder)
        # The local provider's own threads end with it.
        self.left = {
            thread.name for thread in set(threading.enumerate()) - threads if "request_thread" not in thread.name
        }

    @property
    def ended(self) -> LaneEnded:
        assert isinstance(self.events[-1], LaneEnded)
        return self.events[-1]

    @property
    def steps(self) -> list[StepTaken]:
        return [event for event in self.events if isinstance(event, StepTaken)]


class Reader:
    """A model that reads what it is sent: ``press`` finds the reference of a link in the newest list of elements."""

    def __init__(self, dialect: Any) -> None:
        self._dialect = dialect

    def press(self, name: str) -> Callable[[Request], Any]:
        def reply(request: Request) -> Any:
            newest = self._dialect.read(request.body).turns[-1].text
            found = re.search(rf'\[(ref_\d+)\] link "{name}"', newest)
            return self._dialect.calls(("click", {"ref": found[1] if found else "ref_none"}), words="I press it.")

        return reply


def test_a_lane_from_start_to_answer(dialect, provider_of):
    environments: list[bytes] = []

    def looking_around(request: Request) -> Any:
        environments.extend(environments_of_browsers())
        return dialect.with_hidden(dialect.calls(("read", {"what": "text"}), ("observe", {}), words="I read."))

    provider = provider_of(
        dialect,
        looking_around,
        Answer(*dialect.rate_limited(), {"retry-after-ms": "20"}),
        dialect.says("I would press it."),
        dialect.native_call()[0],
        *(Answer(*dialect.too_long()[0]) for _ in range(2)),
        Reader(dialect).press("Lay an egg"),
        dialect.calls(("answer", {"text": "Berta did."})),
    )
    run = Run(provider)
    assert run.ended == LaneEnded("A", Ending.ANSWERED, "Berta did.", "", run.ended.seconds, 5, True)
    assert [step.action.verb for step in run.steps][:3] == ["read", "observe", ""]
    assert [step.action.verb for step in run.steps][4:] == ["click", "answer"]
    assert [step.result.code for step in run.steps] == ["", "", "invalid_action", "invalid_action", "", ""]
    assert [step.model_called for step in run.steps] == [True, False, True, True, True, True]
    assert run.steps[0].usage == dialect.usages[0][1]
    assert run.steps[0].reasoning.endswith("I read.")
    assert "by Berta" in run.steps[0].result.text
    assert run.steps[4].url_after == f"http://{HOST}/lay"

    first, second, *_, last = provider.transcripts
    assert first.turns[0].images == 1
    assert "by Berta" in second.turns[-1].results[0][1]
    assert len(last.models_turns) == 2, "what did not fit stays short"
    assert "turns are left out here" in last.turns[0].text
    assert not run.left
    assert KEY not in repr(run.events)
    assert environments
    assert not any(KEY.encode() in environment for environment in environments)


def environments_of_browsers() -> list[bytes]:
    """What every process of the browser under way was started with."""
    found = []
    for pid in descendants([os.getpid()]):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--user-data-dir" in command or b"--type=" in command:
                found.append(Path(f"/proc/{pid}/environ").read_bytes())
        except OSError:
            continue
    return found


def one(adapter: str) -> Any:
    return pytest.mark.parametrize("dialect", [adapter], indirect=True)


@one("google")
def test_a_provider_that_is_down_is_no_failure_of_the_agent(dialect, provider_of):
    body, status = dialect.error(503, "UNAVAILABLE", "down")
    run = Run(provider_of(dialect, Answer(body, status, {"retry-after-ms": "5"})))
    assert run.ended.ending == Ending.PROVIDER_ERROR
    assert "could not answer (503 UNAVAILABLE). Tried 6 times." in run.ended.detail
    assert not run.left


@one("openai")
@pytest.mark.parametrize(("lost", "ending"), [("2.0", Ending.PROVIDER_ERROR), ("0.2", Ending.TIME_BUDGET)])
def test_time_that_ran_out_is_the_provider_s_when_it_ate_more_than_a_tenth(dialect, provider_of, lost, ending):
    provider = provider_of(
        dialect,
        Answer(*dialect.rate_limited(), {"retry-after": lost}),
        dialect.calls(("wait", {"seconds": 10})),
    )
    run = Run(provider, seconds=9.0)
    assert run.ended.ending == ending
    assert not run.left


@one("anthropic")
def test_a_wait_in_the_last_seconds_is_judged_by_the_same_rule(dialect, provider_of):
    provider = provider_of(
        dialect,
        dialect.calls(("wait", {"seconds": 1})),
        Answer(*dialect.rate_limited(), {"retry-after": "60"}),
    )
    run = Run(provider, seconds=6.0)
    assert run.ended.ending == Ending.PROVIDER_ERROR
    assert "lost to the provider" in run.ended.detail
    assert not run.left


@pytest.mark.parametrize("answer", [{"silence": 60.0}, {"drip": 0.3}])
@one("openai-compatible")
def test_a_call_under_way_when_the_clock_ends_is_let_go(dialect, provider_of, answer):
    provider = provider_of(dialect, Answer(dialect.calls(("observe", {})), **answer))
    began = time.monotonic()
    run = Run(provider, seconds=4.0)
    assert run.ended.ending == Ending.TIME_BUDGET
    assert run.ended.seconds < 8
    assert time.monotonic() - began < 60
    assert not run.left


@one("anthropic")
def test_three_replies_without_a_call_in_a_row_are_the_agent_s_fault(dialect, provider_of):
    run = Run(provider_of(dialect, dialect.says("Hm.")))
    assert run.ended.ending == Ending.AGENT_ERROR
    assert "No tool was called" in run.ended.detail


@one("openai")
def test_a_key_that_is_missing_ends_the_lane_before_it_starts(dialect, provider_of, monkeypatch, caplog):
    provider = provider_of(dialect, dialect.says(""))
    monkeypatch.delenv(dialect.key_variable)
    run = Run(provider)
    assert run.ended.ending == Ending.PROVIDER_ERROR
    assert dialect.key_variable not in run.ended.detail
    assert f"{dialect.key_variable} is not set" in caplog.text
    assert not provider.requests
