"""``manage.py fit`` as people and programs run it, without a database."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from ratings.management.commands.fit import Command
from tests.ratings.crowd_votes import DATA, reference
from tests.ratings.votes_file.writers import delimited, duel, vote

ROOT = Path(__file__).parents[2]
CONTRACT = {
    "votes": {"read", "used", "rejected"},
    "position": {"a_win_share", "lower", "upper", "log_odds"},
    "ties": {"share", "nu"},
}
RATING = set("agent component rating se lower upper sim_lower sim_upper rank_best rank_worst status bound".split())
PROBE = {"key", "fired", "value", "lower", "upper", "threshold", "reason"}


@dataclass(frozen=True)
class Done:
    """How a run ended."""

    code: int
    stdout: str
    stderr: str


def run(*arguments: object) -> Done:
    """The command in this process. No test here may touch the database, which pytest-django sees to."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("fit", *map(str, arguments), stdout=out, stderr=err)
    except CommandError as refusal:
        return Done(refusal.returncode, out.getvalue(), f"{err.getvalue()}{refusal}")
    return Done(0, out.getvalue(), err.getvalue())


def started(*arguments: object) -> subprocess.Popen[str]:
    """The command as a process of its own, with no service to be found."""
    nowhere = {"ARENA_DATABASE_URL": "postgres://nobody@127.0.0.1:9/none", "ARENA_REDIS_URL": "redis://127.0.0.1:9/0"}
    return subprocess.Popen(
        [sys.executable, "manage.py", "fit", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **nowhere},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def fitted(*arguments: object) -> dict[str, Any]:
    done = run(*arguments, "--json", "-")
    assert done.code == 0, done.stderr
    return dict(json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON")))


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text(delimited(duel(12, 8, 3) + duel(7, 9, a="a2", b="a3")))
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.csv"
    rows = [*duel(12, 8), vote("a1", "a1", "tie"), vote("a1", " ", "tie"), vote("a1", "a2", "nobody\x1b[2J")]
    path.write_text(delimited(rows))
    return path


REJECTED = [(22, "model_b", "a1", "self_battle"), (23, "model_b", " ", "blank_name")]


def test_json_holds_the_agreed_keys(good: Path) -> None:
    found = fitted(good, "--audit")
    assert set(found) >= {*CONTRACT, "components", "covariance", "correction", "ratings", "probes"}
    for key, keys in CONTRACT.items():
        assert set(found[key]) >= keys
    assert all(set(row) >= RATING for row in found["ratings"])
    assert len(found["probes"]) == 13
    assert all(set(probe) >= PROBE for probe in found["probes"])
    assert (found["votes"]["read"], found["votes"]["used"], found["components"]) == (39, 39, 1)
    assert fitted(good)["probes"] == []


def test_the_real_file_is_fitted_as_it_is() -> None:
    found = fitted(DATA / "llmfao_crowd.csv.gz")
    rating = {row["agent"]: row["rating"] for row in found["ratings"]}
    for name, points in zip(reference()["models"], reference()["ratings"], strict=True):
        assert rating[name] == pytest.approx(1000 + points, abs=1e-8)


def test_the_table_goes_to_stdout_and_all_else_to_files(good: Path, tmp_path: Path) -> None:
    targets = {name: tmp_path / f"out.{name}" for name in ("json", "csv", "plot")}
    done = run(good, *(f"--{name}={path}" for name, path in targets.items()), "--anchor", "a2=1200")
    assert (done.code, done.stderr) == (0, "")
    assert "ranks  agent" in done.stdout
    assert "clustered on judge" in done.stdout
    document = json.loads(targets["json"].read_text())
    assert next(row for row in document["ratings"] if row["agent"] == "a2")["rating"] == 1200
    assert targets["csv"].read_text().count("\n") == 4
    assert ElementTree.parse(targets["plot"]).getroot().get("role") == "img"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.csv", "out.csv", "out.json", "out.plot"]


def test_files_are_replaced_and_anything_else_is_written_to(good: Path, tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real.csv", tmp_path / "link.csv", tmp_path / "pipe"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, encoding="utf-8") as reader:
        assert run(good, "--csv", link, "--plot", pipe).code == 0
        assert reader.communicate(timeout=60)[0].startswith("<svg")
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert real.read_text().startswith("agent,")
    assert real.stat().st_mode & 0o777 == 0o600


def test_a_file_with_bad_rows_is_refused_whole_after_all_are_listed(bad: Path) -> None:
    done = run(bad)
    assert (done.code, done.stdout) == (2, "")
    for line, column, value, reason in REJECTED:
        assert f"line {line}, {column}: {value!r} {reason}" in done.stderr
    assert "line 24, winner" in done.stderr
    assert "\x1b" not in done.stderr
    assert "3 of 23 rows" in done.stderr
    assert done.stderr.endswith("fit the others with --partial.")


def test_programs_can_read_what_was_rejected(bad: Path, tmp_path: Path) -> None:
    done = run(bad, "--json", "-")
    assert done.code == 2
    found = json.loads(done.stdout)
    assert [(row["line"], row["column"], row["value"], row["reason"]) for row in found["votes"]["rejected"]][
        :2
    ] == REJECTED
    assert (found["votes"]["read"], found["votes"]["used"], found["ratings"], found["probes"]) == (23, 0, [], [])
    assert found["error"]["code"] == "rejected_rows"
    run(bad, "--json", tmp_path / "refused.json", "--csv", tmp_path / "none.csv")
    assert json.loads((tmp_path / "refused.json").read_text()) == found
    assert not (tmp_path / "none.csv").exists()


def test_partial_fits_the_good_rows_and_says_so(bad: Path) -> None:
    found = fitted(bad, "--partial")
    assert (found["votes"]["used"], len(found["votes"]["rejected"]), len(found["ratings"])) == (20, 3, 2)
    assert "partial" in {warning["code"] for warning in found["warnings"]}


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "empty_file", "empty"),
        (b"model_a,model_b,winner\n", "no_votes", "no vote"),
        (b"model_a,model_b\nx,y\n", "missing_column", "winner"),
        (b"\x7fELF\x00\x01", "not_text", "no text"),
        (b"model_a,model_b,winner\nx,x,tie\n", "rejected_rows", "1 of 1"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path, content: bytes, code: str, words: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes(content)
    done = run(path, "--json", "-")
    assert done.code == 2
    assert words in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == code


def test_what_cannot_be_written_is_said_and_leaves_stdout_empty(good: Path, bad: Path) -> None:
    done = run(good, "--csv", "/proc/fit.csv", "--json", "-")
    assert (done.code, done.stdout) == (2, "")
    assert "cannot be written" in done.stderr
    assert "cannot be written" in run(bad, "--json", "/proc/fit.json").stderr


def test_a_missing_column_is_named_where_rejected_rows_are(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b\nx,y\n")
    (row,) = json.loads(run(path, "--json", "-").stdout)["votes"]["rejected"]
    assert (row["line"], row["column"], row["reason"]) == (1, "winner", "missing_column")


def test_options_that_make_no_sense_are_refused_in_words(good: Path, tmp_path: Path) -> None:
    for arguments in (
        ["nowhere.csv"],
        [tmp_path],
        [good, good],
        [good, "--column", "judge"],
        [good, "--column", "looser=judge"],
        [good, "--weight", "heft"],
        [good, "--category", "topic"],
        [good, "--anchor", "nobody"],
        [good, "--anchor", "a1=many"],
        [good, "--anchor", "a1=nan"],
        [good, "--seed", "-1"],
        [good, "--plot", tmp_path / "no" / "such" / "folder.svg"],
        [good, "--json", tmp_path],
        [good, "--csv", "-"],
        [good, "--csv", good],
        [good, "--csv", tmp_path / "out", "--plot", tmp_path / "out"],
    ):
        done = run(*arguments)
        assert (done.code, done.stdout) == (2, ""), arguments
        assert done.stderr.endswith("."), arguments


def test_look_alikes_and_unknown_judges_are_told_on_stderr_only(tmp_path: Path) -> None:
    path = tmp_path / "votes.tsv"
    path.write_text(
        "model_a\tmodel_b\twinner\nAgent\tother\ta\n\u0410gent\tother\tb\nother\tAgent\ta\n\u0410gent\tother\ta\n"
    )
    done = run(path, "--json", "-")
    assert "looks like Agent" in done.stderr
    assert "No column says who judged" in done.stderr
    assert {row["agent"] for row in json.loads(done.stdout)["ratings"]} == {"Agent", "\u0410gent", "other"}


def test_help_shows_examples_and_exit_codes() -> None:
    shown = Command().create_parser("manage.py", "fit").format_help()
    for words in ("manage.py fit votes.csv --json - --audit", "--partial", "exit codes:", "130"):
        assert words in shown


def test_no_service_is_needed_and_a_refusal_is_no_traceback(good: Path, bad: Path) -> None:
    with started(good, "--json", "-") as fitting, started(bad) as refusing, started(good, "--ties", "win") as mistyped:
        out, err = fitting.communicate(timeout=120)
        assert (fitting.returncode, err) == (0, "")
        assert json.loads(out)["votes"]["used"] == 39
        for process, words in ((refusing, "--partial"), (mistyped, "invalid choice: 'win'")):
            out, err = process.communicate(timeout=120)
            assert (process.returncode, out) == (2, "")
            assert words in err
            assert "Traceback" not in err


def test_votes_come_through_a_pipe_and_ctrl_c_ends_cleanly(tmp_path: Path, good: Path) -> None:
    pipe, target = tmp_path / "pipe", tmp_path / "out.json"
    os.mkfifo(pipe)
    with started(pipe, "--json", target) as process:
        pipe.write_bytes(good.read_bytes())
        assert process.wait(120) == 0
    assert json.loads(target.read_text())["votes"]["used"] == 39
    target.unlink()
    # Opening the pipe waits until the command opens it too; then it is reading, and nothing more comes.
    with started(pipe, "--json", target) as process, pipe.open("wb") as writing:
        writing.write(b"model_a,model_b,winner\n")
        writing.flush()
        # Whoever presses it in the instant between two steps of the interpreter, where it is lost, presses it again.
        for _ in range(24):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
                break
        assert process.communicate(timeout=5) == ("", "Stopped; nothing was written.\n")
        assert process.returncode == 130
    assert not target.exists()


def test_a_name_that_a_terminal_obeys_or_nobody_sees_is_warned_of_and_printed_by_its_number(tmp_path: Path) -> None:
    names = ["red\x1b[31m", "left\u202egnp", "zero\u200bwidth", "plain"]
    path = tmp_path / "names.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for other in names[:3] for row in duel(7, 5, a=other, b="plain")))
    done = run(path, "--audit")
    assert done.code == 0
    assert {"\x1b", "\u202e", "\u200b"}.isdisjoint(done.stdout + done.stderr)
    for code, said in (("001b", "U+001B"), ("202e", "U+202E RIGHT-TO-LEFT OVERRIDE"), ("200b", "U+200B")):
        assert f"\\u{code}" in done.stdout
        assert said in done.stderr
    assert done.stderr.count("characters that nobody sees") == 3
    found = fitted(path)
    assert sorted(row["agent"] for row in found["ratings"]) == sorted(names)
    assert {warning["code"] for warning in found["warnings"]} >= {"unseen_characters"}
