"""Draws that are the same everywhere for the same seed.

NumPy promises the stream of a bit generator, not of the distributions made from it. So everything is made here from
raw 64-bit words of PCG64: uniforms from their upper 53 bits, normals by the inverse of the distribution function,
signs from single bits, orders by sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.estimators.arrays import Floats, Integers

#: A double holds 53 bits of mantissa.
MANTISSA_BITS = 53
WORD_BITS = 64


class SeededDraws:
    """A reproducible source of chance.

    Args:
        seed: any non-negative integer.
    """

    def __init__(self, seed: int) -> None:
        self._words = np.random.PCG64(seed)

    def words(self, count: int) -> NDArray[np.uint64]:
        """(count,) raw words."""
        return np.asarray(self._words.random_raw(count), dtype=np.uint64)

    def uniforms(self, *shape: int) -> Floats:
        """Uniform draws strictly between 0 and 1."""
        upper = self.words(int(np.prod(shape))) >> np.uint64(WORD_BITS - MANTISSA_BITS)
        return np.asarray((upper + 0.5) * 2.0**-MANTISSA_BITS).reshape(shape)

    def normals(self, *shape: int) -> Floats:
        """Standard normal draws."""
        return np.asarray(ndtri(self.uniforms(*shape)))

    def signs(self, *shape: int) -> Floats:
        """Draws of -1 or 1 with equal chance."""
        count = int(np.prod(shape))
        words = self.words(-(-count // WORD_BITS)).astype("<u8")
        bits = np.unpackbits(words.view(np.uint8), count=count)
        return np.asarray(2.0 * bits - 1, dtype=np.float64).reshape(shape)

    def orders(self, count: int, length: int) -> Integers:
        """(count, length) random orders of 0 to length - 1."""
        return np.argsort(self.words(count * length).reshape(count, length), axis=1, kind="stable")

    def resampled(self, size: int) -> Integers:
        """(size,) how often each of ``size`` things is drawn in ``size`` draws with replacement."""
        drawn = (self.uniforms(size) * size).astype(np.int64)
        return np.bincount(drawn, minlength=size)
