"""``/metrics`` of a host that runs no web: the same figures for the same token, and no other address.

What a WSGI server is given by ``manage.py metrics``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import django
from django.core.handlers.wsgi import WSGIRequest
from django.db import connections
from django.http import Http404, HttpResponse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
django.setup()

from arena_site.monitoring.counters import forget_what_ended  # noqa: E402
from arena_site.views.monitoring import figures  # noqa: E402

#: The one address there is.
PATH = "/metrics"

# The web does it at its start, and here there is none.
forget_what_ended()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The figures for whoever has the token; for everybody else, and at any other address, nothing is here."""
    try:
        if environ.get("PATH_INFO") != PATH:
            raise Http404
        answer = figures(WSGIRequest(environ))
    except Http404:
        answer = HttpResponse("There is nothing here.\n", status=404, content_type="text/plain; charset=utf-8")
    finally:
        connections.close_all()
    start_response(f"{answer.status_code} {answer.reason_phrase}", list(answer.items()))
    return [answer.content]
