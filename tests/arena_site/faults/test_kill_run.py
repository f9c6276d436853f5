"""Whatever is killed while battles run and people vote: no vote is lost or doubled, no battle is judged half.

``make soak`` kills a few times, and then a hundred times.
"""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena_site.faults import aftermath
from tests.arena_site.faults.ground import Ground
from tests.arena_site.faults.kill_run import KillRun, draw_kinds
from tests.arena_site.services.test_processes import lives

pytestmark = pytest.mark.browser

#: Set to repeat a run; printed with every one.
SEED = int(os.environ.get("RINGSIDE_FAULT_SEED", "20240229"))
FAULTS = 100
JUDGES = 20
#: A battle that lost its worker waits for its lease and starts again; two of them may wait behind it.
END_SECONDS = 900.0
CLEAN_SECONDS = 90.0


@pytest.fixture
def ground() -> Iterator[Ground]:
    ground = Ground()
    yield ground
    print(ground.last_words(), flush=True)
    ground.close()


def run(ground: Ground, kinds: list[str], *, judges: int, pause: tuple[float, float]) -> KillRun:
    print(f"seed {SEED}", flush=True)
    ground.listen()
    run = KillRun(ground, seed=SEED, judges=judges, pause=pause)
    try:
        run.start(END_SECONDS)
        run.kill_many(kinds)
    finally:
        run.finish(END_SECONDS, votes=judges)
        print(run.table(), flush=True)
    return run


def check(ground: Ground, run: KillRun) -> None:
    for line, count in aftermath.fates(ground).most_common():
        print(f"{count} x {line}", flush=True)
    aftermath.check_votes(ground, run.told)
    aftermath.check_tasks(ground, run.told)
    aftermath.check_battles(ground)


def stop_and_look(ground: Ground) -> None:
    ground.wait_until_clean(CLEAN_SECONDS)
    family = ground.arena.family()
    assert ground.stop().endswith("Stopped.\n")
    assert ground.leftovers() == []
    assert [words for pid, words in family.items() if lives(pid)] == []
    assert ground.lane_folders_elsewhere() <= ground.elsewhere_before


@pytest.mark.stack
@pytest.mark.production
def test_a_few_kills_lose_nothing(ground: Ground) -> None:
    kinds = ["racing process", "database", "web worker", "broker"]
    random.Random(SEED).shuffle(kinds)
    done = run(ground, kinds, judges=4, pause=(0.5, 2.0))
    check(ground, done)
    stop_and_look(ground)


@pytest.mark.soak
def test_a_hundred_kills_lose_nothing(ground: Ground) -> None:
    begun = time.monotonic()
    done = run(ground, draw_kinds(FAULTS, SEED), judges=JUDGES, pause=(20.0, 60.0))
    print(f"{len(done.told.votes)} votes, {len(done.told.tasks)} tasks, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{len(aftermath.drafts_of_frames(ground))} unfinished pictures wait for the sweep", flush=True)
    if kept := os.environ.get("RINGSIDE_FAULT_REPORT"):
        done.keep(Path(kept), fates=aftermath.fates(ground), said="".join(ground.said))
    assert sum(cost.faults for cost in done.costs.values()) == FAULTS
    check(ground, done)
    aftermath.check_promises(ground)
    stop_and_look(ground)
