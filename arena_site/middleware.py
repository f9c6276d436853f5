"""The edge: an :class:`ArenaError` that a view lets through becomes a page in words, or JSON for a script."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from governance.errors import ArenaError, TooMany

#: Pages of their own; every other refusal shows the general one.
TEMPLATES = {404: "404.html", 429: "429.html"}

Response = TypeVar("Response", bound=HttpResponse)


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
            return problem_json(exception, "That cannot be done")
        return problem_page(request, exception)


def wants_json(request: HttpRequest) -> bool:
    """Whether a script asks, which reads JSON."""
    return "application/json" in request.headers.get("Accept", "")


def problem_json(error: ArenaError, title: str) -> JsonResponse:
    """What a script is told of a refusal: a title, the message in words, and a stable code."""
    response = JsonResponse({"title": title, "message": error.message, "code": error.code}, status=error.status)
    return _with_patience(response, error)


def problem_page(request: HttpRequest, error: ArenaError) -> HttpResponse:
    """The page that says what happened, what is safe and what to do."""
    template = TEMPLATES.get(error.status, "problem.html")
    context: dict[str, Any] = {"problem": error}
    if isinstance(error, TooMany):
        context["retry_after"] = error.retry_after
    return _with_patience(render(request, template, context, status=error.status), error)


def _with_patience(response: Response, error: ArenaError) -> Response:
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.retry_after)
    return response
