"""How often programs may ask: counted by token, account or network, told in headers, and never a fault of ours."""

import re
from datetime import timedelta

import pytest
import redis
import time_machine
from django.test import Client

from arena_site.accounts.limits import API_WRITES, Limit
from arena_site.accounts.models import Attempt
from arena_site.accounts.sweeping import sweep_accounts
from arena_site.rest import limits
from tests.arena_site.accounts.people import PASSWORD, make_account
from tests.arena_site.rest.scripts import Script, make_owner, problem, script_of
from tests.battles.factories import unknown_id

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]

MINE = "/api/judge/calibration"
PUBLISHED = "/api/consent"
HERE = {"REMOTE_ADDR": "203.0.114.9"}
STANDING = re.compile(r'"(reading|writing)";r=(\d+);t=(\d+)')


@pytest.fixture(autouse=True)
def counting(broker, monkeypatch):
    """An empty Redis, three readings a minute and three writings an hour, early in a minute."""
    monkeypatch.setattr(limits, "READS", 3)
    # A machine that also runs other tests may take its time, and who waited too long counts nothing for a while.
    monkeypatch.setattr(limits, "REDIS_SECONDS", 10.0)
    monkeypatch.setattr(limits, "API_WRITES", Limit("api write", 3, timedelta(hours=1), "That is more than enough."))
    limits._counter_at.cache_clear()
    with time_machine.travel("2026-11-30T12:00:05Z", tick=False):
        yield broker
    limits._counter_at.cache_clear()


def standing(answer) -> tuple[str, int, int]:
    name, left, reset = STANDING.fullmatch(answer.headers["RateLimit"]).groups()
    return name, int(left), int(reset)


def test_every_answer_says_where_one_stands():
    script = script_of(make_owner())
    answers = [script.get(MINE) for _ in range(3)]
    assert [standing(answer) for answer in answers] == [("reading", left, 55) for left in (2, 1, 0)]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"reading";q=3;w=60'}
    assert standing(script.post("/api/battles")) == ("writing", 2, 3600)


def test_one_too_many_is_refused_with_the_time_to_come_back():
    script = script_of(make_owner())
    for _ in range(3):
        script.get(MINE)
    refused = script.get(MINE)
    assert problem(refused) == (429, "limit_reading")
    assert refused.headers["Retry-After"] == "55"
    assert standing(refused) == ("reading", 0, 55)
    with time_machine.travel("2026-11-30T12:01:00Z"):
        assert script.get(MINE).status_code == 200


def test_writing_is_counted_in_rows_whether_or_not_it_made_something(counting):
    script = script_of(make_owner())
    for _ in range(3):
        assert script.post(f"/api/battles/{unknown_id()}/lock").status_code == 404
    # A restart of everything resets nothing.
    counting.flushdb()
    limits._counter_at.cache_clear()
    refused = script.post(f"/api/battles/{unknown_id()}/lock")
    assert problem(refused) == (429, "limit_api_write")
    assert int(refused.headers["Retry-After"]) == 3601
    assert standing(refused)[:2] == ("writing", 0)
    # Reading goes on.
    assert script.get(MINE).status_code == 200


def test_each_token_each_account_and_each_network_counts_by_itself():
    owner = make_owner()
    first, second = script_of(owner), script_of(owner)
    for _ in range(4):
        first.get(MINE)
    assert standing(second.get(MINE))[1] == 2
    here, there = Client(**HERE), Client(REMOTE_ADDR="203.0.115.9")
    neighbour = Client(REMOTE_ADDR="203.0.114.77")
    assert standing(here.get(MINE))[1] == 2
    assert standing(neighbour.get(MINE))[1] == 1
    assert standing(there.get(MINE))[1] == 2


def test_what_is_published_counts_for_the_network_and_a_made_up_token_changes_nothing():
    visitor = Client(**HERE)
    answers = [visitor.get(PUBLISHED, headers={"Authorization": f"Bearer {n}"}) for n in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert problem(answers[-1]) == (429, "limit_reading")
    assert visitor.get("/api/health").status_code == 200


@pytest.mark.parametrize(
    ("path", "headers", "code"),
    [
        (MINE, {"Authorization": "Bearer ringside_made_up"}, (401, "invalid_token")),
        (MINE, {"Authorization": "Token ringside_made_up"}, (401, "invalid_token")),
        (f"{MINE}?token=x", {}, (400, "token_in_address")),
        (MINE, {"Accept": "image/png"}, (406, "not_acceptable")),
        (f"{MINE}?unknown=1", {}, (400, "unknown_parameter")),
        ("/api/battles/00000000-0000-7000-8000-000000000000", {}, (404, "no_such_battle")),
    ],
)
def test_whoever_is_refused_a_reading_is_counted_as_their_network(path, headers, code):
    stranger = Client(**HERE)
    refused = [stranger.get(path, headers=headers) for _ in range(3)]
    assert [problem(answer) for answer in refused] == [code] * 3
    assert [standing(answer) for answer in refused] == [("reading", left, 55) for left in (2, 1, 0)]
    stopped = stranger.get(path, headers=headers)
    assert problem(stopped) == (429, "limit_reading")
    assert stopped.headers["Retry-After"] == "55"
    assert problem(Client(**HERE).get(PUBLISHED)) == (429, "limit_reading")


@pytest.mark.parametrize(
    ("headers", "code"),
    [({"Authorization": "Bearer ringside_made_up"}, (401, "invalid_token")), ({}, (403, "csrf_refused"))],
)
def test_whoever_is_refused_a_writing_is_counted_as_their_network(headers, code):
    stranger = Client(enforce_csrf_checks=True, **HERE)

    def send():
        return stranger.post("/api/battles", b"{}", content_type="application/json", headers=headers)

    refused = [send() for _ in range(3)]
    assert [problem(answer) for answer in refused] == [code] * 3
    assert [standing(answer)[:2] for answer in refused] == [("writing", left) for left in (2, 1, 0)]
    assert problem(send()) == (429, "limit_api_write")


def test_a_forged_request_uses_up_nothing_of_the_account_whose_cookie_came_along():
    make_account()
    forged, own = Client(enforce_csrf_checks=True, **HERE), Client(**HERE)
    for browser in (forged, own):
        browser.login(username="margot", password=PASSWORD)
    said = [problem(forged.post("/api/battles", b"{}", content_type="application/json")) for _ in range(4)]
    assert said == [(403, "csrf_refused")] * 3 + [(429, "limit_api_write")]
    assert standing(own.post("/api/battles", b"{}", content_type="application/json"))[:2] == ("writing", 2)


def test_a_token_without_the_scope_is_counted_as_itself():
    owner = make_owner()
    lacking, other = script_of(owner, "read"), script_of(owner, "judge")
    read = [problem(lacking.get("/api/judge/next")) for _ in range(4)]
    assert read == [(403, "scope_missing")] * 3 + [(429, "limit_reading")]
    sent = [problem(lacking.post("/api/battles")) for _ in range(4)]
    assert sent == [(403, "scope_missing")] * 3 + [(429, "limit_api_write")]
    assert standing(other.get(MINE))[1] == 2


def test_another_method_than_reading_is_refused_and_counted_where_there_is_only_reading():
    stranger = Client(**HERE)
    refused = [problem(stranger.post(PUBLISHED)) for _ in range(4)]
    assert refused == [(405, "only_read")] * 3 + [(429, "limit_reading")]


def test_whoever_asks_from_where_nobody_can_tell_shares_a_wider_limit():
    assert Script().get(MINE).headers["RateLimit-Policy"] == f'"reading";q={3 * 20};w=60'


def test_pages_are_not_counted():
    assert "RateLimit" not in Client(**HERE).get("/status").headers


@pytest.mark.parametrize("address", ["redis://127.0.0.1:1/0", "unix:///nowhere/at/all.sock?db=0"])
def test_without_redis_reading_goes_on_and_writing_is_counted_all_the_same(settings, address, caplog):
    settings.REDIS_URL = address
    script = script_of(make_owner())
    answers = [script.get(MINE) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert "RateLimit" not in answers[0].headers
    assert Client(**HERE).get(PUBLISHED).status_code == 200
    # It is said once, without the address, and Redis is left alone for a while.
    said = [record.getMessage() for record in caplog.records if "Redis is away" in record.getMessage()]
    assert said == ["readings are not counted, since Redis is away: ConnectionError"]
    assert [script.post("/api/battles").status_code for _ in range(4)] == [400, 400, 400, 429]


def test_a_redis_that_refuses_is_one_that_is_away(settings, counting, monkeypatch):
    def refuse(*_, **__):
        raise redis.ResponseError("OOM command not allowed")

    monkeypatch.setattr(redis.client.Pipeline, "execute", refuse)
    assert script_of(make_owner()).get(MINE).status_code == 200


def test_what_is_counted_names_nobody(counting):
    owner = make_owner()
    script = script_of(owner)
    script.get(MINE)
    script.post("/api/battles")
    Client(**HERE).get(MINE)
    kept = [key.decode() for key in counting.keys("*")] + list(Attempt.objects.values_list("key", flat=True))
    assert len(kept) == 3
    for secret in (str(owner[0].pk), owner[1].pk, "203.0.114"):
        assert not any(secret in key for key in kept)
    assert all(0 < counting.ttl(key) <= 120 for key in counting.keys("*"))


def test_counted_requests_are_kept_no_longer_than_they_count():
    script = script_of(make_owner())
    script.post("/api/battles")
    at = Attempt.objects.get(kind=API_WRITES.kind).at
    assert sweep_accounts(now=at + timedelta(minutes=59))["API requests"] == 0
    assert sweep_accounts(now=at + timedelta(minutes=61))["API requests"] == 1
