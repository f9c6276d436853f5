"""The second factor: a code from an authenticator app, or one of ten recovery codes.

Any account may set one up; an operator's session without one reaches nothing but the page that sets it up.
"""

from __future__ import annotations

import base64
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django import forms
from django.conf import settings
from django.db import transaction
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


def renew_vault() -> int:
    """Encrypt every stored secret by the key in force; returns how many were under an earlier one.

    To be done before an earlier ``SECRET_KEY`` is taken away from the fallbacks.

    Raises:
        InvalidToken: a secret is under a key that is not given any more; nothing is changed.
    """
    newest = Fernet(_vault_key(settings.SECRET_KEY))
    renewed = 0
    with transaction.atomic():
        for authenticator in Authenticator.objects.select_for_update():
            under_earlier = {key: text for key, text in _tokens(authenticator) if not _opens(newest, text)}
            if under_earlier:
                vault = _vault()
                authenticator.data |= {key: vault.rotate(text.encode()).decode() for key, text in under_earlier.items()}
                authenticator.save(update_fields=["data"])
                renewed += 1
    return renewed


def _tokens(authenticator: Authenticator) -> list[tuple[str, str]]:
    """What of it is encrypted, by name: the secret of an app, or the seed of recovery codes."""
    return [(key, authenticator.data[key]) for key in ("secret", "seed") if authenticator.data.get(key)]


def _opens(vault: Fernet, text: str) -> bool:
    try:
        vault.decrypt(text.encode())
    except InvalidToken:
        return False
    return True


def _vault() -> MultiFernet:
    """Encrypts by the key in force; reads what earlier ones encrypted as well."""
    return MultiFernet([Fernet(_vault_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _vault_key(secret: str) -> bytes:
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret.encode())
    return base64.urlsafe_b64encode(key)
