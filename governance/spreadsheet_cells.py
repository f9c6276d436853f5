"""Cells of CSV files that people open with a spreadsheet."""

from __future__ import annotations

import re
import unicodedata

#: A spreadsheet takes a cell that begins so for a formula, and may run it.
FORMULA_SIGNS = "=+-@|%＝＋－＠"
#: A cell that begins so is marked as well: what takes these away, or ends the cell there, finds whatever is behind.
ENDS = "\t\r\n"
#: Where a semicolon separates cells, as in half of Europe, one begins behind it whatever stands in quotes around; a tab
#: and the end of a line do the same.
SEPARATORS = f";{ENDS}"
QUOTES = "\"'"
#: Control characters, formats, and all separators (General_Category of Unicode): white space to a spreadsheet, or to
#: nobody's eye. It hides nothing.
UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})

_SIGN = re.compile(f"[{re.escape(FORMULA_SIGNS)}]")


def text_cell(text: str) -> str:
    """A text; where a spreadsheet would take it for a formula, behind the apostrophe that marks it as text."""
    inside = _SIGN.sub(_marked_behind_a_separator, text)
    return f"'{inside}" if _begins_as_formula(text) else inside


def is_unseen(character: str) -> bool:
    """Whether nobody sees a character."""
    return unicodedata.category(character) in UNSEEN


def _begins_as_formula(text: str) -> bool:
    for character in text:
        if character in ENDS or character in FORMULA_SIGNS:
            return True
        if not is_unseen(character):
            return False
    return False


def _marked_behind_a_separator(found: re.Match[str]) -> str:
    """The sign; behind an apostrophe where only quotes and what is unseen stand between it and a separator."""
    sign, text = found[0], found.string
    for place in range(found.start() - 1, -1, -1):
        character = text[place]
        if character in SEPARATORS:
            return f"'{sign}"
        if character not in QUOTES and not is_unseen(character):
            return sign
    return sign
