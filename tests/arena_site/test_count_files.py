"""Counting for monitoring: no full disk and no damaged file ends or hinders whoever counts or asks for the figures."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.http import HttpResponse
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import mmap_key
from prometheus_client.parser import text_string_to_metric_families

from arena_site.environment import CHECKOUT
from arena_site.monitoring.count_files import (
    ENDED_KEPT_SECONDS,
    CountedTogether,
    CountFile,
    _say_left_out,
    forget_ended_processes,
)
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
#: No process has this number: it is above what the kernel gives.
NOBODY = 2**22 + 1


def told(folder):
    """Everything that is told, as monitoring reads it: families by name."""
    registry = CollectorRegistry()
    registry.register(CountedTogether(folder))
    return {one.name: one for one in text_string_to_metric_families(generate_latest(registry).decode())}


def tasks(folder):
    """What is told of tasks: the count by name."""
    found = told(folder).get("ringside_tasks")
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


def goes_on(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()


def a_site(data):
    """Where a site keeps what it counts; all that it needs of its data folder is there."""
    (data / "counters").mkdir(parents=True)
    (data / "secret_key").write_text("k" * 50)
    (data / "secret_key").chmod(0o600)
    return data / "counters"


@pytest.fixture
def disk(tmp_path):
    if refused := why_not(tmp_path / "data"):
        pytest.skip(refused)
    with small_disk(tmp_path / "data", kilobytes=512) as folder:
        yield folder


def test_on_a_full_disk_whoever_counts_goes_on_and_tells_it_once_there_is_room(disk):
    counters = a_site(disk)
    fill(disk)
    with counting(disk) as process:
        assert process.stdout.readline() == "200\n", "the site answers that it lives"
        assert process.stdout.readline() == "counted\n", "and was not ended by a signal"
        assert tasks(counters) == {}, "the figures of others can be read meanwhile"
        make_room(disk)
        assert goes_on(process) == "again\n"
        kept = tasks(counters)
        assert (len(kept), kept["task-0"], kept["task-299"]) == (300, 2, 1), "nothing was lost"
    assert process.returncode == 0
    assert tasks(counters) == kept, "what an ended process counted stays"


def test_what_two_processes_count_at_once_is_added_up_and_a_damaged_file_keeps_neither_from_starting(tmp_path):
    counters = a_site(tmp_path)
    for number, damaged in enumerate(DAMAGED.values()):
        (counters / f"counter_{NOBODY}_{number}.db").write_bytes(damaged(an_image()))
        os.utime(counters / f"counter_{NOBODY}_{number}.db", (0, 0) if number % 2 else None)
    with counting(tmp_path) as one, counting(tmp_path) as other:
        for process in (one, other):
            assert [process.stdout.readline(), process.stdout.readline()] == ["200\n", "counted\n"]
        assert set(tasks(counters).values()) == {2}
        assert goes_on(one) == "again\n"
        assert tasks(counters) | {"task-0": 0} == {f"task-{number}": 2 * bool(number) for number in range(300)}
        assert tasks(counters)["task-0"] == 3
        [asked] = [one for one in told(counters)["ringside_requests"].samples if one.name.endswith("_total")]
        assert asked.value == 2
        buckets = {one.labels.get("le"): one.value for one in told(counters)["ringside_request_seconds"].samples}
        assert buckets["+Inf"] == 2
        assert goes_on(other) == "again\n"
    assert (one.returncode, other.returncode, tasks(counters)["task-0"]) == (0, 0, 4)


def key(task):
    name = "ringside_tasks"
    return mmap_key(name, f"{name}_total", ["task", "outcome"], [task, "done"], "Tasks that ended.")


def counted(folder, task, times=1, number=NOBODY):
    file = CountFile(str(folder / f"counter_{number}.db"))
    for _ in range(times):
        file.write_value(key(task), file.read_value(key(task))[0] + 1, 0.0)
    file.close()
    return Path(file._path)


def an_image():
    with TemporaryDirectory() as folder:
        file = CountFile(str(Path(folder) / "counter_1.db"))
        for number in range(4):
            file.write_value(key(f"task-{number}"), 1.0, 0.0)
        file.close()
        return Path(file._path).read_bytes()


DAMAGED = {
    "its head, the rest zeros": lambda image: image[:8] + bytes(len(image) - 8),
    "its head, the rest noise": lambda image: image[:8] + b"\xff" * (len(image) - 8),
    "a head of nine": lambda image: (9).to_bytes(4, "little") + image[4:],
    "a head of more than there is": lambda image: (99_999).to_bytes(4, "little") + image[4:],
    "a head alone": lambda image: image[:3],
    "an end that is missing": lambda image: image[:-40],
    "a key that is no JSON": lambda image: image.replace(b'["ringside', b"[[ringside", 1),
    "a key that is no text": lambda image: image.replace(b"task-0", b"task-\xff", 1),
    "a key of another form": lambda image: image.replace(b'{"outcome": "done"', b'["outcome", "done"', 1),
    "a name that nobody may read": lambda image: image.replace(b"ringside_tasks", b"ringside tasks", 1),
    "half a character": lambda image: image.replace(b"task-0", b"\\ud800", 1),
    "no number": lambda image: image[:-16] + b"\xff" * 16,
    "less than nothing": lambda image: image[:-9] + b"\xbf" + image[-8:],
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_left_out_with_one_warning_and_those_beside_it_are_read(tmp_path, caplog, damage):
    before = an_image()
    after = DAMAGED[damage](before)
    assert after != before
    bad = tmp_path / f"counter_{NOBODY}_bad.db"
    bad.write_bytes(after)
    counted(tmp_path, "good", 3)
    _say_left_out.cache_clear()
    for _ in range(2):
        assert tasks(tmp_path) == {"good": 3}
    assert [bad.name in record.getMessage() for record in caplog.records] == [True]
    assert bad.read_bytes() == after, "nobody writes into what another left"


@given(
    written=st.lists(st.tuples(st.integers(0, 600), st.binary(min_size=1, max_size=24)), min_size=1, max_size=4),
    end=st.integers(0, 700),
    kind=st.sampled_from(["counter", "histogram"]),
)
def test_whatever_bytes_are_in_a_file_the_figures_can_be_told_and_read(written, end, kind):
    image = bytearray(an_image())
    for place, found in written:
        image[place : place + len(found)] = found
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{kind}_{NOBODY}_bad.db").write_bytes(image[:end])
        counted(folder, "good", 3)
        forget_ended_processes(folder)
        registry = CollectorRegistry()
        registry.register(CountedTogether(folder))
        lines = generate_latest(registry).decode()
        list(text_string_to_metric_families(lines))
        assert 'task="good"' in lines


def test_a_bucket_without_a_bound_is_left_out_too(tmp_path):
    file = CountFile(str(tmp_path / f"histogram_{NOBODY}.db"))
    name = "ringside_task_seconds"
    file.write_value(mmap_key(name, f"{name}_bucket", ["task", "le"], ["a", "1.o"], "Time."), 1.0, 0.0)
    file.close()
    counted(tmp_path, "good", 3)
    assert tasks(tmp_path) == {"good": 3}


def test_files_of_the_library_and_such_that_nobody_has_written_yet_are_read_as_they_are(tmp_path, caplog):
    (tmp_path / "counter_7.db").write_bytes(an_image() + bytes(1 << 16))
    (tmp_path / "histogram_7.db").write_bytes(bytes(1 << 16))
    (tmp_path / "counter_8.db").write_bytes(b"")
    assert tasks(tmp_path) == {f"task-{number}": 1 for number in range(4)}
    assert not caplog.records


def test_more_files_than_a_process_may_open_are_read_and_looked_at_one_by_one(tmp_path):
    for number in range(300):
        (tmp_path / f"counter_{NOBODY + number}_x.db").write_bytes(an_image())
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (250, before[1]))
    try:
        forget_ended_processes(tmp_path)
        assert tasks(tmp_path)["task-3"] == 300
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_an_ended_process_counted_goes_after_seven_days_and_what_a_living_one_counts_stays(tmp_path):
    files = {
        counted(tmp_path, "a"): 1.1,
        counted(tmp_path, "b"): 0.9,
        counted(tmp_path, "c", number=os.getpid()): 1.1,
        tmp_path / "counter_ended.db": 1.1,
        tmp_path / f"histogram_{10**30}.db": 0.9,
        tmp_path / f"histogram_{10**30}_x.db": 1.1,
    }
    no_file = tmp_path / f"counter_{NOBODY}_folder.db"
    no_file.mkdir()
    os.utime(no_file, (0, 0))
    for file, age in files.items():
        file.touch()
        os.utime(file, (time.time() - age * ENDED_KEPT_SECONDS,) * 2)
    forget_ended_processes(tmp_path)
    assert tasks(tmp_path) == {"b": 1, "c": 1}
    assert not (tmp_path / "counter_ended.db").exists()


def test_two_of_one_number_have_a_file_each_and_a_process_that_counts_nothing_has_none(tmp_path):
    CountFile(str(tmp_path / "counter_1.db")).read_value(key("a"))
    assert list(tmp_path.iterdir()) == []
    assert counted(tmp_path, "a") != counted(tmp_path, "a")
    assert tasks(tmp_path) == {"a": 2}


def test_nobody_else_can_read_them(tmp_path):
    before = os.umask(0)
    try:
        assert counted(tmp_path, "a").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize("in_place", [None, "a file"])
def test_a_folder_that_is_gone_keeps_nobody_from_starting_counting_or_asking(tmp_path, monkeypatch, settings, in_place):
    folder = tmp_path / "counters"
    if in_place:
        folder.write_text(in_place)
    from arena_site.monitoring.counters import CountingMiddleware  # noqa: PLC0415

    settings.ARENA_METRICS_TOKEN = WATCHING["ARENA_METRICS_TOKEN"]
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(folder))
    CountingMiddleware(lambda _: HttpResponse())
    file = CountFile(str(folder / "counter_1.db"))
    file.write_value(key("a"), 3, 0.0)
    assert file.read_value(key("a"))[0] == 3
    assert tasks(folder) == {}
