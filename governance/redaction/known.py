"""Details that are known beforehand, found again however a text writes them.

A text and a detail are compared in one reading of both, so that neither case nor spelling hides a detail: accents,
invisible characters and compatibility forms do not count, letters are those of Unicode's case folding, and references,
percent-encoding and JSON escapes are undone. The reading only grows or shrinks character by character, so each place in
it is a place in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from governance.redaction.folding import WRITTEN_OUT, plain_letter, read_out
from governance.redaction.spans import Kind, Span, longest_first, replace
from governance.remembering import remembered

UNMISTAKABLE = 8
"""Characters from which on letters mixed with digits or signs mean the detail wherever they stand, inside words too."""

#: Scripts that set no spaces between words, and Korean, whose endings follow a word at once.
_UNSPACED = frozenset(
    "CJK HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO HANGUL THAI LAO KHMER MYANMAR TIBETAN JAVANESE YI".split()
)
#: Signs that stand in words and between them.
_IN_WORDS = frozenset(" '-._")
#: What browsers leave as it is when they percent-encode, though others encode it.
_LEFT_BY_BROWSERS = "!'()*"

# What is never touched: the names of kinds that stand where details stood; the scheme and the host of an address.
_PLACEHOLDER = "|".join(re.escape(kind.placeholder) for kind in Kind)
_KEPT = re.compile(
    rf"(?P<placeholder>{_PLACEHOLDER})|"
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?:[^\s/?#@]*@)?(?P<host>[^\s/?#@]*)"
)


class _Reading(dict[int, str]):
    """What each code point reads as; nothing for accents and for what cannot be seen."""

    def __missing__(self, point: int) -> str:
        letters = plain_letter(chr(point)).casefold()
        letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letters).casefold())
        # Turkish has two letters where English has one, and their capitals are told apart by a dot alone.
        read = "".join(" " if letter.isspace() else letter for letter in letters if not unicodedata.combining(letter))
        self[point] = read.replace("\u0131", "i")
        return self[point]


_READING = _Reading()


def read_as(text: str) -> str:
    """The reading of a text as it stands, with nothing undone. Linear in its length."""
    return text.translate(_READING)


class KnownDetails:
    """Finds details in texts; making one costs more than using it.

    Args:
        details: texts with their kinds. One that reads as nothing is left out.
    """

    def __init__(self, details: Iterable[tuple[str, Kind]]) -> None:
        self._kinds = {form: kind for text, kind in details for form in _forms(text)}
        # Forms by how they begin, so that a text is not searched once for each.
        self._head = min(map(len, self._kinds), default=0)
        self._by_head: dict[str, list[str]] = {}
        for form in self._kinds:
            self._by_head.setdefault(form[: self._head], []).append(form)

    def hidden(self, text: str, *, in_names: bool = False) -> str:
        """``text`` with each detail replaced by the name of its kind. Arguments as for :meth:`find`."""
        return replace(text, self.find(text, in_names=in_names))

    def find(self, text: str, *, in_names: bool = False) -> tuple[Span, ...]:
        """Where details stand in ``text``; in order, none overlapping. Linear in its length.

        Args:
            in_names: the text is the name of a field, which plain words are not looked for in.
        """
        read = _undone(text).translate(_READING)
        heads = {read[at : at + self._head] for at in range(len(read) - self._head + 1)}
        begun = (form for head in self._by_head.keys() & heads for form in self._by_head[head])
        there = [form for form in begun if form in read and not (in_names and _is_plain(form))]
        if not there:
            return ()
        starts, ends = _places(text)
        kept = [found.span(group) for found in _KEPT.finditer(text) for group in found.groupdict() if found[group]]
        spans = [
            Span(starts[at], _with_accents(text, ends[stop - 1]), self._kinds[form])
            for form in there
            for at, stop in _occurrences(form, read)
            if (not at or ends[at - 1] <= starts[at]) and (stop == len(read) or ends[stop - 1] <= starts[stop])
        ]
        return longest_first(_outside(spans, kept))


def _forms(text: str) -> Iterator[str]:
    """A detail's readings: as it is written and with its own escapes undone, in forms, and in an address in another."""
    for written in (text, _undone(text), quote(text, safe=""), quote(text, safe=_LEFT_BY_BROWSERS)):
        read = read_as(written)
        if read.strip():
            yield from (read, read.replace(" ", "+"))


def _undone(text: str) -> str:
    return WRITTEN_OUT.sub(lambda found: "".join(letter for letter, _ in read_out(found[0])), text)


def _places(text: str) -> tuple[Sequence[int], Sequence[int]]:
    """Where each character of a text's reading starts and ends in the text."""
    if text.isascii() and not WRITTEN_OUT.search(text):
        return range(len(text)), range(1, len(text) + 1)
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for letter, width in _letters(text):
        read = len(letter.translate(_READING))
        starts += [at] * read
        ends += [at + width] * read
        at += width
    return starts, ends


def _letters(text: str) -> Iterator[tuple[str, int]]:
    at = 0
    for found in WRITTEN_OUT.finditer(text):
        yield from ((letter, 1) for letter in text[at : found.start()])
        yield from read_out(found[0])
        at = found.end()
    yield from ((letter, 1) for letter in text[at:])


def _with_accents(text: str, end: int) -> int:
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _occurrences(form: str, read: str) -> Iterator[tuple[int, int]]:
    """Where a reading stands in another as itself rather than as a part of a word or of a number."""
    plain = _is_plain(form)
    at = read.find(form)
    while at >= 0:
        stop = at + len(form)
        if not plain or not (
            (at and _belong_together(read[at - 1], form[0]))
            or (stop < len(read) and _belong_together(form[-1], read[stop]))
        ):
            yield at, stop
        at = read.find(form, at + 1)


@remembered(most=4096)
def _is_plain(form: str) -> bool:
    """Whether a reading may be a word, a name or a number, which can begin and end inside others."""
    signs = any(not _is_letter(letter) and letter not in _IN_WORDS for letter in form)
    return len(form) < UNMISTAKABLE or not signs or not any(map(_is_letter, form))


@remembered(most=4096)
def _belong_together(before: str, after: str) -> bool:
    """Two digits, or two letters of one script that sets spaces between words."""
    if before.isdigit() and after.isdigit():
        return True
    if not (_is_letter(before) and _is_letter(after)):
        return False
    script = _script(before)
    return script not in _UNSPACED and script == _script(after)


def _is_letter(letter: str) -> bool:
    """A letter, or what is written at one: vowels of many scripts are."""
    return letter.isalpha() or unicodedata.category(letter).startswith("M")


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _outside(spans: Iterable[Span], kept: list[tuple[int, int]]) -> Iterator[Span]:
    """Spans that do not lie inside a stretch of those to keep, which are in order and do not overlap."""
    at = 0
    for span in sorted(spans):
        while at < len(kept) and kept[at][1] <= span.start:
            at += 1
        if at == len(kept) or not (kept[at][0] <= span.start and span.end <= kept[at][1]):
            yield span
