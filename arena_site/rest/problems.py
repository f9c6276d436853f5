"""Refusals of the API in one form (RFC 9457), whoever refuses: our own code, the framework, or Django itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.views import APIView

from governance.errors import ArenaError, NotFound
from governance.public_answers import problem, problem_json

#: Where the API is; whatever happens below answers programs.
PREFIX = "/api/"
_CODE = re.compile(r"[a-z][a-z0-9_]*")
#: The framework's refusals, told in our own words.
FRAMEWORK: Mapping[type[exceptions.APIException], tuple[str, str]] = {
    exceptions.UnsupportedMediaType: ("unsupported_media_type", "Send JSON, with Content-Type: application/json."),
    exceptions.MethodNotAllowed: (
        "method_not_allowed",
        "This method has no meaning here. The Allow header lists those that do.",
    ),
    exceptions.NotAuthenticated: ("not_authenticated", "Say who you are: sign in, or send a token."),
    exceptions.PermissionDenied: ("forbidden", "You may not do this."),
    exceptions.NotFound: ("not_found", "There is nothing at this address."),
    exceptions.ParseError: ("body_refused", "The body cannot be read."),
}


class NoSuchAddress(NotFound):
    """Nothing is there, or nothing that whoever asks may know of."""

    def __init__(self) -> None:
        super().__init__("There is nothing at this address. /api/schema lists all there is.")


class Invalid(ArenaError):
    """Parts of the body are missing, unknown, or not what they must be."""

    code = "invalid"

    def __init__(self, errors: tuple[Mapping[str, str], ...]) -> None:
        words = "The body has a part that cannot be taken" if len(errors) == 1 else "Parts of the body cannot be taken"
        super().__init__(f"{words}; errors says which and why.", field=errors[0]["field"] if len(errors) == 1 else None)
        self.errors = errors


def told(exception: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """What a program is told of an exception in a view of the API; None for what is our own fault."""
    if isinstance(exception, ArenaError):
        return problem_json(exception)
    if isinstance(exception, Http404):
        return problem_json(NoSuchAddress())
    if isinstance(exception, PermissionDenied):
        return problem(HTTPStatus.FORBIDDEN, "forbidden", "You may not do this.")
    if isinstance(exception, exceptions.ValidationError):
        return problem_json(Invalid(tuple(_errors(exception.get_full_details()))))
    if isinstance(exception, exceptions.APIException):
        return _of_the_framework(exception, context["view"])
    return None


def _of_the_framework(exception: exceptions.APIException, view: APIView) -> HttpResponse:
    code, words = FRAMEWORK.get(type(exception), (str(exception.get_codes()), str(exception.detail)))
    response = problem(exception.status_code, code, words)
    if isinstance(exception, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(method for method in view.allowed_methods if method != "OPTIONS")
    if header := getattr(exception, "auth_header", None):
        response["WWW-Authenticate"] = header
    if wait := getattr(exception, "wait", None):
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _errors(details: Any, place: str = "") -> Iterator[Mapping[str, str]]:
    """The parts that were refused, by their path: ``names.0`` is the first of a list called ``names``."""
    if isinstance(details, Mapping) and set(details) == {"message", "code"}:
        code = str(details["code"])
        yield {
            "field": place or "body",
            "code": code if _CODE.fullmatch(code) else "invalid",
            "detail": str(details["message"]),
        }
    elif isinstance(details, Mapping):
        for name, inner in details.items():
            yield from _errors(inner, f"{place}.{name}" if place else str(name))
    else:
        for number, inner in enumerate(details):
            leaf = isinstance(inner, Mapping) and set(inner) == {"message", "code"}
            yield from _errors(inner, place if leaf else f"{place}.{number}")


def asked_of_the_api(request: HttpRequest) -> bool:
    """Whether a program gets the answer, in whatever way it comes about."""
    return request.path.startswith(PREFIX)
