"""``manage.py fit`` with files, streams and names as careless and hostile people have them."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from ratings.votes_file.document import document_text
from tests.ratings.test_fit_command import ROOT, Done, fitted, run
from tests.ratings.votes_file.writers import delimited, duel, vote, write_parquet

HOSTILE_NAMES = (
    "\x1b[31mred",
    "=cmd|' /C calc'!A0",
    "\u202eevil",
    "<script>alert(1)</script>",
    "]]>&amp;\"'",
    "é\U0001f4a9",
)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text(delimited(duel(12, 8, 3)))
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.csv"
    path.write_text(delimited([row for name in HOSTILE_NAMES for row in duel(5, 4, a=name, b="plain")]), "utf-8")
    return path


def through(shell: str, *arguments: object, **environment: str) -> Done:
    """The command in a shell, which does with its streams what people do; ``$FIT`` is the command."""
    command = f"set -o pipefail; FIT='{sys.executable} manage.py fit'; {shell}"
    done = subprocess.run(
        ["bash", "-c", command, "bash", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("options", ["", "--json -"])
def test_a_full_disk_behind_stdout_is_said(good: Path, options: str) -> None:
    done = through(f'$FIT "$1" {options} > /dev/full', good)
    assert (done.code, done.stderr) == (2, "CommandError: stdout cannot be written: No space left on device.\n")


@pytest.mark.parametrize("options", ["", "--json -"])
def test_a_reader_may_stop_before_the_end(good: Path, options: str) -> None:
    done = through(f'$FIT "$1" {options} | true', good)
    assert (done.code, done.stderr) == (0, "")


def test_streams_that_are_closed(good: Path) -> None:
    done = through('$FIT "$1" >&-', good)
    assert (done.code, done.stderr) == (2, "CommandError: stdout cannot be written: it is closed.\n")
    done = through('$FIT "$1" 2>&-', good)
    assert done.code == 0
    assert "ranks  agent" in done.stdout


def printed(encoding: str, *arguments: object) -> str:
    """What the command prints in this process on a stream of that encoding, which refuses what it lacks."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    call_command("fit", *map(str, arguments), stdout=stream, stderr=io.StringIO())
    stream.seek(0)
    return stream.read()


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_stdout_may_lack_characters(hostile: Path, encoding: str) -> None:
    assert "\\U0001f4a9" in printed(encoding, hostile)
    document = printed(encoding, hostile, "--json", "-")
    assert {row["agent"] for row in json.loads(document)["ratings"]} == {*HOSTILE_NAMES, "plain"}


def test_a_process_too_takes_its_stdouts_encoding(hostile: Path) -> None:
    table = through('$FIT "$1"', hostile, PYTHONIOENCODING="ascii:strict", PYTHONUTF8="0")
    assert table.code == 0
    assert "\\U0001f4a9" in table.stdout


def test_where_stdout_goes_is_not_replaced(good: Path, tmp_path: Path) -> None:
    done = through('$FIT "$1" --json "$2" > "$2"', good, tmp_path / "out")
    assert done.code == 2
    assert "would overwrite" in done.stderr
    piped = through('$FIT "$1" --json /dev/stdout | cat', good)
    assert piped.code == 0
    assert json.JSONDecoder().raw_decode(piped.stdout)[0]["votes"]["used"] == 23


def test_one_file_has_many_names(good: Path, tmp_path: Path) -> None:
    hard = tmp_path / "hard.csv"
    hard.hardlink_to(good)
    assert "twice" in run(good, hard).stderr
    before = good.read_bytes()
    assert "would overwrite" in run(good, "--csv", hard).stderr
    assert good.read_bytes() == before


def test_names_that_no_file_can_have(good: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for arguments in ([loop], [good, loop], [tmp_path / ("x" * 300)], [good, "--json", tmp_path / ("x" * 300)], ["-"]):
        done = run(*arguments)
        assert (done.code, done.stdout) == (2, ""), arguments
        assert done.stderr.endswith("."), arguments
    assert "/dev/stdin" in run("-").stderr


def test_a_files_name_need_not_be_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"n\xffme.csv")
    path.write_text(delimited([vote("a", "a", "tie")]))
    for target in ("-", tmp_path / "out.json"):
        done = run(path, "--json", target)
        assert done.code == 2
        written = done.stdout if target == "-" else Path(target).read_text("utf-8")
        (row,) = json.loads(written.encode())["votes"]["rejected"]
        assert row["file"].endswith("n\\udcffme.csv")


def test_no_name_reaches_a_terminal_as_an_order(hostile: Path, tmp_path: Path) -> None:
    done = run(hostile, "--audit", "--anchor", HOSTILE_NAMES[0], "--plot", tmp_path / "plot.svg")
    assert done.code == 0
    drawn = (tmp_path / "plot.svg").read_text("utf-8")
    for order in ("\x1b", "\u202e"):
        assert order not in done.stdout + done.stderr + drawn
    assert "<script" not in drawn
    text = document_text({"names": ["\u202ea", "\x9b31m", "\ufeff"]})
    assert text.isascii()
    assert json.loads(text) == {"names": ["\u202ea", "\x9b31m", "\ufeff"]}


def test_no_name_reaches_a_spreadsheet_as_a_formula(hostile: Path, tmp_path: Path) -> None:
    assert run(hostile, "--csv", tmp_path / "out.csv").code == 0
    agents = [row["agent"] for row in csv.DictReader((tmp_path / "out.csv").open(encoding="utf-8"))]
    assert f"'{HOSTILE_NAMES[1]}" in agents
    assert set(HOSTILE_NAMES) - set(agents) == {HOSTILE_NAMES[1]}
    assert HOSTILE_NAMES[1] in {row["agent"] for row in fitted(hostile)["ratings"]}


def test_options_that_ask_for_nothing_are_refused(good: Path) -> None:
    for arguments, words in (
        (["--weight", ""], "name of a column"),
        (["--category", " "], "name of a column"),
        (["--style-columns", ",,"], "name of a column"),
        (["--style"], "no pair of columns"),
        (["--anchor", "a1=1e300"], "no number up to"),
    ):
        done = run(good, *arguments)
        assert (done.code, done.stdout) == (2, "")
        assert words in done.stderr


def test_a_file_of_nothing_but_bad_rows_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.json"
    for content, reasons in (
        ('[1, "x", null]', ["not_an_object"] * 3),
        ('{\n "model_a": "x"\n}\n', ["bad_json"] * 3),
        ('{"a": ' * 99_999, ["bad_json"]),
    ):
        path.write_text(content)
        done = run(path, "--json", "-")
        found = json.loads(done.stdout)
        assert (done.code, found["error"]["code"]) == (2, "rejected_rows")
        assert [row["reason"] for row in found["votes"]["rejected"]] == reasons
        assert found["votes"]["read"] == len(reasons)
        assert reasons[0] in done.stderr


def test_a_single_judge_has_no_factor(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    write_parquet(duel(6, 4, judge="j1"), path)
    found = fitted(path)
    assert found["correction"] == "none: a single judge shows no error"
    assert {row["status"] for row in found["ratings"]} == {"not_identified"}
