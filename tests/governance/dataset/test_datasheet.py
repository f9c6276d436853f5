"""The datasheet, and its header as a loader of datasets reads it."""

import json
from collections import Counter
from datetime import timedelta

import pyarrow.dataset
import pyarrow.parquet
import pytest
import yaml

from governance.dataset import datasheet as sheets
from governance.dataset.building import build_snapshot
from governance.dataset.home import snapshots_home
from governance.dataset.manifest import WRITING, canonical
from governance.dataset.parts import file_digest
from governance.dataset.verifying import verify_folder
from tests.governance.dataset.boards import ACTOR, closed_battle, manifest, rows, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot():
    vote(closed_battle())
    return build_snapshot(actor=ACTOR)


@pytest.fixture
def folder(snapshot):
    return snapshots_home() / snapshot.path


def card(folder):
    _, header, _ = (folder / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header)


def load(folder):
    """Tables of the header by name, as a loader has them: one format for all, which is that of the first table."""
    configs = {config["config_name"]: config["data_files"] for config in card(folder)["configs"]}
    files = {name: sorted(folder.glob(pattern)) for name, pattern in configs.items()}
    [(ending, _)] = Counter(path.suffix for path in next(iter(files.values()))).most_common(1)
    return {
        name: pyarrow.dataset.dataset([str(path) for path in paths], format=ending.removeprefix("."))
        for name, paths in files.items()
    }


def test_every_table_with_a_row_loads_from_the_header_in_one_format(snapshot, folder):
    loaded = {name: found.count_rows() for name, found in load(folder).items()}
    assert loaded == {table["name"]: table["rows"] for table in manifest(snapshot)["tables"] if table["rows"]}
    assert {"agents", "judges", "votes"} <= set(loaded)
    assert card(folder)["pretty_name"] == "Ringside dataset of Example Arena Ltd"


def test_calibration_loads_with_the_labels_it_belongs_to(snapshot, folder):
    loaded = load(folder)
    judges = loaded["judges"].to_table().to_pylist()
    assert judges == rows(snapshot, "judges")
    assert {each["judge"] for each in judges} == set(loaded["votes"].to_table().column("judge").to_pylist())
    joined = {each["agent"]: each["joined_at"].isoformat() for each in loaded["agents"].to_table().to_pylist()}
    assert joined == {each["agent"]: each["joined_at"] for each in rows(snapshot, "agents")}


def test_a_copy_in_parquet_that_says_something_else_is_found(folder):
    told = json.loads((folder / "manifest.json").read_text())
    copy = folder / "judges" / "part-00000.parquet"
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(copy).slice(0, 0), copy)
    for file in told["files"]:
        if file["path"] == "judges/part-00000.parquet":
            file |= {"sha256": file_digest(copy), "bytes": copy.stat().st_size}
    (folder / "manifest.json").write_text(canonical(told))
    assert verify_folder(folder).problems == ["judges/part-00000.parquet has other rows than judges/part-00000.jsonl."]


def test_what_another_version_wrote_is_held_to_its_digests_alone(folder, monkeypatch):
    assert verify_folder(folder).whole
    monkeypatch.setattr("governance.dataset.verifying.datasheet", lambda told: "Worded otherwise.")
    assert not verify_folder(folder).whole
    monkeypatch.setattr("governance.dataset.verifying.WRITING", WRITING + 1)
    assert verify_folder(folder).whole


def test_it_claims_no_language_that_nobody_recorded(folder):
    assert "language" not in card(folder)
    sheet = (folder / "README.md").read_text()
    assert "is not recorded; it may be any. Consent was asked in: `en`." in sheet


def test_its_days_are_those_of_the_clock(snapshot, monkeypatch):
    monkeypatch.setattr(sheets, "LICENSEES_WITHIN", timedelta(days=19))
    assert "within 19 days of the request" in sheets.datasheet(manifest(snapshot))
