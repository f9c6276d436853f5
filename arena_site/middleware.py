"""The edge: which host is asked, and what a refusal looks like.

An :class:`ArenaError` that a view lets through becomes a page in words, or JSON for a script.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware
from django.shortcuts import render

from governance.errors import ArenaError, TooMany
from governance.public_answers import PROBLEM, problem_json

#: Pages of their own; every other refusal shows the general one.
TEMPLATES = {404: "404.html", 429: "429.html"}
#: What answers say of the server: which one it is is nobody's business, and it would say so by itself.
SERVER = "Ringside"


class ServerNameMiddleware:
    """Names the site where the server would name itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response["Server"] = SERVER
        return response


class NamedHostMiddleware(CommonMiddleware):
    """Django's, which refuses hosts that are not in ``ALLOWED_HOSTS``; what watches over a host asks by its address.

    What is exempt is what is exempt from HTTPS. Those views build no address from the host that they were asked under.
    """

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        path = request.path.lstrip("/")
        if any(re.search(watched, path) for watched in settings.SECURE_REDIRECT_EXEMPT):
            return None
        return super().process_request(request)


class ArenaErrorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Turn a refusal into its page; anything else is Django's to report."""
        if not isinstance(exception, ArenaError):
            return None
        if wants_json(request):
            return problem_json(exception)
        return problem_page(request, exception)


def wants_json(request: HttpRequest) -> bool:
    """Whether a script asks, which reads JSON."""
    accepted = request.headers.get("Accept", "")
    return "application/json" in accepted or PROBLEM in accepted


def problem_page(request: HttpRequest, error: ArenaError) -> HttpResponse:
    """The page that says what happened, what is safe and what to do."""
    template = TEMPLATES.get(error.status, "problem.html")
    context: dict[str, Any] = {"problem": error}
    if isinstance(error, TooMany):
        context["retry_after"] = error.retry_after
    response = render(request, template, context, status=error.status)
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.retry_after)
    return response
