"""Starting, watching and ending programs so that none is left behind.

A program started here leads its own session and gets a signal when its parent dies (``launch.py``), even when the
parent is killed with a signal it cannot handle. Linux ties that to the thread that started it: start programs from
a thread that lasts.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from governance.errors import ArenaError

LAUNCHER = Path(__file__).with_name("launch.py")

#: From ``linux/prctl.h``.
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
#: A program that has not said a word after this long will not.
ANSWER_SECONDS = 10.0
#: Short enough not to be felt, long enough not to burn a core.
POLL_SECONDS = 0.05
#: After SIGKILL only a process stuck in the kernel is still there.
KILL_SECONDS = 5.0
#: Logs are set aside at the next start when they are larger; one older file is kept.
LOG_BYTES = 10 * 1024 * 1024


class ServiceError(ArenaError):
    """A service cannot be started or reached; the message says what to change."""

    code = "service_unavailable"
    status = 503


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this system that programs can run as."""

    name: str
    uid: int
    gid: int


def lives(pid: int) -> bool:
    """Whether a process of this number is there, whosever it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def start(
    program: Sequence[str | Path],
    *,
    log: Path | None,
    at_parents_death: signal.Signals,
    account: Account | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process.

    Args:
        program: absolute path, then arguments.
        log: file that what it prints is added to; ``None`` prints to this process's own output.
        at_parents_death: what it is sent when this process is gone.
        account: whom it runs as; ``None`` is this process's own user.
        environment: its whole environment; ``None`` is this process's own.
        folder: where it runs; ``None`` is the root folder, which every account may enter.
    """
    identity = f"{account.uid}:{account.gid}" if account else "-"
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), str(int(at_parents_death)), identity]
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600) if log else None
    try:
        return subprocess.Popen(  # noqa: S603 - a list of words, no shell
            launcher + [str(word) for word in program],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if log else None,
            env=dict(environment) if environment is not None else None,
            cwd=folder or "/",
            # A session of its own: Ctrl-C in the terminal does not reach it, and its family can be ended as a group.
            start_new_session=True,
        )
    finally:
        if output is not None:
            os.close(output)


def end_with_parent(number: signal.Signals, parent: int) -> bool:
    """Ask the kernel to send this process a signal when its parent ends; false when ``parent`` has ended already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    return os.getppid() == parent


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that :func:`end_orphans` can find it."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_orphans(known: Collection[int]) -> None:
    """Kill the children of this process that are not ``known``, and collect them."""
    deadline = time.monotonic() + KILL_SECONDS
    # A killed orphan may leave children of its own, which are adopted in turn.
    while (orphans := [pid for pid in _children() if pid not in known]) and time.monotonic() < deadline:
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)
        time.sleep(POLL_SECONDS)
        for pid in orphans:
            os.waitpid(pid, os.WNOHANG)


def collect_zombies(known: Collection[int]) -> None:
    """Collect the status of children that have ended and are not ``known``: nobody else will ask for it."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in known:
            return
        os.waitpid(ended.si_pid, 0)


def _children() -> list[int]:
    """Process ids of this process's children, adopted ones and zombies included."""
    return [pid for pid in _process_ids() if _parent_of(pid) == os.getpid()]


def _process_ids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent_of(pid: int) -> int | None:
    """The parent's process id; ``None`` when the process is gone."""
    try:
        # After the name in brackets, which may hold anything: state, then the parent.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None


def answer(program: Sequence[str | Path], *, account: Account | None = None) -> tuple[int, str]:
    """Exit status of a short program and all it printed; status 124 when it took over ``ANSWER_SECONDS``."""
    identity = f"{account.uid}:{account.gid}" if account else "-"
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), str(int(signal.SIGKILL)), identity]
    try:
        done = subprocess.run(  # noqa: S603 - a list of words, no shell
            launcher + [str(word) for word in program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=ANSWER_SECONDS,
            cwd="/",
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, ""
    return done.returncode, done.stdout.decode(errors="replace")


def has_ended(running: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended. Leaves its status uncollected, so that its number and group stay its own."""
    if running.returncode is not None:
        return True
    return os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def end(running: subprocess.Popen[bytes], *asks: tuple[signal.Signals, float]) -> None:
    """Ask a program to end, ever less politely, then kill what is left of its group and collect its status.

    Args:
        running: from :func:`start`.
        asks: signals in order, each with the seconds it is given.
    """
    for number, seconds in asks:
        if has_ended(running):
            break
        running.send_signal(number)
        wait_until_ended(running, seconds)
    if running.returncode is None:
        # The uncollected leader keeps the group's number from being anybody else's.
        os.killpg(running.pid, signal.SIGKILL)
        running.wait(KILL_SECONDS)


def wait_until_ended(running: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait at most so long; true when the program has ended."""
    deadline = time.monotonic() + seconds
    while not has_ended(running):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def processes_in(folder: Path, executable: str) -> dict[int, int]:
    """Running processes of a program whose working folder is ``folder``: process id to parent's id.

    Args:
        folder: a real path; servers stay in their data folder for as long as they run.
        executable: the file name of the program, so that somebody's shell in that folder is not taken for it.
    """
    found: dict[int, int] = {}
    for pid in _process_ids():
        try:
            if os.readlink(f"/proc/{pid}/cwd") != str(folder):
                continue
            program = Path(os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")).name
        except OSError:
            continue
        parent = _parent_of(pid)
        if program.startswith(executable) and parent is not None:
            found[pid] = parent
    return found


def end_leftovers(folder: Path, executable: str, *asks: tuple[signal.Signals, float]) -> None:
    """End what an earlier run left running in a data folder; its first process is asked, all are killed at last.

    Raises:
        ServiceError: something is still running there.
    """
    for number, seconds in (*asks, (signal.SIGKILL, KILL_SECONDS)):
        left = processes_in(folder, executable)
        for pid, parent in left.items():
            if parent not in left or number == signal.SIGKILL:
                _send(pid, number)
        deadline = time.monotonic() + seconds
        while left and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            left = processes_in(folder, executable)
        if not left:
            return
    raise ServiceError(f"Processes {sorted(left)} still use {folder} and cannot be ended. End them and start again.")


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise ServiceError(f"Process {pid} of another user is in the way. End it and start again.") from error


def open_log(log: Path) -> Path:
    """Set a large log aside and return its path."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        os.replace(log, log.with_suffix(".log.1"))
    return log


def last_lines(log: Path, count: int = 12, *, since: int = 0) -> str:
    """The last lines of a log, written after byte ``since``; empty when there is none."""
    try:
        with log.open("rb") as file:
            file.seek(since)
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.rstrip().splitlines()[-count:])
