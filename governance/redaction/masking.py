"""Masked pictures: boxes painted over, everything but the pixels left behind. The same input gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFont, UnidentifiedImageError

from governance.redaction.pictures import Box

FORMATS = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP"}
"""Types of picture that can be masked, with the encoder of each."""

PAINT, INK = (38, 44, 56), (236, 239, 244)

JPEG_QUALITY = 88
"""Above that of a lane's own pictures, so that what is encoded a second time stays as legible."""

COARSE = 24
"""Px of the picture to one square of a coarse one: no letter below a headline can be made out."""

_LABEL_SIZE = 10


def mask_picture(image: bytes, boxes: Iterable[Box], mime: str) -> bytes:
    """The picture with each box painted over and labelled with its kind, without any metadata.

    Args:
        image: encoded bytes of a type in :data:`FORMATS`.
        boxes: in px of the picture; none: only the metadata goes.
        mime: its type, which the answer has as well.

    Raises:
        ValueError: it is no picture that can be read; nothing of it may be shown.
    """
    picture = _pixels(image)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(_LABEL_SIZE)
    # Large boxes first, so that a label in a small one stays readable.
    for box in sorted(boxes, key=lambda each: (-each.width * each.height, each)):
        draw.rectangle((box.x, box.y, box.x + box.width - 1, box.y + box.height - 1), fill=PAINT)
        if draw.textlength(box.kind, font=font) + 4 <= box.width and box.height >= _LABEL_SIZE + 2:
            draw.text((box.x + 3, box.y + box.height / 2), box.kind, fill=INK, font=font, anchor="lm")
    return _encoded(picture, mime)


def coarse_picture(image: bytes, mime: str) -> bytes:
    """The picture in squares of :data:`COARSE` px: its layout can be seen, its words cannot. Raises as above."""
    picture = _pixels(image)
    small = picture.resize((max(1, picture.width // COARSE), max(1, picture.height // COARSE)), Image.Resampling.BOX)
    return _encoded(small.resize(picture.size, Image.Resampling.NEAREST), mime)


def _pixels(image: bytes) -> Image.Image:
    try:
        with Image.open(io.BytesIO(image)) as opened:
            picture = Image.new("RGB", opened.size)
            picture.paste(opened.convert("RGB"))
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, SyntaxError) as error:
        raise ValueError("This is no picture that can be read.") from error
    return picture


def _encoded(picture: Image.Image, mime: str) -> bytes:
    encoded = io.BytesIO()
    options = {
        "JPEG": {"quality": JPEG_QUALITY, "subsampling": 0},
        "WEBP": {"quality": JPEG_QUALITY, "method": 4},
        "PNG": {},
    }[FORMATS[mime]]
    picture.save(encoded, FORMATS[mime], **options)
    return encoded.getvalue()
