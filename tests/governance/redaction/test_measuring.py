"""The command says how good redaction is, for people and for programs, and fails when it is not good enough."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from governance.redaction.measuring import (
    LABELS,
    SHIPPED_CASES,
    CasesUnreadable,
    RedactionMeasure,
    measure_redaction,
    read_cases,
)

CHECKOUT = Path(__file__).parents[3]
FOUND = {"id": "a", "text": "Mail inga@example.org", "spans": [{"start": 5, "end": 21, "type": "EMAIL"}]}
MISSED = {"id": "b", "text": "He is called bo", "spans": [{"start": 13, "end": 15, "type": "PERSON"}]}
CLEAN = {"id": "c", "text": "Nothing here", "spans": []}
FLAGGED = {"id": "d", "text": "Ring +44 7700 900123", "spans": []}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments):
    out = io.StringIO()
    call_command("measure_redaction", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_shares_and_kinds(tmp_path):
    measure = measure_redaction(read_cases(write(tmp_path / "cases.jsonl", FOUND, MISSED, CLEAN, FLAGGED)))
    assert (measure.recall, measure.structured_recall, measure.clean_flagged) == (0.5, 1.0, 0.5)
    assert measure.by_kind["EMAIL"].recall == 1.0
    assert measure.by_kind["PERSON"].recall == 0.0
    assert measure.wrong == ("b", "d")


def test_a_detail_covered_in_part_is_missed(tmp_path):
    wider = {**FOUND, "spans": [{"start": 0, "end": 21, "type": "EMAIL"}]}
    assert measure_redaction(read_cases(write(tmp_path / "cases.jsonl", wider))).recall == 0.0


def test_precision_counts_what_is_masked_without_being_labelled(tmp_path):
    text = "Mail inga@example.org, bo@example.org"
    row = {"text": text, "spans": [{"start": 5, "end": 21, "type": "EMAIL"}]}
    assert measure_redaction(read_cases(write(tmp_path / "cases.jsonl", row))).by_kind["EMAIL"].precision == 0.5


def test_labels_we_have_no_kind_for_count_towards_recall(tmp_path):
    row = {**FOUND, "spans": [{"start": 5, "end": 21, "type": "HANDLE"}]}
    measure = measure_redaction(read_cases(write(tmp_path / "cases.jsonl", row)))
    assert measure.recall == 1.0
    assert measure.by_kind["HANDLE"].precision is None


def test_json(tmp_path):
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(FOUND) + "\n" + json.dumps(CLEAN) + "\n").encode()))
    document = json.loads(run("--cases", str(path), "--json"))
    assert (document["recall"], document["clean_flagged"]) == (1.0, 0.0)
    assert document["by_kind"] == {"EMAIL": {"spans": 1, "recall": 1.0, "precision": 1.0}}


def test_below_the_figures_the_command_ends_with_1(tmp_path):
    with pytest.raises(SystemExit) as ended:
        run("--cases", str(write(tmp_path / "cases.jsonl", FOUND, MISSED)))
    assert ended.value.code == 1


def test_each_figure_has_its_line():
    poor = RedactionMeasure(0.9, 0.96, 0.1, {}, 2, 1, ())
    assert len(poor.shortfalls()) == 3
    assert RedactionMeasure(0.95, 0.97, 0.09, {}, 2, 1, ()).shortfalls() == ()
    assert RedactionMeasure(None, None, None, {}, 1, 0, ()).shortfalls() == ()


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"text": "a"}',
        '{"text": 1, "spans": []}',
        '{"text": "a", "spans": [{"start": 0, "end": 2, "type": "EMAIL"}]}',
        '{"text": "a", "spans": [{"start": 1, "end": 1, "type": "EMAIL"}]}',
        '{"text": "a", "spans": [{"start": true, "end": 1, "type": "EMAIL"}]}',
        '{"text": "a", "spans": [{"start": 0, "end": 1}]}',
        '{"text": "a", "spans": 3}',
        "",
    ],
)
def test_bad_cases_are_refused_with_words(tmp_path, line):
    path = tmp_path / "cases.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(CasesUnreadable, match=r"cases\.jsonl"):
        read_cases(path)
    with pytest.raises(CommandError) as refused:
        run("--cases", str(path))
    assert refused.value.returncode == 2


def test_a_broken_archive_is_refused(tmp_path):
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a", "spans": []}\n')[:-12] + b"?" * 12)
    with pytest.raises(CasesUnreadable, match="cannot be read"):
        read_cases(path)


def test_exit_codes_without_a_database(tmp_path):
    environment = {"PATH": "/usr/bin:/bin", "ARENA_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    ended = [
        subprocess.run(
            [sys.executable, "manage.py", "measure_redaction", "--cases", str(path)],
            cwd=CHECKOUT,
            env=environment,
            capture_output=True,
            check=False,
        ).returncode
        for path in (write(tmp_path / "good.jsonl", FOUND), write(tmp_path / "poor.jsonl", MISSED), tmp_path / "none")
    ]
    assert ended == [0, 1, 2]


def test_the_shipped_cases_are_many_of_every_kind_and_reach_the_figures():
    cases = read_cases(SHIPPED_CASES)
    labels = [span.label for case in cases for span in case.spans]
    assert len(labels) >= 400
    assert set(labels) == set(LABELS)
    assert sum(not case.spans for case in cases) >= 200
    assert len({case.text for case in cases}) == len(cases)
    assert measure_redaction(cases).shortfalls() == ()


def test_other_cases_are_not_recorded(tmp_path):
    with pytest.raises(CommandError, match="leave --cases out"):
        run("--cases", str(write(tmp_path / "cases.jsonl", FOUND)), "--record")
