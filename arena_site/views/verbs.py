"""The vocabulary as published, for people."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from battles.api import action_map_digest
from battles.lanes.vocabulary import action_map


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
