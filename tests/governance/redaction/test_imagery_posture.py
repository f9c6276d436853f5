"""The posture of pictures: figures of today or none."""

import json
from datetime import date
from pathlib import Path

import pytest

from governance.redaction import imagery_posture
from governance.redaction.imagery_posture import (
    TO_REACH,
    ImageryMeasure,
    imagery_figures,
    imagery_state,
    picture_cases,
    record_imagery,
)
from governance.redaction.posture import MeasurementState

MEASURE = ImageryMeasure(19, 19, 18, 10, 0, 1, {}, ())


def _recorded(path: Path) -> Path:
    record_imagery(MEASURE, on=date(2026, 11, 30), browser="Chromium 1", page_script="0" * 64, path=path)
    return path


def test_the_shipped_figures_are_of_today_and_reach_what_was_asked():
    figures = imagery_figures()
    assert figures is not None, imagery_state()
    assert figures["strings"] == TO_REACH[1]
    assert min(figures["by_page"], figures["by_picture"]) >= TO_REACH[0]
    date.fromisoformat(figures["on"])


def test_the_shipped_lines_are_of_the_sizes_that_are_promised():
    personal = [case for case in picture_cases() if case.detail]
    assert len(personal) == 19
    assert {case.px for case in personal} == {11, 12, 13, 14}
    assert all(case.detail in case.text and case.kind for case in personal)


def test_other_detectors_or_another_version_make_figures_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = _recorded(tmp_path / "measured.json")
    assert imagery_state(path) is MeasurementState.MEASURED
    kept = json.loads(path.read_text())
    for changed in ({"detector_sha256": "0"}, {"cases_sha256": "0"}, {"libraries": {"rapidocr": "0.1"}}):
        path.write_text(json.dumps(kept | changed))
        assert imagery_state(path) is MeasurementState.STALE
        assert imagery_figures(path) is None
    assert imagery_state(tmp_path / "none.json") is MeasurementState.NOT_MEASURED


def test_an_arena_without_the_extra_still_shows_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = _recorded(tmp_path / "measured.json")
    monkeypatch.setattr(imagery_posture, "_installed", lambda name: None)
    assert imagery_state(path) is MeasurementState.MEASURED


def test_fewer_than_eighteen_of_nineteen_is_a_shortfall():
    assert not MEASURE.shortfalls()
    assert len(ImageryMeasure(19, 17, 17, 0, 0, 0, {}, ()).shortfalls()) == 2
