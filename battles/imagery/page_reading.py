"""What the words of a page say about the picture taken of it: one of four facts, and the boxes to mask."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from battles.lanes.events import FrameShot
from battles.models import Frame
from governance.redaction.pictures import Box, PictureReader

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    fact: str
    boxes: tuple[Box, ...] = ()


NOTHING_FOUND = Found(Frame.Redaction.NOT_EXAMINED)


def read_page(reader: PictureReader, shot: FrameShot) -> Found:
    """Run the detectors over what a page said of its picture. Boxes found stay even where the whole was too much."""
    if shot.page is None:
        return Found(Frame.Redaction.DETECTOR_FAILED)
    try:
        boxes = reader.boxes(shot.page, width=shot.width, height=shot.height)
    except Exception as error:
        # An exception's own words may quote the page.
        logger.error("the words of a page could not be read for personal details: %s", type(error).__name__)
        return Found(Frame.Redaction.DETECTOR_FAILED)
    if not shot.page.whole:
        return Found(Frame.Redaction.DETECTOR_FAILED, boxes)
    return Found(Frame.Redaction.MASKED if boxes else Frame.Redaction.CLEAN, boxes)
