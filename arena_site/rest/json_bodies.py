"""Bodies of requests: JSON that means one thing only, or a refusal that says what is wrong with it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import IO, Any, NoReturn

from rest_framework.parsers import BaseParser

from governance.errors import ArenaError

#: Far more than any request needs.
MOST_BYTES = 64 * 1024
#: Requests are objects of plain values; some hold a list of objects.
MOST_LEVELS = 8


class BodyRefused(ArenaError):
    """The body is no JSON, or JSON that readers would understand differently."""

    code = "body_refused"


class BodyTooLarge(ArenaError):
    code = "body_too_large"
    status = 413

    def __init__(self) -> None:
        super().__init__(f"The body is longer than {MOST_BYTES:,} bytes. No request needs as much.")


class StrictJSONParser(BaseParser):
    """UTF-8 JSON (RFC 8259) without what RFC 7493 (I-JSON) warns of."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The value that the body stands for.

        Raises:
            BodyTooLarge: it is longer than :data:`MOST_BYTES`.
            BodyRefused: it is no JSON, not UTF-8, too deep, or has a name twice or a number that JSON has not.
        """
        raw = stream.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise BodyTooLarge
        return value_of(raw)


def value_of(raw: bytes) -> Any:
    """The value that some bytes stand for.

    Raises:
        BodyRefused: as :meth:`StrictJSONParser.parse`.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise BodyRefused("The body is not UTF-8.", code="not_utf8") from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number)
    except json.JSONDecodeError as wrong:
        place = f"line {wrong.lineno}, column {wrong.colno}"
        raise BodyRefused(f"The body is not JSON: it cannot be read from {place} on.", code="not_json") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        # Integers of thousands of digits, which Python does not read.
        raise BodyRefused("A number in the body is too large.", code="number_refused") from None
    _check(value)
    return value


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BodyRefused("A name stands twice in one object of the body.", code="name_twice")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise BodyRefused(f"{name} is no number in JSON.", code="number_refused")


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise BodyRefused("A number in the body is too large.", code="number_refused")
    return value


def _check(value: Any, level: int = 0) -> None:
    """Refuse what is too deep, and texts that are no Unicode."""
    if level > MOST_LEVELS:
        raise _too_deep()
    if isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise BodyRefused("A text in the body has half a character (a lone surrogate).", code="not_unicode")
    elif isinstance(value, dict):
        for name, each in value.items():
            _check(name, level + 1)
            _check(each, level + 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, level + 1)


def _too_deep() -> BodyRefused:
    return BodyRefused(f"The body is nested deeper than {MOST_LEVELS} levels.", code="too_deep")
