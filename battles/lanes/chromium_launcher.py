"""Becomes Chromium, in a network namespace whose only way out is the lane's egress proxy.

Run as a script by Playwright in place of the browser: ``python -I -S chromium_launcher.py CONFIG CHROMIUM-ARGUMENTS``,
with CONFIG a JSON object: ``control`` (the proxy's Unix socket), ``port``, ``executable``, ``uid`` and ``gid`` (null
when not started by root), ``home``, ``mount`` (a folder to show the browser's own folder at, or null), ``isolate``
(false to try the flags alone). Standard library only, and nothing is imported after the change of user, who may not be
able to read Python.

The way out is a listening socket opened inside the namespace and handed to the proxy, which serves it from
outside. There is no other socket, route or interface in there, so a flag that Chromium ignores reaches
nothing. Where the kernel refuses namespaces the browser starts on its flags alone, and the proxy is told so.
"""

from __future__ import annotations

import array  # noqa: F401  (``socket.send_fds`` imports it late)
import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x1, 0x20, 0x1000, 0x4000, 0x40000
SIOCSIFFLAGS = 0x8914
IFF_UP_AND_RUNNING = 0x41

#: Seconds the proxy may take to take over the listening socket.
CONTROL_SECONDS = 20.0

#: Connections that may wait for the proxy; Chromium opens at most 32 per proxy.
BACKLOG = 128

#: Largest file a lane's browser may write (profile, cache, downloads), in bytes.
MAX_FILE_BYTES = 1 << 30

#: Most memory that one process of a lane's browser may write to, in bytes. A page that was let run took 5 GB within
#: 30 seconds; ordinary ones stay below 1.
MAX_DATA_BYTES = 3 << 30

#: Threads and processes of the unprivileged user over all lanes. One browser has some hundred.
MAX_THREADS = 8192

#: Exit status when there was no browser to become, or no proxy to be behind.
EXIT_NOT_STARTED = 71

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones.

    Raises:
        OSError: the kernel refuses.
    """
    if _libc.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def enter_user_namespace(uid: int, gid: int) -> None:
    """A user and network namespace in which this user keeps its own number: Chromium refuses its sandbox to a root.

    Raises:
        OSError: the kernel refuses.
    """
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    for name, text in (
        ("setgroups", b"deny"),
        ("uid_map", b"%d %d 1" % (uid, uid)),
        ("gid_map", b"%d %d 1" % (gid, gid)),
    ):
        # Bytes, because a text file would import its codec.
        with open(f"/proc/self/{name}", "wb", buffering=0) as file:
            file.write(text)


def bring_loopback_up() -> None:
    """Start ``lo``, the only interface of a new network namespace.

    Raises:
        OSError: without the right to do so.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP_AND_RUNNING))


def become(uid: int, gid: int) -> None:
    """Give up root for good.

    Raises:
        OSError: without the right to do so.
    """
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    # Or this process could not write the maps of a user namespace of its own.
    _libc.prctl(PR_SET_DUMPABLE, 1)


def show_at(folder: str, target: str) -> None:
    """Show ``folder`` read-only at ``target``, to this process and what it becomes alone.

    Raises:
        OSError: the kernel refuses.
    """
    unshare(CLONE_NEWNS)
    mount(None, "/", MS_REC | MS_PRIVATE)
    mount(folder, target, MS_BIND)
    mount(None, target, MS_REMOUNT | MS_BIND | MS_RDONLY)


def show_closed(executable: str, target: str) -> str:
    """Where the unprivileged user finds a browser that is installed where only root may go.

    Raises:
        OSError: the kernel refuses; the text says what to do instead.
    """
    folder, name = os.path.split(executable)
    try:
        show_at(folder, target)
    except OSError as refused:
        raise OSError(
            f"{folder} is closed to the user that browsers run as. Install Chromium where everybody may read it "
            "(Playwright's own: set PLAYWRIGHT_BROWSERS_PATH), or name another one in ARENA_CHROMIUM."
        ) from refused
    return os.path.join(target, name)


def mount(source: str | None, target: str, flags: int) -> None:
    """mount(2).

    Raises:
        OSError: the kernel refuses.
    """
    encoded = None if source is None else os.fsencode(source)
    if _libc.mount(encoded, os.fsencode(target), None, ctypes.c_ulong(flags), None) != 0:
        raise OSError(ctypes.get_errno(), f"mount {target}")


def works_in_child(attempt: Callable[[], None]) -> bool:
    """Whether ``attempt`` succeeds, found out in a child so that half a success changes nothing here."""
    child = os.fork()
    if child == 0:
        try:
            attempt()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def listen_inside(port: int) -> socket.socket:
    """The listening socket of the namespace this process is in; loopback is brought up for it.

    Raises:
        OSError: loopback cannot be brought up.
    """
    bring_loopback_up()
    listener = socket.socket()
    listener.bind(("127.0.0.1", port))
    listener.listen(BACKLOG)
    return listener


def isolate(config: dict[str, Any]) -> socket.socket | None:
    """Enter a network namespace and become the unprivileged user; ``None`` when the kernel refuses the namespace.

    Root makes the namespace first and changes the user after; where root may not (a container), the
    unprivileged user tries for itself, as when not started by root.
    """
    uid, gid = config["uid"], config["gid"]
    listener = None
    if config["isolate"] and os.geteuid() == 0:
        with contextlib.suppress(OSError):
            unshare(CLONE_NEWNET)
            listener = listen_inside(config["port"])
    if uid is not None:
        become(uid, gid)
    if listener is None and config["isolate"] and os.geteuid() != 0:
        listener = isolate_as_user(config["port"])
    return listener


def isolate_as_user(port: int) -> socket.socket | None:
    """The same without root, by a user namespace; tried in a child first, because half a success cannot be undone."""
    uid, gid = os.geteuid(), os.getegid()

    def attempt() -> None:
        enter_user_namespace(uid, gid)
        bring_loopback_up()

    if not works_in_child(attempt):
        return None
    attempt()
    return listen_inside(port)


def hand_over(control: socket.socket, listener: socket.socket | None) -> None:
    """Give the proxy the listening socket, or ask it for its port on the machine's own loopback.

    Raises:
        OSError: the proxy does not answer.
    """
    facts = {"pid": os.getpid(), "parent": os.getppid(), "isolated": listener is not None}
    message = json.dumps(facts).encode()
    if listener is None:
        control.sendall(message)
    else:
        socket.send_fds(control, [message], [listener.fileno()])
        listener.close()
    if control.recv(2) != b"ok":
        raise OSError("the egress proxy did not take over")


def limit_resources(dropped: bool) -> None:
    """Bound what one browser can take from the machine; no core files."""
    bound(resource.RLIMIT_CORE, 0)
    bound(resource.RLIMIT_DATA, MAX_DATA_BYTES)
    bound(resource.RLIMIT_FSIZE, MAX_FILE_BYTES)
    # A write beyond the limit must fail, not kill.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if dropped:
        bound(resource.RLIMIT_NPROC, MAX_THREADS)


def bound(limit: int, most: int) -> None:
    """Lower a limit to ``most``, unless the machine's own is lower already."""
    hard = resource.getrlimit(limit)[1]
    lower = most if hard == resource.RLIM_INFINITY else min(hard, most)
    resource.setrlimit(limit, (lower, lower))


def become_chromium(config: dict[str, Any], arguments: list[str]) -> None:
    """Isolate, hand over, limit, and turn into the browser; returns never.

    Raises:
        OSError: the browser cannot be started, or not behind the proxy.
    """
    parent = os.getppid()
    executable = config["executable"]
    if config["mount"] is not None:
        executable = show_closed(executable, config["mount"])
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(CONTROL_SECONDS)
        control.connect(config["control"])
        hand_over(control, isolate(config))
    limit_resources(dropped=config["uid"] is not None)
    os.umask(0o077)
    os.chdir(config["home"])
    # Processes that lose their parent stay below the browser, where they are found and killed with it.
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    # After the change of user, which would clear it.
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise OSError("its driver is gone")
    os.execv(executable, [executable, *arguments])  # noqa: S606  (no shell is the point)


def main() -> None:
    try:
        become_chromium(json.loads(sys.argv[1]), sys.argv[2:])
    except OSError as problem:
        sys.stderr.write(f"The browser was not started: {problem}\n")
        sys.exit(EXIT_NOT_STARTED)


if __name__ == "__main__":
    main()
