"""Addresses for machines that watch over the site: they are no part of the API, and say nothing about the board."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.monitoring.readiness import DOWN, readiness


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """200 as long as this process answers, whatever is the matter with others."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 while pages can be served and votes taken, else 503; and how each part is, in a word."""
    status, parts = readiness()
    return JsonResponse({"status": status, "parts": parts}, status=503 if status == DOWN else 200)


@never_cache
@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Everything counted, for whoever has the token; for everybody else there is no such page.

    Raises:
        Http404: monitoring is off, or the token is another.
    """
    token = settings.ARENA_METRICS_TOKEN
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if not token or scheme.casefold() != "bearer" or not secrets.compare_digest(given.strip().encode(), token.encode()):
        raise Http404
    # Imported here, since the library decides when it is loaded whether processes count together.
    from arena_site.monitoring.exposition import CONTENT_TYPE, exposition  # noqa: PLC0415

    return HttpResponse(exposition(), content_type=CONTENT_TYPE)
