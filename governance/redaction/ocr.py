"""Reading the words drawn in a picture, by ``rapidocr``, whose models come in its wheel: no network, seconds of CPU.

It is an extra (``requirements-ocr.txt``), so that an arena which exports no frames does not carry it.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from governance.errors import ArenaError
from governance.redaction.pictures import Box, PageWords, PictureReader, Rectangle, Word

LIBRARY = "rapidocr"

_SETTINGS: dict[str, Any] = {
    "Global.log_level": "critical",
    # Screenshots stand upright.
    "Global.use_cls": False,
    # One core is left to whoever judges meanwhile.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class OcrMissing(ArenaError):
    """The extra is not installed: pictures stay unexamined."""

    code = "ocr_not_installed"


def ocr_is_installed() -> bool:
    return importlib.util.find_spec(LIBRARY) is not None


class PictureOcr:
    """Reads pictures one after the other. It holds its models, some 400 MB, for as long as it lives.

    Raises:
        OcrMissing: the extra is not installed.
    """

    def __init__(self) -> None:
        if not ocr_is_installed():
            raise OcrMissing(
                "Pictures cannot be read: the extra for it is missing. "
                "Install it with: pip install -r requirements-ocr.txt"
            )
        from rapidocr import RapidOCR  # noqa: PLC0415  # an extra, and slow to import

        self._engine: Any = RapidOCR(params=_SETTINGS)

    def lines(self, image: bytes) -> tuple[Word, ...]:
        """The lines of text in an encoded picture, from top to bottom, each with the upright box around it.

        Raises:
            Exception: whatever the library makes of bytes that are no picture.
        """
        read = self._engine(image)
        if read.boxes is None or read.txts is None:
            return ()
        return tuple(Word(text, (_upright(corners),)) for corners, text in zip(read.boxes, read.txts, strict=True))

    def boxes(self, image: bytes, *, width: int, height: int) -> tuple[Box, ...]:
        """The boxes of lines that hold something personal. Raises as :meth:`lines`."""
        return PictureReader().boxes(PageWords(words=self.lines(image)), width=width, height=height)


def _upright(corners: Any) -> Rectangle:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return Rectangle(min(across), min(down), max(across) - min(across), max(down) - min(down))
