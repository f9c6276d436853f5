"""A process that makes a snapshot is killed by kill -9 at moments nobody chose, gone on with, and killed again."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection, transaction

from arena_site.environment import CHECKOUT
from governance.dataset import building, parts
from governance.dataset.draft import DRAFTS
from governance.dataset.home import snapshots_home
from governance.dataset.verifying import verify_folder
from governance.dataset_models import Snapshot
from tests.arena_site.services.conftest import wait_until
from tests.arena_site.services.test_processes import lives
from tests.governance.dataset.boards import closed_battle, vote

pytestmark = pytest.mark.django_db(transaction=True)

#: Fixed, so that a failure can be repeated.
SEED = 20240229
KILLS = 2
BUILD_SECONDS = 120.0

#: Parts of two rows, so that there is something to be in the middle of.
BUILD = """
import django
django.setup()
from governance.dataset import parts
parts.PART_ROWS, parts.BATCH = 2, 1
from governance.dataset.building import build_snapshot
build_snapshot(actor="operator:test", processes=2, say=lambda words: print(words, flush=True))
"""


@pytest.fixture
def corpus():
    with transaction.atomic():
        for number in range(3):
            vote(closed_battle(reasoning=f"I look around {number} times."))


def start_build() -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    database = urlsplit(os.environ["ARENA_DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    return subprocess.Popen(
        [sys.executable, "-c", BUILD],
        cwd=CHECKOUT,
        env={
            **kept,
            "DJANGO_SETTINGS_MODULE": "arena_site.settings",
            "ARENA_DATABASE_URL": database.geturl(),
            "ARENA_REDIS_URL": os.environ["ARENA_REDIS_URL"],
            "ARENA_DATA_DIR": str(settings.ARENA_DATA_DIR),
            "ARENA_LEGAL_NAME": settings.ARENA_LEGAL_NAME,
        },
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def group_of(leader: int) -> list[int]:
    """Living processes that a killed build has left."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and lives(int(entry.name)):
            try:
                if os.getpgid(int(entry.name)) == leader:
                    found.append(int(entry.name))
            except ProcessLookupError:
                continue
    return found


def kill_after(lines: int, seconds: float) -> list[str]:
    """Start a build and kill it some time after it has said so many lines; returns what it said."""
    build = start_build()
    try:
        said = [build.stdout.readline() for _ in range(lines)]
        time.sleep(seconds)
    finally:
        os.kill(build.pid, signal.SIGKILL)
        build.wait()
    wait_until(lambda: not group_of(build.pid), 20)
    return said


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_build_that_is_killed_again_and_again_ends_with_the_bytes_of_one_that_was_not(corpus, client):
    chance = random.Random(SEED)
    lines = 0
    for _ in range(KILLS):
        lines += chance.randint(2, 5)
        assert all(kill_after(lines, chance.uniform(0, 0.3)))
        [state] = (snapshots_home() / DRAFTS).glob("*.json")
        identifier = json.loads(state.read_text())["id"]
        assert Snapshot.objects.count() == 0
        assert not (snapshots_home() / identifier).exists()
        for name in ("manifest.json", "agents/part-00000.jsonl", "battles/part-00000.parquet"):
            answer = client.get(f"/api/dataset/snapshots/{identifier}/{name}")
            assert answer.status_code in {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND}
    begun = json.loads(state.read_text())

    assert start_build().wait(BUILD_SECONDS) == 0
    snapshot = Snapshot.objects.get()
    assert str(snapshot.pk) == begun["id"]
    folder = snapshots_home() / snapshot.path
    assert verify_folder(folder, digest=snapshot.digest).problems == []
    assert list((snapshots_home() / DRAFTS).iterdir()) == [snapshots_home() / DRAFTS / "lock"]
    killed = files_of(folder)

    folder.rename(folder.with_suffix(".killed"))
    undisturbed = building.Draft(snapshots_home(), begun | {"parts": {}})
    undisturbed.folder.mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts, "PART_ROWS", 2)
        patched.setattr(parts, "BATCH", 1)
        building._write(undisturbed, 1, lambda words: None, None)
    assert files_of(undisturbed.folder) == killed
