"""Who gets in: tokens and their scopes, browsers and forged requests, and that no token is ever repeated."""

import logging

import pytest
from django.core import signing
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from arena_site.accounts.models import Account, ApiToken
from battles.models import Battle
from governance.consent import current_text
from judging.identity import COOKIE, SALT
from judging.models import JudgeAccount, Vote
from tests.arena_site.accounts.people import make_account, sign_in
from tests.arena_site.rest.scripts import Script, make_owner, problem, script_of, seated_owner, token_of
from tests.battles.factories import make_judge, make_task, make_votable, unknown_id

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]

MINE = "/api/judge/calibration"


def test_a_token_speaks_for_the_judge_of_its_account():
    owner = make_owner()
    battle = make_votable(task=make_task(owner[1]))
    assert script_of(owner, "read").get(f"/api/battles/{battle.pk}").json()["id"] == str(battle.pk)


def test_no_token_is_a_visitor_who_sees_what_visitors_see():
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    assert Script().get(f"/api/battles/{battle.pk}").status_code == 200
    assert Script().get(MINE).status_code == 200


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"expires_at": timezone.now()}, "token_expired"),
        ({"revoked_at": timezone.now()}, "token_revoked"),
        ({"digest": "0" * 64}, "invalid_token"),
    ],
)
def test_a_token_that_opens_nothing_is_refused_where_nobody_would_be(change, code):
    script = script_of(make_owner())
    ApiToken.objects.update(**change)
    answer = script.get(MINE)
    assert problem(answer) == (401, code)
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="ringside", error="invalid_token"'


def test_the_token_of_an_account_without_a_judge_is_no_token():
    owner = make_owner()
    script = script_of(owner)
    JudgeAccount.objects.filter(judge=owner[1]).delete()
    assert problem(script.get(MINE)) == (401, "invalid_token")


@pytest.mark.parametrize("header", ["Token {}", "Basic {}", "{}"])
def test_a_token_under_another_scheme_is_not_taken_for_nobody(header):
    answer = Script().get(MINE, Authorization=header.format(token_of(make_owner())))
    assert problem(answer) == (401, "invalid_token")
    assert "Bearer" in answer.json()["detail"]


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer  x y", "Bearer ringside_", "bearer " + "ÿ" * 500])
def test_what_is_no_token_is_refused_whatever_it_is(header):
    assert problem(Script().get(MINE, Authorization=header)) == (401, "invalid_token")


@pytest.mark.parametrize("address", ["?token={}", "?access_token={}", "?q={}", "?{}", "?Token=x"])
def test_a_token_in_an_address_is_refused_and_not_repeated(address, caplog):
    caplog.set_level(logging.DEBUG)
    text = token_of(make_owner())
    answer = Script(text).get(MINE + address.format(text))
    assert problem(answer) == (400, "token_in_address")
    secret = text[-43:]
    assert secret not in answer.content.decode()
    assert secret not in str(answer.headers)
    assert secret not in "".join(record.getMessage() for record in caplog.records if record.name != "django.request")


@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [
        ("judge", "get", "/api/judge/next"),
        ("judge", "post", "/api/battles/{}/vote"),
        ("judge", "post", "/api/battles/{}/lock"),
        ("judge", "post", "/api/battles/{}/steps/1/verdict"),
        ("judge", "post", "/api/battles/{}/annotations"),
        ("judge", "post", "/api/battles/{}/clicks"),
        ("judge", "post", "/api/battles/{}/skip"),
        ("judge", "post", "/api/battles/{}/report"),
        ("judge", "post", "/api/battles/{}/impossible"),
        ("submit", "post", "/api/battles/{}/offer"),
        ("submit", "post", "/api/battles"),
        ("withdraw", "post", "/api/withdrawals"),
    ],
)
def test_every_address_asks_for_its_scope(scope, method, path):
    owner = make_owner()
    battle = make_votable(task=make_task(owner[1]))
    others = {"judge", "submit", "withdraw"} - {scope}
    answer = getattr(script_of(owner, *others), method)(path.format(battle.pk))
    assert problem(answer) == (403, "scope_missing")
    assert answer.headers["WWW-Authenticate"] == (
        f'Bearer realm="ringside", error="insufficient_scope", scope="{scope}"'
    )
    allowed = getattr(script_of(owner, scope), method)(path.format(battle.pk))
    assert allowed.status_code not in {401, 403} or allowed.json()["code"] != "scope_missing"


def test_a_token_is_never_an_operators():
    owner = make_owner()
    Account.objects.filter(pk=owner[0].pk).update(is_staff=True, is_superuser=True)
    answer = script_of(owner).get("/api/admin/quality")
    assert answer.status_code == 404
    battle = make_votable()
    assert problem(script_of(owner).get(f"/api/battles/{battle.pk}")) == (404, "no_such_battle")


def test_with_a_token_cookies_mean_nothing_and_none_is_given():
    owner, another = make_owner(), make_owner()
    battle = make_votable(task=make_task(another[1]))
    script = script_of(owner)
    script.client.cookies[COOKIE] = signing.Signer(salt=SALT).sign(another[1].pk)
    answer = script.get(f"/api/battles/{battle.pk}")
    assert problem(answer) == (404, "no_such_battle")
    assert not answer.cookies


def test_browsers_write_with_the_value_of_a_form_only():
    """A session and a judge's cookie alike: the browser sends both along, whoever made it send something."""
    make_account()
    signed_in = Client(enforce_csrf_checks=True)
    judge = make_judge()
    device = Client(enforce_csrf_checks=True)
    device.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
    plain = Client()
    sign_in(plain)
    signed_in.cookies = plain.cookies
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    for client in (signed_in, device):
        path = f"/api/battles/{battle.pk}/vote"
        body = {"choice": "tie", "consent": current_text().sha256}
        refused = client.post(path, body, content_type="application/json")
        assert problem(refused) == (403, "csrf_refused")
        form = client.get(f"/battles/{battle.pk}").context["csrf_token"]
        voted = client.post(path, body, content_type="application/json", headers={"X-CSRFToken": str(form)})
        assert voted.status_code == 200, voted.content
    assert Vote.objects.count() == 2


def test_another_site_cannot_make_a_browser_give_anything():
    client = Client(enforce_csrf_checks=True)
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
        answer = client.post(f"/api/battles/{battle.pk}/vote", '{"choice": "tie"}', content_type=kind)
        assert problem(answer) == (403, "csrf_refused")


@pytest.mark.parametrize("trouble", [None, ZeroDivisionError, OperationalError])
def test_what_is_ones_own_is_kept_by_nobody_and_read_by_no_other_site(monkeypatch, trouble):
    def fail(*_):
        raise trouble

    script = script_of(make_owner())
    if trouble is not None:
        monkeypatch.setattr("arena_site.rest.judge.calibration", fail)
        script.client.raise_request_exception = False
    answer = script.get(MINE)
    assert (answer.status_code == 200) == (trouble is None)
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert {"Authorization", "Cookie"} <= {part.strip() for part in answer.headers["Vary"].split(",")}


def test_anothers_things_are_as_little_there_as_unknown_ones():
    other = make_owner()
    script = script_of(make_owner())
    battle = make_votable(task=make_task(other[1]))
    withdrawn = script_of(other).post("/api/withdrawals", {"what": "kind:task"}).json()
    for there, missing in (
        (f"/api/battles/{battle.pk}", f"/api/battles/{unknown_id()}"),
        (f"/api/withdrawals/{withdrawn['id']}", f"/api/withdrawals/{unknown_id()}"),
    ):
        first, second = script.get(there), script.get(missing)
        assert first.status_code == second.status_code == 404
        assert first.content == second.content
    for word, body in {
        "vote": {"choice": "tie"},
        "lock": {},
        "offer": {},
        "skip": {"reason": "other"},
        "report": {"kind": "other"},
        "impossible": {},
    }.items():
        first = script.post(f"/api/battles/{battle.pk}/{word}", body)
        second = script.post(f"/api/battles/{unknown_id()}/{word}", body)
        assert problem(first) == problem(second) == (404, "no_such_battle")
        assert first.content == second.content


@pytest.mark.parametrize("what", ["everything", "identity"])
def test_after_leaving_the_token_opens_nothing(what):
    """C33: tokens -> 401."""
    battle = make_votable()
    owner = seated_owner(battle)
    script = script_of(owner)
    made = script.post("/api/withdrawals", {"what": what}, key="last-words")
    assert made.status_code == 201
    assert made.headers["Location"] == f"/api/withdrawals/{made.json()['id']}"
    assert problem(script.get(MINE)) == (401, "invalid_token")
    assert problem(script.post("/api/withdrawals", {"what": what}, key="last-words")) == (401, "invalid_token")
    assert Client().get(made.json()["page"]).status_code == 200
