"""Results that a process remembers for a while: words of people among them must not outlive a withdrawal."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any, TypeVar, cast

#: Well under the time in which what was withdrawn must be gone.
REMEMBERED_FOR = timedelta(days=1)

Function = TypeVar("Function", bound=Callable[..., Any])


def remembered(*, most: int, lasts: timedelta = REMEMBERED_FOR) -> Callable[[Function], Function]:
    """Keep up to ``most`` results of a pure function, and forget all of them when ``lasts`` has passed.

    They are forgotten at the next call; a process that is asked nothing more keeps them until it ends.
    """

    def decorate(function: Function) -> Function:
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
        return cast("Function", recalled)

    return decorate
