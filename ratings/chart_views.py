"""Charts by address: their specifications, and their pictures in two widths and two schemes."""

from __future__ import annotations

import functools

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe

from battles.models import Agent
from ratings.canonical import canonical
from ratings.canonical import digest as sha256
from ratings.charts import SCHEMES, WIDTHS, picture
from ratings.models import Publication
from ratings.publication_charts import chart_of
from ratings.standings import roster_stamp

#: The numbers of a publication never change; what agents are called may, so that a day later somebody asks again.
FOR_A_DAY = "public, max-age=86400"


def _etag(request: HttpRequest, digest: str, name: str, form: str, agent_key: str = "") -> str | None:
    """None for what does not exist, which then is no match for anything."""
    try:
        made = _made(digest, name, agent_key, form, _width(request), _scheme(request), roster_stamp())
    except Http404:
        return None
    return f'"{sha256(made)}"'


@require_safe
@condition(etag_func=_etag)
def chart(request: HttpRequest, digest: str, name: str, form: str, agent_key: str = "") -> HttpResponse:
    """A chart as ``json``, its specification, or as ``svg``, its picture (``?width=narrow&scheme=dark``)."""
    made = _made(digest, name, agent_key, form, _width(request), _scheme(request), roster_stamp())
    kind = "application/json" if form == "json" else "image/svg+xml"
    return HttpResponse(made, content_type=kind, headers={"Cache-Control": FOR_A_DAY})


@functools.lru_cache(maxsize=512)
def _made(digest: str, name: str, agent_key: str, form: str, width: str, scheme: str, roster: str) -> str:
    """What is sent; ``roster`` is the stamp of the names in it.

    Raises:
        Http404: there is no such chart, or nothing to draw.
    """
    publication = Publication.objects.filter(public_digest=digest).first()
    known = not agent_key or Agent.objects.filter(pk=agent_key).exists()
    spec = chart_of(publication, name, agent_key or None) if publication is not None and known else None
    if spec is None:
        raise Http404
    return canonical(spec) if form == "json" else picture(spec, width=width, scheme=scheme)


def _width(request: HttpRequest) -> str:
    asked = request.GET.get("width", "")
    return asked if asked in WIDTHS else "wide"


def _scheme(request: HttpRequest) -> str:
    asked = request.GET.get("scheme", "")
    return asked if asked in SCHEMES else "light"
