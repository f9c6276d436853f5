"""One supervisor keeps a crew running, stops it in order, and leaves nothing behind however it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena_site import supervisor
from arena_site.environment import CHECKOUT
from arena_site.services.processes import ServiceError
from battles.lanes.events import Budget
from tests.arena_site.services.conftest import environment_with, wait_until
from tests.arena_site.services.test_processes import lives


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Running:
    """A supervisor in a process of its own, and what its crew wrote down."""

    def __init__(self, folder: Path, worker: str, drain_seconds: float) -> None:
        self.notes = folder / "notes"
        self.notes.touch()
        self.port = free_port()
        words = [str(self.notes), str(self.port), str(drain_seconds), worker]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.arena_site.supervised_crew", *words],
            cwd=CHECKOUT,
            env=environment_with(folder),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def noted(self) -> list[str]:
        return self.notes.read_text().splitlines()

    def pids(self, name: str) -> list[int]:
        return [int(line.split()[1]) for line in self.noted() if re.fullmatch(rf"{name} \d+", line)]

    def all_pids(self) -> list[int]:
        return [pid for name in ("web", "worker", "beat", "browser") for pid in self.pids(name)]

    def is_up(self) -> bool:
        return all(self.pids(name) for name in ("web", "worker", "beat"))

    def said_at_the_end(self) -> str:
        return self.process.communicate(timeout=30)[0]


@pytest.fixture
def run(tmp_path):
    started = []

    def start(worker: str = "idle", *, drain_seconds: float = 20.0, wait: bool = True) -> Running:
        running = Running(tmp_path, worker, drain_seconds)
        started.append(running)
        if wait:
            wait_until(running.is_up)
        return running

    yield start
    for running in started:
        running.process.kill()
        running.process.wait()
        for pid in running.all_pids():
            wait_until(lambda pid=pid: not lives(pid), 15)


def stops(running: Running) -> list[str]:
    return [line for line in running.noted() if not re.search(r"\d", line)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_stops_the_web_then_the_workers_then_the_clock(run, number):
    running = run()
    running.process.send_signal(number)
    said = running.said_at_the_end()
    assert stops(running) == ["web stops", "worker warm", "beat stops"]
    assert said.endswith("Stopping.\nStopped.\n")
    assert running.process.returncode == 0
    assert not any(lives(pid) for pid in running.all_pids())


def test_it_says_where_the_site_is_once_it_answers(run):
    running = run()
    assert running.process.stdout.readline() == f"Ringside is at http://127.0.0.1:{running.port}/ (Ctrl-C stops it)\n"


def test_a_battle_that_runs_is_finished(run):
    running = run("busy")
    running.process.send_signal(signal.SIGINT)
    running.said_at_the_end()
    assert stops(running) == ["web stops", "worker warm", "worker done", "beat stops"]


def test_a_second_ctrl_c_hands_it_back(run):
    running = run("stuck")
    running.process.send_signal(signal.SIGINT)
    wait_until(lambda: "worker warm" in running.noted())
    running.process.send_signal(signal.SIGINT)
    assert "Handing back" in running.said_at_the_end()
    assert stops(running) == ["web stops", "worker warm", "worker cold", "beat stops"]


def test_what_takes_too_long_is_handed_back(run):
    running = run("stuck", drain_seconds=1.0)
    running.process.send_signal(signal.SIGINT)
    assert "Handing back" in running.said_at_the_end()
    assert stops(running) == ["web stops", "worker warm", "worker cold", "beat stops"]


def test_a_warm_stop_waits_for_the_longest_battle():
    assert Budget().seconds < supervisor.DRAIN_SECONDS


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_what_is_killed_is_started_again(run, name):
    running = run()
    os.kill(running.pids(name)[0], signal.SIGKILL)
    wait_until(lambda: len(running.pids(name)) == 2, 10)
    running.process.send_signal(signal.SIGTERM)
    assert "was killed by SIGKILL; starting it again in 0.5 s." in running.said_at_the_end()


def test_what_a_killed_worker_left_is_ended(run):
    running = run("parent")
    browser = wait_until(lambda: running.pids("browser"))[0]
    os.kill(running.pids("worker")[0], signal.SIGKILL)
    wait_until(lambda: not lives(browser), 10)
    assert running.process.poll() is None


def test_a_killed_supervisor_leaves_nothing(run):
    running = run()
    running.process.kill()
    running.process.wait()
    for pid in running.all_pids():
        wait_until(lambda pid=pid: not lives(pid), 10)
    assert {"web stops", "worker cold", "beat stops"} <= set(running.noted()), "each is told by its own signal"


def test_a_site_that_never_answers_is_given_up_with_its_last_words(run):
    running = run("broken web", wait=False)
    said = running.said_at_the_end()
    assert running.process.returncode == 1
    assert "The site does not start." in said
    assert "the page is broken" in said
    assert running.noted().count("web breaks") == supervisor.FIRST_ANSWER_FAILURES


def test_pauses_grow_to_a_bound():
    pauses = [supervisor.pause_after(failures) for failures in range(1, 12)]
    assert pauses[:3] == [0.5, 1.0, 2.0]
    assert pauses == sorted(pauses)
    assert pauses[-1] == supervisor.LONGEST_PAUSE_SECONDS


def test_a_taken_port_is_named_with_the_next():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServiceError, match=rf"Port {port} is taken.*make run PORT={port + 1}"):
            supervisor.insist_on_free_port(port)
    supervisor.insist_on_free_port(port)


def test_one_supervisor_at_a_time_has_a_data_folder(tmp_path):
    with (
        supervisor.take_turn(tmp_path, 8001),
        pytest.raises(ServiceError, match=rf"runs already: http://127.0.0.1:8001 \(process {os.getpid()}\)"),
    ):
        supervisor.take_turn(tmp_path, 8002)
    supervisor.take_turn(tmp_path, 8002).close()


def test_the_production_processes_are_the_same_as_here():
    """The Procfile may differ in addresses and sizes, not in what runs."""
    lines = dict(line.split(": ", 1) for line in (CHECKOUT / "Procfile").read_text().splitlines() if ": " in line[:12])
    crew = supervisor.crew_for(port=8000, lane_slots=1)
    programs = [child.program for child in crew.all()]
    assert [name for name in lines if name != "release"] == [program.name for program in programs]
    for program in programs:
        flags = {word for word in program.words if word.startswith("--")}
        # What ties processes to a supervisor has no place where there is none.
        flags -= {"--include", "--respawn-interval"}
        # How many battles at once is a setting of its host.
        flags -= {"--concurrency"} if program.name == "lanes" else set()
        assert flags == set(re.findall(r"--[a-z-]+", lines[program.name])), program.name
