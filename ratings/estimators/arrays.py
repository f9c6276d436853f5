"""Kinds of array that the statistics take and return, and the one way they add things up."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.integer[Any]]
Flags: TypeAlias = NDArray[np.bool_]


def sums_by(index: Integers, values: Floats | None, length: int) -> Floats:
    """Sums of values by index, or numbers of entries where ``values`` is None; at least ``length`` of them."""
    return np.bincount(index, values, length).astype(np.float64, copy=False)


def different(index: Integers) -> Integers:
    """The different values of an index, ascending; for small non-negative ones faster than by sorting or hashing."""
    return np.flatnonzero(np.bincount(index))
