"""When two names are one agent, and when they only look alike."""

import unicodedata


def normalise_name(name: str) -> str:
    """NFC, outer white space removed, inner runs folded to one space. Never folds look-alike letters."""
    return " ".join(unicodedata.normalize("NFC", name).split())
