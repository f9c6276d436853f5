"""The second detector: words drawn in pictures, read for frames that wait for export. Never while anybody races.

A picture is read once, however many frames show it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

from battles.imagery.masks import LOOKED_AT
from battles.lanes.frame_store import read_frame
from battles.models import Attempt, Battle, Frame
from governance.redaction.ocr import PictureOcr, ocr_is_installed

logger = logging.getLogger(__name__)

#: Seconds for which one run reads; the rest waits for the next, so that votes and refits get their turn.
RUN_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class PicturesRead:
    """Images read in one run, those of them on which the detector failed, and those that wait still."""

    read: int
    failed: int
    waiting: int


def awaiting_frames() -> Iterator[Frame]:
    """One frame of each image that no picture detector has seen and an export could take, the oldest battles first.

    Those that the page could not be asked about come before all others: judges see them only coarsely until then.
    """
    waiting = (
        Frame.objects.filter(
            picture_redaction=Frame.Redaction.NOT_EXAMINED,
            size__gt=0,
            lane__attempt__outcome=Attempt.Outcome.FINISHED,
            lane__attempt__battle__kind__in=[Battle.Kind.LIVE, Battle.Kind.PRACTICE],
        )
        .exclude(lane__attempt__battle__state=Battle.State.VOID)
        .order_by("sha256")
        .distinct("sha256")
    )
    return iter(sorted(waiting, key=lambda frame: (frame.text_redaction in LOOKED_AT, frame.taken_at)))


def read_pictures(*, seconds: float = RUN_SECONDS) -> PicturesRead:
    """Read images that wait, for about so long, and stop when a race begins.

    Without the extra nothing is read, and the facts stay as they are.
    """
    waiting = list(awaiting_frames())
    if not waiting or not ocr_is_installed() or _somebody_races():
        return PicturesRead(0, 0, len(waiting))
    ocr = PictureOcr()
    until = time.monotonic() + seconds
    read = failed = 0
    for frame in waiting:
        if time.monotonic() > until or _somebody_races():
            break
        try:
            fact = _read(ocr, frame)
        except OSError as problem:
            logger.warning("pictures wait, since their store does not answer: %s", problem.strerror)
            break
        read += 1
        failed += fact == Frame.Redaction.DETECTOR_FAILED
    return PicturesRead(read, failed, len(waiting) - read)


def _somebody_races() -> bool:
    """Whether browsers run that a busy core would slow."""
    return Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).exists()


def _read(ocr: PictureOcr, frame: Frame) -> str:
    """Read one image and write down on every frame that shows it what came of it.

    Raises:
        OSError: the store does not answer, which says nothing about the picture.
    """
    same = Frame.objects.filter(sha256=frame.sha256)
    known = same.filter(picture_redaction__in=LOOKED_AT).first()
    if known is not None:
        fact, boxes = known.picture_redaction, known.picture_boxes
    else:
        fact, boxes = _examined(ocr, frame)
    same.update(picture_redaction=fact, picture_boxes=boxes)
    return fact


def _examined(ocr: PictureOcr, frame: Frame) -> tuple[str, list[list[int | str]]]:
    try:
        image = read_frame(frame.sha256, frame.mime)
    except FileNotFoundError:
        return Frame.Redaction.DETECTOR_FAILED, []
    try:
        found = ocr.boxes(image, width=frame.width, height=frame.height)
    except Exception as error:
        # The library raises whatever it likes, and its words may quote the picture.
        logger.error("a picture could not be read for personal details: %s", type(error).__name__)
        return Frame.Redaction.DETECTOR_FAILED, []
    return (Frame.Redaction.MASKED if found else Frame.Redaction.CLEAN), [list(box) for box in found]
