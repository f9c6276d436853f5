"""What is refused before a view answers has the form, the count and the reserve of the address it was asked at."""

import pytest
from django.db import InternalError, OperationalError, connection, transaction
from django.test import Client
from psycopg.errors import InFailedSqlTransaction, ReadOnlySqlTransaction

from arena_site.accounts.models import Attempt
from arena_site.views.errors import is_away
from tests.arena_site.rest.conforming import misfits
from tests.arena_site.rest.scripts import Script, make_owner, problem, script_of
from tests.battles.factories import unknown_id

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]

OWN = "/api/judge/calibration"
PUBLISHED = "/api/metrics"


def is_kept_to_one(answer):
    kept = "Access-Control-Allow-Origin" not in answer.headers and "no-store" in answer.headers["Cache-Control"]
    return kept and answer.headers["Vary"] == "Authorization, Cookie"


@pytest.mark.parametrize("by", [Script, lambda: script_of(make_owner())], ids=["nobody", "a token"])
def test_a_query_of_very_many_parts_is_refused_counted_and_nobody_elses(by, broker):
    query = "&".join(f"a{number}=1" for number in range(1001))
    script = by()
    # Django's client has no address: networks that cannot be told apart share a wider limit.
    for left in (5999, 5998):
        answer = script.get(f"{OWN}?{query}")
        assert problem(answer) == (400, "request_refused")
        assert is_kept_to_one(answer)
        assert answer.headers["RateLimit"].startswith(f'"reading";r={left};')
    answer = script.post(f"/api/withdrawals?{query}")
    assert problem(answer) == (400, "request_refused")
    assert is_kept_to_one(answer)
    assert answer.headers["RateLimit"].startswith('"writing";r=4799;')


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"a=1&" * 1001),
        ("application/x-www-form-urlencoded", b"a=" + b"1" * 3_000_000),
        ("multipart/form-data", b"no parts"),
    ],
)
def test_a_form_that_cannot_be_read_is_counted_too(kind, body):
    browser = Client(enforce_csrf_checks=True)
    browser.get("/battles/new")
    answer = browser.post("/api/withdrawals", body, content_type=kind)
    assert problem(answer) == (400, "request_refused")
    assert is_kept_to_one(answer)
    assert "RateLimit" in answer.headers
    assert Attempt.objects.count() == 1


def fail_with(trouble):
    def fail(*_, **__):
        raise trouble

    return fail


def read_only():
    trouble = InternalError("secret")
    trouble.__cause__ = ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction")
    return trouble


@pytest.mark.parametrize(
    ("trouble", "status"), [(OperationalError("secret"), 503), (read_only(), 503), (ZeroDivisionError("secret"), 500)]
)
@pytest.mark.parametrize("where", ["judging.middleware.judge_of_cookie", "arena_site.rest.judge.trust_state"])
def test_trouble_on_ones_own_address_is_nobody_elses_wherever_it_happens(monkeypatch, where, trouble, status):
    script = script_of(make_owner())
    script.client.raise_request_exception = False
    monkeypatch.setattr(where, fail_with(trouble))
    monkeypatch.setattr("arena_site.rest.judge.calibration", fail_with(trouble))
    answer = script.get(OWN)
    assert answer.status_code == status
    assert is_kept_to_one(answer)
    assert "secret" not in answer.content.decode()
    assert ("Retry-After" in answer.headers) == (status == 503)


def test_trouble_on_a_published_address_may_be_read_by_everybody(monkeypatch):
    monkeypatch.setattr("judging.middleware.judge_of_cookie", fail_with(OperationalError("away")))
    answer = Client(raise_request_exception=False).get(PUBLISHED)
    assert problem(answer) == (503, "unavailable")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_what_is_sent_in_pieces_is_refused_in_words(monkeypatch):
    # Nobody is asked who sends it, and nothing is asked of the database.
    monkeypatch.setattr("judging.middleware.judge_of_cookie", fail_with(AssertionError()))
    client = Client()
    for lengths in ({}, {"Content-Length": "2"}):
        headers = {"Transfer-Encoding": "chunked", **lengths}
        own = client.post("/api/withdrawals", b"{}", content_type="application/json", headers=headers)
        assert problem(own) == (411, "length_required")
        assert is_kept_to_one(own)
        assert misfits(own, "/api/withdrawals", "post") == []
        page = client.post("/battles/new", {"instruction": "x"}, headers=headers)
        assert page.status_code == 411
        assert "Content-Length" in page.content.decode()
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        script = client.post("/battles/new", {"instruction": "x"}, headers=headers | {"Accept": "application/json"})
        assert problem(script) == (411, "length_required")
    monkeypatch.undo()
    # What reads takes no body, in pieces or not.
    assert client.get(PUBLISHED, headers={"Transfer-Encoding": "chunked"}).status_code == 200


def test_a_database_that_takes_nothing_yet_is_one_that_is_away(monkeypatch):
    script = script_of(make_owner())
    script.client.raise_request_exception = False
    monkeypatch.setattr("arena_site.rest.votes.readable_battle", fail_with(read_only()))
    answer = script.post(f"/api/battles/{unknown_id()}/vote", {"choice": "tie"})
    assert problem(answer) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "5"
    # What only followed from something else is our own fault.
    trouble = InternalError("secret")
    trouble.__cause__ = InFailedSqlTransaction("secret")
    monkeypatch.setattr("arena_site.rest.votes.readable_battle", fail_with(trouble))
    assert problem(script.post(f"/api/battles/{unknown_id()}/vote", {"choice": "tie"})) == (500, "server_error")


def test_the_database_itself_says_so_in_that_form():
    with pytest.raises(InternalError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY; DELETE FROM accounts_attempt")
    assert is_away(refused.value)


@pytest.mark.parametrize("header", ["", " "])
def test_an_empty_authorization_is_no_token_and_not_nobody(header):
    answer = Script().get(OWN, Authorization=header)
    assert problem(answer) == (401, "invalid_token")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="ringside", error="invalid_token"'
