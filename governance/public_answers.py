"""What public addresses for programs have in common: reading only, strict parameters, refusals as problem+json."""

from __future__ import annotations

import json
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

from governance.errors import ArenaError


class OnlyRead(ArenaError):
    """Something else than reading was tried."""

    code = "only_read"
    status = 405

    def __init__(self) -> None:
        super().__init__("This can be read, with GET or HEAD, and not written from outside.")


def require_reading(request: HttpRequest) -> None:
    """Let GET and HEAD pass.

    Raises:
        OnlyRead: it is any other method.
    """
    if request.method not in {"GET", "HEAD"}:
        raise OnlyRead


def require_known(request: HttpRequest, parameters: Collection[str], refused: type[ArenaError]) -> None:
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
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(error.status).phrase,
        "status": int(error.status),
        "code": error.code,
        "detail": error.message if told is None else told,
    }
    if error.field:
        body["field"] = error.field
    response = HttpResponse(json.dumps(body), content_type="application/problem+json", status=error.status)
    response["Cache-Control"] = "no-store"
    response["Access-Control-Allow-Origin"] = "*"
    if error.status == HTTPStatus.METHOD_NOT_ALLOWED:
        response["Allow"] = "GET, HEAD"
    return response
