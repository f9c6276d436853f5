"""Results that a process remembers for a while: words of people among them must not outlive a withdrawal."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any, ParamSpec, Protocol, TypeVar, cast

#: Well under the time in which what was withdrawn must be gone.
REMEMBERED_FOR = timedelta(days=1)

Asked = ParamSpec("Asked")
Answer_co = TypeVar("Answer_co", covariant=True)


class Remembered(Protocol[Asked, Answer_co]):
    """A function that remembers."""

    def __call__(self, *arguments: Asked.args, **named: Asked.kwargs) -> Answer_co: ...

    def cache_clear(self) -> None:
        """Forget everything."""


def remembered(
    *, most: int, lasts: timedelta = REMEMBERED_FOR
) -> Callable[[Callable[Asked, Answer_co]], Remembered[Asked, Answer_co]]:
    """Keep up to ``most`` results of a pure function, and forget all of them when ``lasts`` has passed.

    They are forgotten at the next call; a process that is asked nothing more keeps them until it ends.
    """

    def decorate(function: Callable[Asked, Answer_co]) -> Remembered[Asked, Answer_co]:
        kept = functools.lru_cache(maxsize=most)(function)
        emptied = time.monotonic()

        @functools.wraps(function)
        def recalled(*arguments: Hashable) -> Any:
            nonlocal emptied
            now = time.monotonic()
            if now - emptied > lasts.total_seconds():
                kept.cache_clear()
                emptied = now
            return kept(*arguments)

        recalled.cache_clear = kept.cache_clear  # type: ignore[attr-defined]  # as lru_cache has it
        return cast("Remembered[Asked, Answer_co]", recalled)

    return decorate
