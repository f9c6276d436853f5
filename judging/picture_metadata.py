"""What an image file says besides its pixels: chunks of PNG, WebP and JPEG files that are no part of the picture."""

import struct
from collections.abc import Iterator

#: Chunks that are the picture, or how it is coded; all others can carry words.
PNG_PICTURE = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD", b"pHYs"}
WEBP_PICTURE = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
#: JPEG segments without a length: restart markers, start and end of the image.
JPEG_BARE = {*range(0xD0, 0xDA), 0x01}
JPEG_SCAN = 0xDA
JPEG_COMMENT = 0xFE
JPEG_APPLICATION = range(0xE0, 0xF0)
#: The segment that says only how dense the pixels are.
JFIF = b"JFIF\x00"


def metadata_of(image: bytes) -> bytes:
    """Everything in an image that is not picture, one after the other; a file of another type is metadata whole."""
    if image.startswith(PNG_MAGIC):
        return b"\n".join(_png(image))
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return b"\n".join(_webp(image))
    if image[:2] == b"\xff\xd8":
        return b"\n".join(_jpeg(image))
    return image


def _png(image: bytes) -> Iterator[bytes]:
    at = len(PNG_MAGIC)
    while at + 8 <= len(image):
        size, kind = struct.unpack(">I4s", image[at : at + 8])
        if kind not in PNG_PICTURE:
            yield kind + image[at + 8 : at + 8 + size]
        at += 12 + size
        if kind == b"IEND":
            yield image[at:]
            return


def _webp(image: bytes) -> Iterator[bytes]:
    end = 8 + struct.unpack("<I", image[4:8])[0]
    at = 12
    while at + 8 <= end:
        kind, size = struct.unpack("<4sI", image[at : at + 8])
        if kind not in WEBP_PICTURE:
            yield kind + image[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    yield image[end:]


def _jpeg(image: bytes) -> Iterator[bytes]:
    at = 2
    while at + 4 <= len(image) and image[at] == 0xFF:
        marker = image[at + 1]
        if marker in JPEG_BARE:
            at += 2
            continue
        size = struct.unpack(">H", image[at + 2 : at + 4])[0]
        inside = image[at + 4 : at + 2 + size]
        if marker == JPEG_COMMENT or (marker in JPEG_APPLICATION and not inside.startswith(JFIF)):
            yield inside
        at += 2 + size
        if marker == JPEG_SCAN:
            break
    yield image[image.rfind(b"\xff\xd9") + 2 :] if b"\xff\xd9" in image else b""
