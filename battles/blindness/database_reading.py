"""How the database reads our own messages when it looks for names in them.

It folds less than :mod:`battles.blindness.normalise` does: NFKC, then one character for one, all in SQL. The scrubber
reads each message this way too before it lets it go, so that the database never refuses what it has passed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from battles.blindness.lexicon import Lexicon
from battles.blindness.look_alikes import LOOK_ALIKES
from battles.blindness.normalise import folded

#: Planes of ready-made letters and marks; what lies above NFKC resolves, or LOOK_ALIKES lists.
_LAST_LISTED = 0x2FFF


def _candidates() -> Iterator[str]:
    yield from map(chr, range(0x80, _LAST_LISTED + 1))
    yield from map(chr, (0xFEFF, *range(0xFE00, 0xFE10)))
    yield from LOOK_ALIKES


def _settled(character: str) -> bool:
    return unicodedata.is_normalized("NFKC", character)


#: Single characters that are read as a basic Latin letter, digit, space or dash.
READ_AS: dict[str, str] = {
    character: seen
    for character in _candidates()
    if _settled(character) and len(seen := folded(character)) == 1 and seen.isascii() and seen != character
}
#: Single characters that are not seen at all.
DROPPED: str = "".join(dict.fromkeys(character for character in _candidates() if _settled(character) and not folded(character)))
#: Control characters of ASCII that draw nothing, as a class of a regular expression in Python and PostgreSQL.
CONTROLS = r"[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]"

_TABLE = str.maketrans(READ_AS | dict.fromkeys(DROPPED))
_LOWER_ASCII = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def as_the_database_reads(text: str) -> str:
    """The same text that the SQL function ``battles_read(text)`` returns."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return re.sub(CONTROLS, "", text).translate(_LOWER_ASCII)


@lru_cache(maxsize=32)
def _names(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile("|".join(lexicon.blunt_patterns().values()))


def database_would_refuse(text: str, lexicon: Lexicon) -> bool:
    """Whether the guard of a blunt column would find a name in ``text``."""
    return _names(lexicon).search(as_the_database_reads(text)) is not None
