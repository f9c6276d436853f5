"""The measures over HTTP: definitions beside values, conditional requests, tables, and the time before the first."""

import csv
import io
import json

import pytest

from battles.models import Agent
from metrics.catalog import CATALOG
from metrics.models import latest_measures
from metrics.publishing import publish_measures
from ratings.models import Board
from tests.battles.factories import make_agent
from tests.metrics.rows import baselines, ran, vote

pytestmark = pytest.mark.django_db

WORDS = {"key", "name", "section", "numerator", "denominator", "unit", "direction", "caveat", "scope"}
FIELDS = WORDS | {"records", "values"}


@pytest.fixture
def stored():
    pair = baselines()
    for number in range(31):
        vote(ran(pair), "AB"[number % 2])
    return publish_measures(board=Board.DEMO, actor="system:test")


def table(response):
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_document_is_served_as_it_was_stored(client, stored):
    response = client.get("/api/metrics")
    assert response.content.decode() == stored.public_document
    assert response["ETag"] == f'"{stored.public_digest}"'
    assert response["Content-Type"] == "application/json"
    document = response.json()
    assert set(document) == {"publication", "measures"}
    assert all(set(measure) >= FIELDS for measure in document["measures"])


@pytest.mark.parametrize("path", ["/api/metrics", "/api/metrics/win_share", "/api/metrics?format=csv"])
def test_who_has_it_gets_304_and_nothing_else(client, stored, path):
    tag = client.get(path)["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        response = client.get(path, headers={"If-None-Match": known})
        assert (response.status_code, response.content) == (304, b"")
        assert response["ETag"] == tag
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_table_has_another_tag_than_the_document(client, stored):
    assert client.get("/api/metrics")["ETag"] != client.get("/api/metrics?format=csv")["ETag"]
    assert "Accept" in client.get("/api/metrics")["Vary"]


def test_a_new_publication_has_a_new_tag(client, stored):
    tag = client.get("/api/metrics")["ETag"]
    vote(ran((stored_agent("ada"), stored_agent("bob"))), "A")
    publish_measures(board=Board.DEMO, actor="system:test")
    assert client.get("/api/metrics", headers={"If-None-Match": tag}).status_code == 200


def stored_agent(key):
    return Agent.objects.get(pk=key)


def test_one_measure(client, stored):
    document = client.get("/api/metrics/win_share").json()
    assert [measure["key"] for measure in document["measures"]] == ["win_share"]
    assert {value["agent"]: value["value"] for value in document["measures"][0]["values"]} == {"ada": 0.52, "bob": 0.48}


def test_a_measure_that_does_not_exist(client):
    response = client.get("/api/metrics/quality_score", headers={"Accept": "application/json"})
    assert response.status_code == 404
    assert response.json()["code"] == "no_such_measure"


@pytest.mark.parametrize(("query", "code"), [("format=xml", "bad_format"), ("board=everything", "parameter_refused")])
def test_a_query_that_says_nothing_is_refused_in_words(client, query, code):
    response = client.get(f"/api/metrics?{query}", headers={"Accept": "application/json"})
    assert response.status_code == 400
    assert response.json()["code"] == code
    assert "there are" in response.json()["detail"]


@pytest.mark.parametrize("options", [{"QUERY_STRING": "format=csv"}, {"headers": {"Accept": "text/csv"}}])
def test_a_table_by_query_or_by_accept(client, stored, options):
    response = client.get("/api/metrics", **options)
    assert response["Content-Type"].startswith("text/csv")
    rows = table(response)
    assert {row["key"] for row in rows} == {measure.key for measure in CATALOG}
    wins = {row["agent"]: row for row in rows if row["key"] == "win_share"}
    assert (wins["ada"]["value"], wins["ada"]["direction"]) == ("0.52", "higher")


def test_a_text_that_a_spreadsheet_would_run_is_neutralised_and_a_number_stays_one(client):
    evil = make_agent("-2+3", kind="baseline", name="Evil")
    pair = evil, make_agent("bob", kind="baseline")
    for _ in range(20):
        ran(pair)
    publish_measures(board=Board.DEMO, actor="system:test")
    rows = table(client.get("/api/metrics/claimed_done_share?format=csv"))
    assert {row["agent"] for row in rows} == {"'-2+3", "bob"}
    assert {row["value"] for row in rows} == {"1.0"}


def test_before_the_first_publication_there_are_definitions_without_values(client):
    response = client.get("/api/metrics")
    document = response.json()
    assert response.status_code == 200
    assert document["publication"] is None
    assert len(document["measures"]) == len(CATALOG)
    assert {(value["value"], value["reason"]) for each in document["measures"] for value in each["values"]} == {
        (None, "no_data")
    }
    assert client.get("/api/metrics", headers={"If-None-Match": response["ETag"]}).status_code == 304
    assert client.get("/api/metrics/win_share").status_code == 200
    assert table(client.get("/api/metrics?format=csv"))


def test_a_board_can_be_chosen(client, stored):
    assert client.get("/api/metrics?board=demo").json()["publication"]["board"] == "demo"
    assert client.get("/api/metrics?board=headline").json()["publication"] is None
    assert latest_measures(Board.HEADLINE) is None


def test_only_reading_is_allowed(client, stored):
    assert client.post("/api/metrics").status_code == 405
    assert json.loads(client.get("/api/metrics").content)
