"""Who a lane's browser runs as, and the short folder in which its sockets and profile live.

Started by root, the browser runs as an unprivileged user, so that it keeps its sandbox; it then needs a folder
which that user may enter, and the checkout or a deep temporary folder is often none. Unix sockets add a limit of
their own: their path must fit 108 bytes. Modes and owners of folders above our own are never changed.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from battles.lanes.processes import kill_until_none, processes_naming

#: Overrides the user that browsers run as when the arena is run by root.
USER_VARIABLE = "ARENA_CHROMIUM_USER"
DEFAULT_USER = "nobody"

#: What ``nobody`` is where no such name exists: the kernel's overflow user.
OVERFLOW_ID = 65534

#: Longest folder that leaves room for ``/browser/tmp/org.chromium.Chromium.abcdef/SingletonSocket`` in the 108 bytes
#: of a socket's path.
MAX_RUNTIME_DIR_BYTES = 48

#: What the folders of lanes are called, so that those of dead workers can be found.
PREFIX = "arena-lane-"

#: Where a runtime folder is made, first to last, when the first is too deep or closed to the browser's user.
PARENTS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  (folders of ours inside are made by mkdtemp)


class RuntimeDirUnusable(Exception):
    """No folder that the browser's user may enter; the message names what was tried."""


@dataclass(frozen=True, slots=True)
class BrowserUser:
    """The unprivileged user that browsers run as when the arena is run by root."""

    uid: int
    gid: int

    def may_enter(self, folder: Path) -> bool:
        """Whether mode bits let this user pass through ``folder`` and all above it."""
        return all(self._may_search(ancestor.stat()) for ancestor in (folder.resolve(), *folder.resolve().parents))

    def _may_search(self, facts: os.stat_result) -> bool:
        if facts.st_uid == self.uid:
            return bool(facts.st_mode & stat.S_IXUSR)
        if facts.st_gid == self.gid:
            return bool(facts.st_mode & stat.S_IXGRP)
        return bool(facts.st_mode & stat.S_IXOTH)


def browser_user() -> BrowserUser | None:
    """The user to become, or ``None`` when browsers run as this process does.

    That is so when it is not root, and in a container that maps no other user than its root.

    Raises:
        RuntimeDirUnusable: ``ARENA_CHROMIUM_USER`` names nobody on this machine, or root.
    """
    if os.geteuid() != 0:
        return None
    name = os.environ.get(USER_VARIABLE) or DEFAULT_USER
    try:
        entry = pwd.getpwnam(name)
        user = BrowserUser(entry.pw_uid, entry.pw_gid)
    except KeyError:
        if name != DEFAULT_USER:
            raise RuntimeDirUnusable(f"{USER_VARIABLE}={name}: there is no such user on this machine.") from None
        user = BrowserUser(OVERFLOW_ID, OVERFLOW_ID)
    if user.uid == 0:
        raise RuntimeDirUnusable(f"{USER_VARIABLE}={name}: browsers must not run as root; name another user.")
    return user if _mapped("uid", user.uid) and _mapped("gid", user.gid) else None


def _mapped(kind: str, number: int) -> bool:
    """Whether this process's user namespace knows a user or group of that number (``user_namespaces(7)``)."""
    with open(f"/proc/self/{kind}_map", encoding="ascii") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    return any(first <= number < first + length for first, _, length in ranges)


def check_runtime_dir(folder: Path) -> None:
    """See that sockets fit into ``folder`` and that the browser's user may enter it.

    Raises:
        RuntimeDirUnusable: saying which of the two it is.
    """
    if len(os.fsencode(folder)) > MAX_RUNTIME_DIR_BYTES:
        raise RuntimeDirUnusable(f"{folder} is too deep for sockets: at most {MAX_RUNTIME_DIR_BYTES} bytes.")
    user = browser_user()
    if user is not None and not user.may_enter(folder):
        raise RuntimeDirUnusable(f"{folder} or a folder above it is closed to user {user.uid}, whom browsers run as.")


@contextmanager
def lane_runtime_dir() -> Iterator[Path]:
    """A new folder that :func:`check_runtime_dir` accepts; removed with everything in it on the way out.

    Folders of lanes whose process died are swept on the way in, with the browsers that may still use them.

    Raises:
        RuntimeDirUnusable: every place tried is too deep or closed.
    """
    sweep_runtime_dirs()
    folder, lock = _make_locked_dir()
    try:
        yield folder
    finally:
        kill_until_none(lambda: processes_naming(folder))
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep_runtime_dirs() -> list[Path]:
    """Remove what lanes of killed workers left behind; returns the folders removed.

    A living lane holds a lock on its folder, which the kernel lets go when its process ends in any way.
    """
    swept = []
    for parent in _parents():
        for folder in sorted(Path(parent).glob(f"{PREFIX}*")):
            lock = _try_lock(folder)
            if lock is None:
                continue
            kill_until_none(lambda folder=folder: processes_naming(folder))  # type: ignore[misc]  # a bound default
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            swept.append(folder)
    return swept


def _make_locked_dir() -> tuple[Path, int]:
    tried = ["No temporary folder can be written."]
    for parent in _parents():
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        lock = _try_lock(folder)
        if lock is None:
            # A sweeper came between the two lines above and has removed it.
            return _make_locked_dir()
        try:
            folder.chmod(0o711)
            check_runtime_dir(folder)
        except RuntimeDirUnusable as problem:
            tried.append(str(problem))
            folder.rmdir()
            os.close(lock)
            continue
        return folder, lock
    raise RuntimeDirUnusable(" ".join(tried[1:] or tried))


def _try_lock(folder: Path) -> int | None:
    """Lock a folder of our own; ``None`` when it is another user's, locked or gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        facts, now = os.fstat(descriptor), folder.stat()
        if facts.st_uid == os.geteuid() and facts.st_ino == now.st_ino:
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _parents() -> list[str]:
    candidates = dict.fromkeys((tempfile.gettempdir(), *PARENTS))
    return [parent for parent in candidates if os.access(parent, os.R_OK | os.W_OK | os.X_OK)]
