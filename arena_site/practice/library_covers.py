"""Covers of the library's titles: plain cloth with the title on it."""

from __future__ import annotations

import textwrap
from html import escape

from arena_site.practice.library_catalogue import Record

#: Cloth and ink, taken in turn by record number.
_CLOTHS = (
    ("#5b2333", "#f3e3c3"),
    ("#27425c", "#e8eef2"),
    ("#7b6a2f", "#fbf4dd"),
    ("#35543f", "#e9f0e2"),
    ("#8a4b2a", "#fbeadb"),
    ("#4a3f5f", "#ece6f4"),
    ("#d8c9a8", "#3a2d20"),
)
_LINE_CHARACTERS = 12
_MOST_LINES = 5


def cover_of(record: Record) -> bytes:
    """The cover as an SVG document, 90 by 130 units."""
    cloth, ink = _CLOTHS[int(record.number) * 3 % len(_CLOTHS)]
    lines = textwrap.wrap(record.title, _LINE_CHARACTERS)[:_MOST_LINES]
    words = "".join(f'<text x="47" y="{32 + 13 * row}">{escape(line)}</text>' for row, line in enumerate(lines))
    author = escape(record.author.split(",")[0])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 130">'
        f'<rect width="90" height="130" fill="{cloth}"/><rect width="5" height="130" fill="#000" fill-opacity="0.25"/>'
        f'<rect x="11" y="8" width="72" height="114" fill="none" stroke="{ink}" stroke-width="0.8"/>'
        f'<g fill="{ink}" text-anchor="middle" font-family="Georgia, serif" font-size="10.5">{words}</g>'
        f'<text x="47" y="114" fill="{ink}" text-anchor="middle" font-family="Georgia, serif" font-size="7"'
        f' textLength="{min(66, 4 * len(author))}" lengthAdjust="spacingAndGlyphs">{author}</text></svg>'
    ).encode()
