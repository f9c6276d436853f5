"""Pictures of the shop's goods: one flat drawing a kind of thing, in the colour of the article."""

from __future__ import annotations

from pathlib import Path

from arena_site.practice.shop_catalogue import Product

_DRAWINGS_FILE = Path(__file__).parent / "data" / "shop_pictures.txt"
_PAPER = "#f4f1ea"
#: How much darker edges and shadows are than the article itself.
_SHADE = 0.72


def _read_drawings() -> dict[str, str]:
    lines = _DRAWINGS_FILE.read_text(encoding="utf-8").splitlines()
    return {name: drawing for name, _, drawing in (line.partition(": ") for line in lines)}


_DRAWINGS = _read_drawings()


def picture_of(product: Product) -> bytes:
    """The product as an SVG document, square, 120 units wide."""
    drawing = _DRAWINGS[product.picture].format(c=product.colour, d=_darker(product.colour), p=_PAPER)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120">'
        f'<rect width="120" height="120" fill="{_PAPER}"/>{drawing}</svg>'
    ).encode()


def _darker(colour: str) -> str:
    channels = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{int(channel * _SHADE):02x}" for channel in channels)
