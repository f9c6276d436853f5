"""Which document of measures is served, and what there is before the first."""

from __future__ import annotations

from functools import cache

from metrics.documents import definitions
from ratings.canonical import canonical, digest


@cache
def before_the_first() -> tuple[str, str]:
    """Definitions alone, with their digest: what there is before anything was published."""
    text = canonical({"publication": None, "measures": definitions()})
    return text, digest(text)
