"""Fingerprints of what a page shows, and when two of them mean that it changed.

A fingerprint is ``<document>.<picture>``: 16 hexadecimal digits of the document (address, title, visible text, form
values, scroll positions, focus; frames included), a point, and 16 digits of the screenshot, or ``~`` where the
picture keeps moving by itself (an endless animation, a playing video) and says nothing about an action.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

_LENGTH = 16
RESTLESS = "~"


def page_digest(documents: Sequence[str], picture: bytes, *, restless: bool) -> str:
    """The fingerprint of a view, from the digests of its documents and its encoded screenshot.

    The encoder gives equal bytes for equal pixels, so the bytes stand for the pixels.
    """
    document = hashlib.sha256("\n".join(documents).encode()).hexdigest()[:_LENGTH]
    pixels = RESTLESS if restless else hashlib.sha256(picture).hexdigest()[:_LENGTH]
    return f"{document}.{pixels}"


def page_changed(before: str, after: str) -> bool | None:
    """Whether the page differs between two fingerprints; ``None`` when one of them is missing."""
    if not before or not after:
        return None
    document_before, _, pixels_before = before.partition(".")
    document_after, _, pixels_after = after.partition(".")
    if document_before != document_after:
        return True
    return RESTLESS not in (pixels_before, pixels_after) and pixels_before != pixels_after
