"""What a reader sees of a text: characters that show nothing are taken out, since they can spell a second text.

A model reads them all; a person sees none. So what shows nothing goes by its property, and the few that some scripts
and emoji need stay only where they do something there, one at a time.
"""

from __future__ import annotations

import re
import unicodedata

# Ranges are written with code points, since the characters themselves cannot be seen or told apart.
#: Default_Ignorable_Code_Point of Unicode 14.0 (DerivedCoreProperties.txt), the version of Python 3.11's data.
#: Beyond it U+FFF9-FFFC: annotations and objects that no plain text has, drawn as nothing.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
#: Unassigned code points, noncharacters among them, and those for private use: nobody can say what they show.
_NOBODYS = frozenset({"Cn", "Co"})
#: Where emoji are added each year (all of it Extended_Pictographic): they show something before Python knows of them.
_COMING_EMOJI = re.compile("[\U0001fa70-\U0001faff]")

_NON_JOINER, _JOINER = "\u200c", "\u200d"
_MARKS = "\u061c\u200e\u200f"
_SELECTORS = "\ufe0e\ufe0f"
_SOMETIMES = f"{_NON_JOINER}{_JOINER}{_MARKS}{_SELECTORS}"
_RUN = re.compile(f"[{_SOMETIMES}]+")

#: The three flags that Unicode recommends (RGI_Emoji_Tag_Sequence) of those that are spelled with tags.
_SPELLED_FLAG = re.compile(
    "(\U0001f3f4(?:{})\U000e007f)".format(
        "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
    )
)

#: Blocks of the scripts whose letters join (Joining_Type) or stack (Indic_Syllabic_Category Virama, Invisible_Stacker).
_JOINING = re.compile(
    "[\u0610-\u077f\u07c0-\u07ff\u0840-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bbf\u1cd0-\u1cff"
    "\ua800-\ua8ff\ua980-\ua9ff\uaa60-\uaaff\uabc0-\uabff\U00010a00-\U00010a5f\U00010ac0-\U00010aff"
    "\U00010b80-\U00010baf\U00010d00-\U00010d3f\U00010f30-\U00010fdf\U00011000-\U00011f5f\U0001e900-\U0001e95f]"
)
#: What a selector may follow besides symbols: emoji that are digits, signs or letters by category.
_SELECTABLE = frozenset("0123456789#*\u203c\u2049\u2139\u3030")
_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


def seen_text(text: str) -> str:
    """The text in NFC without characters that show nothing, but for single ones that its letters and emoji need.

    Kept are: a joiner or non-joiner between letters of a script that joins, also a joiner behind the last of them; a
    joiner between emoji; one selector of text or emoji behind what has both; one mark of direction beside something
    that has none of its own, in a line with right-to-left letters. Applied again it changes nothing.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", _without_hidden(text))
    if not _RUN.search(text):
        return text
    # What stood apart only for a joiner may compose now.
    return unicodedata.normalize("NFC", "\n".join(map(_with_needed, text.split("\n"))))


def seen_length(text: str) -> int:
    """How many characters of a text from :func:`seen_text` show something; white space does not."""
    return sum(each.isprintable() and not each.isspace() and each not in _SOMETIMES for each in text)


def _without_hidden(text: str) -> str:
    hidden = {ord(each): None for each in set(text) if each not in _SOMETIMES and _shows_nothing(each)}
    if not hidden:
        return text
    parts = _SPELLED_FLAG.split(text)
    return "".join(part if index % 2 else part.translate(hidden) for index, part in enumerate(parts))


def _shows_nothing(character: str) -> bool:
    if unicodedata.category(character) in _NOBODYS:
        return not _COMING_EMOJI.match(character)
    return bool(_IGNORABLE.match(character))


def _with_needed(line: str) -> str:
    """A line whose runs of characters that are needed sometimes are cut to what is needed."""
    from_right = any(map(_is_from_right, line))

    def needed(run: re.Match[str]) -> str:
        before, behind = line[run.start() - 1 : run.start()], line[run.end() : run.end() + 1]
        return _needed(run[0], before, behind, from_right=from_right)

    return _RUN.sub(needed, line)


def _needed(run: str, before: str, behind: str, *, from_right: bool) -> str:
    """What of a run does something between two characters ("" at the ends of a line): a selector, then one other."""
    selector = run[0] if run[0] in _SELECTORS and (_is_symbol(before) or before in _SELECTABLE) else ""
    for each in run[len(selector) :]:
        if each == _JOINER and _is_symbol(behind) and (_is_symbol(before) or before in _SKIN_TONES):
            return selector + each
        if each in _JOINER + _NON_JOINER and _joins(before) and (_joins(behind) or each == _JOINER):
            return selector + each
        if each in _MARKS and from_right and not (_is_letter(before) and _is_letter(behind)):
            return selector + each
    return selector


def _is_letter(character: str) -> bool:
    """A letter, or a mark on one."""
    return bool(character) and unicodedata.category(character)[0] in "LM"


def _is_symbol(character: str) -> bool:
    """Emoji are symbols by category, but for some that only a selector makes emoji."""
    return bool(character) and unicodedata.category(character) in {"So", "Sm"}


def _joins(character: str) -> bool:
    return bool(_JOINING.match(character)) and _is_letter(character)


def _is_from_right(character: str) -> bool:
    return unicodedata.bidirectional(character) in {"R", "AL"} and _is_letter(character)
