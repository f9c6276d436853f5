"""What redaction speaks of: kinds of personal detail, and the stretches of a text that hold one."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


class Kind(enum.StrEnum):
    """A kind of detail. The value is what a reader sees in its place, in brackets."""

    EMAIL = "e-mail"
    PHONE = "phone"
    CARD = "card"
    BANK_ACCOUNT = "bank account"
    NATIONAL_ID = "identity number"
    ADDRESS = "address"
    IP_ADDRESS = "IP address"
    SECRET = "secret"  # noqa: S105 - a kind, not one
    PASSWORD = "password"  # noqa: S105
    BIRTH_DATE = "date of birth"
    NAME = "name"

    @property
    def placeholder(self) -> str:
        return f"[{self.value}]"


#: Kinds with a check digit, a numbering plan or a fixed form; the others rest on words around them.
STRUCTURED = frozenset(
    {Kind.EMAIL, Kind.PHONE, Kind.CARD, Kind.BANK_ACCOUNT, Kind.NATIONAL_ID, Kind.IP_ADDRESS, Kind.SECRET}
)

EVERY_KIND = frozenset(Kind)

#: What no form, number or list can find whole, and what pages are full of that nobody minds: authors, shops.
BEST_EFFORT = frozenset({Kind.ADDRESS, Kind.NAME})


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: code points ``start`` to ``end`` (exclusive), and what it holds."""

    start: int
    end: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with its details replaced, and where they stood in the original."""

    text: str
    spans: tuple[Span, ...]


def longest_first(found: Iterable[Span]) -> tuple[Span, ...]:
    """Non-overlapping spans in order that cover all that ``found`` covers.

    Spans that overlap become one, which the longest of them names (of two as long, the first): a name inside an
    address goes with the address, and what sticks out of the longest does not stay readable.
    """
    merged: list[Span] = []
    longest = 0
    for span in sorted(found):
        length = span.end - span.start
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), span.kind if length > longest else last.kind)
            longest = max(longest, length)
        else:
            merged.append(span)
            longest = length
    return tuple(merged)


def replace(text: str, spans: Iterable[Span]) -> str:
    """``text`` with each span replaced by the placeholder of its kind. ``spans`` are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += [text[at : span.start], span.kind.placeholder]
        at = span.end
    return "".join([*pieces, text[at:]])
