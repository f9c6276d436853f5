"""What is shown of a frame: the original to whoever submitted the task, a masked picture to everybody else.

One image can be shown by many frames, and each may have been examined at a better or a worse moment; so the mask of
an image is the union of what was found in any of them. Judges see names and postal addresses (``redacted_texts``).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import dataclass

from django.utils.crypto import salted_hmac

from battles.lanes.frame_store import read_frame
from battles.models import Frame, Task
from battles.redacted_texts import HIDDEN_FROM_JUDGES
from governance.errors import ArenaError
from governance.models import Judge
from governance.redaction import EVERY_KIND, Kind
from governance.redaction.masking import coarse_picture, mask_picture
from governance.redaction.pictures import UNREAD, Box

logger = logging.getLogger(__name__)

LOOKED_AT = frozenset({Frame.Redaction.MASKED.value, Frame.Redaction.CLEAN.value})
"""The facts that say a detector has read the frame."""


class NotExamined(ArenaError):
    """A detector has not read the frame, so its picture stays in the building."""

    code = "frame_not_examined"


class PictureAway(ArenaError):
    """The store of pictures does not answer right now."""

    code = "picture_away"
    status = 503

    def __init__(self) -> None:
        super().__init__("The pictures cannot be reached right now. Nothing is lost; please reload in a minute.")


def sees_originals(task: Task, viewer: Judge | None) -> bool:
    """Whether this viewer is shown what was recorded: the task's submitter, and nobody else."""
    return viewer is not None and task.judge_id is not None and task.judge_id == viewer.pk


@dataclass(frozen=True, slots=True)
class Look:
    """How a frame is shown to one viewer right now: in coarse squares, with boxes masked, or as it is kept."""

    coarse: bool = False
    boxes: tuple[Box, ...] = ()


AS_KEPT = Look()


def look_of(frame: Frame, *, original: bool) -> Look:
    """How a frame is shown. It changes: once a detector has read the picture, and with every frame of the same picture.

    Args:
        original: whether the viewer :func:`sees_originals`.
    """
    if original or frame.original_deleted_at is not None:
        return AS_KEPT
    return _masked(frame, HIDDEN_FROM_JUDGES)


def look_tag(frame: Frame, look: Look) -> str:
    """A short text that is another one as soon as the picture or its mask is; it tells neither."""
    boxes = [(box.x, box.y, box.width, box.height, box.kind) for box in look.boxes]
    said = json.dumps([frame.sha256, frame.mime, look.coarse, boxes])
    return salted_hmac("battles.imagery.masks.look_tag", said, algorithm="sha256").hexdigest()[:32]


def shown_image(frame: Frame, *, original: bool) -> bytes:
    """What :func:`image_in` gives for :func:`look_of`, of which the arguments and the refusals are."""
    return image_in(frame, look_of(frame, original=original))


def image_in(frame: Frame, look: Look) -> bytes:
    """The bytes of a frame's picture, of the frame's own type.

    A picture that no detector has read is shown in coarse squares only.

    Raises:
        FileNotFoundError: the store has it no more.
        PictureAway: the store does not answer.
        ValueError: it is no picture that can be masked.
    """
    try:
        image = read_frame(frame.sha256, frame.mime)
    except FileNotFoundError:
        raise
    except OSError as error:
        logger.warning("a picture cannot be shown: %s", error.strerror)
        raise PictureAway from error
    return _drawn(image, frame.mime, look)


def exported_image(frame: Frame) -> bytes:
    """The bytes that may leave the building, of the frame's own type: everything found is masked, metadata is gone.

    Raises:
        NotExamined: one of the two detectors has not read it.
        FileNotFoundError: the store has it no more.
        ValueError: it is no picture that can be masked.
    """
    if {frame.text_redaction, frame.picture_redaction} - LOOKED_AT:
        raise NotExamined("This frame has not been read by both detectors of personal details, so it is not exported.")
    return mask_picture(read_frame(frame.sha256, frame.mime), boxes_of_image(frame.sha256), frame.mime)


def masked_image(frame: Frame, image: bytes, kinds: Collection[Kind]) -> bytes:
    """``image`` with the boxes of ``kinds`` masked. Raises ValueError as :func:`image_in`."""
    return _drawn(image, frame.mime, _masked(frame, kinds))


def _masked(frame: Frame, kinds: Collection[Kind]) -> Look:
    if frame.text_redaction not in LOOKED_AT and frame.picture_redaction not in LOOKED_AT:
        return Look(coarse=True)
    return Look(boxes=boxes_of_image(frame.sha256, kinds))


def _drawn(image: bytes, mime: str, look: Look) -> bytes:
    if look.coarse:
        return coarse_picture(image, mime)
    return mask_picture(image, look.boxes, mime) if look.boxes else image


def boxes_of_image(sha256: str, kinds: Collection[Kind] = EVERY_KIND) -> tuple[Box, ...]:
    """What any frame that shows this image found in it, of these kinds and of what nobody could look into."""
    hidden = {UNREAD, *(kind.value for kind in kinds)}
    # Many frames show the blank page, and most say the same of it.
    showing = Frame.objects.filter(sha256=sha256).order_by().values_list("text_boxes", "picture_boxes").distinct()
    found = (Box(*box) for both in showing for boxes in both for box in boxes)
    return tuple(sorted({box for box in found if box.kind in hidden}))
