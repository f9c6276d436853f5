"""Is this a verb with arguments we can execute? Decided before anything reaches the browser.

The schemas of the vocabulary are checked by the small part of JSON Schema they use. Models write
numbers as text, leave out what they do not need by null, and spell a chord as a list; such
spellings mean one thing only and are understood, the same for every agent. Everything else is refused in
words that say what to change.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from battles.lanes.events import Action
from battles.lanes.key_names import UnknownKey, parse_keys
from battles.lanes.vocabulary import VERBS, Schema, Verb

_INTEGER = re.compile(r"[+-]?\d{1,9}(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Request:
    """A verb that can be executed, its arguments in their proper types."""

    verb: Verb
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why an action is none; ``message`` is for the agent."""

    message: str


class _Wrong(ValueError):
    """An argument that does not fit its schema."""


def validate(action: Action) -> Request | Invalid:
    """The request that an action stands for, or what is wrong with it."""
    verb = VERBS.get(action.verb)
    if verb is None:
        return Invalid(f"There is no verb {action.verb[:40]!r}. The verbs are: {', '.join(VERBS)}.")
    if not isinstance(action.arguments, Mapping):
        return Invalid(f"The arguments of {verb.name} have to be an object.")
    try:
        arguments = _object(verb.arguments, _as_meant(verb, action.arguments))
        _across(verb, arguments)
    except (_Wrong, UnknownKey) as problem:
        return Invalid(f"{verb.name}: {problem}.")
    return Request(verb, arguments)


def _as_meant(verb: Verb, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was left out by null or an empty reference; a chord given as a list joined."""
    meant = {
        key: value
        for key, value in arguments.items()
        if value is not None and not (value == "" and key in {"ref", "to_ref", "tab_id"})
    }
    keys = meant.get("keys")
    if verb.name == "press" and isinstance(keys, list) and all(isinstance(key, str) for key in keys):
        meant["keys"] = parse_keys(keys)[0]
    return meant


def _object(schema: Schema, value: Mapping[str, Any]) -> dict[str, Any]:
    known = schema["properties"]
    for key in value:
        if key not in known:
            takes = ", ".join(known) or "nothing"
            raise _Wrong(f"it takes no argument {str(key)[:40]!r}; it takes {takes}")
    for key in schema["required"]:
        if key not in value:
            raise _Wrong(f"the argument {key} is missing")
    return {key: _value(known[key], each, key) for key, each in value.items()}


def _value(schema: Schema, value: Any, name: str) -> Any:
    checked = _TYPES[schema["type"]](schema, value, name)
    if "enum" in schema and checked not in schema["enum"]:
        raise _Wrong(f"{name} has to be one of {', '.join(schema['enum'])}")
    return checked


def _integer(schema: Schema, value: Any, name: str) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(f"{name} has to be a whole number")
    return int(_within(schema, round(value), name))


def _number(schema: Schema, value: Any, name: str) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(f"{name} has to be a number")
    return float(_within(schema, value, name))


def _within(schema: Schema, value: float, name: str) -> float:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not low <= value <= high:
        raise _Wrong(f"{name} is {value:g} and has to be from {low:g} to {high:g}")
    return value


def _string(schema: Schema, value: Any, name: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise _Wrong(f"{name} has to be text")
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        raise _Wrong(f"{name} has to be from {schema.get('minLength', 0)} to {schema.get('maxLength')} characters long")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise _Wrong(f"{name} contains characters that are no text")
    return value


def _boolean(schema: Schema, value: Any, name: str) -> bool:
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        value = value.lower() == "true"
    if not isinstance(value, bool):
        raise _Wrong(f"{name} has to be true or false")
    return value


def _array(schema: Schema, value: Any, name: str) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _Wrong(f"{name} has to be a list")
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise _Wrong(f"{name} has to have from {schema.get('minItems', 0)} to {schema.get('maxItems')} entries")
    return [_value(schema["items"], each, name) for each in value]


_TYPES = {"integer": _integer, "number": _number, "string": _string, "boolean": _boolean, "array": _array}

#: Verbs that work without a target of their own.
_TARGET_OPTIONAL = frozenset({"type", "scroll", "upload"})


def _across(verb: Verb, arguments: Mapping[str, Any]) -> None:
    """Rules over several arguments at once."""
    if verb.name == "drag":
        _drag(arguments)
    elif verb.targets:
        _target(verb, arguments)
    if verb.name == "press":
        parse_keys(arguments["keys"])
    if verb.name == "scroll" and not arguments.get("dx") and not arguments.get("dy"):
        raise _Wrong("give dx or dy, in px")
    if verb.name == "zoom" and not (arguments["x0"] < arguments["x1"] and arguments["y0"] < arguments["y1"]):
        raise _Wrong("x0 has to be less than x1, and y0 less than y1")
    if verb.name == "tab" and arguments["op"] == "switch" and "tab_id" not in arguments:
        raise _Wrong("say which tab to switch to by tab_id")


def _target(verb: Verb, arguments: Mapping[str, Any]) -> None:
    if ("x" in arguments) != ("y" in arguments):
        raise _Wrong("x and y belong together")
    if "x" in arguments and "ref" in arguments:
        raise _Wrong("give a point or a ref, not both")
    if "x" not in arguments and "ref" not in arguments and verb.name not in _TARGET_OPTIONAL:
        raise _Wrong("give a point by x and y, or a ref")


def _drag(arguments: Mapping[str, Any]) -> None:
    count = len(arguments.get("path", ())) + ("ref" in arguments) + ("to_ref" in arguments)
    if not 2 <= count <= 32:
        raise _Wrong("it needs from 2 to 32 points: path, or ref and to_ref, or one of them and a path")
    for x, y in arguments.get("path", ()):
        limit = _y_limit()
        if y > limit:
            raise _Wrong(f"a point of path is [{x}, {y}]; y has to be from 0 to {limit}")


def _y_limit() -> int:
    return int(VERBS["click"].arguments["properties"]["y"]["maximum"])
