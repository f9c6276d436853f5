"""Everything that monitoring reads, in one text."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from arena_site.monitoring.readings import Readings

__all__ = ["CONTENT_TYPE", "exposition"]


def exposition() -> bytes:
    """Counts of all processes of this host, and the readings of this moment."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(Readings())
    return generate_latest(registry)
