"""Words around a number: which of two lists of cues stands nearest before it, or right behind it."""

from __future__ import annotations

import re

BEFORE = 60
"""How many characters before a number are read for a cue; a label and a few words fit."""
AFTER = 24
"""How many characters behind it."""

# The end of a sentence or an empty line closes what a label speaks of. A single new line does not, since forms put the
# value under its label, nor does a question mark, since questions are answered.
_CLOSED = re.compile(r"[.!]\s+(?=[A-Z])|\n\s*\n")


def before(text: str, at: int, reach: int = BEFORE) -> str:
    """The characters before ``at`` that belong to the same sentence or field."""
    window = text[max(0, at - reach) : at]
    closed = None
    for closed in _CLOSED.finditer(window):  # noqa: B007 - the last one counts
        pass
    return window[closed.end() :] if closed else window


def behind(text: str, at: int, reach: int = AFTER) -> str:
    """The characters from ``at`` on, up to the end of the line."""
    return text[at : at + reach].partition("\n")[0]


def any_of(pieces: str) -> str:
    """A group of the alternatives in ``pieces``, sorted under their first letters.

    Python tries the alternatives of a pattern one by one; under their first letters it tries some thirty instead of
    hundreds wherever a word begins. Alternatives that begin with anything but a plain letter stay as they are.
    """
    lettered: dict[str, list[str]] = {}
    others: list[str] = []
    for piece in _alternatives(pieces):
        first, rest = piece[:1], piece[1:]
        if first.isalpha() and rest[:1] not in {"?", "*", "+", "{"} and first.lower() != "ı":
            lettered.setdefault(first, []).append(rest)
        else:
            others.append(piece)
    return "(?:" + "|".join([*(f"{first}(?:{'|'.join(rest)})" for first, rest in lettered.items()), *others]) + ")"


def _alternatives(pieces: str) -> list[str]:
    """``pieces`` split at the bars that stand in no group and no class."""
    found = [""]
    depth = 0
    in_class = escaped = False
    for character in pieces:
        if not escaped and not in_class and depth == 0 and character == "|":
            found.append("")
            continue
        found[-1] += character
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif in_class:
            in_class = character != "]"
        else:
            in_class = character == "["
            depth += (character == "(") - (character == ")")
    return [piece for piece in found if piece]


def cues(*words: str) -> re.Pattern[str]:
    """A pattern of cues, separated by `` | ``: each a piece of a regular expression, whole words, case ignored.

    Word boundaries are asked for only where scripts have them.
    """
    pieces = [word for line in words for word in line.split(" | ")]
    spaced = [piece for piece in pieces if not _is_unspaced(piece)]
    unspaced = [piece for piece in pieces if _is_unspaced(piece)]
    whole = rf"(?<![^\W\d_]){any_of('|'.join(spaced))}(?![^\W\d_])"
    return re.compile("|".join([whole, *unspaced]), re.IGNORECASE)


def _is_unspaced(word: str) -> bool:
    return word[0] >= "\u0590" and not "\u1e00" <= word[0] <= "\u1fff"


def nearest(pattern: re.Pattern[str], window: str) -> int:
    """Where in ``window`` the last cue ends; -1 with none."""
    end = -1
    for match in pattern.finditer(window):
        end = match.end()
    return end
