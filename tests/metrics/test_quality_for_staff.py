"""Staff read the quality report and the counts behind the measures; nobody else learns that there is such a page."""

import json
from datetime import UTC, date, datetime, time, timedelta

import pytest
from django.core.management import call_command

from governance.redaction import imagery_posture, posture
from metrics.publishing import publish_measures
from metrics.quality import FRESH_DAYS
from metrics.quality_figures import read_figures
from metrics.quality_report import not_entitled
from ratings.models import Board
from tests.arena_site.accounts.people import make_account
from tests.arena_site.operators import make_operator, sign_in_operator
from tests.metrics.rows import baselines, ran, vote

pytestmark = pytest.mark.django_db

PATHS = ("/api/admin/quality", "/quality")
#: What differs between any two answers.
OF_ONE_ANSWER = {"Date", "X-Request-ID"}


@pytest.fixture
def staff(client):
    sign_in_operator(client, "viewer")
    return client


def told(response, path):
    """All that an answer tells, without the address that was asked for."""
    headers = {name: sorted(value.split("; ")) for name, value in response.items() if name not in OF_ONE_ANSWER}
    return response.status_code, headers, response.content.decode().replace(path, "")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["get", "head", "post", "options"])
@pytest.mark.parametrize("signed_in", [False, True])
def test_to_others_the_address_is_like_one_that_does_not_exist(client, path, method, signed_in):
    if signed_in:
        client.force_login(make_account())
    other = f"{path}-of-nothing"
    for accept in ("text/html", "application/json"):
        asked = [getattr(client, method)(each, headers={"accept": accept}) for each in (path, other)]
        assert asked[0].status_code == 404
        assert told(asked[0], path) == told(asked[1], other)


def test_staff_without_a_role_are_others(client):
    sign_in_operator(client, "")
    assert all(client.get(path).status_code == 404 for path in PATHS)


def test_staff_who_have_not_proved_a_second_factor_read_nothing(client):
    client.force_login(make_operator())
    assert all(client.get(path).status_code == 302 for path in PATHS)


def test_staff_are_told_what_the_command_prints(staff, capsys):
    answer = staff.get("/api/admin/quality")
    assert "no-store" in answer["Cache-Control"]
    call_command("quality", "--json")
    assert answer.json() == json.loads(capsys.readouterr().out)
    assert all(set(entry) == {"key", "claim", "why", "earned_by"} for entry in answer.json()["not_entitled"])
    assert [entry["key"] for entry in answer.json()["not_entitled"]] == [
        entry.key for entry in not_entitled(Board.HEADLINE)
    ]
    assert staff.post("/api/admin/quality").status_code == 405


def test_staff_choose_the_board(staff):
    assert staff.get("/api/admin/quality?board=demo").json()["board"] == "demo"
    for path in PATHS:
        assert staff.get(f"{path}?board=neither").status_code == 400


def test_the_page_has_the_claims_and_the_counts(staff):
    pair = baselines()
    for number in range(31):
        vote(ran(pair), "AB"[number % 2])
    publish_measures(board=Board.DEMO, actor="system:test")
    page = staff.get("/quality?board=demo").content.decode()
    for entry in not_entitled(Board.DEMO):
        assert entry.claim.split("’")[0] in page
    assert '<td>ada</td><td class="num">0.52</td><td class="num">16</td><td class="num">31</td>' in page


def test_a_measurement_of_other_detectors_is_no_measurement(monkeypatch, tmp_path):
    assert read_figures(Board.DEMO).redaction_recall == pytest.approx(posture.measured_figures()["recall"])
    kept = replace_in(posture.MEASURED, detector_sha256="0" * 64)
    stale = tmp_path / "measured.json"
    stale.write_text(kept)
    monkeypatch.setattr("metrics.quality_figures.measured_figures", lambda: posture.measured_figures(stale))
    assert read_figures(Board.DEMO).redaction_recall is None
    assert "redaction" in {entry.key for entry in not_entitled(Board.DEMO)}


def test_a_measurement_of_long_ago_is_out_of_date(monkeypatch):
    on = {date.fromisoformat(read()["on"]) for read in (posture.measured_figures, imagery_posture.imagery_figures)}

    def entitled(day: date) -> set[str]:
        at = datetime.combine(day, time(12), UTC)
        monkeypatch.setattr("metrics.quality_figures.timezone.now", lambda: at)
        return {"redaction", "imagery"} - {entry.key for entry in not_entitled(Board.DEMO)}

    assert entitled(max(on)) == {"redaction", "imagery"}
    assert entitled(max(on) + timedelta(days=FRESH_DAYS + 1)) == set()


def test_a_measurement_of_other_detectors_of_pictures_is_no_measurement(monkeypatch, tmp_path):
    stale = tmp_path / "imagery_measured.json"
    stale.write_text(replace_in(imagery_posture.MEASURED, detector_sha256="0" * 64))
    monkeypatch.setattr("metrics.quality_figures.imagery_figures", lambda: imagery_posture.imagery_figures(stale))
    assert "imagery" in {entry.key for entry in not_entitled(Board.DEMO)}


def replace_in(path, **values):
    return json.dumps(json.loads(path.read_text()) | values)
