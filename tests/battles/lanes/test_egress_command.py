"""``manage.py verify_egress``: what it prints and how it ends."""

import io
import json

import pytest
from django.core.management import CommandError

from battles.lanes.chromium import NoChromium
from battles.lanes.egress_cases import SHIPPED_CASES, read_cases
from battles.lanes.egress_probe import LayerReport
from battles.management.commands import verify_egress

HOLDS = LayerReport(isolated=True, sandboxed=True, attempts=500, refused=20, reached=(), missing=())
LEAKS = LayerReport(isolated=True, sandboxed=True, attempts=500, refused=20, reached=("udp:127.0.0.1",), missing=())
BLIND = LayerReport(isolated=True, sandboxed=True, attempts=0, refused=0, reached=(), missing=("the page ran",))


def verify(monkeypatch=None, reports=None, **options):
    """Run the command; returns its exit status and what it wrote."""
    asked = []

    def probe(*, isolate):
        asked.append(isolate)
        return reports[len(asked) - 1]

    if monkeypatch is not None:
        monkeypatch.setattr(verify_egress, "run_probe", probe)
    out, err = io.StringIO(), io.StringIO()
    command = verify_egress.Command(stdout=out, stderr=err)
    with pytest.raises(SystemExit) as ended:
        command.handle(**{"cases": None, "json": False, **options})
    return ended.value.code, out.getvalue() + err.getvalue(), asked


def write_cases(tmp_path, **verdicts):
    path = tmp_path / "cases.jsonl"
    urls = {"inside": "http://127.0.0.1/", "outside": "https://1.1.1.1/"}
    lines = [json.dumps({"id": name, "url": urls[name], "expect": verdict}) for name, verdict in verdicts.items()]
    path.write_text("\n".join(lines))
    return path


def test_cases_alone_are_judged_without_a_browser(tmp_path, monkeypatch):
    path = write_cases(tmp_path, inside="block", outside="allow")
    code, text, asked = verify(monkeypatch, [], cases=path, json=True)
    assert (code, json.loads(text), asked) == (0, {"cases": 2, "wrong": []}, [])


def test_a_wrong_case_is_named_and_fails(tmp_path):
    path = write_cases(tmp_path, inside="allow", outside="allow")
    code, text, _ = verify(cases=path, json=True)
    assert (code, json.loads(text)) == (1, {"cases": 2, "wrong": ["inside"]})
    code, text, _ = verify(cases=path)
    assert code == 1
    assert "1 wrong: inside" in text


def test_a_file_that_is_not_there_is_said_in_words(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        verify_egress.Command().handle(cases=tmp_path / "none", json=False)


def test_both_layers_are_probed_and_told(monkeypatch):
    code, text, asked = verify(monkeypatch, [HOLDS, HOLDS])
    assert code == 0
    assert asked == [True, False]
    assert f"{len(read_cases(SHIPPED_CASES))} cases, 0 wrong" in text
    assert text.count("nothing was reached") == 2


@pytest.mark.parametrize("reports", [[LEAKS, HOLDS], [HOLDS, LEAKS], [BLIND, HOLDS], [HOLDS, BLIND]])
def test_a_leak_or_a_blind_probe_fails(monkeypatch, reports):
    code, text, _ = verify(monkeypatch, reports)
    assert code == 1
    assert ("REACHED  udp:127.0.0.1" in text) == (LEAKS in reports)
    assert ("CONTROL FAILED  the page ran" in text) == (BLIND in reports)
    code, text, _ = verify(monkeypatch, reports, json=True)
    assert code == 1
    assert json.loads(text)["layers"][0]["attempts"] == reports[0].attempts


def test_a_machine_without_namespaces_is_told_so_and_probed_once(monkeypatch):
    flags_alone = LayerReport(isolated=False, sandboxed=True, attempts=500, refused=20, reached=(), missing=())
    code, text, asked = verify(monkeypatch, [flags_alone])
    assert code == 0
    assert asked == [True]
    assert "refuses network namespaces" in text


def test_a_machine_without_a_browser_is_told_how_to_get_one(monkeypatch):
    def probe(*, isolate):
        raise NoChromium("Install one: apt-get install -y chromium")

    monkeypatch.setattr(verify_egress, "run_probe", probe)
    with pytest.raises(CommandError, match="apt-get install"):
        verify_egress.Command().handle(cases=None, json=False)
