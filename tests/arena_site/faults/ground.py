"""An arena that is watched from outside: by its processes, its database and its files, and never by its own code."""

import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psycopg

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services import embedded, processes
from battles.lanes.chromium import find_chromium
from battles.lanes.runtime_dir import PREFIX
from tests.arena_site.services.conftest import environment_with, wait_until
from tests.arena_site.services.test_processes import lives
from tests.arena_site.test_up import Arena
from tests.conftest import remove_data

PART_OF_QUEUE = {"lanes": "lanes@", "default": "default@"}


class Ground:
    """An arena whose temporary folder is its own, so that whatever it leaves is seen."""

    def __init__(self, **environment: str) -> None:
        # Short, since lanes put their sockets into it.
        self.folder = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp"))
        self.folder.chmod(0o711)
        self.temporary = self.folder / "t"
        self.temporary.mkdir()
        self.temporary.chmod(0o1777)
        self.data = self.folder / "data"
        self.elsewhere_before = self.lane_folders_elsewhere()
        self.arena = Arena(
            self.data,
            ARENA_CHROMIUM=str(find_chromium()),
            ARENA_LANE_SLOTS="1",
            TMPDIR=str(self.temporary),
            **environment,
        )
        # Nobody may wait for a reader of what the supervisor says.
        self.said: list[str] = []

    def listen(self) -> None:
        """Wait for the first page, then keep what the supervisor says."""
        self.said.append(self.arena.first_words())
        threading.Thread(target=lambda: self.said.extend(self.arena.process.stdout), daemon=True).start()

    def query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        address = embedded.database_url(read_environment({"ARENA_DATA_DIR": str(self.data)}))
        with psycopg.connect(address, autocommit=True, connect_timeout=5) as connection:
            return connection.execute(statement, values or None).fetchall()

    def manage(self, *words: str, seconds: float = 900.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=CHECKOUT,
            env={**environment_with(self.data), **self.arena.environment},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def lane_folders_elsewhere(self) -> set[str]:
        """Lane folders outside: a worker takes another parent when its own will not do."""
        return {str(path) for parent in ("/tmp", "/var/tmp", "/dev/shm") for path in Path(parent).glob(f"{PREFIX}*")}

    def pool(self, queue: str) -> list[int]:
        """The pool processes of a queue's worker, which do the work."""
        main = self.arena.part(queue)
        family = self.arena.family()
        return [
            pid
            for pid, words in family.items()
            if PART_OF_QUEUE[queue] in words and processes._parent_of(pid) == main and lives(pid)
        ]

    def of_lanes(self) -> dict[int, str]:
        """Every process that belongs to a race: drivers, browsers and what they started."""
        marks = ("chrom", "playwright", "egress_proxy", str(self.temporary))
        return {
            pid: words
            for pid, words in self.arena.family().items()
            if any(mark in words for mark in marks) and "celery" not in words and lives(pid)
        }

    def leftovers(self) -> list[str]:
        """Whatever should not be there once no race runs: processes of lanes, folders, files."""
        return [f"{pid} {words[:80]}" for pid, words in self.of_lanes().items()] + [
            str(path) for path in self.temporary.iterdir()
        ]

    def wait_until_clean(self, seconds: float) -> None:
        """What is left when the last race has ended is left for good."""
        deadline = time.monotonic() + seconds
        while (left := self.leftovers()) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert left == []

    def last_words(self) -> str:
        """What the supervisor said, and the end of each log: for whoever reads why a test failed."""
        logs = sorted((self.data / "logs").glob("*.log"))
        told = [f"== {log.name}\n{processes.last_lines(log, 25)}" for log in logs]
        return "\n".join(["== supervisor", "".join(self.said[-60:]), *told])

    def stop(self) -> str:
        """Stop it as Ctrl-C does; returns what it says at the end."""
        self.arena.process.send_signal(signal.SIGTERM)
        self.arena.process.wait(timeout=400)
        wait_until(lambda: self.said and "Stopped." in self.said[-1], 10)
        return self.said[-1]

    def close(self) -> None:
        family = self.arena.family()
        self.arena.process.kill()
        self.arena.process.wait()
        for pid in family:
            wait_until(lambda pid=pid: not lives(pid), 30)
        remove_data(self.data)
        shutil.rmtree(self.folder)
