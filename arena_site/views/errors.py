"""Error pages that need nothing of the request: its body may be what is wrong, or the database away."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

#: A database that restarts is back within seconds.
RETRY_SECONDS = "5"


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A request that cannot be read."""
    return HttpResponse(render_to_string("400.html"), status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 with a time to come back while the database is away; else our own fault."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        response = HttpResponse(render_to_string("503.html"), status=503)
        response["Retry-After"] = RETRY_SECONDS
        return response
    return HttpResponse(render_to_string("500.html"), status=500)
