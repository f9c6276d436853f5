"""Trees of processes are found and ended whole."""

import os
import subprocess
import sys
import time
from pathlib import Path

from battles.lanes.processes import (
    children_of_this_thread,
    descendants,
    is_alive,
    kill_tree,
    kill_until_none,
    process_status,
    processes_naming,
)

#: A shell with a child, which has a child that has left its parent's session.
FAMILY = "setsid sleep 300 & sleep 300 & wait"


def wait_until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_tree_is_killed_whole():
    with subprocess.Popen(["/bin/sh", "-c", FAMILY]) as root:
        wait_until(lambda: len(descendants([root.pid])) == 2)
        family = descendants([root.pid])
        assert kill_tree([root.pid]) == []
    assert not any(map(is_alive, [root.pid, *family]))


def test_a_stopped_tree_is_killed_too():
    with subprocess.Popen(["/bin/sh", "-c", "kill -STOP $$; sleep 300"]) as root:
        wait_until(lambda: process_status(root.pid)["State"].startswith("T"))
        assert kill_tree([root.pid]) == []


def test_killing_what_is_gone_is_no_error():
    with subprocess.Popen(["/bin/true"]) as root:
        root.wait()
    assert kill_tree([root.pid]) == []


def test_processes_are_found_by_a_folder_in_their_command_line(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", f"--profile={tmp_path}/p"]) as process:
        wait_until(lambda: processes_naming(tmp_path) == [process.pid])
        assert processes_naming(Path(f"{tmp_path}x")) == []
        assert kill_until_none(lambda: processes_naming(tmp_path)) == []


def test_what_cannot_be_killed_is_returned_in_bounded_time(monkeypatch):
    monkeypatch.setattr("battles.lanes.processes.GONE_SECONDS", 0.1)
    monkeypatch.setattr("battles.lanes.processes._send", lambda pid, which: None)
    assert kill_until_none(lambda: [1]) == [1]


def test_a_thread_knows_its_own_children():
    before = children_of_this_thread()
    with subprocess.Popen(["/bin/sleep", "300"]) as child:
        assert children_of_this_thread() - before == {child.pid}
        child.kill()
    assert child.pid not in children_of_this_thread()


def test_a_process_that_does_not_exist_has_no_status():
    assert process_status(2**22 + 1) == {}
    assert not is_alive(2**22 + 1)
    assert is_alive(os.getpid())
