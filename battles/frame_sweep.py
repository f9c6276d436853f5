"""Images that no frame names any more: of broken attempts and of withdrawals the disk refused at the time."""

import logging
from datetime import timedelta
from pathlib import PurePosixPath

from django.utils import timezone

from battles.lanes.frame_store import frame_storage, stored_frames
from battles.models import Frame

logger = logging.getLogger(__name__)

#: A recorder stores an image a moment before the row that names it; ten minutes are many such moments.
YOUNGEST = timedelta(minutes=10)


def sweep_frames() -> int:
    """Delete every file in the frame store that no frame names; returns how many. What fails is tried next time."""
    before = timezone.now() - YOUNGEST
    try:
        old = [name for name, at in stored_frames() if at < before]
    except FileNotFoundError:
        # Another sweep was quicker with a file of the list.
        return 0
    except OSError as problem:
        logger.warning("the images cannot be listed, so none is swept: %s", problem.strerror)
        return 0
    swept = 0
    for name in old:
        if Frame.objects.filter(sha256=PurePosixPath(name).stem).exists():
            continue
        try:
            frame_storage().delete(name)
        except OSError:
            logger.warning("an image that no frame names could not be deleted; it is tried again")
        else:
            swept += 1
    return swept
