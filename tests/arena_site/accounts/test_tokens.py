"""API tokens: made by their owner alone, shown once, told from a digest, and ended by time, by hand and by leaving."""

import hashlib
import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.test import Client
from django.utils import timezone

from arena_site.accounts.models import Account, ApiToken, KeptAnswer, SignInSession
from arena_site.accounts.sweeping import sweep_accounts
from arena_site.accounts.tokens import BadToken, check_token, make_token, revoke_token
from governance.errors import Conflict
from governance.models import JournalEntry, Judge
from tests.arena_site.accounts.people import PASSWORD, identifier_in, make_account, sign_in

pytestmark = pytest.mark.django_db

PAGE = "/judge/me/tokens"


@pytest.fixture
def margot(visitor):
    make_account()
    sign_in(visitor)
    return visitor


def make(client, **fields):
    return client.post(PAGE, {"label": "nightly script", "days": "90", "password": PASSWORD} | fields)


def token_in(page) -> str:
    return re.search(r"ringside_[0-9a-z]{12}_[0-9A-Za-z_-]{43}", page.content.decode())[0]


def refusal_of(text, **when) -> str:
    with pytest.raises(BadToken) as refused:
        check_token(text, **when)
    return refused.value.code


def test_a_token_is_shown_once_and_only_its_digest_is_stored(margot):
    page = make(margot, scopes=["judge"])
    assert page.status_code == 201
    assert "no-store" in page.headers["Cache-Control"]
    text = token_in(page)
    stored = ApiToken.objects.get()
    assert stored.digest == hashlib.sha256(text.encode()).hexdigest()
    secret = text.rsplit(stored.public_id + "_")[1]
    assert secret not in margot.get(PAGE).content.decode()
    rows = "\n".join(repr(row) for model in apps.get_models() for row in model._default_manager.values_list())
    assert secret not in rows
    assert check_token(text) == stored


def test_the_list_tells_what_a_token_is_for_what_it_may_and_when_it_ends(margot):
    make(margot, scopes=["judge", "submit"])
    stored = ApiToken.objects.get()
    assert stored.scopes == ["read", "judge", "submit"]
    assert stored.expires_at - stored.made_at == timedelta(days=90)
    page = margot.get(PAGE).content.decode()
    for words in ("nightly script", f"ringside_{stored.public_id}", "read, judge, submit", "never"):
        assert words in page
    assert PAGE in margot.get("/judge/me").content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"password": "a wrong password"}, "This is not your password."),
        ({"label": " \t "}, "This field is required."),
        ({"label": "x" * 61}, "60"),
        ({"scopes": ["operate"]}, "operate"),
        ({"days": "36500"}, "36500"),
    ],
)
def test_what_cannot_be_made_is_said_beside_the_field_and_makes_nothing(margot, fields, words):
    page = make(margot, **fields)
    assert page.status_code == 422
    assert words in page.content.decode()
    assert not ApiToken.objects.exists()


def test_wrong_passwords_here_count_as_failed_sign_ins(margot):
    for _ in range(5):
        make(margot, password="a wrong password")
    page = make(margot)
    assert page.status_code == 429
    assert int(page.headers["Retry-After"]) > 0
    assert not ApiToken.objects.exists()


def test_whoever_is_not_signed_in_is_asked_to(visitor):
    assert visitor.get(PAGE).url.startswith("/account/sign-in")
    assert make(visitor).status_code == 302
    assert not ApiToken.objects.exists()


def test_one_account_has_at_most_so_many_living_tokens(margot, monkeypatch):
    monkeypatch.setattr("arena_site.accounts.tokens.MOST_TOKENS", 2)
    texts = [token_in(make(margot)) for _ in range(2)]
    assert make(margot).status_code == 409
    margot.post(f"{PAGE}/revoke", {"token": texts[0].split("_")[1]})
    assert make(margot).status_code == 201


def test_a_revoked_and_an_expired_token_say_so_and_a_wrong_one_says_nothing(margot):
    text = token_in(make(margot))
    stored = ApiToken.objects.get()
    for wrong in (text[:-1] + ("a" if text[-1] != "a" else "b"), "ringside_" + "0" * 12 + text[21:], "", "ü" * 9000):
        assert refusal_of(wrong) == "invalid_token"
    assert refusal_of(text, now=stored.expires_at) == "token_expired"
    assert check_token(text, now=stored.expires_at - timedelta(seconds=1)) == stored
    assert margot.post(f"{PAGE}/revoke", {"token": stored.public_id}).status_code == 302
    assert refusal_of(text) == "token_revoked"
    assert "revoked" in margot.get(PAGE).content.decode()


def test_nobody_revokes_anothers_token(margot):
    text = token_in(make(margot))
    other = Client()
    make_account("ottilie")
    sign_in(other, "ottilie")
    assert other.post(f"{PAGE}/revoke", {"token": text.split("_")[1]}).status_code == 404
    assert check_token(text)


@pytest.mark.parametrize("shown", ["\0", "0" * 12 + "\0", "0" * 11 + "\0", "\ud800", "\uff10" * 12, "", "0" * 9000])
def test_what_is_no_tokens_name_revokes_nothing(margot, shown):
    text = token_in(make(margot))
    sent = f"token={quote(shown, errors='surrogatepass')}"
    assert margot.post(f"{PAGE}/revoke", sent, content_type="application/x-www-form-urlencoded").status_code == 404
    assert check_token(text)


def test_a_known_and_an_unknown_token_ask_the_database_the_same(margot, django_assert_num_queries):
    text = token_in(make(margot))
    check_token(text)
    for shown in (text[:-1] + ("a" if text[-1] != "a" else "b"), "ringside_" + "0" * 12 + text[21:], "no token"):
        with django_assert_num_queries(1):
            refusal_of(shown)


def test_the_day_of_the_last_use_is_kept_and_not_the_time(margot):
    text = token_in(make(margot))
    tomorrow = timezone.now() + timedelta(days=1)
    check_token(text, now=tomorrow)
    assert ApiToken.objects.get().last_used_on == tomorrow.date()


def test_making_and_revoking_are_in_the_journal_without_the_token_or_its_name(margot):
    text = token_in(make(margot, scopes=["judge"]))
    margot.post(f"{PAGE}/revoke", {"token": text.split("_")[1]})
    margot.post(f"{PAGE}/revoke", {"token": text.split("_")[1]})
    rows = JournalEntry.objects.filter(action__startswith="accounts:token").order_by("pk")
    assert [row.action for row in rows] == ["accounts:token:make", "accounts:token:revoke"]
    assert {row.actor for row in rows} == {f"judge:{identifier_in(margot)}"}
    told = repr(list(rows.values()))
    assert "nightly" not in told
    assert text.split("_")[1] not in told


def test_a_new_password_ends_every_token(margot):
    text = token_in(make(margot))
    new = {"oldpassword": PASSWORD, "password1": "copper meadow lantern", "password2": "copper meadow lantern"}
    assert margot.post("/account/password", new).status_code == 302
    assert refusal_of(text) == "token_revoked"
    assert margot.get(PAGE).status_code == 200, "the browser in which it was changed stays signed in"


@pytest.mark.parametrize("password", ["copper meadow lantern", None])
def test_it_does_whoever_sets_it_and_where_or_is_not_set(margot, password):
    text = token_in(make(margot))
    account = Account.objects.get()
    account.set_password(password)
    account.save(update_fields=["password"])
    assert refusal_of(text) == "token_revoked"
    assert not SignInSession.objects.exists()
    (row,) = JournalEntry.objects.filter(action="accounts:token:revoke")
    assert (row.actor, row.reason) == ("system:accounts", "The password was changed.")


def test_it_does_when_it_is_stored_and_not_before(margot):
    text = token_in(make(margot))
    account = Account.objects.get()
    account.set_password("copper meadow lantern")
    account.save(update_fields=["is_active"])
    assert check_token(text)
    account.save()
    assert refusal_of(text) == "token_revoked"


def test_it_does_where_only_its_hash_is_set(margot):
    text = token_in(make(margot))
    account = Account.objects.get()
    account.password = make_password("copper meadow lantern")
    account.save()
    assert refusal_of(text) == "token_revoked"


def test_a_new_password_that_cannot_end_them_is_not_stored(margot, monkeypatch):
    make(margot)
    monkeypatch.setattr("arena_site.accounts.tokens.record", lambda **_: 1 / 0)
    account = Account.objects.get()
    account.set_password("copper meadow lantern")
    with pytest.raises(ZeroDivisionError):
        account.save()
    assert Account.objects.get().check_password(PASSWORD)


def test_the_same_password_hashed_anew_ends_none(margot, settings):
    """As a sign-in does once an operator's site hashes at a greater cost."""
    text = token_in(make(margot))
    before = Account.objects.get().password
    settings.PASSWORD_HASHERS = [f"{__name__}.DearerHasher"]
    assert sign_in(Client()).status_code == 302
    assert Account.objects.get().password != before
    assert check_token(text)
    account = Account.objects.get()
    account.is_staff = True
    account.save()
    assert check_token(text)


class DearerHasher(Argon2PasswordHasher):
    time_cost, memory_cost, parallelism = 2, 64, 1


def test_a_token_asked_for_with_the_old_password_is_not_made_after_the_new_one(margot):
    read_before = Account.objects.get()
    changed = Account.objects.get()
    changed.set_password("copper meadow lantern")
    changed.save()
    with pytest.raises(Conflict) as refused:
        make_token(account=read_before, judge=Judge.objects.get(), label="late", scopes=[])
    assert refused.value.code == "password_changed"
    assert not ApiToken.objects.exists()


def test_a_closed_account_opens_nothing(margot):
    text = token_in(make(margot))
    Account.objects.update(is_active=False)
    assert refusal_of(text) == "invalid_token"


@pytest.mark.parametrize("what", ["everything", "identity"])
def test_tokens_and_kept_answers_are_erased_with_the_person(margot, what):
    text = token_in(make(margot))
    KeptAnswer.objects.create(owner=identifier_in(margot), key="k" * 64, request="r" * 64)
    KeptAnswer.objects.create(owner="another", key="k" * 64, request="r" * 64)
    assert margot.post("/withdraw", {"what": what}).status_code == 302
    assert refusal_of(text) == "invalid_token"
    assert not ApiToken.objects.exists()
    assert KeptAnswer.objects.get().owner == "another"


def test_what_was_kept_for_a_device_does_not_outlive_its_signing_in(visitor, post_task):
    make_account()
    sign_in(Client())
    post_task(visitor)
    KeptAnswer.objects.create(owner=identifier_in(visitor), key="k" * 64, request="r" * 64)
    sign_in(visitor)
    assert not KeptAnswer.objects.exists()


def test_the_nightly_sweep_takes_what_ended_a_month_ago_and_answers_of_yesterday(margot):
    make(margot)
    make(margot)
    ended, living = ApiToken.objects.order_by("made_at")
    now = ended.expires_at - timedelta(days=80)
    ended.revoked_at = now - timedelta(days=31)
    ended.save()
    for hours in (25, 23):
        KeptAnswer.objects.create(owner="o", key=str(hours), request="r", at=now - timedelta(hours=hours))
    gone = sweep_accounts(now=now)
    assert (gone["tokens"], gone["answers"]) == (1, 1)
    assert ApiToken.objects.get() == living
    assert KeptAnswer.objects.get().key == "23"


def test_tokens_are_made_for_accounts_with_scopes_and_times_from_the_lists(margot):
    account, judge = Account.objects.get(), Judge.objects.get()
    token, _ = make_token(account=account, judge=judge, label="  a   b ", scopes=["withdraw"], days=7)
    assert (token.label, token.scopes) == ("a b", ["read", "withdraw"])
    assert revoke_token(account=account, judge=judge, public_id=token.public_id).revoked_at is not None
