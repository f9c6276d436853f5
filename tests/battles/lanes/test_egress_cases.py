"""The shipped cases: every one right, and each kind of trick missed when its rule is gone."""

import gzip
import json

import pytest

from battles.lanes import egress_addresses, egress_cases, egress_policy
from battles.lanes.egress_cases import SHIPPED_CASES, judge_case, read_cases, wrong_cases

CASES = read_cases(SHIPPED_CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_shipped_case_is_right(case):
    refusal = judge_case(case)
    assert (refusal is None) == (case["expect"] == "allow"), refusal


def test_the_cases_are_told_apart():
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert sum(case["expect"] == "allow" for case in CASES) > 80


def misjudged_kinds():
    return {identifier.rpartition("-")[0] for identifier in wrong_cases(CASES)}


def test_without_the_address_ranges_the_cases_fail(monkeypatch):
    monkeypatch.setattr(egress_addresses, "REFUSED_V4", ())
    assert {"v4", "answers", "loopback", "metadata", "embedded", "rebinding"} <= misjudged_kinds()


def test_without_the_judgement_of_answers_the_cases_fail(monkeypatch):
    monkeypatch.setattr(egress_cases, "judge_connection", lambda *args, **kwargs: None)
    assert {"answers", "rebinding", "cname", "redirect"} <= misjudged_kinds()


def test_without_the_judgement_of_names_the_cases_fail(monkeypatch):
    monkeypatch.setattr(egress_policy, "refused_name", lambda name: None)
    assert {"internal", "cname", "background"} <= misjudged_kinds()


def test_without_the_judgement_of_spellings_the_cases_fail(monkeypatch):
    web = ("http:", "https:", "ws:", "wss:")
    monkeypatch.setattr(egress_policy, "_refused_spelling", lambda url: None if url.startswith(web) else "scheme")
    assert {"confusion", "unicode"} <= misjudged_kinds()


def test_with_every_port_allowed_the_cases_fail(monkeypatch):
    monkeypatch.setattr(egress_policy, "ALLOWED_PORTS", range(65536))
    assert {"port", "redirect"} <= misjudged_kinds()


def test_without_the_judgement_of_literals_the_cases_fail(monkeypatch):
    monkeypatch.setattr(egress_policy, "_refused_literal", lambda host, authority: None)
    monkeypatch.setattr(egress_cases, "judge_connection", lambda *args, **kwargs: None)
    assert {"v4", "v6", "loopback", "spelling", "unicode", "embedded"} <= misjudged_kinds()


def test_a_file_of_cases_may_be_gzipped_and_have_blank_lines(tmp_path):
    line = json.dumps({"id": "x", "url": "http://127.0.0.1/", "expect": "allow"})
    plain, packed = tmp_path / "cases.jsonl", tmp_path / "cases.jsonl.gz"
    plain.write_text(f"\n{line}\n")
    packed.write_bytes(gzip.compress(line.encode()))
    assert wrong_cases(read_cases(plain)) == wrong_cases(read_cases(packed)) == ["x"]


@pytest.mark.parametrize("line", ['{"id": "x"}', "[]", "not JSON"])
def test_a_line_that_is_no_case_is_an_error(tmp_path, line):
    path = tmp_path / "cases.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"case|Expecting"):
        read_cases(path)
