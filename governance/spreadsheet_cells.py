"""Cells of CSV files that people open with a spreadsheet."""

from __future__ import annotations

#: A spreadsheet takes a cell that begins so for a formula, and may run it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")


def text_cell(text: str) -> str:
    """A text; where a spreadsheet would take it for a formula, behind the apostrophe that marks it as text."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
