"""What one process counted, in a file that the others of its host add to theirs: written, never mapped.

The library maps its files into memory, and a disk that has no room for a page of such a map ends the process that
touches it with a signal. Here the counts are in memory and a copy of them in the file: a refused write is a copy that
is late, and the next one brings it up to date. The form of the file is the library's, whose own reader adds them up.

A process holds a lock on its file for as long as it lives. What a process left that has ended is added to one file for
all of them, so that sums never go back.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from prometheus_client import values
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

#: After a refusal the file is left alone for so long: a disk without room may take its time to say so.
PATIENCE_SECONDS = 1.0
#: Whoever else has an account on this host may not read what is counted here.
FILE_MODE = 0o600
#: The first bytes of a file say how much of it is counts.
HEAD_BYTES = 8
NOTHING = struct.pack("i4x", HEAD_BYTES)
#: A count and the time that the library keeps with it.
VALUE_BYTES = 16
#: The kinds of what is counted, as the library begins the names of files with them.
KINDS = ("counter", "histogram")


class Counts(MmapedDict):
    """Counts by their keys, in the library's form, in memory alone."""

    def __init__(self, found: bytes = b"") -> None:
        self._m: Any = bytearray(found or NOTHING)
        # The library asks for more room than this before it lets its file grow; ours grows by itself.
        self._capacity = sys.maxsize
        self._used = len(self._m)
        self._positions = {key: place for key, _, _, place in self._read_all_values()}  # type: ignore[no-untyped-call]

    @property
    def image(self) -> bytes:
        return bytes(self._m)

    def add(self, other: Counts) -> None:
        for key, value, _ in other.read_all_values():  # type: ignore[no-untyped-call]
            before, _ = self.read_value(key)  # type: ignore[no-untyped-call]
            self.write_value(key, before + value, 0.0)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """There is nothing to close."""


class CountFile(Counts):
    """The counts of this process, with a copy in a file. A copy that cannot be written is late, and nothing else.

    Args:
        filename: made from the number of this process. Its own gets a random part: numbers come again.
    """

    def __init__(self, filename: str) -> None:
        super().__init__()
        named = Path(filename)
        self._path = named.with_stem(f"{named.stem}_{secrets.token_hex(8)}")
        self._file: int | None = None
        self._behind = True
        self._due = 0.0

    def _init_value(self, key: str) -> None:
        start = self._used
        super()._init_value(key)  # type: ignore[no-untyped-call]
        # The head last: until then the counts of before are what the file says.
        self._keep((start, self._used), (0, HEAD_BYTES))

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
        place = self._positions[key]
        self._keep((place, place + VALUE_BYTES))

    def _keep(self, *parts: tuple[int, int]) -> None:
        """Write parts of the image, from one byte to another; all of it when an earlier part could not be written."""
        if self._behind and time.monotonic() < self._due:
            return
        try:
            if self._file is None:
                self._file = _open_for_itself(self._path)
            for start, end in ((HEAD_BYTES, self._used), (0, HEAD_BYTES)) if self._behind else parts:
                self._write(self._file, start, end)
        except OSError as refusal:
            if not self._due:
                logger.warning("counts of this process cannot be written and will be late: %s", refusal.strerror)
            self._behind, self._due = True, time.monotonic() + PATIENCE_SECONDS
        else:
            self._behind, self._due = False, 0.0

    def _write(self, file: int, start: int, end: int) -> None:
        while start < end:
            start += os.pwrite(file, self._m[start:end], start)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _open_for_itself(path: Path) -> int:
    """The file, locked for this process.

    Raises:
        OSError: it cannot be made, or somebody adding up took it for one that an ended process left.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(file).st_nlink:
            raise BlockingIOError(0, "its file was taken away")
    except OSError:
        os.close(file)
        raise
    return file


def whole_counts(data: bytes) -> bytes:
    """The part of a file that holds counts; nothing where it was never finished."""
    used = int.from_bytes(data[:4], sys.byteorder, signed=True)
    return data[:used] if HEAD_BYTES <= used <= len(data) else b""


def keep_in_written_files() -> None:
    """Have the library keep what processes count together in these files. Called before the first is counted."""
    values.MmapedDict = CountFile  # type: ignore[attr-defined, assignment]


class CountedTogether(Collector):
    """What all processes of this host counted, those that have ended too.

    Args:
        folder: where their files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        with _turn(self._folder):
            for kind in KINDS:
                _add_up_ended(self._folder, kind)
            files = [str(file) for file in self._folder.glob("*.db") if file.stat().st_size >= HEAD_BYTES]
            found = list(MultiProcessCollector.merge(files))  # type: ignore[no-untyped-call]
        yield from found


def add_up_ended_processes(folder: Path) -> None:
    """Put what ended processes counted into one file a kind, and delete theirs."""
    with _turn(folder):
        for kind in KINDS:
            _add_up_ended(folder, kind)


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One process at a time reads or adds up; those that count go on meanwhile."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _add_up_ended(folder: Path, kind: str) -> None:
    total = folder / f"{kind}_ended.db"
    with ExitStack() as held:
        ended = [file for file in folder.glob(f"{kind}_*.db") if file != total and _has_ended(file, held)]
        if not ended:
            return
        counts = Counts(whole_counts(total.read_bytes()) if total.exists() else b"")
        for file in ended:
            counts.add(Counts(whole_counts(file.read_bytes())))
        draft = total.with_suffix(".new")
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE), "wb") as out:
                out.write(counts.image)
        except OSError:
            # There is no room: theirs stay as they are, and are read as they are.
            draft.unlink(missing_ok=True)
            return
        os.replace(draft, total)
        for file in ended:
            file.unlink()


def _has_ended(file: Path, held: ExitStack) -> bool:
    """Whether nobody counts in a file; if so nobody will until ``held`` is over."""
    lock = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    held.callback(os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
