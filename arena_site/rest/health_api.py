"""Whether this installation can answer at all, for a load balancer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest

from arena_site.views.status import database_state
from governance.json_shapes import record, text
from governance.public_reading import NOT_AT_ALL, Answer, PublicRead


class Health(PublicRead):
    """Whether the database answers."""

    label = "health"
    heading = "About"
    shape = record(status=text(options=("ok", "down")))
    statuses = {200: "It does.", 503: "It does not."}
    keeps_still = False
    #: A load balancer asks all the time.
    counted = False

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        if database_state()["state"] == "ok":
            return Answer('{"status": "ok"}', caching=NOT_AT_ALL)
        return Answer('{"status": "down"}', caching=NOT_AT_ALL, status=HTTPStatus.SERVICE_UNAVAILABLE)
