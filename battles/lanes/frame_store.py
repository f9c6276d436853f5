"""Where screenshots lie: one file per distinct image, named by its SHA-256, on a disk or in object storage."""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import cast

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from battles.lanes.ending_words import NOT_STORED
from battles.lanes.frame_files import WholeFileStorage
from governance.object_storage import ObjectStore

#: Encoded images the lanes produce, by type, with the ending of their files.
ENDINGS = {"image/webp": "webp", "image/jpeg": "jpg", "image/png": "png"}


class FrameStoreFull(Exception):
    """The image could not be written: the disk is full or not writable, or the object storage refused or is away."""


def frame_storage() -> WholeFileStorage | ObjectStore:
    return cast("WholeFileStorage | ObjectStore", storages["frames"])


def frame_name(sha256: str, mime: str) -> str:
    """Path of an image inside the store; two levels of folders keep each of them small."""
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}.{ENDINGS[mime]}"


def store_frame(image: bytes, mime: str) -> str:
    """Keep an image and return its SHA-256. Writing the same image twice keeps one file.

    Raises:
        FrameStoreFull: nothing was kept.
    """
    sha256 = hashlib.sha256(image).hexdigest()
    name = frame_name(sha256, mime)
    storage = frame_storage()
    try:
        if _size(name) != len(image):
            storage.save(name, ContentFile(image))
    except OSError as error:
        raise FrameStoreFull(f"{NOT_STORED}: {error.strerror or 'the disk refused it'}.") from error
    return sha256


def _size(name: str) -> int | None:
    """Bytes that lie under a name; None when nothing does. What was cut by a full disk is written again."""
    try:
        return int(frame_storage().size(name))
    except FileNotFoundError:
        return None


def read_frame(sha256: str, mime: str) -> bytes:
    """The image's bytes.

    Raises:
        FileNotFoundError: it is not (or no longer) in the store.
        OSError: the store does not answer; the image may be there still.
    """
    with frame_storage().open(frame_name(sha256, mime), "rb") as file:
        return bytes(file.read())


def stored_frames() -> Iterator[tuple[str, datetime]]:
    """Name and time of every file in the store, whatever it is called."""
    return frame_storage().files()


def delete_frame(sha256: str, mime: str) -> None:
    """Remove an image for good; one that is gone already is no error."""
    frame_storage().delete(frame_name(sha256, mime))
