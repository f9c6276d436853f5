"""One BLAS thread around many small matrix products.

Handing a tile of a few hundred kilobytes to a second thread costs more than multiplying it: on a busy machine with two
cores the clustered covariance took thirty times longer with two threads than with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds, and they do not change after the imports above.
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run the block with single-threaded linear algebra, and put the number of threads back afterwards."""
    with _controller().limit(limits=1, user_api="blas"):
        yield
