"""Reading what a provider sent: JSON that may be anything, in which a key may be echoed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: Said in place of a key that was echoed.
KEY_REPLACED = "[key]"

#: A shorter word in the place of a key ("none", "EMPTY") is no secret, and may be an ordinary word of a reply.
SHORTEST_SECRET = 8

#: Levels of nesting. Ours and the providers' bodies have about ten; deeper ones are made to break readers.
DEEPEST = 64

#: Names that every API takes back as the name of a tool.
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Unreadable(ValueError):
    """Text that should have been JSON of a reasonable shape and is not."""


def read_json(text: str | bytes, *, key: str) -> Any:
    """The value, with ``key`` replaced in every string and nothing that JSON or UTF-8 cannot hold.

    Raises:
        Unreadable: no JSON, nested too deep, or numbers that are none.
    """
    value: Any = None
    problem = ""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        problem = type(error).__name__
    # Raised out here, where the parser's error, which holds the whole text, is no part of it.
    if problem:
        raise Unreadable(problem)
    return _clean(value, key if len(key) >= SHORTEST_SECRET else "", DEEPEST)


def _no_number(text: str) -> Any:
    raise ValueError(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _clean(value: Any, key: str, room: int) -> Any:
    if room < 0:
        raise Unreadable("depth")
    if isinstance(value, str):
        return encodable(value.replace(key, KEY_REPLACED) if key else value)
    if isinstance(value, dict):
        return {_clean(name, key, room - 1): _clean(inner, key, room - 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner, key, room - 1) for inner in value]
    return value


def encodable(text: str) -> str:
    """The text with lone surrogates replaced: pages and models send them, and no request can carry them."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_arguments(given: Any, *, key: str) -> Any:
    """The arguments of a call: an object where there is one, else what came, as text, for validation to refuse.

    None and an empty text are how some models write that there are no arguments.
    """
    if given is None or given == "":
        return {}
    if not isinstance(given, str):
        return given
    try:
        read = read_json(given, key=key)
    except Unreadable:
        return given
    return read if isinstance(read, dict) else given


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list; nothing where there is no list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value where it is text, else nothing."""
    return value if isinstance(value, str) else ""


def fits(piece: Any, must: Mapping[str, type], may: Mapping[str, type] | None = None) -> bool:
    """Whether a piece of a reply is an object with these names, and their values of these types."""
    if not isinstance(piece, dict) or not set(must) <= set(piece):
        return False
    types = {**must, **(may or {})}
    return all(isinstance(value, types.get(name, object)) for name, value in piece.items())


def is_tool_name(value: Any) -> bool:
    """Whether every API would take this back as the name of a called tool."""
    return isinstance(value, str) and _TOOL_NAME.fullmatch(value) is not None
