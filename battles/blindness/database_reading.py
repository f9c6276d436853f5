"""How the database reads our own messages when it looks for names in them.

It folds less than :mod:`battles.blindness.normalise` does: NFKD, then one character for one, all in SQL. The scrubber
reads each message this way too before it lets it go, so that the database never refuses what it has passed.
"""

from __future__ import annotations

import re
import unicodedata

from battles.blindness.lexicon import Lexicon
from battles.blindness.look_alikes import LOOK_ALIKES, STROKED

#: Look-alikes, strokes, dashes and spaces, each read as one basic character.
READ_AS: dict[str, str] = {
    **LOOK_ALIKES,
    **STROKED,
    **{chr(code): "-" for code in (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D)},
    **{chr(code): " " for code in (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)},
}
#: What is not seen at all, as the inside of a class of a regular expression that Python and PostgreSQL read alike:
#: controls, accents apart from their letter, soft hyphens, joiners, marks of direction, blanks, variation selectors.
DROPPED = (
    r"\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u0300-\u036f\u0483-\u0489\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)

_TABLE = str.maketrans(READ_AS)
_LOWER_ASCII = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_LETTER_RUN = re.compile("[a-z]+")
_DROPPED = re.compile(f"[{DROPPED}]")


def as_the_database_reads(text: str) -> str:
    """The same text that the SQL function ``battles_read(text)`` returns."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).translate(_TABLE)
    return _DROPPED.sub("", text).translate(_LOWER_ASCII)


def database_would_refuse(text: str, lexicon: Lexicon) -> bool:
    """Whether the guard of a blunt column would find a name in ``text``."""
    read = as_the_database_reads(text)
    heads = lexicon.heads.keys() & set(_LETTER_RUN.findall(read))
    candidates = {name for head in heads for name in lexicon.heads[head]}
    candidates.update(lexicon.foreign_names[form] for form in lexicon.digit_first)
    return any(name.blunt and name.bounded.search(read) for name in candidates)
