"""The second factor: set up once, asked for at every sign-in, good once, and not to be guessed or read."""

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils import timezone

from arena_site.accounts.limits import SECOND_FACTORS
from arena_site.accounts.models import Attempt
from arena_site.accounts.second_factor_forms import _use_up, counted
from governance.models import JournalEntry
from tests.arena_site.accounts.people import PASSWORD, sign_in, sign_out
from tests.arena_site.operators import code_now, make_operator

pytestmark = pytest.mark.django_db

SET_UP = "/account/second-factor"
CODE = "/account/second-factor/code"
CODES = re.compile(r"<li>(\d{8})</li>")


def operator(client, name="olga"):
    account = make_operator("administrator", name=name, password=PASSWORD)
    sign_in(client, name)
    return account


def set_up(client):
    """Set it up as a person does; gives the secret and the recovery codes."""
    assert client.get(SET_UP).status_code == 200
    secret = client.session[SECRET_SESSION_KEY]
    answer = client.post(SET_UP, {"code": code_now(secret)}, follow=True)
    return secret, CODES.findall(answer.content.decode())


def test_whoever_signed_in_a_while_ago_proves_it_again_before_anything_changes(client):
    operator(client)
    assert client.get(SET_UP).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        assert client.get(SET_UP).url.startswith("/account/confirm")
        assert client.post(SET_UP, {"code": "000000"}).url.startswith("/account/confirm")
        client.post("/account/confirm", {"password": PASSWORD})
        assert client.get(SET_UP).status_code == 200


def test_an_operator_sets_it_up_and_reaches_their_pages(client):
    account = operator(client)
    assert client.get("/admin/").url.startswith(SET_UP)
    page = client.get(SET_UP).content.decode()
    secret = client.session[SECRET_SESSION_KEY]
    assert secret in page
    assert "data:" not in page
    assert 'style="' not in page
    picture = client.get(f"{SET_UP}/picture")
    assert picture["Content-Type"] == "image/svg+xml"
    assert "no-store" in picture["Cache-Control"]
    wrong = client.post(SET_UP, {"code": "000000"})
    assert wrong.status_code == 422
    assert client.get("/admin/").status_code == 302
    client.post(SET_UP, {"code": code_now(client.session[SECRET_SESSION_KEY])})
    assert client.get("/admin/").status_code == 200
    assert JournalEntry.objects.filter(action="accounts:second_factor:set_up", subject=str(account.pk)).count() == 1


def test_the_secret_is_stored_where_the_database_alone_does_not_give_it(client):
    operator(client)
    secret, codes = set_up(client)
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert len(codes) == 10
    assert not any(code in stored for code in codes)


def test_recovery_codes_are_shown_once_and_each_is_good_once(client):
    operator(client)
    _, codes = set_up(client)
    assert not CODES.findall(client.get("/account/recovery-codes").content.decode())
    for expected in (302, 422):
        sign_out(client)
        assert sign_in(client, "olga").url == CODE
        assert client.post(CODE, {"code": codes[0]}).status_code == expected
    assert client.post(CODE, {"code": codes[1]}).status_code == 302
    assert client.get("/admin/").status_code == 200


def test_a_password_alone_signs_nobody_in_who_has_one_and_a_code_is_good_once(client):
    operator(client)
    secret, _ = set_up(client)
    sign_out(client)
    sign_in(client, "olga")
    assert client.get("/admin/").url.startswith("/account/sign-in")
    assert client.get("/account").status_code == 302
    # The code with which it was set up was used.
    code = code_now(secret, periods=1)
    assert client.post(CODE, {"code": code}).status_code == 302
    assert client.get("/admin/").status_code == 200
    sign_out(client)
    sign_in(client, "olga")
    # What the library remembers of codes is in one process of several.
    cache.clear()
    assert client.post(CODE, {"code": code}).status_code == 422


def test_a_code_is_good_once_over_midnight_too(client):
    before = timezone.now().replace(hour=23, minute=59, second=50)
    with time_machine.travel(before - timedelta(minutes=2)):
        operator(client)
        secret, _ = set_up(client)
    with time_machine.travel(before, tick=False):
        code = code_now(secret)
        for midnight in (timedelta(0), timedelta(seconds=15)):
            with time_machine.travel(before + midnight, tick=False):
                sign_out(client)
                sign_in(client, "olga")
                cache.clear()
                assert client.post(CODE, {"code": code}).status_code == (422 if midnight else 302)


def test_rows_of_codes_and_attempts_are_under_the_sites_key(settings):
    """A hash without a key is undone by trying the million codes."""
    account = make_operator("administrator", name="olga", password=PASSWORD)
    kept = []
    for key in ("one key", "another key"):
        settings.SECRET_KEY = key
        Attempt.objects.all().delete()
        with pytest.raises(ValidationError):
            _type_wrong_code(account)
        kept.append(set(Attempt.objects.values_list("key", flat=True)))
    assert [len(keys) for keys in kept] == [2, 2]
    assert not kept[0] & kept[1]


def _type_wrong_code(account):
    with counted(account):
        _use_up(account, "123456")
        raise ValidationError("This code is not right.")


def test_codes_cannot_be_guessed(client):
    operator(client)
    secret, _ = set_up(client)
    sign_out(client)
    sign_in(client, "olga")
    answers = [client.post(CODE, {"code": f"{number:06}"}).status_code for number in range(SECOND_FACTORS.most + 1)]
    assert answers == [422] * SECOND_FACTORS.most + [429]
    assert client.post(CODE, {"code": code_now(secret, periods=1)}).status_code == 429


def test_an_older_session_without_it_has_no_part_in_a_newer_ones(client):
    operator(client)
    other = type(client)()
    sign_in(other, "olga")
    set_up(client)
    assert client.get("/admin/").status_code == 200
    assert other.get("/admin/").url.startswith(f"{SET_UP}/again")
