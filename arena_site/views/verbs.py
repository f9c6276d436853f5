"""The vocabulary as published: a page for people, and the action map for programs."""

import functools
import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import condition, require_safe

from battles.lanes.vocabulary import action_map

#: The map changes with the code only; a day is short enough to notice a new version.
FRESH = "public, max-age=86400"


@functools.cache
def action_map_document() -> bytes:
    """The action map as canonical JSON: sorted keys, no spaces, UTF-8."""
    return json.dumps(action_map(), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


@functools.cache
def action_map_digest() -> str:
    """SHA-256 of the document, which is also its ETag."""
    return hashlib.sha256(action_map_document()).hexdigest()


def _etag(request: HttpRequest) -> str:
    return f'"{action_map_digest()}"'


@require_safe
@condition(etag_func=_etag)
def action_map_json(request: HttpRequest) -> HttpResponse:
    """Every verb with its JSON Schema, kind and vendor mapping; key aliases; the files that ``upload`` can give."""
    response = HttpResponse(action_map_document(), content_type="application/json")
    response["Cache-Control"] = FRESH
    return response


@require_safe
def verbs(request: HttpRequest) -> HttpResponse:
    """What every agent can do, in words."""
    published = action_map()
    names = {vendor["key"]: vendor["name"] for vendor in published["vendors"]}
    return render(
        request,
        "arena_site/verbs.html",
        {
            "page_title": "Verbs",
            "active": "methods",
            "viewport": published["viewport"],
            "free_observes": published["free_observes"],
            "verbs": [_verb(verb, names) for verb in published["verbs"]],
            "files": published["upload_files"],
            "digest": action_map_digest(),
        },
    )


def _verb(verb: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    required = set(verb["arguments"]["required"])
    return {
        "name": verb["name"],
        "summary": verb["summary"],
        "kind_words": f"counts as {verb['kind']}" if verb["kind"] else "ends the lane",
        "arguments": [
            {"name": name, "words": _argument_words(schema), "required": name in required}
            for name, schema in verb["arguments"]["properties"].items()
        ],
        "vendors": [
            {"name": names[key], "calls": entry["calls"], "note": entry["note"]}
            for key, entry in verb["vendors"].items()
        ],
    }


def _argument_words(schema: dict[str, Any]) -> str:
    """The argument's description with what the schema says beyond it."""
    words = str(schema.get("description", ""))
    if "enum" in schema:
        words += f" One of {', '.join(schema['enum'])}."
    if "minimum" in schema and "maximum" in schema:
        words += f" From {schema['minimum']:,} to {schema['maximum']:,}."
    return words
