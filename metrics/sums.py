"""Sums over clusters, as SQL expressions: what :class:`metrics.arithmetic.Sums` is made of, in its order. Pure."""

from __future__ import annotations

#: How many columns the sums of one pair take.
WIDTH = 6


def sums_of(counted: str, over: str) -> str:
    """Aggregates over rows that are clusters, of what is counted of each and what over; NULL is nothing."""
    x, n = f"coalesce({counted}, 0)::float8", f"coalesce({over}, 0)::float8"
    return (
        f"coalesce(sum({x}), 0), coalesce(sum({n}), 0), coalesce(sum({x} * {x}), 0), coalesce(sum({x} * {n}), 0), "
        f"coalesce(sum({n} * {n}), 0), count(*) FILTER (WHERE {n} > 0)"
    )
