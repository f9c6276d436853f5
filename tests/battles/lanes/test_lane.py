"""Whole lanes: the real browser behind the real proxy on a practice site, from nothing to exactly one ending."""

from __future__ import annotations

import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from battles import checks
from battles.agents.base import Agent
from battles.checks import PracticeTask, register_site
from battles.lanes import lane as lane_module
from battles.lanes.ending_words import NO_BROWSER, NOT_READY
from battles.lanes.endings import Ending
from battles.lanes.events import Budget, LaneEnded, LaneEvent, LaneOrder, LaneStarted, StepTaken
from battles.lanes.lane import run_lane
from battles.lanes.practice_server import PracticeServer
from battles.lanes.processes import descendants
from battles.lanes.runtime_dir import lane_runtime_dir
from tests.battles.lanes.pond_site import Pond
from tests.battles.lanes.scripted import Scripted, act, on

pytestmark = pytest.mark.browser

HOST = "duckpond.practice.test"


class DuckPond:
    """A site with state: how many ducks there are."""

    host = HOST

    def __init__(self) -> None:
        self.ducks = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/add":
            self.ducks += 1
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        page = f"<title>pond</title><h1>{self.ducks} ducks</h1><a href=/add>Add a duck</a> <a href='http://10.9.9.9/'>Out</a>"
        return [page.encode()]


@pytest.fixture(autouse=True)
def practice_site() -> Iterator[None]:
    tasks = [
        PracticeTask("duck.one", HOST, "/", "Add a duck", "action", lambda site, answer: site.ducks == 1),
        PracticeTask("duck.broken", HOST, "/", "Add a duck", "action", lambda site, answer: 1 // 0 == 0),
    ]
    kept = dict(checks._sites), dict(checks._tasks)
    register_site(HOST, DuckPond, tasks)
    yield
    checks._sites, checks._tasks = kept


@pytest.fixture
def runtime_dir() -> Iterator[Path]:
    with lane_runtime_dir() as folder:
        yield folder


class Run:
    """One lane, run to its end in this thread unless told otherwise."""

    def __init__(
        self,
        runtime_dir: Path,
        agent: Agent,
        *,
        url: str = f"http://{HOST}/",
        slot: str = "A",
        practice_key: str = "duck.one",
        budget: Budget | None = None,
        egress_allow: Mapping[str, str] | None = None,
        barrier: threading.Barrier | None = None,
        stop: threading.Event | None = None,
        emit: Callable[[LaneEvent], None] | None = None,
        factory: Callable[[str, Mapping[str, Any]], Agent] | None = None,
    ) -> None:
        self.events: list[LaneEvent] = []
        self.order = LaneOrder(
            slot, "Add a duck", url, "key", "scripted", {}, budget or Budget(), practice_key, egress_allow or {}
        )
        self._arguments = (self.order, emit or self.events.append, barrier or threading.Barrier(1))
        self._stop = stop or threading.Event()
        self._runtime_dir = runtime_dir
        self._factory = factory or (lambda adapter, settings: agent)
        self.started_at = 0.0

    def __call__(self) -> Run:
        run_lane(*self._arguments, self._stop, self._runtime_dir, agent_factory=self._factory)
        return self

    @property
    def ended(self) -> LaneEnded:
        ended = [event for event in self.events if isinstance(event, LaneEnded)]
        assert len(ended) == 1, "exactly one ending"
        assert self.events[-1] is ended[0], "and it is the last event"
        return ended[0]


def test_a_lane_from_start_to_answer_leaves_nothing_behind(runtime_dir: Path) -> None:
    threads = set(threading.enumerate())
    children = set(descendants([_own_pid()]))
    agent = Scripted(on("Add a duck"), act("answer", text="Added."))
    run = Run(runtime_dir, agent)()
    started, click, answer, ended = run.events
    assert isinstance(started, LaneStarted)
    assert started.url == f"http://{HOST}/"
    assert started.frame.image.startswith(b"\xff\xd8")
    assert isinstance(click, StepTaken)
    assert click.url_after == f"http://{HOST}/add"
    assert isinstance(answer, StepTaken)
    assert ended == LaneEnded("A", Ending.ANSWERED, "Added.", "", run.ended.seconds, 2, True)
    assert agent.closed == 1
    assert set(threading.enumerate()) <= threads
    assert set(descendants([_own_pid()])) <= children
    assert not any((runtime_dir / "A").iterdir())


def test_the_check_looks_at_the_lanes_own_site(runtime_dir: Path) -> None:
    run = Run(runtime_dir, Scripted(act("answer", text="I believe so.")))()
    assert run.ended.ending == Ending.ANSWERED
    assert run.ended.passed is False


def test_a_check_that_breaks_is_ours_and_not_the_agents(runtime_dir: Path) -> None:
    run = Run(runtime_dir, Scripted(act("answer", text="x")), practice_key="duck.broken")()
    assert run.ended.ending == Ending.BROWSER_ERROR
    assert "ZeroDivisionError" in run.ended.detail
    assert run.ended.passed is None


def test_two_lanes_start_together_and_never_share_a_site(runtime_dir: Path) -> None:
    barrier = threading.Barrier(2)
    moves = [on("Add a duck"), on("Add a duck"), act("answer", text="two")]
    runs = [
        Run(runtime_dir, Scripted(*moves), slot="A", barrier=barrier),
        Run(runtime_dir, Scripted(*moves[1:]), slot="B", barrier=barrier),
    ]
    threads = [threading.Thread(target=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [run.ended.passed for run in runs] == [False, True]
    started = [next(event for event in run.events if isinstance(event, LaneStarted)) for run in runs]
    assert started[0].page_digest == started[1].page_digest, "equal start pages have equal digests"


def test_a_way_out_that_the_policy_forbids_is_refused_and_recorded(runtime_dir: Path) -> None:
    run = Run(
        runtime_dir, Scripted(on("Out"), act("navigate", url="http://169.254.169.254/"), act("answer", text=""))
    )()
    clicked, opened = [event for event in run.events if isinstance(event, StepTaken)][:2]
    assert {"host": "10.9.9.9", "port": 80, "reason": "private"} in list(clicked.refusals)
    assert opened.result.code == "refused_url"


def test_hazards_that_depend_on_the_profile_are_the_same_in_a_lanes_own_browser(runtime_dir: Path, pond: Pond) -> None:
    links = act("navigate", url="pond.test/links")
    agent = Scripted(
        on("File"), on("Paper"), links, on("Locked"), act("navigate", url="http://pond.test/permissions"), on("Notify"),
        act("wait", seconds=0.5), act("navigate", url="http://pond.test/popups"), on("Small window"),
        act("answer", text=""),
    )  # fmt: skip
    run = Run(
        runtime_dir,
        agent,
        url="http://pond.test/links",
        practice_key="",
        egress_allow={"pond.test:80": "{}:{}".format(*pond.server_address[:2])},
    )()
    assert run.ended.ending == Ending.ANSWERED
    steps = [event for event in run.events if isinstance(event, StepTaken)]
    kinds = [[change["kind"] for change in step.result.changes] for step in steps]
    assert kinds[0] == ["download"]
    assert kinds[1] == ["pdf"]
    assert steps[2].result.ok, "a bare host gets the scheme that the policy lets through"
    assert kinds[3] == ["load_failed"]
    assert steps[6].title == "notify denied"
    assert kinds[8] == ["tab_opened"]
    assert steps[8].frame is not None
    assert agent.seen[-1].title == "second"


def test_a_start_page_that_cannot_be_had_is_not_the_agents_failure(runtime_dir: Path) -> None:
    run = Run(runtime_dir, Scripted(act("answer", text="")), url="http://nowhere.practice.test/")()
    assert run.ended.ending == Ending.BROWSER_ERROR
    assert "start page" in run.ended.detail
    assert run.ended.passed is None
    assert len(run.events) == 1


def test_a_lane_whose_partner_never_starts_is_lost(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_module, "BARRIER_SECONDS", 1.0)
    run = Run(runtime_dir, Scripted(act("answer", text="")), barrier=threading.Barrier(2))()
    assert run.ended.ending == Ending.LOST
    assert "other lane" in run.ended.detail


def test_a_lane_that_cannot_start_lets_its_partner_go(runtime_dir: Path) -> None:
    barrier = threading.Barrier(2)
    Run(runtime_dir, Scripted(act("answer", text="")), url="http://nowhere.practice.test/", barrier=barrier)()
    assert barrier.broken


def test_told_to_stop_a_lane_is_lost_in_bounded_time(runtime_dir: Path) -> None:
    stop = threading.Event()
    run = Run(runtime_dir, Scripted(act("wait", seconds=10)), stop=stop)
    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: run.events)
    began = time.monotonic()
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    assert time.monotonic() - began < 15
    assert run.ended.ending == Ending.LOST


def test_an_agent_that_cannot_be_made_is_no_failure_of_the_agent(
    runtime_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def factory(adapter: str, settings: Mapping[str, Any]) -> Agent:
        raise LookupError("no such adapter")

    run = Run(runtime_dir, Scripted(act("observe")), factory=factory)()
    assert run.ended.ending == Ending.PROVIDER_ERROR
    # The reason is for operators: people read the detail.
    assert run.ended.detail == NOT_READY
    assert "no such adapter" in caplog.text
    assert len(run.events) == 1


def test_an_event_that_cannot_be_taken_still_leaves_one_ending(runtime_dir: Path) -> None:
    events: list[LaneEvent] = []

    def emit(event: LaneEvent) -> None:
        if isinstance(event, StepTaken):
            raise OSError("the disk is full")
        events.append(event)

    Run(runtime_dir, Scripted(act("wait", seconds=0.1)), emit=emit)()
    assert [type(event) for event in events] == [LaneStarted, LaneEnded]
    assert isinstance(events[-1], LaneEnded)
    assert events[-1].ending == Ending.BROWSER_ERROR


def test_a_browser_that_dies_in_the_race_is_ours(runtime_dir: Path) -> None:
    others = set(descendants([_own_pid()]))

    def kill(observation: object, history: object) -> Any:
        for pid in set(descendants([_own_pid()])) - others:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--user-data-dir" in command and b"--type=" not in command:
                os.kill(pid, 9)
        return act("click", x=5, y=5)

    run = Run(runtime_dir, Scripted(kill))()
    assert run.ended.ending == Ending.BROWSER_ERROR


def test_a_way_out_that_dies_in_the_race_is_ours_and_no_agent_fails_by_it(runtime_dir: Path) -> None:
    others = set(descendants([_own_pid()]))

    def kill(observation: object, history: object) -> Any:
        for pid in set(descendants([_own_pid()])) - others:
            if b"battles.lanes.egress_proxy" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, 9)
        return act("navigate", url=f"http://{HOST}/add")

    run = Run(runtime_dir, Scripted(kill))()
    assert run.ended.ending == Ending.BROWSER_ERROR
    assert run.ended.detail == NO_BROWSER


def test_without_a_browser_people_are_told_less_than_operators(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ARENA_CHROMIUM", "/no/such/chromium")
    run = Run(runtime_dir, Scripted(act("wait", seconds=0.1)))()
    assert run.ended.ending == Ending.BROWSER_ERROR
    assert run.ended.detail == NO_BROWSER
    assert "/no/such/chromium is not an executable file" in caplog.text


def test_practice_server_tells_hosts_apart_and_stops() -> None:
    with PracticeServer() as server:
        address = f"http://127.0.0.1:{server.port}/"
        request = urllib.request.Request(address, headers={"Host": HOST})
        assert b"0 ducks" in urllib.request.urlopen(request, timeout=5).read()
        assert server.allowlist == {f"{host}:80": f"127.0.0.1:{server.port}" for host in checks.practice_hosts()}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address, timeout=5)
        assert refused.value.code == 421
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(request, timeout=2)


def test_practice_sites_are_fresh_for_every_server() -> None:
    with PracticeServer() as one, PracticeServer() as other:
        request = urllib.request.Request(f"http://127.0.0.1:{one.port}/add", headers={"Host": HOST})
        urllib.request.urlopen(request, timeout=5).read()
        assert (one.sites[HOST].ducks, other.sites[HOST].ducks) == (1, 0)  # type: ignore[attr-defined]


def _own_pid() -> int:
    return os.getpid()


def _until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    by = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < by
        time.sleep(0.05)
