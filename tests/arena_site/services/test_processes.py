"""Programs that are started here end with their starter, as whole families."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena_site.services import processes
from tests.arena_site.services.conftest import wait_until

SLEEP = "/bin/sleep"


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def start(*words, **options):
    return processes.start(words, log=None, at_parents_death=signal.SIGKILL, **options)


def starter_of(program: str) -> tuple[subprocess.Popen[str], int]:
    """Another process that starts a program with SIGTERM at its death, and the program's process id."""
    code = (
        "import signal, sys, time\n"
        "from arena_site.services import processes\n"
        f"running = processes.start({program}, log=None, at_parents_death=signal.SIGTERM)\n"
        "print(running.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    return starter, int(starter.stdout.readline())


def test_a_program_ends_when_its_starter_is_killed():
    starter, pid = starter_of(f'["{SLEEP}", "60"]')
    assert lives(pid)
    starter.kill()
    starter.wait()
    wait_until(lambda: not lives(pid), 5)


def test_a_program_is_told_by_the_signal_it_asked_for(tmp_path):
    told = tmp_path / "told"
    script = f"trap 'echo told > {told}; exit' TERM; while :; do sleep 0.1; done"
    starter, pid = starter_of(f'["/bin/sh", "-c", {script!r}]')
    time.sleep(0.3)
    starter.kill()
    starter.wait()
    wait_until(lambda: not lives(pid), 5)
    assert told.read_text() == "told\n"


def test_a_program_leads_a_session_of_its_own():
    running = start(SLEEP, "60")
    wait_until(lambda: os.getsid(running.pid) == running.pid, 5)
    assert os.getpgid(running.pid) == running.pid
    processes.end(running, (signal.SIGTERM, 5.0))
    assert running.returncode == -signal.SIGTERM


def test_the_whole_family_of_a_program_is_ended(tmp_path):
    note = tmp_path / "child"
    running = start("/bin/sh", "-c", f"trap '' TERM; {SLEEP} 60 & echo $! > {note}; wait; wait")
    child = int(wait_until(lambda: note.exists() and note.read_text().strip(), 5))
    processes.end(running, (signal.SIGTERM, 0.2))
    assert running.returncode == -signal.SIGKILL
    wait_until(lambda: not lives(child), 5)


def test_a_family_that_outlives_its_head_is_ended(tmp_path):
    note = tmp_path / "child"
    running = start("/bin/sh", "-c", f"{SLEEP} 60 & echo $! > {note}")
    child = int(wait_until(lambda: note.exists() and note.read_text().strip(), 5))
    wait_until(lambda: processes.has_ended(running), 5)
    assert lives(child)
    processes.end(running)
    assert running.returncode == 0
    wait_until(lambda: not lives(child), 5)


def test_looking_whether_a_program_ended_leaves_its_status():
    running = start("/bin/sh", "-c", "exit 3")
    wait_until(lambda: processes.has_ended(running), 5)
    assert processes.has_ended(running)
    processes.end(running)
    assert running.returncode == 3


def test_signals_that_python_ignores_are_not_ignored_by_the_program():
    status, said = processes.answer(["/bin/sh", "-c", "grep SigIgn /proc/self/status"])
    assert status == 0
    ignored = int(said.split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1))


def test_a_program_that_is_not_there_says_so():
    status, said = processes.answer(["/nowhere/program"])
    assert status != 0
    assert "/nowhere/program: No such file or directory" in said


def test_a_program_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(processes, "ANSWER_SECONDS", 0.2)
    assert processes.answer([SLEEP, "60"]) == (124, "")


def test_a_large_log_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "LOG_BYTES", 10)
    log = processes.open_log(tmp_path / "logs" / "web.log")
    log.write_text("first\nsecond\nthird\n")
    assert processes.last_lines(log, 2) == "second\nthird"
    assert processes.last_lines(log, since=6) == "second\nthird"
    processes.open_log(log)
    assert not log.exists()
    assert processes.last_lines(log) == ""
    assert (tmp_path / "logs" / "web.log.1").read_text().startswith("first")


@pytest.mark.parametrize("executable", ["sleep"])
def test_processes_are_found_by_their_folder_and_program(tmp_path, executable):
    here = start(SLEEP, "60", folder=tmp_path)
    elsewhere = start(SLEEP, "60")
    try:
        found = wait_until(lambda: processes.processes_in(tmp_path, executable), 5)
        assert found == {here.pid: os.getpid()}
        assert processes.processes_in(tmp_path, "postgres") == {}
    finally:
        processes.end(here)
        processes.end(elsewhere)
