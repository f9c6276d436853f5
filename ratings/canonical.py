"""Canonical JSON: one document, one digest, on every machine."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

#: Published ratings and errors are rounded to this many decimals, which is also the precision of re-verification.
DECIMALS = 2


class NotFinite(ValueError):
    """A number that JSON has no word for reached a document."""


def published(value: float | None, decimals: int = DECIMALS) -> float | None:
    """A number as it is published: rounded, never negative zero, null where unknown.

    Raises:
        NotFinite: NaN or infinite.
    """
    if value is None:
        return None
    if not math.isfinite(value):
        raise NotFinite(f"{value} cannot be published")
    return round(float(value), decimals) + 0.0


def canonical(document: Mapping[str, Any] | Sequence[Any]) -> str:
    """JSON with sorted keys and no spaces.

    Raises:
        NotFinite: a NaN or infinite number anywhere inside.
    """
    try:
        return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise NotFinite(str(error)) from error


def digest(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
