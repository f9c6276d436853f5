"""When two names are one agent, and when they only look alike."""

import unicodedata

from battles.blindness.normalise import folded

#: Letters and marks that count as printable and show nothing: fillers of Hangul, the empty Braille cell, the joiner of
#: graphemes, and selectors of variants.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(code) for selectors in (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)) for code in selectors
}


def normalise_name(name: str) -> str:
    """NFC, outer white space removed, inner runs folded to one space. Never folds look-alike letters."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def has_unseen(name: str) -> bool:
    """Whether something in it shows nothing: direction and control characters, joiners, fillers."""
    return not name.isprintable() or not _UNSEEN.isdisjoint(name)


def look_alike(name: str, others: list[str]) -> str | None:
    """The first of ``others`` that a reader could take ``name`` for, though it is another name, or None.

    Case, accents, look-alike letters, full-width forms, invisible characters and spacing are seen through.
    """
    seen = _seen(name)
    return next((other for other in others if other != name and _seen(other) == seen), None)


def _seen(name: str) -> str:
    return "".join(folded(name).casefold().split())
