"""Cells of CSV files that people open with a spreadsheet."""

from __future__ import annotations

import re

#: A spreadsheet takes a cell that begins so for a formula, and may run it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")
#: Where a semicolon separates cells, as in half of Europe, one begins behind it whatever stands in quotes around; a tab
#: and the end of a line do the same. White space that a spreadsheet takes away hides nothing.
INSIDE = re.compile(r"([;\t\r\n][\s\"'\ufeff\u200b]*)(?=[=+\-@|%＝＋－＠])")
#: White space to a spreadsheet, or to nobody's eye.
UNSEEN = " \u00a0\u3000\ufeff\u200b\u200e\u200f\u202a\u202d\u202e\u2066\u2067\u2068"


def text_cell(text: str) -> str:
    """A text; where a spreadsheet would take it for a formula, behind the apostrophe that marks it as text."""
    text = INSIDE.sub(r"\1'", text)
    return f"'{text}" if text.lstrip(UNSEEN).startswith(FORMULA_STARTS) else text
