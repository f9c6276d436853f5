"""Tokens as the providers count them, brought to one meaning: unknown is ``None``, and nothing is counted twice."""

from __future__ import annotations

from typing import Any

from battles.lanes.events import Usage

#: No call has so many tokens; a larger number is none.
MOST_TOKENS = 100_000_000


def tokens(value: Any) -> int | None:
    """A count of tokens, or ``None`` for what is missing or cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TOKENS:
        return None
    return value


def usage_within_prompt(
    *, prompt: int | None, cache_read: int | None, cache_write: int | None, output: int | None, reasoning: int | None
) -> Usage:
    """Usage of a provider that counts cached tokens inside the prompt.

    Cached tokens that exceed their prompt, and reasoning that exceeds its output, contradict each other: then
    neither side of the prompt's split is known, nor the reasoning's part.
    """
    plain = prompt
    if prompt is not None:
        plain = prompt - (cache_read or 0) - (cache_write or 0)
        if plain < 0:
            plain = cache_read = cache_write = None
    return Usage(plain, cache_read, cache_write, output, part_of(reasoning, output))


def part_of(part: int | None, whole: int | None) -> int | None:
    """The part, where it can be one."""
    return part if part is not None and whole is not None and part <= whole else None


def added(one: Usage | None, other: Usage | None) -> Usage | None:
    """Two calls' usage as one; what is unknown of either is unknown of both."""
    if one is None or other is None:
        return one or other
    return Usage(
        input_plain=_sum(one.input_plain, other.input_plain),
        input_cache_read=_sum(one.input_cache_read, other.input_cache_read),
        input_cache_write=_sum(one.input_cache_write, other.input_cache_write),
        output=_sum(one.output, other.output),
        output_reasoning=_sum(one.output_reasoning, other.output_reasoning),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
