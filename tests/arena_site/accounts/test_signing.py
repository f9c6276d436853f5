"""Signing up, in and out: what a browser is before and after, and what nobody can do to somebody else's."""

import threading
from io import StringIO

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.core.management import call_command
from django.db import connections
from django.test import Client, RequestFactory
from django.utils.module_loading import import_string

from arena_site import settings as of_the_site
from arena_site.accounts.devices import account_key
from arena_site.accounts.limits import SIGN_INS_HERE, SIGN_INS_NAME_HERE
from arena_site.accounts.models import Account, Attempt, ProofRecord, SignInSession
from arena_site.accounts.networks import network_tags
from arena_site.accounts.tokens import BadToken, check_token, make_token
from governance.models import Judge
from judging.models import JudgeAccount
from tests.arena_site.accounts.people import (
    PASSWORD,
    identifier_in,
    make_account,
    sign_in,
    sign_out,
    sign_up,
    solved,
)

pytestmark = pytest.mark.django_db


def signed_in(client):
    return client.get("/account").status_code == 200


def test_signing_up_signs_in_and_binds_the_browsers_judge(visitor, post_task):
    post_task(visitor)
    before = identifier_in(visitor)
    answer = sign_up(visitor)
    assert (answer.status_code, answer.url) == (302, "/judge/me")
    account = Account.objects.get()
    assert JudgeAccount.objects.get(account=account_key(account)).judge_id == before == identifier_in(visitor)
    assert "Find out when the town library" in visitor.get("/judge/me").content.decode()
    assert account.password.startswith("argon2$argon2id$")


def test_passwords_are_kept_as_argon2id_of_a_cost_that_owasp_asks_for():
    """The least of its cheat sheet: 19 MiB, two passes, one lane. The tests' own hasher is a quicker one of these."""
    first, *_ = of_the_site.PASSWORD_HASHERS
    hasher = import_string(first)
    assert issubclass(hasher, Argon2PasswordHasher)
    assert make_password("violet barge pendulum", hasher=hasher()).startswith("argon2$argon2id$")
    assert (hasher.memory_cost, hasher.time_cost) >= (19 * 1024, 2)


def test_an_account_keeps_a_name_and_a_password_and_nothing_else(visitor):
    sign_up(visitor)
    kept = {name for name in Account.objects.values()[0] if Account.objects.values()[0][name] not in (None, "", False)}
    assert kept == {"id", "username", "password", "is_active"}


def test_a_second_device_becomes_the_accounts_judge_and_what_it_gave_moves(seeded, post_task):
    first, second = Client(), Client()
    sign_up(first)
    post_task(second)
    assert identifier_in(second) != identifier_in(first)
    assert sign_in(second).status_code == 302
    assert identifier_in(second) == identifier_in(first)
    assert "Find out when the town library" in first.get("/judge/me").content.decode()


def test_signing_out_is_a_post_and_leaves_a_browser_of_nobody(visitor, post_task):
    post_task(visitor)
    sign_up(visitor)
    mine = identifier_in(visitor)
    assert visitor.get("/account/sign-out").status_code == 200
    assert signed_in(visitor)
    assert sign_out(visitor).url == "/"
    assert not signed_in(visitor)
    assert identifier_in(visitor) != mine
    assert "Find out when the town library" not in visitor.get("/judge/me").content.decode()


def test_two_people_on_one_browser_are_two_judges(visitor, post_task):
    sign_up(visitor, "margot")
    first = identifier_in(visitor)
    sign_out(visitor)
    post_task(visitor)
    between = identifier_in(visitor)
    sign_up(visitor, "ottilie")
    assert identifier_in(visitor) == between
    assert JudgeAccount.objects.count() == 2
    assert first != between


def test_the_cookie_of_an_accounts_judge_opens_nothing_without_the_sign_in(visitor, post_task):
    battle = post_task(visitor).url
    sign_up(visitor)
    assert visitor.get(battle).status_code == 200
    SignInSession.objects.all().delete()
    assert visitor.get(battle).status_code == 404
    stolen = Client()
    stolen.cookies["ringside_judge"] = visitor.cookies["ringside_judge"].value
    assert stolen.get(battle).status_code == 404
    sign_in(visitor)
    assert visitor.get(battle).status_code == 200


def test_the_session_gets_a_new_key_when_somebody_signs_in(visitor):
    make_account()
    visitor.post("/battles/new", {"stage": "sign-in", "instruction": "Keep this."})
    planted = visitor.cookies["ringside_session"].value
    sign_in(visitor)
    assert visitor.cookies["ringside_session"].value != planted
    assert not SignInSession.objects.filter(session_key=planted).exists()
    thief = Client()
    thief.cookies["ringside_session"] = planted
    assert not signed_in(thief)


def test_changing_the_password_signs_other_browsers_out(visitor):
    sign_up(visitor)
    other = Client()
    sign_in(other)
    new = "a lantern under the pier"
    wrong = visitor.post(
        "/account/password", {"oldpassword": "guessed wrong", "password1": new, "password2": new}, follow=True
    )
    assert wrong.status_code == 422
    assert "This is not your password." in wrong.content.decode()
    page = visitor.post("/account/password", {"oldpassword": PASSWORD, "password1": new, "password2": new}, follow=True)
    assert "The password is changed." in page.content.decode()
    assert signed_in(visitor)
    assert not signed_in(other)
    assert sign_in(Client(), password=new).status_code == 302


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "evil.example",
    ],
)
def test_next_leads_nowhere_else(visitor, elsewhere):
    make_account()
    assert "evil" not in visitor.get("/account/sign-in", {"next": elsewhere}).content.decode()
    assert sign_in(visitor, next=elsewhere).url == "/judge/me"
    assert visitor.get("/account/sign-in", {"next": elsewhere}).url == "/judge/me"


def test_next_leads_back_and_so_does_the_page_one_came_from(visitor):
    make_account()
    page = visitor.get("/account/sign-in", headers={"Referer": "http://testserver/standings?variant=raw"})
    assert page.context["next"] == "/standings?variant=raw"
    assert 'name="next" value="/standings?variant=raw"' in page.content.decode()
    for foreign in ("http://evil.example/standings", "http://testserver/account/sign-up", "http://testserver//evil"):
        assert visitor.get("/account/sign-in", headers={"Referer": foreign}).context["next"] == ""
    assert sign_in(visitor, next="/methods").url == "/methods"


@pytest.mark.parametrize("page", ["sign-out", "sign-in", "sign-up"])
def test_nobody_is_led_back_to_an_entrance_or_out(visitor, page):
    make_account()
    assert sign_in(visitor, next=f"/account/{page}").url == "/judge/me"


@pytest.mark.parametrize("path", ["/account/sign-in", "/account/sign-up", "/account/sign-out", "/account/password"])
def test_forms_of_other_sites_are_refused(seeded, path):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(path, {"login": "margot", "password": PASSWORD}).status_code == 403


@pytest.mark.parametrize("path", ["/account/sign-in", "/account/sign-up"])
def test_pages_cannot_be_framed_and_are_kept_by_nobody(client, path):
    answer = client.get(path)
    assert answer.headers["X-Frame-Options"] == "DENY"
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "no-store" in answer.headers["Cache-Control"]


def test_cookies_are_for_the_server_alone_and_secure_over_https(visitor):
    make_account()
    answer = visitor.post("/account/sign-in", {"login": "margot", "password": PASSWORD}, secure=True)
    session = answer.cookies["ringside_session"]
    assert session["httponly"]
    assert session["secure"]
    assert session["samesite"] == "Lax"
    assert not sign_in(Client()).cookies["ringside_session"]["secure"]


def test_a_wrong_password_and_an_unknown_name_are_told_in_the_same_words(visitor):
    make_account()
    wrong = sign_in(visitor, "margot", "not this one")
    unknown = sign_in(visitor, "nobody-here", "not this one")
    assert wrong.status_code == unknown.status_code == 422
    one, other = (answer.content.decode() for answer in (wrong, unknown))
    assert "do not belong together" in one
    assert one.replace("margot", "?").split("csrf")[0] == other.replace("nobody-here", "?").split("csrf")[0]


def test_a_wrong_password_and_an_unknown_name_take_as_long(visitor, monkeypatch):
    """A password is hashed once for each; hashing is what takes the time."""
    make_account()
    hashed = []

    def counting(work):
        def does(self, password, *others):
            hashed.append(work.__name__)
            return work(self, password, *others)

        return does

    monkeypatch.setattr(Argon2PasswordHasher, "encode", counting(Argon2PasswordHasher.encode))
    monkeypatch.setattr(Argon2PasswordHasher, "verify", counting(Argon2PasswordHasher.verify))
    sign_in(Client(), "margot", "not this one")
    assert hashed == ["verify"]
    hashed.clear()
    sign_in(Client(), "nobody-here", "not this one")
    assert hashed == ["encode"]


def test_passwords_cannot_be_tried_one_after_the_other(visitor):
    make_account()
    for number in range(SIGN_INS_NAME_HERE.most):
        assert sign_in(Client(), "Margot" if number % 2 else "margot", f"guess number {number}").status_code == 422
    refused = sign_in(Client(), "margot", PASSWORD)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 301
    assert Attempt.objects.filter(kind=SIGN_INS_NAME_HERE.kind).count() == SIGN_INS_NAME_HERE.most
    # Another network is not locked out by this one.
    assert sign_in(Client(), "margot", PASSWORD, REMOTE_ADDR="8.8.4.4").status_code == 302


def test_an_unknown_name_is_throttled_like_a_known_one(visitor):
    for number in range(SIGN_INS_NAME_HERE.most):
        sign_in(Client(), "nobody-here", f"guess number {number}")
    assert sign_in(Client(), "nobody-here", "x").status_code == 429


def test_many_names_cannot_be_tried_from_one_network(visitor):
    for _ in range(SIGN_INS_HERE.most):
        Attempt.objects.create(kind=SIGN_INS_HERE.kind, key=tag_of("8.8.4.4"))
    assert sign_in(Client(), "somebody", "x", REMOTE_ADDR="8.8.4.9").status_code == 429
    assert sign_in(Client(), "somebody", "x", REMOTE_ADDR="8.8.5.9").status_code == 422


def tag_of(address):
    return network_tags(RequestFactory().get("/", REMOTE_ADDR=address))[0]


def test_signing_in_well_does_not_count(visitor):
    make_account()
    for _ in range(SIGN_INS_NAME_HERE.most + 2):
        assert sign_in(Client()).status_code == 302
    assert Attempt.objects.count() == 0


def test_a_name_is_said_to_be_taken_only_after_the_proof(visitor):
    make_account()
    assert "taken" not in sign_up(visitor, "Margot", proof="").content.decode()
    assert "taken" not in sign_up(visitor, "margot", proof="e30=").content.decode()
    answered = sign_up(visitor, "MARGOT")
    assert answered.status_code == 422
    assert "This name is taken" in answered.content.decode()


def test_without_the_proof_no_account_is_made_and_the_reason_is_plain(visitor):
    answer = sign_up(visitor, proof="")
    assert answer.status_code == 422
    assert "It needs scripts" in answer.content.decode()
    assert Account.objects.count() == 0
    assert Judge.objects.count() == 0


def test_password_rules_are_said_before_anything_is_sent(client):
    page = client.get("/account/sign-up").content.decode()
    assert "At least 10 characters" in page
    assert "cannot be mailed" in page


@pytest.mark.parametrize(
    "password", ["short", "1234567890123", "password1234", "margot.2024", "Margotmargot", "x" * 300]
)
def test_weak_passwords_are_refused_without_spending_the_proof(visitor, password):
    proof = solved()
    assert sign_up(visitor, "margot", password, proof=proof).status_code == 422
    assert sign_up(visitor, "margot", proof=proof).status_code == 302


def test_a_password_is_the_same_from_every_keyboard(visitor):
    sign_up(visitor, password="caf\u00e9 at the old harbour")
    assert sign_in(Client(), password="cafe\u0301 at the old harbour").status_code == 302


def test_a_closed_account_is_told_so_only_with_its_password(visitor):
    account = make_account()
    Account.objects.filter(pk=account.pk).update(is_active=False)
    assert "do not belong together" in sign_in(visitor, password="wrong, quite").content.decode()
    assert sign_in(visitor).url == "/account/closed"
    assert visitor.get("/account/closed").status_code == 200
    assert not signed_in(visitor)


def test_the_outcome_of_the_check_is_beside_the_judge(visitor):
    sign_up(visitor)
    record = ProofRecord.objects.get()
    assert (record.judge_id, record.purpose, record.state) == (identifier_in(visitor), "sign-up", "verified")


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_one_name_at_once_one_gets_it():
    proofs, answers = [solved(), solved()], []
    start = threading.Barrier(2)

    def try_it(proof, name):
        try:
            client = Client()
            start.wait(10)
            answers.append(sign_up(client, name, proof=proof))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=try_it, args=pair) for pair in zip(proofs, ("Margot", "margot"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answer.status_code for answer in answers) == [302, 422]
    assert Account.objects.count() == JudgeAccount.objects.count() == 1


def test_an_operator_sets_a_lost_password_and_open_sessions_end(visitor, monkeypatch):
    sign_up(visitor)
    new = "a lantern under the pier"
    text = make_token(account=Account.objects.get(), judge=Judge.objects.get(), label="script", scopes=[])[1]
    assert check_token(text)
    monkeypatch.setattr("getpass.getpass", lambda **_: new)
    call_command("changepassword", "margot", stdout=StringIO())
    assert not SignInSession.objects.exists()
    assert not signed_in(visitor)
    with pytest.raises(BadToken, match="revoked"):
        check_token(text)
    assert sign_in(visitor, password=new).status_code == 302
