"""Text as a database can hold it: pages and models may send characters that PostgreSQL refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Shown in place of a character that no text column can hold.
REPLACEMENT = "\ufffd"


def storable(value: Any) -> Any:
    """The value with NUL and lone surrogates replaced, in strings and inside lists and mappings (keys too)."""
    if isinstance(value, str):
        return value.replace("\0", REPLACEMENT).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [storable(inner) for inner in value]
    return value
