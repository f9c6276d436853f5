"""Patterns that are tried only where what stands in a text can begin them.

A detector's pattern begins with one of hundreds of words, and the engine of regular expressions tries all of them at
every character. Here a text is read once: each three characters in a row say which patterns can begin there, and only
those are tried, in order, as :meth:`re.Pattern.finditer` would. What is found is the same; it takes a tenth of the
time.

Characters are told apart coarsely, so that no match is missed: small and capital letters are one, and so are all
digits, all other characters of ASCII, and all characters beyond it.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import string
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from governance.remembering import remembered

WIDTH = 3
"""How many characters decide whether a pattern is tried."""

_DIGIT, _SIGN, _BEYOND = "0", " ", "*"
_EVERYTHING = frozenset(string.ascii_lowercase + _DIGIT + _SIGN + _BEYOND)
# Letters beyond ASCII that match one of ASCII where case is ignored.
_SAME_AS_ASCII = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset({_DIGIT, _BEYOND}),
    "CATEGORY_SPACE": frozenset({_SIGN, _BEYOND}),
    "CATEGORY_NOT_WORD": frozenset({_SIGN, _BEYOND}),
}

Beginnings: TypeAlias = frozenset[str]
"""What a piece of a pattern can begin with: so many characters as are asked for, or fewer where it may end there."""
_Key: TypeAlias = tuple[str, ...]


class _Coarse(dict[int, str]):
    """A table for :meth:`str.translate` that knows every character."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if point >= 0x80:
            coarse = _SAME_AS_ASCII.get(character, _BEYOND)
        elif character.isdigit():
            coarse = _DIGIT
        else:
            coarse = character.lower() if character.isalpha() else _SIGN
        self[point] = coarse
        return coarse


_COARSE = _Coarse()
_anchored: list[Anchored] = []


class Anchored:
    """A pattern that is tried only where it can begin."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self._match = pattern.match
        self._number = len(_anchored)
        _anchored.append(self)
        _begun_by.cache_clear()
        _starts.cache_clear()

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The same matches as those of the pattern's own."""
        end = 0
        for at in _starts(text)[self._number]:
            if at >= end:
                match = self._match(text, at)
                if match is not None:
                    yield match
                    end = match.end()

    def search(self, text: str) -> re.Match[str] | None:
        return next(self.finditer(text), None)


def anchored(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Anchored:
    return Anchored(re.compile(pattern, flags))


@remembered(most=8)
def _starts(text: str) -> list[list[int]]:
    """Where in a text each pattern can begin, by the pattern's number. Detectors ask one after the other."""
    begun_by = _begun_by()
    coarse = text.translate(_COARSE) + _SIGN * (WIDTH - 1)
    starts: list[list[int]] = [[] for _ in _anchored]
    for at, key in enumerate(zip(*(coarse[first:] for first in range(WIDTH)), strict=False)):
        if key in begun_by:
            for number in begun_by[key]:
                starts[number].append(at)
    return starts


@functools.cache
def _begun_by() -> dict[_Key, tuple[int, ...]]:
    """The numbers of the patterns that each WIDTH characters can begin."""
    table: dict[str, list[int]] = {}
    for number, each in enumerate(_anchored):
        for beginning in beginnings(each.pattern):
            table.setdefault(beginning, []).append(number)
    return {tuple(beginning): tuple(numbers) for beginning, numbers in table.items()}


def beginnings(pattern: re.Pattern[str]) -> Beginnings:
    """WIDTH coarse characters each that a match of ``pattern`` can begin with, whatever follows it.

    Raises:
        ValueError: it matches nothing at all, or begins with what nothing is known of.
    """
    # The parser that compiles patterns; the one of the standard library that may be asked has no public name.
    parsed = importlib.import_module("re._parser").parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    if parsed.getwidth()[0] == 0:
        raise ValueError("A pattern that matches nothing at all has no beginning.")
    found = _sequence(parsed, WIDTH)
    for _ in range(WIDTH):
        found = _then(found, _EVERYTHING, WIDTH)
    return found


def _then(first: Beginnings, second: Beginnings, width: int) -> Beginnings:
    short = {one for one in first if len(one) < width}
    cut = {room: {other[:room] for other in second} for room in {width - len(one) for one in short}}
    return (first - short) | {one + other for one in short for other in cut[width - len(one)]}


def _sequence(nodes: Iterable[tuple[Any, Any]], width: int) -> Beginnings:
    found: Beginnings = frozenset({""})
    for operator, argument in nodes:
        room = width - min(map(len, found))
        if room == 0:
            break
        found = _then(found, _piece(str(operator), argument, room), width)
    return found


def _piece(operator: str, argument: Any, width: int) -> Beginnings:
    """Beginnings of one node of a parsed pattern."""
    found: Iterable[str]
    match operator:
        case "LITERAL":
            found = _COARSE[argument]
        case "IN":
            found = _class(argument)
        case "ANY" | "NOT_LITERAL":
            found = _EVERYTHING
        case "AT" | "ASSERT" | "ASSERT_NOT":
            found = [""]
        case "BRANCH":
            found = itertools.chain.from_iterable(_sequence(nodes, width) for nodes in argument[1])
        case "SUBPATTERN":
            found = _sequence(argument[3], width)
        case "MAX_REPEAT" | "MIN_REPEAT":
            fewest, most, nodes = argument
            found = _repeated(_sequence(nodes, width), fewest, most, width)
        case _:
            raise ValueError(f"Nothing is known of where {operator} begins.")
    return frozenset(found)


def _repeated(once: Beginnings, fewest: int, most: int, width: int) -> Beginnings:
    """``once`` so many times. More than ``width`` times say nothing more, be some of them empty or not."""
    times: Beginnings = frozenset({""})
    for _ in range(min(fewest, width)):
        times = _then(times, once, width)
    found = times
    for _ in range(min(most - fewest, width)):
        times = _then(times, once, width)
        found |= times
    return found


def _class(items: Iterable[tuple[Any, Any]]) -> Beginnings:
    found: set[str] = set()
    for operator, argument in items:
        match str(operator):
            case "LITERAL":
                found.add(_COARSE[argument])
            case "RANGE":
                found.update(_COARSE[point] for point in range(argument[0], argument[1] + 1))
            case "CATEGORY":
                found |= _CATEGORIES.get(str(argument), _EVERYTHING)
            case _:
                return _EVERYTHING
    return frozenset(found)
