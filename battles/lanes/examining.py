"""What a page and its frames say of a picture for its masks, put together (``in_page/examining.js`` says it)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.foreign_frames import ForeignFrame
from governance.redaction.pictures import Field, PageWords, Rectangle, Word

#: Px by which two measurements of the same frame may differ.
SAME_PLACE = 3

Examined = tuple[ForeignFrame | None, dict[str, Any]]


def page_words(examined: Sequence[Examined]) -> PageWords:
    """The words and fields of the view; the page's own first, then those of frames of other origins, in their place.

    What holds a document that nobody looked into is told as unread, so that it can be masked whole.
    """
    entered = [_content(frame) for frame, _ in examined if frame is not None]
    closed = [box for frame, said in examined for box in _placed_all(said["closed"], frame)]
    return PageWords(
        words=tuple(word for frame, said in examined for word in _words(said["words"], frame)),
        fields=tuple(field for frame, said in examined for field in _fields(said["fields"], frame)),
        unread=tuple(box for box in closed if not any(_same_place(box, other) for other in entered)),
        whole=not any(said["cut"] for _, said in examined),
    )


def _words(said: Iterable[Sequence[Any]], frame: ForeignFrame | None) -> Iterator[Word]:
    for text, *boxes in said:
        placed = tuple(_placed_all(boxes, frame))
        if placed:
            yield Word(str(text), placed)


def _fields(said: Iterable[Sequence[Any]], frame: ForeignFrame | None) -> Iterator[Field]:
    for box, kind, autocomplete, says, value in said:
        for placed in _placed_all([box], frame):
            yield Field(placed, str(kind), str(autocomplete), tuple(map(str, says)), str(value))


def _placed_all(boxes: Iterable[Sequence[float]], frame: ForeignFrame | None) -> Iterator[Rectangle]:
    """Boxes moved to where their frame lies, as far as it shows them."""
    shows = _content(frame) if frame else Rectangle(0, 0, VIEWPORT_WIDTH, VIEWPORT_HEIGHT)
    for x, y, width, height in boxes:
        left, top = max(x + (frame.x if frame else 0), shows.x), max(y + (frame.y if frame else 0), shows.y)
        right = min(x + (frame.x if frame else 0) + width, shows.x + shows.width)
        bottom = min(y + (frame.y if frame else 0) + height, shows.y + shows.height)
        if right > left and bottom > top:
            yield Rectangle(left, top, right - left, bottom - top)


def _content(frame: ForeignFrame) -> Rectangle:
    return Rectangle(frame.x, frame.y, frame.width, frame.height)


def _same_place(closed: Rectangle, entered: Rectangle) -> bool:
    """Whether a closed box, which is cut at the edge of the view, is what was entered."""
    cut = next(_placed_all([entered], None), None)
    return cut is not None and all(abs(one - other) <= SAME_PLACE for one, other in zip(closed, cut, strict=True))
