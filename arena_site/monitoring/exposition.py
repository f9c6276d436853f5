"""Everything that monitoring reads, in one text."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client import CollectorRegistry, generate_latest

from arena_site.monitoring.count_files import CountedTogether
from arena_site.monitoring.counters import folder
from arena_site.monitoring.readings import Readings

__all__ = ["CONTENT_TYPE", "exposition"]


def exposition() -> bytes:
    """Counts of all processes of this host, and the readings of this moment."""
    registry = CollectorRegistry()
    if (counts := folder()) is not None:
        registry.register(CountedTogether(counts))
    registry.register(Readings())
    return generate_latest(registry)
