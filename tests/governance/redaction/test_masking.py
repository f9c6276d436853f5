"""Masked pictures: what is under a box is gone, and so is everything that is no pixel."""

import io

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from governance.redaction.masking import FORMATS, PAINT, coarse_picture, mask_picture
from governance.redaction.pictures import Box

BOX = Box(20, 10, 60, 20, "e-mail")


def _picture(mime: str, **options) -> bytes:
    picture = Image.new("RGB", (120, 80), (200, 30, 30))
    picture.paste((20, 200, 20), (25, 12, 70, 26))
    encoded = io.BytesIO()
    picture.save(encoded, FORMATS[mime], **options)
    return encoded.getvalue()


def _opened(image: bytes) -> Image.Image:
    return Image.open(io.BytesIO(image)).convert("RGB")


@pytest.mark.parametrize("mime", FORMATS)
def test_nothing_of_what_was_under_a_box_is_left_and_the_rest_is(mime: str):
    masked = _opened(mask_picture(_picture(mime), [BOX], mime))
    under = masked.crop((BOX.x, BOX.y, BOX.x + BOX.width, BOX.y + BOX.height))
    colours = [colour for _, colour in under.getcolors(BOX.width * BOX.height)]
    assert not any(green > red + 60 and green > blue + 60 for red, green, blue in colours)
    assert all(abs(one - other) < 12 for one, other in zip(masked.getpixel((21, 11)), PAINT, strict=True))
    assert all(abs(one - other) < 12 for one, other in zip(masked.getpixel((110, 70)), (200, 30, 30), strict=True))


@pytest.mark.parametrize("mime", FORMATS)
def test_the_same_picture_and_boxes_give_the_same_bytes_in_any_order(mime: str):
    other = Box(0, 0, 30, 30, "card")
    assert mask_picture(_picture(mime), [BOX, other], mime) == mask_picture(_picture(mime), [other, BOX], mime)


def test_metadata_goes_with_or_without_boxes():
    exif = Image.Exif()
    exif[0x010E] = "taken by inga.holm@example.org"
    jpeg = _picture("image/jpeg", exif=exif, comment=b"from inga.holm@example.org")
    text = PngInfo()
    text.add_text("Author", "inga.holm@example.org")
    png = _picture("image/png", pnginfo=text)
    for image, mime in ((jpeg, "image/jpeg"), (png, "image/png")):
        assert b"inga.holm" in image
        for boxes in ([], [BOX]):
            assert b"inga.holm" not in mask_picture(image, boxes, mime)


def test_a_coarse_picture_keeps_the_layout_and_no_stroke():
    picture = Image.new("RGB", (240, 240), (255, 255, 255))
    for x in range(0, 240, 4):
        picture.paste((0, 0, 0), (x, 0, x + 2, 120))
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    coarse = _opened(coarse_picture(encoded.getvalue(), "image/png"))
    assert coarse.size == (240, 240)
    assert len(coarse.crop((0, 0, 240, 110)).getcolors(1000) or ()) <= 3
    assert coarse.getpixel((5, 230)) == (255, 255, 255)


def test_what_is_no_picture_is_not_shown_as_one():
    for image in (b"", b"inga.holm@example.org", _picture("image/png")[:40]):
        with pytest.raises(ValueError, match="no picture"):
            mask_picture(image, [BOX], "image/png")
