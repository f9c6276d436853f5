"""Racing from the terminal: a fresh folder, one command, real browsers, one line of JSON at the end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def run(data, *words):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "manage.py", "battle", *words],
        cwd=CHECKOUT,
        env=kept | {"ARENA_DATA_DIR": str(data)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal")
    # The services' account passes through when the tests are run by root.
    for part in (folder, folder.parent, folder.parent.parent):
        part.chmod(0o711)
    return folder


@pytest.mark.browser
def test_a_practice_battle_ends_votable_with_one_line_of_json(data):
    raced = run(data, "--practice", "shop-kettle-price", "--json")
    assert raced.returncode == 0, raced.stderr
    result = json.loads(raced.stdout)
    assert result["state"] == "votable"
    assert [lane["slot"] for lane in result["lanes"]] == ["A", "B"]
    for lane in result["lanes"]:
        assert lane["ended"]
        assert lane["steps"] >= 1
        assert lane["seconds"] > 0
        assert lane["passed"] in {True, False}
    shown = run(data, "Find the opening hours of the library.", "--url", "http://library.practice.test/")
    assert shown.returncode == 0, shown.stderr
    *steps, last = shown.stdout.strip().splitlines()
    assert json.loads(last)["state"] == "votable"
    assert any(line.startswith("A ") for line in steps)
    assert any(line.startswith("B ") for line in steps)
    assert "reference" not in shown.stdout.lower()


def test_practice_list_names_every_key_without_a_database(data):
    listed = run(data, "--practice", "list")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) >= 24


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--practice", "no-such-key", "--json"), "unknown_practice_task"),
        (("too short", "--url", "https://example.org/", "--json"), "instruction_too_short"),
        (("Read the page of this router.", "--url", "http://192.168.0.1/", "--json"), "start_url_refused"),
    ],
)
def test_a_refused_task_says_why_on_standard_error(data, words, code):
    refused = run(data, *words)
    assert refused.returncode == 2
    assert code in refused.stderr
    assert refused.stdout == ""
