"""What a vote says, in the words that files use."""

from __future__ import annotations

import re
import unicodedata

from ratings.estimators.comparisons import A_WINS, B_WINS, TIE

#: Both bad: half a win for each, like a tie, and counted beside it.
BOTH_BAD = 3
#: No label of this module.
UNKNOWN = -1

_WORDS = {
    A_WINS: ("model a", "a", "agent a", "left", "model left", "left model"),
    B_WINS: ("model b", "b", "agent b", "right", "model right", "right model"),
    TIE: ("tie", "tied", "draw"),
    BOTH_BAD: ("both bad", "bothbad", "tie (both bad)", "tie (bothbad)"),
}
_OUTCOMES = {word: outcome for outcome, words in _WORDS.items() for word in words}
_GAPS = re.compile(r"[\s_-]+")


def outcome_of(label: str | None) -> int:
    """What a label says of the sides: ``A_WINS``, ``B_WINS``, ``TIE``, :data:`BOTH_BAD` or :data:`UNKNOWN`.

    Case, width, and whether words are parted by spaces, hyphens or underscores do not count. Nothing else is guessed.
    """
    if label is None:
        return UNKNOWN
    return _OUTCOMES.get(_GAPS.sub(" ", unicodedata.normalize("NFKC", label).casefold()).strip(), UNKNOWN)
