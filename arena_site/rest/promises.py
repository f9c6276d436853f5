"""What the schema promises, line by line, so that it can be seen whether anything was taken away.

A field, a parameter, a code, a header or an address that is there stays there with its type; what has to be sent does
not grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena_site.environment import CHECKOUT
from arena_site.rest.response_headers import headers_told
from governance.public_answers import PROBLEM

#: What was promised with the release before; ``manage.py api_promises --write`` writes what is promised now.
KEPT = CHECKOUT / "docs" / "api-promises.txt"
#: Marks what has to be sent: of these there may be fewer, and no more.
NEEDS, NEEDED = " needs ", " is needed"
IS_THERE = " is there"


def promises(document: Mapping[str, Any]) -> list[str]:
    """Every promise of a schema, sorted."""
    found: set[str] = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            found.update(_operation(f"{method.upper()} {path}", operation))
    sent = _sent(document)
    for name, shape in document["components"]["schemas"].items():
        lines = _fields(f"{name}:", shape)
        # What is there in an answer is what must be there in a body.
        found.update(line.replace(IS_THERE, NEEDED) if name in sent else line for line in lines)
    return sorted(found)


def _sent(document: Mapping[str, Any]) -> set[str]:
    """Names of the shapes of bodies."""
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    bodies = [kind for one in operations for kind in one.get("requestBody", {}).get("content", {}).values()]
    return {_type(body["schema"]) for body in bodies}


def broken(before: list[str], now: list[str]) -> list[str]:
    """Promises that are kept no more, and what must be sent since, of addresses that there were."""
    kept, held = set(before), set(now)
    lost = [line for line in before if not _must_be_sent(line) and line not in held]
    places = {_place(line) for line in before}
    grown = [line for line in now if _must_be_sent(line) and line not in kept and _place(line) in places]
    return sorted([*lost, *grown])


def _must_be_sent(line: str) -> bool:
    return NEEDS in line or line.endswith(NEEDED)


def _place(line: str) -> str:
    """The shape, or the method and the path, that a line is about."""
    first, _, rest = line.partition(" ")
    return first if first.endswith(":") else f"{first} {rest.partition(' ')[0]}"


def _operation(name: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield name
    for parameter in operation.get("parameters", ()):
        yield f"{name} takes {parameter['in']} {parameter['name']}"
        for option in parameter["schema"].get("enum", ()):
            yield f"{name} takes {parameter['in']} {parameter['name']} = {option}"
        if parameter.get("required"):
            yield f"{name}{NEEDS}{parameter['in']} {parameter['name']}"
    for kind, sent in operation.get("requestBody", {}).get("content", {}).items():
        yield f"{name} takes {kind} {_type(sent['schema'])}"
    for status, told in operation["responses"].items():
        for header, always in headers_told(told).items():
            yield f"{name} {status} header {header}"
            if always:
                yield f"{name} {status} header {header}{IS_THERE}"
        for kind, given in told.get("content", {}).items():
            if kind == PROBLEM:
                codes = given["schema"].get("properties", {}).get("code", {}).get("enum", ())
                yield from (f"{name} {status} {code}" for code in codes)
            else:
                yield f"{name} {status} {kind} {_type(given['schema'])}"
                yield from _fields(f"{name} {status}", given["schema"])


def _fields(place: str, shape: Mapping[str, Any]) -> Iterator[str]:
    """The fields of an object with their types, and those that are always there."""
    for name, one in shape.get("properties", {}).items():
        yield f"{place} .{name} {_type(one)}"
        if name in shape.get("required", ()):
            yield f"{place} .{name}{IS_THERE}"
        yield from _fields(f"{place} .{name}", one)
    if isinstance(shape.get("items"), Mapping):
        yield from _fields(f"{place} []", shape["items"])
    if isinstance(shape.get("additionalProperties"), Mapping):
        yield from _fields(f"{place} {{}}", shape["additionalProperties"])


def _type(shape: Mapping[str, Any]) -> str:
    if "$ref" in shape:
        return str(shape["$ref"]).rpartition("/")[2]
    parts = shape.get("anyOf") or shape.get("oneOf") or shape.get("allOf")
    if parts:
        return "|".join(_type(part) for part in parts)
    kinds = shape.get("type", "any")
    inner = f"[{_type(shape['items'])}]" if isinstance(shape.get("items"), Mapping) else ""
    return ("|".join(kinds) if isinstance(kinds, list) else str(kinds)) + inner
