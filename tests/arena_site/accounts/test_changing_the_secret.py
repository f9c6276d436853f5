"""A new secret key takes over without signing anybody out and without locking operators out of their second factor."""

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.core import signing
from django.core.management import CommandError, call_command
from django.forms import ValidationError
from django.test import Client
from django.utils import timezone

from arena_site.accounts.models import Account
from arena_site.accounts.second_factor import SecondFactorAdapter, renew_vault
from judging.identity import COOKIE, SALT
from tests.battles.factories import make_judge

OLD, NEW = "o" * 60, "n" * 60
#: What others may keep, and hand to whoever asks next.
CACHED = "/api/agents"


@pytest.fixture
def factor(db, settings):
    """An app and its recovery codes, set up under the old key."""
    settings.SECRET_KEY = OLD
    account = Account.objects.create(username="operator")
    encrypt = SecondFactorAdapter().encrypt
    Authenticator.objects.create(user=account, type="totp", data={"secret": encrypt("SHARED")})
    Authenticator.objects.create(user=account, type="recovery_codes", data={"seed": encrypt("SEED"), "used_mask": 0})
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]


def stored():
    read = SecondFactorAdapter().decrypt
    return {read(one.data.get("secret") or one.data["seed"]) for one in Authenticator.objects.all()}


def test_what_the_old_key_signed_counts_until_it_is_taken_away(settings):
    settings.SECRET_KEY = OLD
    cookie = signing.dumps("judge")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert signing.loads(cookie) == "judge"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(signing.BadSignature):
        signing.loads(cookie)


def test_second_factors_are_read_by_the_old_key_and_put_under_the_new_one(factor, settings, capsys):
    assert stored() == {"SHARED", "SEED"}
    call_command("renew_second_factors")
    assert capsys.readouterr().out == "2 put under the new key.\n"
    settings.SECRET_KEY_FALLBACKS = []
    assert stored() == {"SHARED", "SEED"}
    assert renew_vault() == 0


def test_without_the_old_key_nothing_is_changed_and_the_command_says_why(factor, settings):
    settings.SECRET_KEY_FALLBACKS = []
    before = list(Authenticator.objects.values_list("data", flat=True))
    with pytest.raises(InvalidToken):
        renew_vault()
    with pytest.raises(CommandError, match="ARENA_SECRET_KEY_FALLBACKS"):
        call_command("renew_second_factors")
    assert list(Authenticator.objects.values_list("data", flat=True)) == before
    with pytest.raises(ValidationError):
        stored()


@pytest.fixture
def judge(db):
    return make_judge()


@pytest.fixture
def browser(judge, settings):
    """Of a judge without an account, whose cookie was signed before the key was changed."""
    known = Client()
    settings.SECRET_KEY = OLD
    known.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    return known


def judge_of(browser, path="/governance"):
    return browser.get(path).wsgi_request.judge


@pytest.mark.parametrize("path", ["/governance", "/leaderboard", "/api/judge/calibration"])
def test_a_browser_that_comes_by_any_page_stays_its_judges(browser, judge, settings, path):
    assert judge_of(browser, path) == judge
    settings.SECRET_KEY_FALLBACKS = []
    assert judge_of(browser) == judge
    # Once: what is signed by the key in force is left as it is.
    assert COOKIE not in browser.get(path).cookies


def test_one_that_stays_away_until_the_old_key_is_gone_is_somebody_new(browser, settings):
    settings.SECRET_KEY_FALLBACKS = []
    assert judge_of(browser) is None


def test_no_judge_is_given_with_what_a_cache_may_keep(browser, judge):
    answer = browser.get(CACHED)
    assert answer.headers["Cache-Control"].startswith("public")
    assert answer.wsgi_request.judge == judge
    assert COOKIE not in answer.cookies
    assert COOKIE in browser.get("/governance").cookies


def test_a_judge_who_was_forgotten_is_signed_by_no_key(browser, judge):
    type(judge).objects.filter(pk=judge.pk).update(erased_at=timezone.now())
    assert COOKIE not in browser.get("/governance").cookies
