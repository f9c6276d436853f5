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
