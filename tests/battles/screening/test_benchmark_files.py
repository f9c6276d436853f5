"""Benchmark files are read in the shapes in which they are published, and refused when they hold no tasks."""

import gzip
import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from battles.management.commands import build_overlap_index
from battles.screening.benchmark_files import BenchmarkFileUnreadable, read_items
from battles.screening.overlap import Tier, screen_overlap
from battles.screening.overlap_index import OverlapIndex

FIRST = "Find out which of the three lighthouses on the northern island was built last and who paid for its lamp"
SECOND = "Look up at what time the last tram leaves the old harbour on the second Sunday of May"


def written(path, content):
    data = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(data.encode()) if path.suffix == ".gz" else data.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("set.jsonl", json.dumps({"id": "a", "text": FIRST}) + "\n\n" + json.dumps({"id": "b", "text": SECOND})),
        (
            "set.jsonl.gz",
            json.dumps({"task_id": "a", "intent": FIRST}) + "\n" + json.dumps({"task_id": "b", "intent": SECOND}),
        ),
        (
            "set.json",
            [{"task_id": "a", "confirmed_task": FIRST, "level": 3}, {"task_id": "b", "confirmed_task": SECOND}],
        ),
        ("set.json", {"a": {"instruction": FIRST}, "b": {"instruction": SECOND}}),
        ("set.json", {"tasks": [{"id": "a", "ques": FIRST}, {"id": "b", "ques": SECOND}]}),
        ("set.json", [{"task_name": "a", "task_template": FIRST}, {"task_name": "b", "task_template": SECOND}]),
        ("set.csv", f'ID,Task,Site\na,"{FIRST}",x\nb,"{SECOND}",y\n'),
        ("set.tsv", f"id\tQuestion\na\t{FIRST}\nb\t{SECOND}\n"),
        ("set.csv", f"\ufeffid,question\na,{FIRST}\nb,{SECOND}\n"),
    ],
)
def test_published_shapes_are_read(tmp_path, name, content):
    items = list(read_items(written(tmp_path / name, content)))
    assert [(item.name.benchmark, item.name.item_id, item.text) for item in items] == [
        ("set", "a", FIRST),
        ("set", "b", SECOND),
    ]


def test_one_task_a_file(tmp_path):
    (item,) = read_items(written(tmp_path / "lighthouse.json", {"id": "L1", "goal": FIRST, "evals": [{"script": "x"}]}))
    assert (item.name.item_id, item.text) == ("L1", FIRST)
    (item,) = read_items(written(tmp_path / "tram.md", SECOND), benchmark="notes")
    assert (item.name.benchmark, item.name.item_id, item.text) == ("notes", "tram", SECOND)


def test_texts_alone_are_numbered(tmp_path):
    items = list(read_items(written(tmp_path / "goals.json", [FIRST, SECOND])))
    assert [item.name.item_id for item in items] == ["0", "1"]


def test_a_row_names_its_own_benchmark(tmp_path):
    (item,) = read_items(written(tmp_path / "mixed.jsonl", {"benchmark": "own", "id": 7, "text": FIRST}), benchmark="x")
    assert (item.name.benchmark, item.name.item_id) == ("own", "7")


def test_fields_can_be_named(tmp_path):
    path = written(tmp_path / "odd.json", [{"wish": FIRST, "nr": 3, "text": "not this"}])
    (item,) = read_items(path, text_field="wish", id_field="nr")
    assert (item.name.item_id, item.text) == ("3", FIRST)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("set.json", [{"wish": FIRST}], "--text-field"),
        ("set.json", "{", "cannot be read"),
        ("set.json", "[1, 2]", "expected tasks"),
        ("set.yaml", "id: a", "unknown ending"),
        ("set.jsonl", {"id": "a", "problem": "QmFzZTY0" * 40}, "ciphered"),
    ],
)
def test_what_holds_no_tasks_is_refused_with_the_reason(tmp_path, name, content, says):
    with pytest.raises(BenchmarkFileUnreadable, match=says):
        list(read_items(written(tmp_path / name, content)))


def test_missing_and_broken_files_are_refused(tmp_path):
    with pytest.raises(BenchmarkFileUnreadable):
        list(read_items(tmp_path / "absent.json"))
    (tmp_path / "broken.json.gz").write_bytes(b"\x1f\x8bnot gzip")
    with pytest.raises(BenchmarkFileUnreadable):
        list(read_items(tmp_path / "broken.json.gz"))


def built(*arguments):
    out = io.StringIO()
    call_command(build_overlap_index.Command(stdout=out), *map(str, arguments))
    return out.getvalue()


def test_the_command_builds_an_index_that_finds_its_items(tmp_path):
    path = written(tmp_path / "set.jsonl", {"id": "a", "text": FIRST})
    said = built(path, "--output", tmp_path / "index.npz")
    assert "1 distinct items" in said
    found = screen_overlap(FIRST.lower(), OverlapIndex.load(tmp_path / "index.npz"))
    assert (found.tier, found.benchmark, found.item) == (Tier.DUPLICATE, "set", "a")


def test_extending_keeps_what_was_there(tmp_path):
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    built(written(tmp_path / "first.jsonl", {"id": "a", "text": FIRST}), "--output", one)
    built(written(tmp_path / "second.jsonl", {"id": "b", "text": SECOND}), "--extend", one, "--output", two)
    index = OverlapIndex.load(two)
    assert index.benchmarks() == {"first": 1, "second": 1}
    assert [screen_overlap(text, index).item for text in (FIRST, SECOND)] == ["a", "b"]


def test_a_bad_file_leaves_the_index_alone(tmp_path):
    output = tmp_path / "index.npz"
    built(written(tmp_path / "set.jsonl", {"id": "a", "text": FIRST}), "--output", output)
    before = output.read_bytes()
    with pytest.raises(CommandError, match="--text-field"):
        built(written(tmp_path / "odd.json", [{"wish": SECOND}]), "--output", output)
    assert output.read_bytes() == before
