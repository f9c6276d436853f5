"""Who is signed in, and cookies that stay inside an encrypted connection."""

import functools
from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from arena_site.accounts.devices import recognise, signed_in_account
from arena_site.accounts.second_factor import has_second_factor, proved_here

#: All that an operator without a second factor is given.
WAYS_IN = (
    "mfa_activate_totp",
    "second_factor_picture",
    "mfa_reauthenticate",
    "account_reauthenticate",
    "account_logout",
)


class SignedInMiddleware:
    """Inside the middleware of judging and of authentication: what they found decides whose judge this is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        recognise(request)
        return self._get_response(request)


class SecondFactorMiddleware:
    """An operator's session that has not proved a second factor reaches the pages where it does so, and signs out.

    Inside the middleware that recognises accounts. What is served without a session, files say, is not its business.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        account = signed_in_account(request)
        if account is None or not account.is_staff or proved_here(request) or request.path in _ways_in():
            return self._get_response(request)
        page = reverse("mfa_reauthenticate" if has_second_factor(account) else "mfa_activate_totp")
        onward = f"?{urlencode({'next': request.get_full_path()})}" if request.method == "GET" else ""
        return HttpResponseRedirect(f"{page}{onward}")


@functools.cache
def _ways_in() -> frozenset[str]:
    return frozenset(map(reverse, WAYS_IN))


class SecureCookiesMiddleware:
    """Marks session and form cookies ``Secure`` on every answer over HTTPS: the same site runs without it at home."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.is_secure():
            for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME):
                if name in response.cookies:
                    response.cookies[name]["secure"] = True
        return response
