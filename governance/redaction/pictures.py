"""Where personal details stand in a picture, from the words in it and their boxes.

Words come from a page's document, or from reading the picture itself; either way they are joined into the lines that a
reader sees, read by the detectors of texts, and the words of a finding give its boxes. Positions are px of the picture,
from its top left corner.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from governance.redaction.form_fields import kind_of_field
from governance.redaction.spans import BEST_EFFORT, EVERY_KIND, Kind, Span
from governance.redaction.text import find_details

UNREAD = "unread"
"""What a box holds that nobody could look into: a frame of another site that did not answer."""

MARGIN = 2
"""Px added on each side: letters reach beyond their box, and pictures are compressed in blocks."""

GLUED = 1.5
"""Px between two boxes that no space stands between; a space is 3 px wide at 11 px."""

GROUP_EVERY = 6
"""On average so many lines are read together: an address has four, and the words for a number stand above it."""

LONGEST_GROUP = 1_500
"""Characters of lines that are read together at most."""


class Rectangle(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class Box(NamedTuple):
    """A rectangle to mask, in whole px, and what it holds: a :class:`Kind`'s value or :data:`UNREAD`."""

    x: int
    y: int
    width: int
    height: int
    kind: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a whole line where words are not told apart; in several boxes when it is broken over lines."""

    text: str
    boxes: tuple[Rectangle, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A form field: ``says`` are its label, name, placeholder and the like; ``value`` is what it shows."""

    box: Rectangle
    type: str
    autocomplete: str
    says: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a page's document says of the picture. ``unread`` are parts that could not be looked into.

    ``whole`` is false when there was more than is looked at.
    """

    words: tuple[Word, ...] = ()
    fields: tuple[Field, ...] = ()
    unread: tuple[Rectangle, ...] = ()
    whole: bool = True


class PictureReader:
    """Finds the boxes of details; remembers what it read in the last picture, since the next is mostly the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Span, ...]] = {}

    def boxes(self, page: PageWords, *, width: int, height: int) -> tuple[Box, ...]:
        """The boxes to mask in a picture of this size, in order, none twice."""
        before, self._known = self._known, {}
        found = [(box, kind) for field in page.fields for box, kind in _of_field(field)]
        for lines in _groups(_lines(page.words)):
            found += self._of_lines(lines, before)
        found += [(box, UNREAD) for box in page.unread]
        inside = (_inside(box, kind, width, height) for box, kind in found)
        return tuple(sorted({box for box in inside if box is not None}))

    def _of_lines(
        self, lines: Sequence[Sequence[Word]], before: dict[str, tuple[Span, ...]]
    ) -> Iterable[tuple[Rectangle, str]]:
        text, starts, words = _joined(lines)
        spans = before.get(text)
        if spans is None:
            spans = _details(text)
        self._known[text] = spans
        for span in spans:
            first = max(0, bisect_right(starts, span.start) - 1)
            beyond = bisect_left(starts, span.end)
            touched = zip(starts[first:beyond], words[first:beyond], strict=True)
            held = [box for start, word in touched if start + len(word.text) > span.start for box in word.boxes]
            yield from ((box, span.kind.value) for box in _by_line(held))


def _details(text: str) -> tuple[Span, ...]:
    """What a text holds; a number within what may be an address is told as a number all the same.

    Whoever is shown addresses is not shown the numbers in them.
    """
    return find_details(text, EVERY_KIND - BEST_EFFORT) + find_details(text, BEST_EFFORT)


def _lines(words: Iterable[Word]) -> list[list[Word]]:
    """Words in the order of the document, a new line wherever one stands below or before the one before it."""
    lines: list[list[Word]] = []
    last: Rectangle | None = None
    for word in words:
        if not word.boxes:
            continue
        box = word.boxes[0]
        if last is None or not _beside(last, box):
            lines.append([])
        lines[-1].append(word)
        last = word.boxes[-1]
    return lines


def _beside(left: Rectangle, right: Rectangle) -> bool:
    overlap = min(left.y + left.height, right.y + right.height) - max(left.y, right.y)
    return overlap * 2 > min(left.height, right.height) and right.x + 1 >= left.x + left.width / 2


def _by_line(boxes: Iterable[Rectangle]) -> list[Rectangle]:
    """One box for each line, with the spaces between the words."""
    merged: list[Rectangle] = []
    for box in boxes:
        if not merged or not _beside(merged[-1], box):
            merged.append(box)
            continue
        last = merged[-1]
        left, top = min(last.x, box.x), min(last.y, box.y)
        right, bottom = max(last.x + last.width, box.x + box.width), max(last.y + last.height, box.y + box.height)
        merged[-1] = Rectangle(left, top, right - left, bottom - top)
    return merged


def _groups(lines: Sequence[Sequence[Word]]) -> Iterable[list[Sequence[Word]]]:
    """Lines to be read together. Where a group ends depends on its last line alone, so that a change moves no other.

    Each begins with the last line of the one before, which may say what the first one holds.
    """
    group: list[Sequence[Word]] = []
    length = 0
    fresh = 0
    for line in lines:
        group.append(line)
        fresh += 1
        said = " ".join(word.text for word in line)
        length += len(said) + 1
        if length >= LONGEST_GROUP or zlib.crc32(said.encode("utf-8", "replace")) % GROUP_EVERY == 0:
            yield group
            group, length, fresh = [line], len(said) + 1, 0
    if fresh:
        yield group


def _joined(lines: Sequence[Sequence[Word]]) -> tuple[str, list[int], list[Word]]:
    """The text of lines, and where each of their words begins in it."""
    parts: list[str] = []
    starts: list[int] = []
    words: list[Word] = []
    at = 0
    for line in lines:
        last: Rectangle | None = None
        for word in line:
            if last is not None and word.boxes[0].x - (last.x + last.width) > GLUED:
                parts.append(" ")
                at += 1
            starts.append(at)
            words.append(word)
            parts.append(word.text)
            at += len(word.text)
            last = word.boxes[-1]
        parts.append("\n")
        at += 1
    return "".join(parts), starts, words


def _of_field(field: Field) -> Iterable[tuple[Rectangle, str]]:
    kind = kind_of_input(field)
    if kind is not None:
        yield field.box, kind.value
        return
    label = next((said for said in field.says if said), "")
    lead = f"{label}: " if label else ""
    for span in _details(lead + field.value) if field.value.strip() else ():
        if span.end > len(lead):
            yield field.box, span.kind.value


_TYPES = {"password": Kind.PASSWORD, "email": Kind.EMAIL, "tel": Kind.PHONE}
#: Tokens of HTML's autocomplete attribute, by how they begin.
_AUTOCOMPLETE = {
    "current-password": Kind.PASSWORD,
    "new-password": Kind.PASSWORD,
    "one-time-code": Kind.SECRET,
    "email": Kind.EMAIL,
    "cc-": Kind.CARD,
    "tel": Kind.PHONE,
    "bday": Kind.BIRTH_DATE,
    "street-address": Kind.ADDRESS,
    "address-": Kind.ADDRESS,
    "postal-code": Kind.ADDRESS,
    "name": Kind.NAME,
    "given-name": Kind.NAME,
    "additional-name": Kind.NAME,
    "family-name": Kind.NAME,
}
#: What is pressed or chosen rather than typed shows words of the page's own.
_OF_THE_PAGE = frozenset({"submit", "reset", "button", "select"})


def kind_of_input(field: Field) -> Kind | None:
    """What a field asks for, by its type, its autocomplete tokens, and what it is called; None: nothing personal.

    An empty field counts as well: a value may have been there when the picture was taken and be gone a moment later.
    """
    if field.type in _TYPES:
        return _TYPES[field.type]
    for token in field.autocomplete.lower().split():
        for begins, asked_for in _AUTOCOMPLETE.items():
            if token.startswith(begins):
                return asked_for
    if field.type in _OF_THE_PAGE:
        return None
    return next((kind for said in field.says if said and (kind := kind_of_field(_spaced(said))) is not None), None)


def _spaced(name: str) -> str:
    return name if " " in name else name.replace("_", " ").replace("-", " ")


def _inside(box: Rectangle, kind: str, width: int, height: int) -> Box | None:
    """The box with its margin, in whole px, as far as it lies in the picture."""
    left, top = max(0, int(box.x - MARGIN)), max(0, int(box.y - MARGIN))
    right = min(width, int(box.x + box.width + MARGIN + 0.999))
    bottom = min(height, int(box.y + box.height + MARGIN + 0.999))
    return Box(left, top, right - left, bottom - top, kind) if right > left and bottom > top else None
