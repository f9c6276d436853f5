"""The reference for people: the schema as a page, without scripts, so that it reads the same everywhere."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from arena_site.rest.response_headers import WORDS, headers_told
from arena_site.rest.schema_document import schema_document
from governance.public_answers import PROBLEM
from governance.public_reading import Answer, PublicRead

HTML = "text/html"
#: Deeper than this a field's own fields are left to the schema.
DEEPEST = 6
#: Headers of nearly every answer, which are told once.
EVERYWHERE = frozenset({"Access-Control-Allow-Origin", "Cache-Control", "RateLimit", "RateLimit-Policy"})


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field: how deep it lies, its name, what it is, and whether it is always there."""

    depth: int
    name: str
    kind: str
    shape: str
    words: str
    needed: bool


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What an operation answers with a status: ``kinds`` of documents, ``codes`` of refusals, fields of a document.

    ``headers`` are those that not every answer has, by name.
    """

    status: str
    words: str
    kinds: tuple[str, ...]
    codes: tuple[str, ...]
    headers: tuple[str, ...]
    shape: str
    fields: tuple[FieldRow, ...]
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OperationView:
    """An operation as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    paragraphs: tuple[str, ...]
    parameters: tuple[FieldRow, ...]
    body: tuple[FieldRow, ...]
    examples: tuple[tuple[str, str], ...]
    identities: tuple[str, ...]
    answers: tuple[AnswerRow, ...]


@functools.cache
def reference() -> dict[str, Any]:
    """What the page shows, made from the schema and from nothing else."""
    document = schema_document()
    groups: dict[str, list[OperationView]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            groups.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    shapes = document["components"]["schemas"]
    return {
        "version": document["info"]["version"],
        "groups": [{"name": name, "id": _slug(name), "operations": found} for name, found in sorted(groups.items())],
        "shapes": [
            {"name": name, "words": _with_code(shape.get("description", "")), "rows": tuple(_fields(shape))}
            for name, shape in sorted(shapes.items())
        ],
        "headers": [{"name": name, "words": words} for name, (words, _) in sorted(WORDS.items())],
        "identities": [
            {"name": name, "words": scheme.get("description", "")}
            for name, scheme in document["components"].get("securitySchemes", {}).items()
        ],
    }


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> OperationView:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return OperationView(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=_with_code(operation["summary"]),
        paragraphs=tuple(map(_with_code, filter(None, operation.get("description", "").split("\n\n")))),
        parameters=tuple(
            FieldRow(
                0,
                one["name"],
                f"{_kind(one['schema'])}, in the {one['in']}",
                "",
                _with_code(one.get("description", "")),
                one.get("required", False),
            )
            for one in operation.get("parameters", [])
        ),
        body=tuple(_fields(_resolved(content.get("schema", {})))),
        examples=_examples(content),
        identities=tuple(name for scheme in operation.get("security", []) for name in scheme),
        answers=tuple(_answer(status, told) for status, told in operation["responses"].items()),
    )


def _answer(status: str, told: Mapping[str, Any]) -> AnswerRow:
    content = told.get("content", {})
    codes = content.get(PROBLEM, {}).get("schema", {}).get("properties", {}).get("code", {}).get("enum", ())
    document = content.get("application/json", {})
    shape = document.get("schema", {})
    return AnswerRow(
        status=status,
        words=told["description"],
        kinds=tuple(kind for kind in content if kind != PROBLEM),
        codes=tuple(codes),
        headers=tuple(name for name in headers_told(told) if name not in EVERYWHERE),
        shape=_named(shape),
        fields=() if _named(shape) else tuple(_fields(shape)),
        examples=_examples(document),
    )


def _examples(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (str(one.get("summary") or name), json.dumps(one["value"], indent=2, ensure_ascii=False))
        for name, one in content.get("examples", {}).items()
        if "value" in one
    )


def _fields(shape: Mapping[str, Any], depth: int = 0) -> Iterator[FieldRow]:
    """The fields of an object, each before its own; of a list, those of what is in it."""
    while shape.get("type") == "array" or "items" in shape:
        shape = shape["items"]
    inner = shape.get("properties", {})
    for name, one in inner.items():
        needed = name in shape.get("required", ())
        yield FieldRow(depth, name, _kind(one), _named(one), _with_code(one.get("description", "")), needed)
        if depth < DEEPEST and not _named(one):
            yield from _fields(one, depth + 1)
    further = shape.get("additionalProperties")
    if isinstance(further, Mapping) and depth < DEEPEST and not _named(further):
        yield from _fields(further, depth + (1 if inner else 0))


def _with_code(words: str) -> SafeString:
    """A text in which what stands between backticks is code."""
    parts = enumerate(words.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if odd % 2 else part,) for odd, part in parts)
    )


def _resolved(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    if name := _named(shape):
        found: Mapping[str, Any] = schema_document()["components"]["schemas"][name]
        return found
    return shape


def _named(shape: Mapping[str, Any]) -> str:
    """The name of the shape that is referred to, whether alone, in a list, or where it may be null."""
    parts = [shape, *shape.get("anyOf", ()), *shape.get("oneOf", ()), *shape.get("allOf", ())]
    parts += [shape["items"]] if isinstance(shape.get("items"), Mapping) else []
    parts += [shape["additionalProperties"]] if isinstance(shape.get("additionalProperties"), Mapping) else []
    return next((part["$ref"].rpartition("/")[2] for part in parts if "$ref" in part), "")


def _kind(shape: Mapping[str, Any]) -> str:
    """What a value is, in words."""
    if "$ref" in shape or "allOf" in shape:
        return "object"
    if options := shape.get("anyOf") or shape.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(option) for option in options))
    if "enum" in shape:
        return f"one of {', '.join('null' if one is None else str(one) or 'empty' for one in shape['enum'])}"
    kinds = shape.get("type", "anything")
    words = " or ".join(kinds if isinstance(kinds, list) else [kinds])
    if "items" in shape:
        return f"{words} of {_kind(shape['items'])}"
    if isinstance(shape.get("additionalProperties"), Mapping) and "properties" not in shape:
        return f"{words} by name"
    return words + _limits(shape)


def _limits(shape: Mapping[str, Any]) -> str:
    if "minimum" in shape and "maximum" in shape:
        limits = f", {shape['minimum']:,} to {shape['maximum']:,}"
    elif "maxLength" in shape:
        limits = f", at most {shape['maxLength']:,} characters"
    elif "format" in shape:
        limits = f", {shape['format']}"
    else:
        limits = ""
    return limits + (f", by default {shape['default']}" if "default" in shape else "")


def _slug(name: str) -> str:
    return f"group-{name.casefold().replace(' ', '-')}"


class Reference(PublicRead):
    """The reference for people: this schema as a page."""

    label = "docs"
    heading = "About"
    kinds = (HTML,)

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        context = {**reference(), "page_title": "API", "active": "api"}
        # The frame of the page says who is signed in.
        page = render_to_string("arena_site/api.html", context, request=request)
        return Answer(page, caching="private, no-cache", vary=("Cookie",))
