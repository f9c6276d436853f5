"""Remarks: words that people write beside a label or a decision, on one line or a few. Pure text."""

import unicodedata

#: What may stand between lines.
LINE_MARKS = frozenset("\r\n\t")


def has_control_characters(text: str) -> bool:
    """Whether a remark holds what no keyboard types: control characters, or halves of characters."""
    return any(unicodedata.category(character) in {"Cc", "Cs"} and character not in LINE_MARKS for character in text)


def fits_a_line(text: str, *, most: int) -> bool:
    """Whether a name can stand in a list: no line breaks, and nothing that hides or turns round what follows."""
    return len(text) <= most and text.isprintable()
