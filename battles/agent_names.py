"""When two names are one agent, and when they only look alike."""

import unicodedata

from battles.blindness.normalise import folded


def normalise_name(name: str) -> str:
    """NFC, outer white space removed, inner runs folded to one space. Never folds look-alike letters."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def look_alike(name: str, others: list[str]) -> str | None:
    """The first of ``others`` that a reader could take ``name`` for, though it is another name, or None.

    Case, accents, look-alike letters, full-width forms, invisible characters and spacing are seen through.
    """
    seen = _seen(name)
    return next((other for other in others if other != name and _seen(other) == seen), None)


def _seen(name: str) -> str:
    return "".join(folded(name).casefold().split())
