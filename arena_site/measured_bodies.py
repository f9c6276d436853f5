"""Bodies whose length nobody was told. Such a body would not be read (PEP 3333): what it says would be passed over."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from arena_site.middleware import wants_json
from arena_site.rest.problems import asked_of_the_api
from arena_site.rest.taking_part import keep_where_ones_own
from governance.errors import ArenaError
from governance.public_answers import READING, problem_json


class LengthRequired(ArenaError):
    """The body comes in pieces, without a length."""

    code = "length_required"
    status = 411

    def __init__(self) -> None:
        super().__init__(
            "What was sent came in pieces (Transfer-Encoding), and nothing of it was read. Please say how long it is, "
            "with Content-Length."
        )


class MeasuredBodyMiddleware:
    """Refuses what is sent in pieces before anything reads a body; where something is only read, none matters."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Even beside a length, which it makes void (RFC 9112, 6.3).
        if request.method in READING or "Transfer-Encoding" not in request.headers:
            return self._get_response(request)
        refusal = LengthRequired()
        if asked_of_the_api(request) or wants_json(request):
            return keep_where_ones_own(request, problem_json(refusal))
        # As other pages of errors it needs nothing of the request: nobody has looked yet at who asks.
        return HttpResponse(render_to_string("problem.html", {"problem": refusal}), status=refusal.status)
