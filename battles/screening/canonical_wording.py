"""One spelling for texts that say the same: what every screen reads instead of the raw text.

Two depths. :func:`plain_text` undoes what the eye cannot see (compatibility forms, invisible characters, case, curly
quotes, runs of white space) and keeps punctuation, for rules that look at phrases. :func:`words` goes on to bare words
for similarity: accents, punctuation and apostrophes gone, every number the same mark, scripts written without spaces
cut into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata

WORDING_VERSION = 1
"""Part of every stored fingerprint: texts are only comparable when the same rules cut them into words."""

NUMBER = "#"
"""The word all numbers become. A copied task with another date or price is still that task."""

_COMBINING_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['`\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201b\u2032\uff07]")
_DOUBLE_QUOTES = re.compile("[\u00ab\u00bb\u201c-\u201f\u2033\u2036\u300c-\u300f]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_WHITE_SPACE = re.compile(r"\s+")
_WORD_OR_NUMBER = re.compile(r"\d+(?:[^\w\s]\d+)*|[^\W\d_]+")
_ASCII_LETTER = re.compile("[a-z]")

# Scripts that put no space between words: kana, Han, Thai, Lao, Khmer, Burmese. Korean is spaced and is left whole.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")

# Cyrillic and Greek letters that look like a Latin one. Only words that also hold a Latin letter are folded, so that
# real Russian and Greek stay what they are.
_LOOKALIKES = str.maketrans("авсԁеһіјкмнорѕтухѵαεικνορτυχ", "abcdehijkmhopstyxvaeikvoptux")


def plain_text(text: str) -> str:
    """``text`` with everything invisible undone, in lower case, on one line; punctuation kept, quotes straight."""
    text = unicodedata.normalize("NFKC", text)
    if not text.isascii():
        text = "".join(character for character in text if unicodedata.category(character) != "Cf")
        text = _DASHES.sub("-", _DOUBLE_QUOTES.sub('"', _APOSTROPHES.sub("'", text)))
    return _WHITE_SPACE.sub(" ", text.casefold()).strip()


def words(text: str) -> list[str]:
    """The words of ``text`` in order, as similarity sees them.

    Numbers become :data:`NUMBER`, neighbouring numbers a single one (a date is one mark however it is written), and
    digits inside a word end it, so ``7am`` and ``7 am`` agree.
    """
    plain = plain_text(text).replace("'", "").replace("`", "")
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", _COMBINING_ACCENTS.sub("", unicodedata.normalize("NFKD", plain)))
    found: list[str] = []
    for match in _WORD_OR_NUMBER.finditer(plain):
        word = match.group()
        if word[0].isdigit():
            if not found or found[-1] != NUMBER:
                found.append(NUMBER)
        elif word.isascii():
            found.append(word)
        else:
            found.extend(_other_scripts(word))
    return found


def _other_scripts(word: str) -> list[str]:
    """A run of letters outside ASCII: look-alikes folded, unspaced stretches cut into pairs of characters."""
    if _ASCII_LETTER.search(word):
        word = word.translate(_LOOKALIKES)
    pieces: list[str] = []
    end = 0
    for match in _UNSPACED.finditer(word):
        if match.start() > end:
            pieces.append(word[end : match.start()])
        run = match.group()
        pieces.extend(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        end = match.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces
