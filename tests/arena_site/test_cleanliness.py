"""After many battles, some of them with a killed worker, nothing is left: no process, folder, socket or file.

``make soak`` runs the long version, which also watches a worker's memory; the ordinary tests run a short one.
"""

import http.cookiejar
import os
import random
import re
import shutil
import signal
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from battles.lanes.chromium import find_chromium
from battles.lanes.runtime_dir import PREFIX
from tests.arena_site.services.conftest import wait_until
from tests.arena_site.services.test_processes import lives
from tests.arena_site.test_up import RECOVERY_SECONDS, Arena
from tests.conftest import remove_data

pytestmark = pytest.mark.browser

#: A race of two reference agents takes seconds; one that lost its worker waits for its lease and starts again.
RACE_SECONDS = 240.0
#: A browser is up and racing within this time; kills come at any moment of it and after it.
KILL_WITHIN = 9.0
#: Fixed, so that a failure can be repeated.
SEED = 20240229
#: What a worker's process may grow by between the first and the last quarter of its races.
GROWTH = 1.10

TASKS = (
    ("How much does the stovetop kettle cost in this shop? Answer with the price.", "http://shop.practice.test/"),
    ("When does the branch library at the harbour open on Saturdays?", "http://library.practice.test/"),
    ("Which train leaves first for the coast after nine in the morning?", "http://timetable.practice.test/"),
)


class Visitor:
    """A new browser without a browser: cookies, a form, a button."""

    def __init__(self, arena: Arena) -> None:
        self._root = f"http://127.0.0.1:{arena.port}"
        jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def post_task(self, instruction: str, start_url: str) -> str:
        """Post a task; returns the battle's path."""
        with self._opener.open(f"{self._root}/battles/new", timeout=30) as answer:
            page = answer.read().decode()
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
        fields = hidden | {"instruction": instruction, "start_url": start_url, "consent": "yes", "stage": "submit"}
        with self._opener.open(
            f"{self._root}/battles/new", urllib.parse.urlencode(fields).encode(), timeout=30
        ) as answer:
            assert "/battles/" in answer.url, answer.read().decode()
            return urllib.parse.urlsplit(answer.url).path

    def is_over(self, path: str) -> bool:
        """Whether the race has ended, one way or the other."""
        try:
            with self._opener.open(f"{self._root}{path}/live", timeout=30) as answer:
                return answer.status == 286
        except (OSError, urllib.error.URLError):
            # The web process may be the one that is coming back.
            return False

    def end_of(self, path: str) -> str:
        with self._opener.open(f"{self._root}{path}/live", timeout=30) as answer:
            return re.search(r'id="live-state".*?<span>(.*?)</span>', answer.read().decode(), re.DOTALL)[1]


class Ground:
    """An arena whose temporary folder is its own, so that whatever it leaves is seen."""

    def __init__(self) -> None:
        # Short, since lanes put their sockets into it.
        self.folder = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp"))
        self.folder.chmod(0o711)
        self.temporary = self.folder / "t"
        self.temporary.mkdir()
        self.temporary.chmod(0o1777)
        self.elsewhere_before = self._elsewhere()
        self.arena = Arena(
            self.folder / "data", ARENA_CHROMIUM=find_chromium(), ARENA_LANE_SLOTS="1", TMPDIR=str(self.temporary)
        )

    def _elsewhere(self) -> set[str]:
        """Lane folders outside: a worker takes another parent when its own will not do."""
        return {str(path) for parent in ("/tmp", "/var/tmp", "/dev/shm") for path in Path(parent).glob(f"{PREFIX}*")}

    def lane_worker(self) -> int | None:
        """The pool process that races, of the worker of the queue ``lanes``."""
        main = self.arena.part("lanes")
        children = [pid for pid, words in self.arena.family().items() if "lanes@" in words and pid != main]
        return next((pid for pid in children if lives(pid)), None)

    def leftovers(self) -> list[str]:
        """Whatever should not be there once no race runs: processes of lanes, folders, files."""
        processes = [
            f"{pid} {words[:80]}"
            for pid, words in self.arena.family().items()
            if ("chrom" in words or "playwright" in words or "egress" in words) and lives(pid)
        ]
        files = [str(path) for path in self.temporary.iterdir()]
        return processes + files

    def close(self) -> None:
        family = self.arena.family()
        self.arena.process.kill()
        self.arena.process.communicate()
        for pid in family:
            wait_until(lambda pid=pid: not lives(pid), 30)
        remove_data(self.folder / "data")
        shutil.rmtree(self.folder)


@pytest.fixture
def ground() -> Iterator[Ground]:
    ground = Ground()
    yield ground
    ground.close()


def resident_kilobytes(pid: int) -> int:
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1])


def wait_until_clean(ground: Ground) -> None:
    """Practice battles that the arena races by itself end first; what is left then is left for good."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while (left := ground.leftovers()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []


def race_once(ground: Ground, number: int) -> tuple[Visitor, str]:
    instruction, start_url = TASKS[number % len(TASKS)]
    visitor = Visitor(ground.arena)
    path = visitor.post_task(instruction, start_url)
    return visitor, path


def race_many(ground: Ground, *, undisturbed: int, disturbed: int) -> list[int]:
    """Race battles one after the other, the last ones with the worker killed; returns the worker's memory in kB."""
    chance = random.Random(SEED)
    memory = []
    ground.arena.first_words()
    wait_until(ground.arena.is_whole, RECOVERY_SECONDS)
    for number in range(undisturbed + disturbed):
        visitor, path = race_once(ground, number)
        if number >= undisturbed:
            time.sleep(chance.uniform(0, KILL_WITHIN))
            victim = ground.lane_worker() if chance.random() < 0.7 else ground.arena.part("lanes")
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
        wait_until(lambda visitor=visitor, path=path: visitor.is_over(path), RACE_SECONDS)
        if number < undisturbed and (worker := ground.lane_worker()) is not None:
            memory.append(resident_kilobytes(worker))
        print(f"{number + 1} of {undisturbed + disturbed}: {visitor.end_of(path)}", flush=True)
    return memory


def test_a_few_battles_and_a_kill_leave_nothing(ground: Ground) -> None:
    race_many(ground, undisturbed=1, disturbed=1)
    wait_until_clean(ground)
    ground.arena.process.send_signal(signal.SIGTERM)
    ground.arena.process.communicate(timeout=90)
    assert ground.leftovers() == []
    assert ground._elsewhere() <= ground.elsewhere_before


@pytest.mark.soak
def test_a_hundred_battles_and_twenty_kills_leave_nothing_and_memory_is_flat(ground: Ground) -> None:
    memory = race_many(ground, undisturbed=80, disturbed=20)
    wait_until_clean(ground)
    quarter = len(memory) // 4
    early, late = median(memory[quarter : 2 * quarter]), median(memory[-quarter:])
    print(f"memory of the racing process: {early} kB early, {late} kB late", flush=True)
    assert late <= GROWTH * early
    ground.arena.process.send_signal(signal.SIGTERM)
    ground.arena.process.communicate(timeout=90)
    assert ground.leftovers() == []
    assert ground._elsewhere() <= ground.elsewhere_before
