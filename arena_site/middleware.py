"""The edge: an :class:`ArenaError` that a view lets through becomes a page in words, or JSON for a script."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from governance.errors import ArenaError, TooMany
from governance.public_answers import PROBLEM, problem_json

#: Pages of their own; every other refusal shows the general one.
TEMPLATES = {404: "404.html", 429: "429.html"}


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
