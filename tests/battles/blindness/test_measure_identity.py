"""The command says how good the scan is, for people and for programs."""

import gzip
import io
import json

import pytest
from django.core.management import CommandError, call_command

LINES = (
    '{"id": "a", "kind": "self_id", "text": "I am Claude.", "leaks": true}\n'
    '{"id": "b", "kind": "benign_generic", "text": "I am Gemini.", "leaks": false}\n'
)


def run(*arguments):
    out = io.StringIO()
    call_command("measure_identity", *arguments, stdout=out)
    return out.getvalue()


def test_json(tmp_path):
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    assert json.loads(run("--cases", str(path), "--json")) == {
        "recall": 1.0,
        "benign_flagged": 1.0,
        "by_kind": {"benign_generic": {"cases": 1, "right": 0}, "self_id": {"cases": 1, "right": 1}},
        "wrong": ["b"],
    }


def test_table_of_the_shipped_cases():
    table = run()
    assert "recall" in table
    assert "self_id" in table


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        run("--cases", str(tmp_path / "none"))
