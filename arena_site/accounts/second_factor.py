"""The second factor: a code from an authenticator app, or one of ten recovery codes.

Any account may set one up; an operator's session without one reaches nothing but the page that sets it up.
"""

from __future__ import annotations

import base64
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django import forms
from django.conf import settings
from django.http import HttpRequest

from arena_site.accounts.models import Account

#: Another key for every use of the site's secret.
PURPOSE = b"ringside second factor"
ISSUER = "Ringside"
UNREADABLE = "The second factor was set up under another secret of this site. An administrator can take it off."


def has_second_factor(account: Account) -> bool:
    """Whether an authenticator app is set up for this account."""
    return bool(Authenticator.objects.filter(user=account, type=Authenticator.Type.TOTP).exists())


def proved_here(request: HttpRequest) -> bool:
    """Whether whoever is signed in on this browser proved their second factor since they signed in."""
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # the library tells no types
    """Secrets are stored encrypted: whoever reads the database alone cannot make codes."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code is not right, or was used already. Please wait for the next one.",
    }

    def encrypt(self, text: str) -> str:
        return _vault().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _vault().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise forms.ValidationError(UNREADABLE, code="second_factor_unreadable") from None

    def get_totp_issuer(self) -> str:
        return ISSUER

    def send_notification_mail(self, *arguments: Any, **options: Any) -> None:
        """There is no address to write to; what an operator sets up is in the journal."""


def _vault() -> Fernet:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(key))
