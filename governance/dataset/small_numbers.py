"""JSON without its small numbers, so that what differs in nothing else is the same. Knows no Django.

Redaction leaves small numbers alone: they are counts, pixels and times. They are taken out and put back in the text of
the JSON, which is several times faster than reading and writing it.
"""

from __future__ import annotations

import re

from governance.redaction.values import SMALLEST_NUMBER

#: A string, of which nothing is taken, or a number.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', re.DOTALL)


def without_numbers(text: str, taken: list[str]) -> str:
    """JSON whose small numbers are their places in ``taken``, which is filled as they are written."""

    def numbered(token: re.Match[str]) -> str:
        number = token[1]
        if number is None or abs(float(number)) >= SMALLEST_NUMBER:
            return token[0]
        taken.append(number)
        return str(len(taken) - 1)

    numbered_text = _TOKEN.sub(numbered, text)
    if len(taken) > SMALLEST_NUMBER:
        # Places would be no small numbers any more.
        taken.clear()
        return text
    return numbered_text


def with_numbers(text: str, taken: list[str]) -> str:
    """The same JSON with its small numbers in their places again."""

    def restored(token: re.Match[str]) -> str:
        number = token[1]
        return token[0] if number is None or abs(float(number)) >= SMALLEST_NUMBER else taken[int(number)]

    return _TOKEN.sub(restored, text)
