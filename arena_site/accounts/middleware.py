"""Who is signed in, and cookies that stay inside an encrypted connection."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from arena_site.accounts.devices import recognise


class SignedInMiddleware:
    """Inside the middleware of judging and of authentication: what they found decides whose judge this is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        recognise(request)
        return self._get_response(request)


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
