"""A new secret key takes over without signing anybody out and without locking operators out of their second factor."""

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.core import signing
from django.core.management import CommandError, call_command
from django.forms import ValidationError

from arena_site.accounts.models import Account
from arena_site.accounts.second_factor import SecondFactorAdapter, renew_vault

OLD, NEW = "o" * 60, "n" * 60


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
