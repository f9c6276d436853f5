"""After a hundred battles nothing is left, and the process that races them is no larger than before.

What kills leave behind is looked for in ``tests/arena_site/faults``.
"""

import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import psycopg
import pytest

from tests.arena_site.faults.ground import Ground
from tests.arena_site.faults.judges import Person, Told
from tests.arena_site.services.conftest import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.soak]

BATTLES = 100
#: A race of two reference agents takes seconds; the machine may have other things to do.
RACE_SECONDS = 240.0
CLEAN_SECONDS = 60.0
#: What a worker's process may grow by between the second and the last quarter of its races.
GROWTH = 1.10
#: A visitor without the check may post so many tasks an hour.
TASKS_A_VISITOR = 5


@pytest.fixture
def ground() -> Iterator[Ground]:
    ground = Ground()
    yield ground
    ground.close()


def resident_kilobytes(pid: int) -> int:
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1])


def is_over(ground: Ground, battle: str) -> bool:
    try:
        return bool(
            ground.query("SELECT 1 FROM battles_battle WHERE id = %s AND state NOT IN ('queued', 'racing')", battle)
        )
    except psycopg.Error:
        return False


def test_a_hundred_battles_leave_nothing_and_memory_is_flat(ground: Ground) -> None:
    ground.listen()
    chance = random.Random(0)
    memory = []
    for number in range(BATTLES):
        if number % TASKS_A_VISITOR == 0:
            visitor = Person(f"http://127.0.0.1:{ground.arena.port}", Told(), chance, threading.Event())
        battle = visitor.post_task()
        assert battle, visitor.told.refused
        wait_until(lambda battle=battle: is_over(ground, battle), RACE_SECONDS)
        memory += [resident_kilobytes(pid) for pid in ground.pool("lanes")]
    quarter = len(memory) // 4
    early, late = median(memory[quarter : 2 * quarter]), median(memory[-quarter:])
    print(f"memory of the racing process: {early} kB early, {late} kB late", flush=True)
    assert late <= GROWTH * early
    ground.wait_until_clean(CLEAN_SECONDS)
    assert ground.stop().endswith("Stopped.\n")
    assert ground.leftovers() == []
    assert ground.lane_folders_elsewhere() <= ground.elsewhere_before
