"""Operators, as tests need them: an account with a role, signed in with both factors."""

import itertools
import time

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.models import Group

from arena_site.accounts.models import Account
from tests.arena_site.accounts.people import PASSWORD

_numbers = itertools.count(1)
SECRET = generate_totp_secret()


def make_operator(role="administrator", *, name="", password=None) -> Account:
    """An account that is staff, with a role and without a second factor."""
    account = Account.objects.create_user(name or f"operator-{next(_numbers)}", password, is_staff=True)
    if role:
        account.groups.add(Group.objects.get(name=role))
    return account


def with_second_factor(account: Account) -> Account:
    TOTP.activate(account, SECRET)
    return account


def code_now(secret=SECRET, *, periods=0) -> str:
    """What the app shows, or will show some half minutes later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + periods))


def sign_in_operator(client, role="administrator", *, account=None) -> Account:
    """Sign an operator in on a test client, both factors proved; gives the account."""
    account = account or with_second_factor(make_operator(role))
    client.force_login(account)
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "mfa", "at": time.time(), "type": "totp"}]
    session["account_authentication_methods_user"] = str(account.pk)
    session.save()
    return account


__all__ = ["PASSWORD", "Authenticator", "code_now", "make_operator", "sign_in_operator", "with_second_factor"]
