"""Counting for monitoring: no disk that is full ends or hinders whoever counts, and sums never go back."""

import os
import subprocess
import sys

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from arena_site.environment import CHECKOUT
from arena_site.monitoring.count_files import CountedTogether, CountFile
from tests.arena_site.faults.small_disk import fill, make_room, small_disk, why_not

#: A site that is asked whether it lives, and a worker that counts, with more names than a page of memory holds.
COUNTS = """
import sys
import django
django.setup()
from django.test import Client
from arena_site.monitoring import count_files
from arena_site.monitoring.counters import TASKS
count_files.PATIENCE_SECONDS = 0.0
print(Client().get("/live").status_code)
for number in range(300):
    TASKS.labels(f"task-{number}", "done").inc()
print("counted", flush=True)
sys.stdin.readline()
TASKS.labels("task-0", "done").inc()
print("again", flush=True)
sys.stdin.readline()
"""
WATCHING = {"ARENA_METRICS_TOKEN": "a-token-that-nobody-guesses", "DJANGO_SETTINGS_MODULE": "arena_site.settings"}


def tasks(folder):
    """What is told of tasks: the count by name."""
    registry = CollectorRegistry()
    registry.register(CountedTogether(folder))
    families = {one.name: one for one in text_string_to_metric_families(generate_latest(registry).decode())}
    found = families.get("ringside_tasks")
    return {sample.labels["task"]: sample.value for sample in found.samples} if found else {}


def counting(data):
    environment = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    return subprocess.Popen(
        [sys.executable, "-c", COUNTS],
        cwd=CHECKOUT,
        env=environment | WATCHING | {"ARENA_DATA_DIR": str(data)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def data(tmp_path):
    if refused := why_not(tmp_path / "data"):
        pytest.skip(refused)
    with small_disk(tmp_path / "data", kilobytes=512) as folder:
        yield folder


def test_on_a_full_disk_whoever_counts_goes_on_and_tells_it_once_there_is_room(data):
    (data / "counters").mkdir()
    (data / "secret_key").write_text("k" * 50)
    (data / "secret_key").chmod(0o600)
    fill(data)
    with counting(data) as process:
        assert process.stdout.readline() == "200\n", "the site answers that it lives"
        assert process.stdout.readline() == "counted\n", "and was not ended by a signal"
        assert tasks(data / "counters") == {}, "the figures of others can be read meanwhile"
        make_room(data)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "again\n"
        told = tasks(data / "counters")
        assert (len(told), told["task-0"], told["task-299"]) == (300, 2, 1), "nothing was lost"
    assert process.returncode == 0
    assert tasks(data / "counters") == told, "what an ended process counted stays"
    fill(data)
    assert tasks(data / "counters") == told


def key(task):
    return f'["ringside_tasks", "ringside_tasks_total", {{"task": "{task}"}}, "Tasks that ended."]'


def counted(folder, task, times=1):
    file = CountFile(str(folder / "counter_1.db"))
    for _ in range(times):
        file.write_value(key(task), file.read_value(key(task))[0] + 1, 0.0)
    return file


def test_those_that_ended_leave_one_file_and_their_sum_and_those_that_live_are_left_alone(tmp_path):
    ended = [counted(tmp_path, "a", 2), counted(tmp_path, "b")]
    lives = counted(tmp_path, "a", 5)
    assert tasks(tmp_path) == {"a": 7, "b": 1}
    assert len(list(tmp_path.iterdir())) == 3
    for file in ended:
        file.close()
    assert tasks(tmp_path) == {"a": 7, "b": 1}
    assert {file.name for file in tmp_path.iterdir()} == {lives._path.name, "counter_ended.db"}
    lives.write_value(key("b"), 1, 0.0)
    lives.close()
    counted(tmp_path, "c").close()
    assert tasks(tmp_path) == {"a": 7, "b": 2, "c": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["counter_ended.db"]


def test_files_that_the_library_left_or_nobody_finished_are_no_hindrance(tmp_path):
    (tmp_path / "counter_7.db").write_bytes(bytes(1 << 16))
    (tmp_path / "counter_8.db").write_bytes(b"")
    (tmp_path / "histogram_9.db").write_bytes(b"\xff" * 40)
    assert tasks(tmp_path) == {}
    counted(tmp_path, "a").close()
    assert tasks(tmp_path) == {"a": 1}


def test_nobody_else_can_read_them(tmp_path):
    before = os.umask(0)
    try:
        counted(tmp_path, "a").close()
        assert tasks(tmp_path) == {"a": 1}
        lives = counted(tmp_path, "a")
        assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
        lives.close()
    finally:
        os.umask(before)


def test_a_folder_that_is_gone_is_no_hindrance_either(tmp_path):
    file = CountFile(str(tmp_path / "gone" / "counter_1.db"))
    file.write_value(key("a"), 3, 0.0)
    assert file.read_value(key("a"))[0] == 3
