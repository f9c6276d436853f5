"""Pictures of the museum's objects: a flat drawing of each kind of thing on tinted paper."""

from __future__ import annotations

from pathlib import Path

_DRAWINGS_FILE = Path(__file__).parent / "data" / "museum_pictures.txt"
_PAPER = "#fbf6ea"
_INK = "#23222e"
#: How much of an object's own colour is in the paper behind it.
_TINT = 0.16


def _read_drawings() -> dict[str, str]:
    lines = _DRAWINGS_FILE.read_text(encoding="utf-8").splitlines()
    return {name: drawing for name, _, drawing in (line.partition(": ") for line in lines)}


_DRAWINGS = _read_drawings()


def drawing_of(picture: str, colour: str) -> bytes:
    """The drawing called ``picture`` in ``colour`` ("#rrggbb") as an SVG document, 160 by 120 units."""
    drawing = _DRAWINGS[picture].format(c=colour, i=_INK, p=_PAPER)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 120">'
        f'<rect width="160" height="120" fill="{_PAPER}"/>'
        f'<rect width="160" height="120" fill="{colour}" fill-opacity="{_TINT}"/>{drawing}</svg>'
    ).encode()
