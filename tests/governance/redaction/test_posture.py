"""The posture tells what is found, and figures only when they speak of today's cases and detectors."""

import json
from datetime import date

import pytest

from governance.redaction import TEXT_POSTURE, Kind, posture
from governance.redaction.measuring import LABELS, measure_redaction, read_cases
from governance.redaction.posture import MeasurementState, days_since, measured_figures, posture_state, record
from governance.redaction.posture_page import PAGE, posture_markdown


@pytest.fixture
def measured(tmp_path):
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"text": "Mail inga@example.org", "spans": [{"start": 5, "end": 21, "type": "EMAIL"}]}\n')
    path = tmp_path / "measured.json"
    record(measure_redaction(read_cases(cases)), on=date(2026, 11, 30), path=path)
    return path


def test_every_kind_has_its_line_and_every_label_its_kind():
    assert sorted(one.kind for one in TEXT_POSTURE.kinds) == sorted(Kind)
    for one in TEXT_POSTURE.kinds:
        assert {label for label, kind in LABELS.items() if kind is one.kind} == set(one.labels)
    assert all(one.basis for one in TEXT_POSTURE.kinds)
    assert TEXT_POSTURE.out_of_scope


def test_figures_of_today_are_measured(measured):
    assert posture_state(measured) is MeasurementState.MEASURED
    assert measured_figures(measured)["recall"] == 1.0


@pytest.mark.parametrize("digest", ["cases_sha256", "detector_sha256"])
def test_figures_of_other_cases_or_detectors_are_stale_and_not_told(measured, digest):
    measured.write_text(json.dumps({**json.loads(measured.read_text()), digest: "0" * 64}))
    assert posture_state(measured) is MeasurementState.STALE
    assert measured_figures(measured) is None


def test_figures_say_when_they_were_measured(measured):
    assert days_since(measured_figures(measured), date(2027, 3, 1)) == 91
    for undated in (None, {}, {"on": None}, {"on": "lately"}):
        assert days_since(undated, date(2027, 3, 1)) is None
    assert days_since(measured_figures(), date.fromisoformat(measured_figures()["on"])) == 0


@pytest.mark.parametrize("content", [None, "", "not json", "[]"])
def test_without_figures_nothing_is_measured(tmp_path, content):
    path = tmp_path / "measured.json"
    if content is not None:
        path.write_text(content)
    assert posture_state(path) is MeasurementState.NOT_MEASURED


def test_a_changed_word_list_changes_the_digest(tmp_path, monkeypatch):
    before = posture.detector_digest()
    (tmp_path / "data").mkdir()
    for path in posture.PACKAGE.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for path in posture.PACKAGE.glob("data/*.txt"):
        (tmp_path / "data" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(posture, "PACKAGE", tmp_path)
    assert posture.detector_digest() == before
    with (tmp_path / "data" / "surnames.txt").open("a", encoding="utf-8") as words:
        words.write("Quillfeather\n")
    assert posture.detector_digest() != before


def test_the_shipped_figures_and_the_page_are_of_today():
    assert posture_state() is MeasurementState.MEASURED
    assert PAGE.read_text(encoding="utf-8") == posture_markdown()
