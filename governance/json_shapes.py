"""JSON Schemas of public documents, written short.

A schema says what is there; readers pass over what they do not know. Everything named in :func:`record` is there,
unless it stands in ``optional``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = dict[str, Any]

#: A SHA-256, in hexadecimal.
DIGEST = "^[0-9a-f]{64}$"
#: A key of the roster.
KEY = "^[-a-zA-Z0-9_]{1,80}$"


def _told(shape: Shape, words: str) -> Shape:
    return {**shape, "description": words} if words else shape


def record(words: str = "", /, *, optional: Sequence[str] = (), **fields: Shape) -> Shape:
    """An object with these fields."""
    needed = [name for name in fields if name not in optional]
    shape: Shape = {"type": "object", "properties": fields}
    return _told(shape | {"required": needed} if needed else shape, words)


def listed(items: Shape, words: str = "") -> Shape:
    """A list of things of one shape."""
    return _told({"type": "array", "items": items}, words)


def named(values: Shape, words: str = "") -> Shape:
    """An object whose keys are names, each with a value of one shape."""
    return _told({"type": "object", "additionalProperties": values}, words)


def text(words: str = "", *, pattern: str = "", options: Sequence[str] = ()) -> Shape:
    """A text, of a form or one of a few."""
    shape: Shape = {"type": "string"}
    if pattern:
        shape["pattern"] = pattern
    if options:
        shape["enum"] = list(options)
    return _told(shape, words)


def number(words: str = "") -> Shape:
    """A number."""
    return _told({"type": "number"}, words)


def whole(words: str = "") -> Shape:
    """A whole number."""
    return _told({"type": "integer"}, words)


def share(words: str = "") -> Shape:
    """A part of one."""
    return _told({"type": "number", "minimum": 0, "maximum": 1}, words)


def yes_no(words: str = "") -> Shape:
    """True or false."""
    return _told({"type": "boolean"}, words)


def instant(words: str = "") -> Shape:
    """A time in UTC, to the second."""
    return _told({"type": "string", "format": "date-time"}, words)


def digest(words: str = "") -> Shape:
    """A SHA-256."""
    return text(words, pattern=DIGEST)


def ref(component: str) -> Shape:
    """A shape that is told once, under its name."""
    return {"$ref": f"#/components/schemas/{component}"}


def maybe(shape: Mapping[str, Any]) -> Shape:
    """The same, or null."""
    if "$ref" in shape:
        return {"anyOf": [dict(shape), {"type": "null"}]}
    either: Shape = {**shape, "type": [shape["type"], "null"]}
    if "enum" in shape:
        either["enum"] = [*shape["enum"], None]
    return either
