"""How long pictures are kept, and the job that keeps to it and leaves a record.

Originals are there so that a submitter can see what happened on the task. After :data:`ORIGINALS_KEPT` the masked
picture takes their place; after :data:`FRAMES_KEPT` no picture is left, and the row says so by its size of 0.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from battles.imagery.masks import LOOKED_AT, masked_image
from battles.lanes.frame_store import FrameStoreFull, delete_frame, read_frame, store_frame
from battles.models import Attempt, Frame
from governance.journal import record
from governance.redaction import EVERY_KIND

logger = logging.getLogger(__name__)

#: For so long a submitter sees the originals: long enough to look at a battle again, and for its last vote.
ORIGINALS_KEPT = timedelta(days=30)
#: For so long the masked pictures are kept, so that what was published can be checked.
FRAMES_KEPT = timedelta(days=730)

ACTOR = "system:retention"
ACTION = "battles:frames:retain"


@dataclass(frozen=True, slots=True)
class Retained:
    """Images of which only the masked picture is kept now, images deleted, and images that resisted."""

    masked: int
    deleted: int
    failed: int


def retain_frames(*, now: datetime | None = None) -> Retained:
    """Do what is due by now, image by image, and write one row to the journal, also when nothing was due."""
    now = now or timezone.now()
    deleted, unwilling = _each(_due(now - FRAMES_KEPT), _delete)
    masked, failed = _each(_due(now - ORIGINALS_KEPT, original_deleted_at=None), _keep_masked)
    retained = Retained(masked, deleted, failed + unwilling)
    record(
        actor=ACTOR,
        action=ACTION,
        subject=str(uuid.uuid4()),
        masked=masked,
        deleted=deleted,
        failed=retained.failed,
        originals_days=ORIGINALS_KEPT.days,
        frames_days=FRAMES_KEPT.days,
    )
    return retained


def _due(before: datetime, **state: None) -> list[str]:
    """Images of which every frame is older than that, and no race that could still show them runs."""
    frames = Frame.objects.filter(size__gt=0, **state).exclude(lane__attempt__outcome=Attempt.Outcome.RUNNING)
    newest = frames.values("sha256").annotate(newest=Max("taken_at"))
    return list(newest.filter(newest__lt=before).order_by("sha256").values_list("sha256", flat=True))


def _each(images: Iterable[str], act: Callable[[str], None]) -> tuple[int, int]:
    """How many were done, and how many the disk refused."""
    done = failed = 0
    for sha256 in images:
        try:
            act(sha256)
        except (OSError, FrameStoreFull):
            logger.warning("the retention of an image failed; the next run tries again")
            failed += 1
        else:
            done += 1
    return done, failed


@transaction.atomic
def _keep_masked(sha256: str) -> None:
    """Put what anybody may see in the place of an original; where that is the same, nothing was ever more."""
    frames = Frame.objects.select_for_update(no_key=True).filter(sha256=sha256, original_deleted_at=None)
    best = min(frames, key=lambda frame: frame.text_redaction not in LOOKED_AT, default=None)
    if best is None:
        return
    now = timezone.now()
    try:
        original = read_frame(sha256, best.mime)
        masked = masked_image(best, original, EVERY_KIND)
    except FileNotFoundError:
        frames.update(original_deleted_at=now)
        return
    except ValueError:
        _delete(sha256)
        return
    if masked == original:
        frames.update(original_deleted_at=now)
        return
    frames.update(sha256=store_frame(masked, best.mime), size=len(masked), original_deleted_at=now)
    transaction.on_commit(partial(_remove, sha256, best.mime))


@transaction.atomic
def _delete(sha256: str) -> None:
    frames = Frame.objects.filter(sha256=sha256)
    mimes = set(frames.values_list("mime", flat=True))
    frames.update(sha256="", size=0, text_boxes=[], picture_boxes=[])
    for mime in mimes:
        transaction.on_commit(partial(_remove, sha256, mime))


def _remove(sha256: str, mime: str) -> None:
    """Remove a file that no frame names; one that the disk keeps is left to the sweep."""
    if Frame.objects.filter(sha256=sha256).exists():
        return
    try:
        delete_frame(sha256, mime)
    except OSError:
        logger.warning("an image could not be deleted at once; the sweep tries again")
