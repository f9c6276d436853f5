"""What measure_overlap counts, and that a broken screen shows in it."""

import gzip
import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from battles.management.commands import measure_overlap
from battles.screening import overlap
from battles.screening.canonical_wording import words
from battles.screening.overlap import Tier, load_index
from battles.screening.overlap_cases import OverlapCase, OverlapCasesUnreadable, judge_cases, rates, read_cases, wrong
from battles.screening.overlap_index import ItemName, OverlapIndex, fingerprint_of

ITEM = "Find out which of the three lighthouses on the northern island was built last and who paid for its lamp"
CASES = [
    {"id": "c1", "kind": "copy", "expected": "duplicate", "text": ITEM.upper()},
    {"id": "c2", "kind": "near_edit", "expected": "near", "text": ITEM.replace("built", "finished")},
    {"id": "c3", "kind": "near_para", "expected": "near", "text": "Name the newest beacon and its patron."},
    {"id": "c4", "kind": "fresh", "expected": "novel", "text": "Draw a red circle on the left of the canvas."},
]


@pytest.fixture
def files(tmp_path):
    index = OverlapIndex.of_items([(fingerprint_of(words(ITEM)), (ItemName("ours", "1"),))])
    index.save(tmp_path / "index.npz")
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, CASES)))
    (tmp_path / "cases.jsonl.gz").write_bytes(gzip.compress((tmp_path / "cases.jsonl").read_bytes()))
    return tmp_path


def measured(files, *options, cases="cases.jsonl"):
    out = io.StringIO()
    where = ["--cases", str(files / cases), "--index", str(files / "index.npz")]
    call_command(measure_overlap.Command(stdout=out), *where, *options)
    return out.getvalue()


@pytest.mark.parametrize("cases", ["cases.jsonl", "cases.jsonl.gz"])
def test_tiers_kinds_and_wrong_ids_are_printed_as_json(files, cases):
    result = json.loads(measured(files, "--json", cases=cases))
    assert result["tiers"] == {
        "duplicate": {"duplicate": 1, "near": 0, "novel": 0},
        "near": {"duplicate": 1, "near": 0, "novel": 1},
        "novel": {"duplicate": 0, "near": 0, "novel": 1},
    }
    assert result["kinds"]["near_para"] == {"duplicate": 0, "near": 0, "novel": 1}
    assert result["wrong"] == ["c2", "c3"]
    assert result["rates"]["light_edits_found"] == 1.0
    assert result["rates"]["paraphrases_found"] == 0.0


def test_the_table_names_every_kind(files):
    table = measured(files)
    assert all(case["kind"] in table for case in CASES)
    assert "c2, c3" in table


def test_cases_judge_alike_without_their_texts(files):
    measured(files, "--fingerprints", str(files / "held.jsonl.gz"))
    assert ITEM.split()[3].upper().encode() not in gzip.decompress((files / "held.jsonl.gz").read_bytes()).upper()
    with_text, without = (
        json.loads(measured(files, "--json", cases=name)) for name in ("cases.jsonl", "held.jsonl.gz")
    )
    assert with_text == without


def test_a_screen_that_sees_nothing_is_seen(files, monkeypatch):
    monkeypatch.setattr(overlap, "DUPLICATE_COSINE", 9.0)
    monkeypatch.setattr(overlap, "DUPLICATE_CONTAINMENT", 9.0)
    monkeypatch.setattr(overlap, "NEAR_COSINE", 9.0)
    monkeypatch.setattr(overlap, "NEAR_CONTAINMENT", 9.0)
    result = json.loads(measured(files, "--json"))
    assert result["rates"]["duplicates_refused"] == 0.0
    assert result["wrong"] == ["c1", "c2", "c3"]


def test_only_the_shipped_cases_become_the_posture(files):
    with pytest.raises(CommandError, match="--record"):
        measured(files, "--record")


@pytest.mark.parametrize(
    "content", ["{", '{"id": "x", "text": "t", "expected": "alike"}', '{"id": "x", "expected": "novel"}', "[1]"]
)
def test_a_file_that_is_no_case_file_is_refused(tmp_path, content):
    path = tmp_path / "cases.jsonl"
    path.write_text(content)
    with pytest.raises(OverlapCasesUnreadable):
        read_cases(path)


def test_nothing_to_measure_is_not_nought():
    only_novel = judge_cases([OverlapCase("x", "fresh", Tier.NOVEL, text="Draw a circle")], load_index())
    shares = rates(only_novel)
    assert shares["duplicates_refused"] is None
    assert shares["novel_refused"] == 0.0
    assert shares["refusal_precision"] is None
    assert wrong(only_novel) == []
