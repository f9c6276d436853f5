"""A disk so small that it fills up, in a folder of the test's."""

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILLER = "filler"
_libc = ctypes.CDLL(None, use_errno=True)


def why_not(folder: Path) -> str:
    """Why no disk can be mounted there; nothing when it can."""
    folder.mkdir(exist_ok=True)
    if _libc.mount(b"ringside-test", os.fsencode(folder), b"tmpfs", 0, b"size=64k") != 0:
        return f"a small disk cannot be mounted here: {os.strerror(ctypes.get_errno())}"
    _libc.umount2(os.fsencode(folder), 0)
    return ""


@contextmanager
def small_disk(folder: Path, *, kilobytes: int) -> Iterator[Path]:
    """``folder`` with so much room, and everything in it gone at the end."""
    folder.mkdir(exist_ok=True)
    words = f"size={kilobytes}k,mode=0711".encode()
    if _libc.mount(b"ringside-test", os.fsencode(folder), b"tmpfs", 0, words) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    try:
        yield folder
    finally:
        # Lazily: whoever still has a file open in there keeps nobody from going on.
        _libc.umount2(os.fsencode(folder), 2)


def fill(folder: Path, *, leave: int = 0) -> None:
    """Take all room but so many bytes."""
    free = shutil.disk_usage(folder).free - leave
    with (folder / FILLER).open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(free, 1))


def make_room(folder: Path) -> None:
    (folder / FILLER).unlink()
