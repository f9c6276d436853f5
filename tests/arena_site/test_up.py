"""`manage.py up` brings the whole arena up, mends it, and takes all of it down again.

There is no Chromium here: what lanes do is tested elsewhere, and a battle that cannot start is still one to look after.
"""

import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena_site.environment import CHECKOUT
from arena_site.services import processes
from tests.arena_site.services.conftest import environment_with, wait_until
from tests.arena_site.services.test_processes import lives
from tests.arena_site.test_supervisor import free_port
from tests.conftest import remove_data

#: A machine that also runs other tests takes its time to migrate.
UP_SECONDS = 120.0
RECOVERY_SECONDS = 60.0
#: What the supervisor runs, by a word of its command line that no other part has.
PARTS = {
    "web": "granian",
    "lanes": "lanes@%h",
    "default": "default@%h",
    "beat": "beat",
    "database": "unix_socket_directories",
    "broker": "valkey-server",
}


class Arena:
    """A supervisor with its whole family, in a data folder of its own."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.data = data
        self.environment = {"ARENA_CHROMIUM": "/bin/false", **environment}
        self.port = free_port()
        self.process = self.start(self.port)

    def start(self, port: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port)],
            cwd=CHECKOUT,
            env={**environment_with(self.data), **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def first_words(self) -> str:
        said = ""
        while "Ringside is at" not in said:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        return said

    def status(self, path: str = "/") -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def family(self) -> dict[int, str]:
        """Descendants of the supervisor: process id to command line."""
        parents = {pid: processes._parent_of(pid) for pid in processes._process_ids()}
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return {pid: command_line(pid) for pid in found - {self.process.pid}}

    def part(self, name: str) -> int | None:
        """The process that the supervisor started for a part."""
        for pid, words in self.family().items():
            if processes._parent_of(pid) == self.process.pid and PARTS[name] in words and lives(pid):
                return pid
        return None

    def is_whole(self) -> bool:
        return all(self.part(name) for name in PARTS) and self.status() == http.client.OK


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ringside-test-"))
    folder.chmod(0o711)
    yield folder
    remove_data(folder / "data")
    shutil.rmtree(folder)


@pytest.fixture
def arena(folder: Path) -> Iterator[Arena]:
    arena = Arena(folder / "data")
    yield arena
    family = arena.family()
    arena.process.kill()
    arena.process.communicate()
    for pid in family:
        wait_until(lambda pid=pid: not lives(pid), 20)


def test_it_comes_up_with_nothing_to_configure_and_goes_down_whole(arena):
    said = arena.first_words()
    assert re.search(rf"Ringside is at http://127.0.0.1:{arena.port}/", said)
    assert arena.status() == http.client.OK
    assert set(PARTS) == {name for name in PARTS if arena.part(name)}

    taken = arena.start(arena.port)
    assert f"Port {arena.port} is taken" in taken.communicate(timeout=60)[0]
    assert taken.returncode == 1
    second = arena.start(free_port())
    assert f"runs already: http://127.0.0.1:{arena.port}" in second.communicate(timeout=60)[0]
    assert second.returncode == 1

    family = arena.family()
    arena.process.send_signal(signal.SIGTERM)
    assert arena.process.communicate(timeout=90)[0].endswith("Stopped.\n")
    assert arena.process.returncode == 0
    assert not [words for pid, words in family.items() if lives(pid)]


def test_each_part_that_is_killed_comes_back_and_nothing_outlives_the_supervisor(arena):
    arena.first_words()
    wait_until(arena.is_whole, UP_SECONDS)
    for name in PARTS:
        killed = arena.part(name)
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda name=name, killed=killed: arena.part(name) not in {None, killed}, RECOVERY_SECONDS)
    wait_until(arena.is_whole, RECOVERY_SECONDS)

    family = arena.family()
    arena.process.kill()
    arena.process.wait()
    wait_until(lambda: not [words for pid, words in family.items() if lives(pid)], 30)
