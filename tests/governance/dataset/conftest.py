"""An arena whose operator has a name, and a place for snapshots."""

import pytest

from governance import exports

CLAIM = {"key": "agreement", "claim": "That judges agree", "why": "0.5 is too low.", "earned_by": "More judges."}


@pytest.fixture(autouse=True)
def named_operator(settings, tmp_path):
    """Exports are allowed, and lie in a folder of the test."""
    settings.ARENA_LEGAL_NAME = "Example Arena Ltd"
    settings.ARENA_DATA_DIR = tmp_path
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    frames = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": tmp_path / "frames"}}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain, "frames": frames}


@pytest.fixture(autouse=True)
def quick_claims(monkeypatch):
    """One claim instead of the quality report, which measures detectors for half a second each time."""
    exports.facts()
    told = exports.ExportFact("not_entitled", lambda at: {"board": "demo", "not_entitled": [CLAIM]})
    monkeypatch.setitem(exports._facts, "not_entitled", told)
