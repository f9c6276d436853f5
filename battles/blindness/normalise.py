"""Text as a reader sees it: one plain letter per visible letter, with the way back to the original.

Folding removes what the eye does not notice (case, accents, invisible characters, look-alike letters of other
scripts, styled and full-width letters), so that a name is found however it was typed. Every folded character
knows where it came from, so what is replaced is replaced in the original and nothing else moves.

Look-alike letters follow the idea of Unicode's UTS #39 (confusables); the table here is our own and holds only
letters that pass for a basic Latin letter or digit in running text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from battles.blindness.look_alikes import LOOK_ALIKES, STROKED

#: Bits of :attr:`Folded.marks`: the character itself was disguised; something invisible stood before it.
STYLED = 1
AFTER_INVISIBLE = 2

#: Characters that draw nothing although Unicode counts them as letters or symbols.
BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5")
#: Marks up to here sit on Latin, Greek and Cyrillic letters; what other scripts combine is part of the letter.
LAST_EUROPEAN = 0x058F
#: Accents of European spelling when written apart from their letter. Lines and rings drawn through, over or under a
#: letter are nobody's spelling, so a name under them was hidden on purpose.
ACCENTS = frozenset(
    map(chr, [*range(0x0300, 0x0305), *range(0x0306, 0x030D), 0x030F, 0x0311, 0x031B, *range(0x0323, 0x0329), 0x0342])
)
OVERLAYS = frozenset(map(chr, range(0x20D0, 0x20F1)))
VISIBLE_CONTROLS = frozenset("\t\n\r")
#: Controls, formats, surrogates, private use and unassigned: nothing a reader could name.
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
#: They choose among pictures of one character and draw nothing themselves.
SELECTORS = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
#: Every kind of space and dash is one, by category or by character.
SIGNS = {"Zs": " ", "Zl": " ", "Zp": " ", "Pd": "-", "\u2212": "-"}
#: What needs more than being put in lower case.
_ODD = re.compile(r"[^\t\n\r -~]+")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where its characters came from.

    ``origin[i]`` is the index in ``original`` of the character that ``text[i]`` came from; it never falls.
    ``marks[i]`` holds the bits :data:`STYLED` and :data:`AFTER_INVISIBLE`; empty when nothing was disguised.
    """

    original: str
    text: str
    origin: Sequence[int]
    marks: bytes = b""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The slice of the original that became ``text[start:end]``; needs ``start < end``."""
        return self.origin[start], self.origin[end - 1] + 1

    def disguised(self, start: int, end: int) -> bool:
        """Whether a character of ``text[start:end]`` was styled, swapped, or split by something invisible."""
        if not self.marks:
            return False
        if self.marks[start] & STYLED:
            return True
        return any(self.marks[start + 1 : end])


def fold(text: str) -> Folded:
    """See through case, accents, invisible characters, look-alikes and styles.

    The folded text is NFKC, lower case, with one space for every kind of space and ``-`` for every kind of dash.
    """
    if _ODD.search(text) is None:
        return Folded(original=text, text=text.lower(), origin=range(len(text)))
    pieces: list[str] = []
    origin: list[int] = []
    marks = bytearray()
    seam = 0
    disguises = 0
    position = 0
    for odd in _ODD.finditer(text):
        plain = text[position : odd.start()]
        if plain:
            pieces.append(plain.lower())
            origin.extend(range(position, odd.start()))
            marks.append(seam)
            marks.extend(bytes(len(plain) - 1))
            disguises |= seam
            seam = 0
        position = odd.end()
        if not seam and _PLAIN.issuperset(odd.group()):
            pieces.append(odd.group().translate(_PLAIN_TABLE))
            origin.extend(range(odd.start(), position))
            marks.extend(bytes(position - odd.start()))
            continue
        for index in range(odd.start(), position):
            seen, styled = _known(text[index])
            if not seen:
                seam |= styled
                continue
            mark = styled | seam
            seam = 0
            disguises |= mark
            pieces.append(seen)
            origin.extend([index] * len(seen))
            marks.extend([mark] * len(seen))
    if position < len(text):
        pieces.append(text[position:].lower())
        origin.extend(range(position, len(text)))
        marks.append(seam)
        marks.extend(bytes(len(text) - position - 1))
        disguises |= seam
    return Folded(original=text, text="".join(pieces), origin=origin, marks=bytes(marks) if disguises else b"")


def folded(text: str) -> str:
    """The folded text alone, for vocabulary and cues."""
    return fold(text).text


#: Bounds the memory of :data:`_KNOWN`; more distinct characters than this are folded anew each time.
KNOWN_LIMIT = 20_000
#: What each character folds to, filled as characters are met.
_KNOWN: dict[str, tuple[str, int]] = {}
#: Those of them that are seen as one character and hide nothing, and what they are seen as.
_PLAIN: set[str] = set()
_PLAIN_TABLE: dict[int, str] = {}


def _known(character: str) -> tuple[str, int]:
    known = _KNOWN.get(character)
    if known is None:
        known = _fold_character(character)
        if len(_KNOWN) < KNOWN_LIMIT:
            _KNOWN[character] = known
            if len(known[0]) == 1 and not known[1]:
                _PLAIN_TABLE[ord(character)] = known[0]
                _PLAIN.add(character)
    return known


def _fold_character(character: str) -> tuple[str, int]:
    """What is seen of one character, and its mark; nothing seen and :data:`AFTER_INVISIBLE` when it only hides."""
    if character in VISIBLE_CONTROLS or character in LOOK_ALIKES:
        return LOOK_ALIKES.get(character, character), STYLED if character in LOOK_ALIKES else 0
    category = unicodedata.category(character)
    if category in INVISIBLE or character in BLANKS or character in OVERLAYS:
        return "", AFTER_INVISIBLE
    if character in SELECTORS or _is_accent(character, category):
        return "", 0 if character in ACCENTS or character in SELECTORS else AFTER_INVISIBLE
    if category in SIGNS or character in SIGNS:
        return SIGNS.get(category) or SIGNS[character], 0
    plain = unicodedata.normalize("NFKC", character)
    seen = "".join(_base(part) for part in plain).lower()
    styled = STYLED if plain != character and any(part.isascii() and part.isalnum() for part in seen) else 0
    return seen, styled


def _is_accent(character: str, category: str) -> bool:
    return category in {"Mn", "Me"} and ord(character) <= LAST_EUROPEAN


def _base(character: str) -> str:
    """The letter without its accents, for European scripts; look-alikes become what they look like."""
    known = LOOK_ALIKES.get(character) or STROKED.get(character)
    if known is not None:
        return known
    if _is_accent(character, unicodedata.category(character)):
        return ""
    base = unicodedata.normalize("NFD", character)[0]
    if ord(base) > LAST_EUROPEAN:
        return character
    return LOOK_ALIKES.get(base, base)
