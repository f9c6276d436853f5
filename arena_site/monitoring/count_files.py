"""What one process counted, in a file that is read with those of the others of its host: written, never mapped.

The library maps its files into memory, and a disk that has no room for a page of such a map ends the process that
touches it with a signal. Here the counts are in memory and a copy of them in the file: a refused write is a copy that
is late, and the next one brings it up to date. The form of the file is the library's, whose own reader reads it.

A file stays when its process has ended, so that sums do not go back before it is forgotten.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import secrets
import struct
import sys
import time
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from prometheus_client import values
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from arena_site.services.processes import lives

logger = logging.getLogger(__name__)

#: After a refusal the file is left alone for so long: a disk without room may take its time to say so.
PATIENCE_SECONDS = 1.0
#: What an ended process counted goes when nobody has written it for so long.
ENDED_KEPT_SECONDS = 7 * 24 * 3600.0
#: Whoever else has an account on this host may not read what is counted here.
FILE_MODE = 0o600
#: The first bytes of a file say how much of it is counts; a count has a time behind it.
HEAD_BYTES, COUNT_BYTES = 8, 16
#: What our metrics and their labels are called, and more than anybody counts.
NAME, TOO_MANY = re.compile("[a-z_]+"), 2.0**53


class CountFile(MmapedDict):
    """The counts of this process, with a copy in a file from the first on. A copy that cannot be written is late.

    The name has a random part behind the number of the process: numbers come again, in containers that share a folder
    even at the same time, and two that write one file would damage it.
    """

    def __init__(self, filename: str) -> None:
        self._m: Any = bytearray(struct.pack("i4x", HEAD_BYTES))
        self._used = HEAD_BYTES
        # The library asks for more room than this before it lets its file grow; ours grows by itself.
        self._capacity = sys.maxsize
        self._positions: dict[str, int] = {}
        self._path = filename.removesuffix(".db") + f"_{secrets.token_hex(8)}.db"
        self._file: int | None = None
        self._behind = True
        self._due = 0.0

    def _init_value(self, key: str) -> None:
        super()._init_value(key)  # type: ignore[no-untyped-call]
        self._behind = True

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
        if time.monotonic() < self._due:
            return
        place = self._positions[key]
        # The head last: until then the counts of before are what the file says.
        parts = [(HEAD_BYTES, self._used), (0, HEAD_BYTES)] if self._behind else [(place, place + COUNT_BYTES)]
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
            for start, end in parts:
                if os.pwrite(self._file, self._m[start:end], start) < end - start:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as refusal:
            if not self._due:
                logger.warning("counts of this process cannot be written and will be late: %s", refusal.strerror)
            self._behind, self._due = True, time.monotonic() + PATIENCE_SECONDS
        else:
            self._behind, self._due = False, 0.0

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def keep_in_written_files() -> None:
    """Have the library keep what processes count together in these files. Called before the first is counted."""
    values.MmapedDict = CountFile  # type: ignore[attr-defined, assignment]


class CountedTogether(Collector):
    """What all processes of this host counted; a file in ``folder`` that cannot be read is left out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        metrics: dict[str, Metric] = {}
        for file in _files(self._folder):
            for metric, name, labels, about, value in _read(file):
                if metric not in metrics:
                    metrics[metric] = Metric(metric, about, file.name.partition("_")[0])
                metrics[metric].add_sample(name, labels, value)
        yield from MultiProcessCollector._accumulate_metrics(metrics, accumulate=True)  # type: ignore[no-untyped-call]


def _read(file: Path) -> list[tuple[Any, ...]]:
    try:
        # Nobody has written an empty one yet.
        found = MmapedDict.read_all_values_from_file(file) if file.stat().st_size else ()  # type: ignore[no-untyped-call]
        counts = [(*_read_key(key), value) for key, value, *_ in found]
        if not all(0 <= value < TOO_MANY for *_, value in counts):
            raise ValueError("no count")
    except Exception as problem:
        # Any bytes may be in there, and what they make of a reader cannot be listed.
        _say_left_out(file, type(problem).__name__)
        return []
    return counts


@lru_cache(maxsize=4096)
def _read_key(key: str) -> tuple[Any, ...]:
    metric, name, labels, about = json.loads(key)
    named = all(NAME.fullmatch(word) for word in (metric, name, *labels))
    if not named or not all(text.isprintable() for text in (about, *labels.values())):
        raise ValueError("no key of ours")
    float(labels.get("le", 0))
    return metric, name, tuple(sorted(labels.items())), about


@cache
def _say_left_out(file: Path, problem: str) -> None:
    """Once for each file: figures are asked for every few seconds."""
    logger.warning("counts cannot be read and are left out: %s: %s", file.name, problem)


def forget_ended_processes(folder: Path) -> None:
    """Delete what processes counted that ended long ago; nobody's start is hindered when that fails."""
    for file in _files(folder):
        number = file.stem.split("_")[1]
        try:
            old = time.time() - file.stat().st_mtime > ENDED_KEPT_SECONDS
            if old and not (number.isdecimal() and lives(int(number))):
                file.unlink()
        except (OSError, OverflowError, ValueError) as problem:
            logger.warning("counts cannot be deleted: %s: %s", file.name, type(problem).__name__)


def _files(folder: Path) -> list[Path]:
    try:
        return [file for kind in ("counter", "histogram") for file in folder.glob(f"{kind}_*.db")]
    except OSError:
        return []
