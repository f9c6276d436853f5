"""Sentences with their names marked, so that rules can be written about what is said around a name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from battles.blindness import marks
from battles.blindness.mentions import Mention

_STOP = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_MARKS = {"family": marks.FAMILY, "word": marks.WORD, "maker": marks.MAKER, "house": marks.HOUSE}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in which every mention is a mark. ``places[i]`` is where the mark of ``mentions[i]`` stands."""

    text: str
    mentions: tuple[Mention, ...]
    places: tuple[int, ...]

    def within(self, match: re.Match[str]) -> Sequence[Mention]:
        """The mentions that a match covers."""
        return self.mentions[bisect_left(self.places, match.start()) : bisect_left(self.places, match.end())]


class Sentences:
    """Where the sentences of a folded text begin and end."""

    def __init__(self, text: str) -> None:
        self._text = text
        stops = [stop.span() for stop in _STOP.finditer(text)]
        self._stops = [start for start, _ in stops]
        self._begins = [0, *(end for _, end in stops)]

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The slice of the text whose sentences hold ``text[start:end]``, without outer white space and last stop."""
        begin = self._begins[bisect_right(self._begins, start) - 1]
        while begin < start and self._text[begin].isspace():
            begin += 1
        after = bisect_left(self._stops, end)
        return begin, max(end, self._stops[after]) if after < len(self._stops) else len(self._text)

    def with_mentions(self, mentions: Sequence[Mention]) -> Iterator[Sentence]:
        """Every sentence that holds a mention, marked. One that begins a line keeps the line break before it."""
        held: list[Mention] = []
        for index, mention in enumerate(mentions):
            held.append(mention)
            number = bisect_right(self._begins, mention.start)
            following = mentions[index + 1] if index + 1 < len(mentions) else None
            if following is None or bisect_right(self._begins, following.start) != number:
                begin = self._begins[number - 1]
                end = self._begins[number] if number < len(self._begins) else len(self._text)
                yield self._marked(begin, max(end, mention.end), held)
                held = []

    def _marked(self, begin: int, end: int, held: Sequence[Mention]) -> Sentence:
        starts_line = begin > 0 and self._text[begin - 1] == "\n"
        pieces = ["\n"] if starts_line else []
        length = len(pieces)
        places: list[int] = []
        position = begin
        for mention in held:
            between = self._text[position : mention.start]
            pieces.extend((between, _mark(mention)))
            places.append(length + len(between))
            length += len(between) + 1
            position = mention.end
        pieces.append(self._text[position:end])
        return Sentence("".join(pieces), tuple(held), tuple(places))


def _mark(mention: Mention) -> str:
    if mention.full:
        return marks.FULL
    return marks.SMALL if mention.small else _MARKS[mention.kind]
