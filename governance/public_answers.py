"""What public addresses for programs have in common: reading only, strict parameters, refusals as problem+json."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

from governance.errors import ArenaError, TooMany

PROBLEM = "application/problem+json"
#: What reads, and writes nothing.
READING = ("GET", "HEAD")


class OnlyRead(ArenaError):
    """Something else than reading was tried."""

    code = "only_read"
    status = 405

    def __init__(self) -> None:
        super().__init__("This can be read, with GET or HEAD, and not written from outside.")


class ParameterRefused(ArenaError):
    """A parameter of the address is missing, unknown, given twice, or cannot be read."""

    code = "parameter_refused"


def require_reading(request: HttpRequest) -> None:
    """Let GET and HEAD pass.

    Raises:
        OnlyRead: it is any other method.
    """
    if request.method not in READING:
        raise OnlyRead


def require_known(
    request: HttpRequest, parameters: Collection[str], refused: type[ArenaError] = ParameterRefused
) -> None:
    """Let a query pass that has these parameters only, each at most once.

    Raises:
        ArenaError: of the type ``refused``, with a code that says which of the two it is.
    """
    for name, values in request.GET.lists():
        if name not in parameters:
            known = f"Known are: {', '.join(parameters)}." if parameters else "There are none here."
            raise refused(f"There is a parameter that is not known here. {known}", code="unknown_parameter")
        if len(values) > 1:
            raise refused(f"{name} is given twice.", code="parameter_twice", field=name)


def problem_json(error: ArenaError, *, told: str | None = None) -> HttpResponse:
    """A refusal (RFC 9457), which nobody keeps; ``told`` are other words than the error's own."""
    response = problem(
        error.status, error.code, error.message if told is None else told, field=error.field, errors=error.errors
    )
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.retry_after)
    if isinstance(error, OnlyRead):
        response["Allow"] = ", ".join(READING)
    return response


def problem(
    status: int, code: str, detail: str, *, field: str | None = None, errors: Sequence[Mapping[str, str]] = ()
) -> HttpResponse:
    """The one form in which programs are told that something cannot be done.

    Args:
        status: of the answer, whose phrase is the title.
        code: stable, in snake_case.
        detail: in words: what to change.
        field: the parameter or the part of the body that it is about.
        errors: where several parts are wrong, each with its ``field``, ``code`` and ``detail``.
    """
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "code": code,
        "detail": detail,
    }
    if field:
        body["field"] = field
    if errors:
        body["errors"] = [dict(one) for one in errors]
    response = HttpResponse(json.dumps(body), content_type=PROBLEM, status=int(status))
    response["Cache-Control"] = "no-store"
    response["Access-Control-Allow-Origin"] = "*"
    return response
