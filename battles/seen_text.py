"""What a reader sees of a text: characters that show nothing are taken out, since they can spell a second text.

A model reads them all; a person sees none. So what shows nothing goes by its property, what shows only a gap becomes
a plain space, and the few that some scripts and emoji need stay only where they do something there, one at a time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from idna.core import valid_contextj

from battles.seen_characters import (
    BLANK,
    CUT_OFF_VOWELS,
    JOINER,
    JOINING_BLOCKS,
    KEYCAP,
    KEYCAP_BASES,
    LINE_BREAK,
    MARKS,
    MONGOLIAN,
    NON_JOINER,
    PICTOGRAPHIC,
    SELECTORS,
    SKIN_TONES,
    SOMETIMES,
    SPELLED_FLAG,
    TWO_FACED,
    UNSEEN,
    VIRAMA,
    VOWEL_SEPARATOR,
    WHOLE_RA,
)

_RUN = re.compile(f"[{SOMETIMES}]+")
#: How often a text is looked through until nothing more changes. Twice is the rule; what people type takes no more.
_ROUNDS = 4
#: How far a letter may stand from its joiner: it and three marks.
_LETTER_AND_MARKS = 4
#: A letter that joins on both sides.
_BEH = "\u0628"


def seen_text(text: str) -> str:
    """The text in NFC without characters that show nothing, but for single ones that its letters and emoji need.

    Kept are: a joiner or non-joiner where RFC 5892 has them (appendices A.1 and A.2), besides a joiner that gives the
    last letter of a word its joined form and one that keeps a ra whole; a joiner between emoji; one selector of text
    or emoji behind what has both; one mark of direction beside something that has none of its own, in a line with
    right-to-left letters; a separator before a Mongolian vowel. Every space is the plain one, every separator of lines
    a line end. Applied again it changes nothing.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", _without_hidden(text))
    for _ in range(_ROUNDS):
        if not _RUN.search(text):
            return text
        # What stood apart only for a joiner may compose or change places now, and bring others beside a joiner.
        cut = unicodedata.normalize("NFC", "\n".join(map(_with_needed, text.split("\n"))))
        if cut == text:
            return text
        text = cut
    return unicodedata.normalize("NFC", _RUN.sub("", text))


def seen_length(text: str) -> int:
    """How many characters of a text from :func:`seen_text` show something; white space does not."""
    return sum(not each.isspace() and not UNSEEN.match(each) for each in text)


def _without_hidden(text: str) -> str:
    changed = {ord(each): _instead(each) for each in set(text) if each not in SOMETIMES and _instead(each) != each}
    if not changed:
        return text
    parts = SPELLED_FLAG.split(text)
    return "".join(part if index % 2 else part.translate(changed) for index, part in enumerate(parts))


def _instead(character: str) -> str:
    if BLANK.match(character):
        return " "
    if LINE_BREAK.match(character):
        return "\n"
    return "" if UNSEEN.match(character) else character


def _with_needed(line: str) -> str:
    """A line whose runs of characters that are needed sometimes are cut to what is needed."""
    from_right = any(map(_is_from_right, line))

    def needed(run: re.Match[str]) -> str:
        before = line[max(run.start() - _LETTER_AND_MARKS, 0) : run.start()]
        return _needed(run[0], before, line[run.end() : run.end() + 1], from_right=from_right)

    return _RUN.sub(needed, line)


def _needed(run: str, before: str, behind: str, *, from_right: bool) -> str:
    """What of a run does something between its neighbours: a selector, then one other.

    Args:
        before: up to four characters, the nearest last.
        behind: one character, "" at the end of the line.
    """
    nearest = before[-1:]
    selector = run[0] if run[0] in SELECTORS and _has_two_faces(nearest, behind) else ""
    for each in dict.fromkeys(run[len(selector) :]):
        if each == JOINER and (_joins_emoji(nearest, behind) or (not selector and _joins(before, behind))):
            return selector + each
        if each == NON_JOINER and not selector and _parts(before, behind):
            return each
        if each in MARKS and from_right and not (_is_letter(nearest) and _is_letter(behind)):
            return selector + each
        if each == VOWEL_SEPARATOR and MONGOLIAN.match(nearest) and behind in CUT_OFF_VOWELS:
            return each
    return selector


def _has_two_faces(before: str, behind: str) -> bool:
    return bool(TWO_FACED.match(before)) or (before in KEYCAP_BASES and behind == KEYCAP)


def _joins_emoji(before: str, behind: str) -> bool:
    return bool(PICTOGRAPHIC.match(behind)) and (bool(PICTOGRAPHIC.match(before)) or before in SKIN_TONES)


def _joins(before: str, behind: str) -> bool:
    """A joiner changes a letter behind a virama, or one that joins and has nothing to join."""
    if before[-1:] + behind in WHOLE_RA:
        return True
    if _is_mark(behind):
        return False
    if VIRAMA.match(before[-1:]):
        return True
    return _joins_next(_without_marks(before)) and not _joins_last(behind)


def _parts(before: str, behind: str) -> bool:
    """A non-joiner changes letters of which the first would join or stack with the second."""
    if VIRAMA.match(before[-1:]):
        return _is_letter(behind) and not _is_mark(behind)
    return _joins_next(_without_marks(before)) and _joins_last(behind)


def _without_marks(before: str) -> str:
    """The nearest letter: its marks change nothing about how it joins."""
    return next((each for each in reversed(before) if not _is_mark(each)), "")


def _joins_next(letter: str) -> bool:
    return bool(JOINING_BLOCKS.match(letter)) and _may_be_parted(letter, _BEH)


def _joins_last(letter: str) -> bool:
    return bool(JOINING_BLOCKS.match(letter)) and _may_be_parted(_BEH, letter)


@lru_cache(maxsize=4096)
def _may_be_parted(first: str, second: str) -> bool:
    """Whether RFC 5892 (appendix A.1) has a non-joiner between two letters; one is beh, so that answers are few."""
    try:
        return valid_contextj(f"{first}{NON_JOINER}{second}", 1)
    except ValueError:  # a character without a name
        return False


def _is_letter(character: str) -> bool:
    """A letter, or a mark on one."""
    return bool(character) and unicodedata.category(character)[0] in "LM"


def _is_mark(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] == "M"


def _is_from_right(character: str) -> bool:
    return unicodedata.bidirectional(character) in {"R", "AL"} and _is_letter(character)
