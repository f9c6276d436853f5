"""What the sign-in library asks of a site: here, its words, its limits and where it may lead."""

import time
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from arena_site.accounts.limits import give_back, take_sign_in
from arena_site.accounts.networks import network_tags

#: Where the pages of accounts live.
ACCOUNT_PATH = "/account"


def is_own_path(url: str) -> bool:
    """Whether an address is a path on this site, and to a browser too."""
    return url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # the library tells no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": "This name and this password do not belong together.",
        "username_taken": "This name is taken. Please choose another one.",
        "enter_current_password": "This is not your password.",
        "incorrect_password": "This is not your password.",
    }

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """The account of a name and its password, or None.

        Raises:
            TooMany: too many attempts; the password was not looked at.
        """
        attempts = take_sign_in(request, str(credentials.get("username", "")))
        found: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if found is not None:
            give_back(attempts)
        return found

    def is_reauthentication_required(self, *, app: str, **options: Any) -> bool:
        """Whoever signed in moments ago, all that is asked of them proved, is not asked for it again."""
        signed_in = get_authentication_records(self.request, self.request.user)
        newest = max((float(record["at"]) for record in signed_in), default=0.0)
        recent = time.time() - newest < app_settings.REAUTHENTICATION_TIMEOUT
        return not recent and bool(super().is_reauthentication_required(app=app, **options))

    def add_message(self, *arguments: Any, **options: Any) -> None:
        """Pages say what happened; nothing is queued for a later one."""

    def is_safe_url(self, url: str) -> bool:
        """Nobody is led to a page that signs out or in again."""
        return is_own_path(url) and not url.startswith(f"{ACCOUNT_PATH}/sign-")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Never the address: today's tag of its network."""
        return network_tags(request)[0]

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return "/account?changed=password"
