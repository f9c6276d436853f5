"""Headers of answers, told in one place: which an answer has follows from its view, its status and its codes.

The tests hold every answer to these: one that it must have and has not is a fault, and so is one that nobody declared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any

from rest_framework.views import APIView

from arena_site.rest.taking_part import REPLAYED, Giving, TakingPart
from governance.public_answers import PROBLEM
from governance.public_reading import CSV, PublicRead

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
#: What each says, and the schema of its value.
WORDS: Mapping[str, tuple[str, Schema]] = {
    "Access-Control-Allow-Origin": ("Scripts of any site may read what is published.", {"const": "*"}),
    "Cache-Control": ("Who may keep this, and for how long.", _TEXT),
    "Content-Disposition": ("What a browser that saves the table calls it.", _TEXT),
    "ETag": ("Send it back as If-None-Match.", {"type": "string", "pattern": '^(W/)?"[^"]+"$'}),
    "Last-Modified": ("Since when it is so, where that is known for certain.", _TEXT),
    "Link": ("The next page, until there is none.", {"type": "string", "pattern": '^<[^>]+>; rel="next"$'}),
    "Location": ("The address of what was made, or of what it belongs to.", _TEXT),
    "RateLimit": (
        "What is left of the limit, and seconds until it is whole again; missing while nothing can be counted.",
        {"type": "string", "pattern": '^"(reading|writing)";r=[0-9]+;t=[0-9]+$'},
    ),
    "RateLimit-Policy": (
        "The limit: how many requests in how many seconds; missing while nothing can be counted.",
        {"type": "string", "pattern": '^"(reading|writing)";q=[0-9]+;w=[0-9]+$'},
    ),
    "Retry-After": ("Seconds until it can succeed.", {"type": "integer", "minimum": 0}),
    "WWW-Authenticate": (
        "What is wrong with the token, or which scope it lacks (RFC 6750).",
        {"type": "string", "pattern": "^Bearer "},
    ),
    REPLAYED: ("This is the first answer to the same request again.", {"const": "true"}),
}
#: Marks the component of a header that an answer may also lack.
SOMETIMES = ".sometimes"
#: Codes, besides those of limits, of what passes by itself.
PASSING = frozenset({"request_in_flight", "unavailable"})
_REF = "#/components/headers/"


def with_headers(view: APIView, responses: Schema) -> Schema:
    """Responses of an operation, each with its headers."""
    for status, told in responses.items():
        codes = told.get("content", {}).get(PROBLEM, {}).get("schema", {}).get("properties", {}).get("code", {})
        named = _headers(view, int(status), codes.get("enum", ()))
        told["headers"] = {
            name: {"$ref": f"{_REF}{name}{'' if always else SOMETIMES}"} for name, always in sorted(named.items())
        }
    return responses


def header_components(document: Schema) -> Schema:
    """The headers that a document refers to, by the name of their component."""
    responses = [
        told
        for item in document["paths"].values()
        for operation in item.values()
        for told in operation["responses"].values()
    ]
    keys = {header["$ref"].removeprefix(_REF) for told in responses for header in told.get("headers", {}).values()}
    made: Schema = {}
    for key in sorted(keys):
        words, shape = WORDS[key.removesuffix(SOMETIMES)]
        made[key] = {"description": words, "required": not key.endswith(SOMETIMES), "schema": dict(shape)}
    return made


def headers_told(response: Mapping[str, Any]) -> dict[str, bool]:
    """Names of a response's headers in the schema, and whether each is always there."""
    return {name: not told["$ref"].endswith(SOMETIMES) for name, told in response.get("headers", {}).items()}


def _headers(view: APIView, status: int, codes: Collection[str]) -> dict[str, bool]:
    """Names, and whether the answer always has it."""
    found = {"Cache-Control": True}
    if getattr(view, "counted", True):
        # Reading is not counted while Redis is away, and nothing is where there is no database.
        found |= {"RateLimit": False, "RateLimit-Policy": False}
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        found["Retry-After"] = True
    elif PASSING & set(codes):
        found["Retry-After"] = False
    if isinstance(view, PublicRead):
        found |= _of_published(view, status)
    elif isinstance(view, TakingPart):
        found |= _of_ones_own(view, status, codes)
    return found


def _of_published(view: PublicRead, status: int) -> dict[str, bool]:
    found = {"Access-Control-Allow-Origin": False}
    if status not in {*view.statuses, HTTPStatus.NOT_MODIFIED}:
        return found
    if view.keeps_still:
        found |= {"ETag": True, "Last-Modified": False}
    if status != HTTPStatus.NOT_MODIFIED:
        found |= {"Content-Disposition": False} if CSV in view.kinds else {}
        found |= {"Link": False} if any(one.name == "cursor" for one in view.parameters) else {}
    return found


def _of_ones_own(view: TakingPart, status: int, codes: Collection[str]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    if status == HTTPStatus.CREATED:
        found["Location"] = True
    if view.tagged and status in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
        found["ETag"] = True
    if status < HTTPStatus.MULTIPLE_CHOICES and isinstance(view, Giving):
        found[REPLAYED] = False
    if status == HTTPStatus.UNAUTHORIZED:
        found["WWW-Authenticate"] = True
    if "scope_missing" in codes:
        found["WWW-Authenticate"] = False
    return found
