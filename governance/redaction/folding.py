"""One spelling for a text's disguises, with the way back to the original.

Detectors read the folded text: full-width and other compatibility forms, digits of other scripts, invisible characters,
typographic dashes, quotes and spaces, character references and percent-encoding are undone, and letters of other
alphabets that stand in a Latin word are read as the Latin ones they imitate. Every folded character remembers which
stretch of the original it came from.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

# Written with code points, since the characters themselves cannot be seen or told apart.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f"
_PLAIN: dict[str, str] = {
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    "\u3002": ".",
    "\u2024": ".",
    "\u3001": ",",
    "\u060c": ",",
    "\u2044": "/",
    "\u2215": "/",
}

# Cyrillic and Greek letters that are drawn like a Latin one. Only words that also hold a Latin letter are folded, so
# that real Russian and Greek stay what they are.
_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТХІЈЅавсԁеһіјкмнорѕтухѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορ",
    "ABEKMHOPCTXIJSabcdehijkmhopstyxvABEZHIKMNOPTYXavop",
)
_MIXED_WORD = re.compile("(?<![A-Za-z0-9.@_+-])[A-Za-z0-9.@_+-]*[\u0370-\u052f][A-Za-z0-9.@_+\u0370-\u052f-]*")
_LATIN_LETTER = re.compile("[A-Za-z]")

# What is written in several characters and read as one: references, percent-encoding (a run of it may be one character
# of UTF-8), JSON escapes.
WRITTEN_OUT = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|(?:%[0-9A-Fa-f]{2})+|\\u[0-9A-Fa-f]{4}")
_NEEDS_FOLDING = re.compile(r"[^\x00-\x7f]|[&%\\]")


# Characters of ASCII, all but one that an accent may follow.
_PLAIN_RUN = re.compile("[\x00-\x7f]+(?![^\x00-\u02ff])")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. ``starts[i]`` and ``ends[i]`` bound the original code points of character ``i``; None: as is."""

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that ``text[start:end]`` came from."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class _Folding:
    """The folded text as it grows, each character with the stretch it came from."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def put(self, piece: str, start: int, end: int) -> None:
        self.pieces.append(piece)
        self.starts.extend([start] * len(piece))
        self.ends.extend([end] * len(piece))

    def put_stretch(self, start: int, end: int) -> None:
        """Fold the original from ``start`` to ``end`` letter by letter, each with the accents that follow it."""
        text = self.original
        at = start
        while at < end:
            run = _PLAIN_RUN.match(text, at, end)
            if run is not None:
                self.pieces.append(run.group())
                self.starts.extend(range(at, run.end()))
                self.ends.extend(range(at + 1, run.end() + 1))
                at = run.end()
                continue
            after = at + 1
            while after < end and text[after] >= "\u0300" and unicodedata.combining(text[after]):
                after += 1
            letter = text[at:after]
            self.put(letter if letter < "\x80" and after == at + 1 else plain_letter(letter), at, after)
            at = after

    def put_written_out(self, written: str, start: int) -> None:
        """Fold what is written out: :data:`WRITTEN_OUT`."""
        for letters, width in read_out(written):
            self.put("".join(map(plain_letter, letters)), start, start + width)
            start += width


def read_out(written: str) -> Iterator[tuple[str, int]]:
    """What one character reference, one JSON escape or a run of percent-encoding says, and how many characters say it.

    What says nothing is as it stands, and so are bytes that are not UTF-8.
    """
    as_it_stands = ((letter, 1) for letter in written)
    if not written.startswith("%"):
        said = chr(int(written[2:], 16)) if written.startswith("\\") else html.unescape(written)
        yield from as_it_stands if said == written or "\ud800" <= said <= "\udfff" else [(said, len(written))]
        return
    at = 0
    for letter in unquote_to_bytes(written).decode("utf-8", "surrogateescape"):
        undecoded = "\udc80" <= letter <= "\udcff"
        width = 3 if undecoded else 3 * len(letter.encode("utf-8"))
        yield from ((sign, 1) for sign in written[at : at + width]) if undecoded else [(letter, width)]
        at += width


def fold(text: str) -> Folded:
    """Fold a text. Time and memory are linear in its length."""
    if not _NEEDS_FOLDING.search(text):
        return Folded(text, None, None)
    folding = _Folding(text)
    at = 0
    for match in WRITTEN_OUT.finditer(text):
        folding.put_stretch(at, match.start())
        folding.put_written_out(match.group(), match.start())
        at = match.end()
    folding.put_stretch(at, len(text))
    return Folded(_MIXED_WORD.sub(_as_latin, "".join(folding.pieces)), folding.starts, folding.ends)


def plain_letter(letter: str) -> str:
    """One letter with its accents, folded; nothing for what cannot be seen."""
    if letter in _PLAIN:
        return _PLAIN[letter]
    folded: list[str] = []
    for character in unicodedata.normalize("NFKC", letter):
        category = unicodedata.category(character)
        if category == "Nd":
            folded.append(str(unicodedata.decimal(character)))
        elif category not in {"Cf", "Cs"}:
            folded.append(_PLAIN.get(character, character))
    return "".join(folded)


def _as_latin(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(_LOOKALIKES) if _LATIN_LETTER.search(word) else word
