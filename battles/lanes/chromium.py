"""Chromium for one lane: found, started behind the lane's egress proxy, and gone without a trace afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, Error, Playwright, async_playwright

from battles.lanes import chromium_launcher
from battles.lanes.egress import EgressProxy
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.processes import (
    children_of_this_thread,
    descendants,
    is_alive,
    kill_tree,
    kill_until_none,
    process_status,
    processes_naming,
)
from battles.lanes.runtime_dir import BrowserUser, browser_user, check_runtime_dir

T = TypeVar("T")

#: Names an executable of the operator's choice.
CHROMIUM_VARIABLE = "ARENA_CHROMIUM"

#: Where distributions put the browser behind their own wrapper, whose added flags and extensions a lane does not want.
BINARIES = (
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib64/chromium/chromium",
    "/opt/google/chrome/chrome",
)

#: Commands tried when none of these exists.
COMMANDS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

#: Package managers and how each installs a Chromium.
INSTALL_LINES = {
    "apt-get": "apt-get install -y chromium fonts-liberation libatomic1",
    "dnf": "dnf install -y chromium liberation-fonts libatomic",
    "pacman": "pacman -S --noconfirm chromium ttf-liberation",
    "apk": "apk add chromium font-liberation",
    "zypper": "zypper install -y chromium liberation-fonts",
}

#: Seconds to start the driver and the browser, and to close each before it is killed.
LAUNCH_SECONDS = 60.0
CLOSE_SECONDS = 5.0

#: Seconds for the first page's process to be in its sandbox (it is nearly always by then), and between two looks.
SANDBOX_SECONDS = 3.0
LOOK_SECONDS = 0.05

#: How often a browser must end of itself in its sandbox before it is tried without.
SANDBOX_TRIES = 2

#: Seconds for the driver to say why a browser ended; how it says that somebody else ended it, and what is said for it.
LAST_WORDS_SECONDS = 1.0
KILLED = "signal=SIGKILL"
GONE = "The browser was gone before its first page was there, and its driver did not say why."

#: Disk a browser may use for its cache, in bytes; single files are bounded by the launcher.
DISK_CACHE_BYTES = 64 << 20

#: Free bytes of /dev/shm below which Chromium is told to use files instead (its renderers crash when it fills up).
MIN_SHARED_MEMORY = 1 << 30

#: What a browser's home holds.
FOLDERS = ("profile", "downloads", "uploads", "artifacts", "tmp")

#: Lines of its last words that a failed launch is reported with.
REASON_LINES = 4

#: One locale and time zone for every lane.
LOCALE = "en-US"
TIME_ZONE = "UTC"

#: What makes Chromium send everything through the proxy (each one measured), and what keeps it from
#: asking for things of its own.
EGRESS_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    # Chromium has known both spellings; it ignores the one it does not know.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
)
QUIET_ARGUMENTS = (
    "--no-first-run",
    "--disable-external-intent-requests",
    "--noerrdialogs",
    f"--lang={LOCALE}",
    f"--disk-cache-size={DISK_CACHE_BYTES}",
)


#: A profile starts with these. A PDF comes as a download, whose text is read, and not in a viewer that shows it to
#: agents that see and to no others.
PREFERENCES = {"plugins": {"always_open_pdf_externally": True}}


class NoChromium(Exception):
    """No browser to be found; the message says how to install one here."""


class LaunchFailed(Exception):
    """Chromium is there and did not start; the message is the driver's."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """What the machine allowed, measured on the running browser, for the record and the operators."""

    sandboxed: bool
    isolated_network: bool


@dataclass(slots=True)
class Launched:
    """A running browser. ``downloads`` and ``uploads`` are folders that both it and this process can use."""

    context: BrowserContext
    facts: LaunchFacts
    downloads: Path
    uploads: Path
    pid: int
    _pids: list[int] = field(repr=False)

    def kill(self) -> None:
        """Kill the browser, its driver and all they started, now and without asking."""
        kill_tree(self._pids)


def find_chromium() -> Path:
    """The browser to use: ``ARENA_CHROMIUM``, else the system's, else Playwright's own.

    Raises:
        NoChromium: there is none, or ``ARENA_CHROMIUM`` names no executable file.
    """
    chosen = os.environ.get(CHROMIUM_VARIABLE)
    if chosen:
        if not os.access(chosen, os.X_OK) or not os.path.isfile(chosen):
            raise NoChromium(f"{CHROMIUM_VARIABLE}={chosen} is not an executable file.")
        return Path(chosen)
    candidates: list[str | Path | None] = [*BINARIES, *(shutil.which(name) for name in COMMANDS), *_playwrights_own()]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK) and not _is_snap(Path(candidate)):
            return Path(candidate)
    raise NoChromium(f"There is no Chromium on this machine. Install one: {install_line()}")


def install_line() -> str:
    """The command that installs a Chromium on this machine."""
    manager = next((name for name in INSTALL_LINES if shutil.which(name)), None)
    own = f"{shlex.quote(sys.executable)} -m playwright install --with-deps chromium"
    return INSTALL_LINES[manager] if manager else own


@asynccontextmanager
async def chromium_for_lane(proxy: EgressProxy, runtime_dir: Path, *, isolate: bool = True) -> AsyncIterator[Launched]:
    """A browser with a fresh profile whose every connection goes through ``proxy``.

    On the way out the browser, its driver and its files are gone, in bounded time and whatever happened.

    Args:
        proxy: entered already, in this thread. Other processes that the thread starts inside the block end with it.
        runtime_dir: see :func:`battles.lanes.runtime_dir.check_runtime_dir`; what is made in it is removed.
        isolate: false leaves the network namespace out, to see what the flags alone are worth.

    Raises:
        NoChromium: nothing to start.
        LaunchFailed: it did not start, with its sandbox or without.
        RuntimeDirUnusable: the folder will not do.
    """
    check_runtime_dir(runtime_dir)
    executable = find_chromium()
    place = Place(runtime_dir, executable, browser_user(), isolate)
    earlier = children_of_this_thread()
    pids: list[int] = []
    playwright = None
    try:
        playwright = await _start_driver()
        pids += children_of_this_thread() - earlier
        yield await _launch(playwright, proxy, place, pids)
    finally:
        try:
            if playwright is not None:
                with contextlib.suppress(OSError, Error):
                    await asyncio.wait_for(playwright.stop(), CLOSE_SECONDS)
        finally:
            kill_tree({*pids, *(children_of_this_thread() - earlier)})
            kill_until_none(lambda: processes_naming(place.home))
            place.clear()


@dataclass(frozen=True, slots=True)
class Place:
    """The files of one browser in a lane's runtime folder.

    ``home`` and all below belong to the browser's user. The launch script and the mount point do not: the
    driver runs them as root.
    """

    runtime_dir: Path
    executable: Path
    user: BrowserUser | None
    isolate: bool

    @property
    def home(self) -> Path:
        return self.runtime_dir / "browser"

    @property
    def script(self) -> Path:
        return self.runtime_dir / "launch"

    @property
    def mount(self) -> Path | None:
        """Where the browser's own folder is shown to its user, when that user may not go there."""
        closed = self.user is not None and not self.user.may_enter(self.executable.parent)
        return self.runtime_dir / "chromium" if closed else None

    def prepare(self, proxy: EgressProxy) -> None:
        """Make everything anew: an empty profile and the script that stands in for the browser."""
        self.clear()
        for folder in (self.home, *(self.home / name for name in FOLDERS)):
            folder.mkdir(mode=0o700)
            if self.user is not None:
                os.chown(folder, self.user.uid, self.user.gid)
        preferences = self.home / "profile" / "Default" / "Preferences"
        preferences.parent.mkdir(mode=0o700)
        preferences.write_text(json.dumps(PREFERENCES), encoding="utf-8")
        if self.user is not None:
            for made in (preferences.parent, preferences):
                os.chown(made, self.user.uid, self.user.gid)
        if self.mount is not None:
            self.mount.mkdir()
        config = {
            "control": str(proxy.socket_path),
            "port": proxy.port,
            "executable": str(self.executable.resolve()),
            "uid": self.user.uid if self.user else None,
            "gid": self.user.gid if self.user else None,
            "home": str(self.home),
            "mount": str(self.mount) if self.mount else None,
            "isolate": self.isolate,
        }
        command = [sys.executable, "-I", "-S", chromium_launcher.__file__, json.dumps(config)]
        self.script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
        self.script.chmod(0o700)

    def clear(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.script.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            (self.runtime_dir / "chromium").rmdir()


async def _start_driver() -> Playwright:
    try:
        return await _bounded(async_playwright().start())
    except LaunchFailed:
        raise
    except Exception as lost:
        # Of no class of its own where the driver ends while it starts.
        raise LaunchFailed(f"The driver of the browser did not start: {lost}") from lost


async def _launch(playwright: Playwright, proxy: EgressProxy, place: Place, pids: list[int]) -> Launched:
    """Start the browser in its sandbox; without one only where it ended in there of itself, and again.

    A browser that somebody killed says nothing about what the machine allows.
    """
    failures: list[Error] = []
    for sandbox in (*repeat(True, SANDBOX_TRIES), False):
        if not sandbox and any(map(_may_have_been_killed, failures)):
            break
        place.prepare(proxy)
        try:
            context = await _bounded(_while_alive(_start_browser(playwright, proxy, place, sandbox), proxy))
        except Error as error:
            failures.append(error)
            proxy.forget_launches()
            # Processes of one that is gone may go on for a moment, and write into what the next one starts with.
            kill_until_none(lambda: processes_naming(place.home))
            continue
        launch = await proxy.launched(CLOSE_SECONDS)
        pid = int(launch["pid"])
        pids += [pid, int(launch["parent"])]
        facts = LaunchFacts(
            sandboxed=sandbox and await _sandboxed_soon(pid),
            isolated_network=bool(launch["isolated"]) and only_loopback(pid),
        )
        return Launched(context, facts, place.home / "downloads", place.home / "uploads", pid, pids)
    raise LaunchFailed(f"{place.executable} did not start: {_reason(failures[0])}") from failures[0]


async def _while_alive(starting: Coroutine[Any, Any, BrowserContext], proxy: EgressProxy) -> BrowserContext:
    """Wait for the first page while there is a browser: the driver does so for ever, or gives one that is gone.

    Raises:
        Error: what the driver says, or that the browser is gone.
    """

    async def gone() -> None:
        pid = 0
        # The word of an earlier start may come late; then there is another one after it.
        while pid != (pid := int((await proxy.launched(LAUNCH_SECONDS))["pid"])):
            while is_alive(pid):
                await asyncio.sleep(LOOK_SECONDS)
            # Mostly the driver notices, and knows what the browser said.
            await asyncio.sleep(LAST_WORDS_SECONDS)

    start, end = asyncio.ensure_future(starting), asyncio.ensure_future(gone())
    try:
        await asyncio.wait({start, end}, return_when=asyncio.FIRST_COMPLETED)
        if not start.done() or not start.result().pages:
            raise Error(GONE)
        return start.result()
    finally:
        for each in (start, end):
            each.cancel()
        await asyncio.wait({start, end})


def _may_have_been_killed(failure: Error) -> bool:
    return any(words in str(failure) for words in (KILLED, GONE))


async def _start_browser(playwright: Playwright, proxy: EgressProxy, place: Place, sandbox: bool) -> BrowserContext:
    return await playwright.chromium.launch_persistent_context(
        place.home / "profile",
        executable_path=place.script,
        chromium_sandbox=sandbox,
        headless=True,
        proxy={"server": f"http://127.0.0.1:{proxy.port}", "bypass": "<-loopback>"},
        args=[*EGRESS_ARGUMENTS, *QUIET_ARGUMENTS, f"--user-agent={user_agent(place.executable)}"],
        ignore_default_args=["--disable-dev-shm-usage"] if _ample_shared_memory() else None,
        env=_environment(place.home),
        downloads_path=place.home / "downloads",
        artifacts_dir=place.home / "artifacts",
        accept_downloads=True,
        viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
        device_scale_factor=1,
        locale=LOCALE,
        timezone_id=TIME_ZONE,
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
        timeout=LAUNCH_SECONDS * 1000,
    )


def _reason(failure: Error) -> str:
    """What the browser said on its way down, without the driver's page of arguments."""
    lines = str(failure).splitlines()
    said = dict.fromkeys(line.partition("[err]")[2].strip() for line in lines if "[err]" in line)
    return " ".join(list(said)[-REASON_LINES:]) or lines[0]


async def _bounded(step: Coroutine[Any, Any, T]) -> T:
    try:
        return await asyncio.wait_for(step, LAUNCH_SECONDS)
    except TimeoutError as late:
        raise LaunchFailed(f"The browser or its driver did not start in {LAUNCH_SECONDS:.0f} seconds.") from late


def _environment(home: Path) -> dict[str, str | float | bool]:
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": TIME_ZONE,
    }


@functools.lru_cache(maxsize=4)
def user_agent(executable: Path) -> str:
    """What every lane says it is: Chrome on Linux in the executable's major version, reduced as Chrome itself does.

    Raises:
        LaunchFailed: the executable cannot even be asked for its version.
    """
    command = [str(executable), "--version"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=LAUNCH_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as problem:
        raise LaunchFailed(f"{executable} cannot be run: {problem}") from problem
    numbers = [word for word in told.stdout.split() if word[:1].isdigit()]
    major = numbers[0].split(".")[0] if numbers else "0"
    return f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36"


def is_sandboxed(pid: int) -> bool:
    """Whether a process of the browser ``pid`` runs in a PID namespace of its own and under a seccomp filter."""
    own_depth = len(process_status(pid).get("NSpid", "").split())
    for child in descendants([pid]):
        status = process_status(child)
        if status.get("Seccomp") == "2" and len(status.get("NSpid", "").split()) > own_depth:
            return True
    return False


async def _sandboxed_soon(pid: int) -> bool:
    """The same, given time: the first page may be there before its process has locked itself in."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SANDBOX_SECONDS):
            while not is_sandboxed(pid):
                await asyncio.sleep(LOOK_SECONDS)
    return is_sandboxed(pid)


def only_loopback(pid: int) -> bool:
    """Whether loopback is the only network interface that the process ``pid`` has."""
    try:
        with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
            return {line.split(":")[0].strip() for line in file if ":" in line} == {"lo"}
    except OSError:
        return False


def _ample_shared_memory() -> bool:
    try:
        return shutil.disk_usage("/dev/shm").free >= MIN_SHARED_MEMORY  # noqa: S108  (only measured)
    except OSError:
        return False


def _playwrights_own() -> Iterable[Path]:
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    cache = Path(chosen) if chosen and chosen != "0" else Path.home() / ".cache" / "ms-playwright"
    return sorted(cache.glob("chromium-*/chrome-linux*/chrome"), reverse=True)


def _is_snap(executable: Path) -> bool:
    # A snap's own confinement forbids both the pipe we talk through and the namespace.
    if "/snap/" in str(executable.resolve()):
        return True
    with executable.open("rb") as file:
        beginning = file.read(4096)
    return beginning.startswith(b"#!") and b"/snap/" in beginning
