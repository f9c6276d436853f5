"""Process trees by ``/proc``: who descends from whom, who belongs to a folder, and ending all of them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

#: Seconds to wait for killed processes to be gone, and between two looks.
GONE_SECONDS = 3.0
LOOK_SECONDS = 0.02


def process_status(pid: int) -> dict[str, str]:
    """The fields of ``/proc/PID/status``; empty when there is no such process."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            pairs = [line.partition(":") for line in file]
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in pairs}


def is_alive(pid: int) -> bool:
    """Whether ``pid`` still runs; a zombie does not."""
    return not process_status(pid).get("State", "Z").startswith("Z")


def children_of_this_thread() -> set[int]:
    """Processes that the calling thread has started and that have not been waited for.

    Empty on a kernel that does not tell (``CONFIG_PROC_CHILDREN``).
    """
    try:
        with open(f"/proc/self/task/{threading.get_native_id()}/children", encoding="ascii") as file:
            return {int(pid) for pid in file.read().split()}
    except OSError:
        return set()


def descendants(roots: Iterable[int]) -> list[int]:
    """Every living process below ``roots``, nearest first; the roots are not among them."""
    children: dict[int, list[int]] = defaultdict(list)
    for pid in _all_processes():
        status = process_status(pid)
        if status and not status["State"].startswith("Z"):
            children[int(status["PPid"])].append(pid)
    known = set(roots)
    found: list[int] = []
    level = list(known)
    while level:
        level = [child for parent in level for child in children[parent] if child not in known]
        known.update(level)
        found += level
    return found


def processes_naming(folder: Path) -> list[int]:
    """Living processes with ``folder`` in their command line, as every process of a browser has its profile's."""
    mark = os.fsencode(folder) + b"/"
    found = []
    for pid in _all_processes():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            if mark in file.read() and pid != os.getpid():
                found.append(pid)
    return found


def kill_tree(roots: Iterable[int]) -> list[int]:
    """Kill the given processes and everything below them, in bounded time; returns what is still alive.

    The roots are stopped first and killed last: nothing new is started, and whatever loses its parent
    meanwhile falls to a root that adopts (``PR_SET_CHILD_SUBREAPER``) and is found there.
    """
    own = [pid for pid in dict.fromkeys(roots) if is_alive(pid)]
    for pid in own:
        _send(pid, signal.SIGSTOP)
    left = kill_until_none(lambda: descendants(own))
    return left + kill_until_none(lambda: [pid for pid in own if is_alive(pid)])


def kill_until_none(find: Callable[[], list[int]]) -> list[int]:
    """Kill what ``find`` finds, again and again until it finds nothing or the time is up; returns what is left."""
    deadline = time.monotonic() + GONE_SECONDS
    while (left := find()) and time.monotonic() < deadline:
        for pid in left:
            _send(pid, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)
    return left


def _all_processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _send(pid: int, which: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, which)
