"""What the schema promises, line by line, so that it can be seen whether anything was taken away.

A field, a parameter, a code or an address that is there stays there with its type; what has to be sent does not grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena_site.environment import CHECKOUT
from governance.public_answers import PROBLEM

#: What was promised with the release before; ``manage.py api_promises --write`` writes what is promised now.
KEPT = CHECKOUT / "docs" / "api-promises.txt"
#: Marks what has to be sent: of these there may be fewer, and no more.
NEEDS = " needs "


def promises(document: Mapping[str, Any]) -> list[str]:
    """Every promise of a schema, sorted."""
    found: set[str] = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            found.update(_operation(f"{method.upper()} {path}", operation))
    for name, shape in document["components"]["schemas"].items():
        found.update(_fields(f"{name}:", shape))
    return sorted(found)


def broken(before: list[str], now: list[str]) -> list[str]:
    """Promises that are kept no more, and what must be sent since, of addresses that there were."""
    kept, held = set(before), set(now)
    lost = [line for line in before if NEEDS not in line and line not in held]
    operations = {" ".join(line.split(" ")[:2]) for line in before}
    grown = [line for line in now if NEEDS in line and line not in kept and " ".join(line.split(" ")[:2]) in operations]
    return sorted([*lost, *grown])


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
            yield f"{place} .{name} is there"
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
