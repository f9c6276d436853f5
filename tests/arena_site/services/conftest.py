"""Embedded services of a test's own, beside those of the run.

``data``
    A data folder that the services' account can reach, deleted afterwards with all it has elsewhere.
``values``
    The settings that use it: nothing but the folder is set.
``owner``
    Starts another process that owns the services of ``data`` for as long as it lives.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services import embedded
from tests.conftest import remove_data

READY_SECONDS = 30.0


def wait_until(condition: Callable[[], Any], seconds: float = READY_SECONDS) -> Any:
    """The condition's first true value; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return value


@pytest.fixture
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ringside-test-"))
    folder.chmod(0o711)
    yield folder / "data"
    remove_data(folder / "data")
    shutil.rmtree(folder)


@pytest.fixture
def values(data: Path) -> dict[str, Any]:
    return read_environment({"ARENA_DATA_DIR": str(data)})


@pytest.fixture
def owner(data: Path, values: dict[str, Any]) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    with contextlib.ExitStack() as started:

        def start() -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "arena_site.services", "sleep", "600"],
                cwd=CHECKOUT,
                env=environment_with(data),
                start_new_session=True,
            )
            started.callback(process.wait)
            started.callback(process.kill)
            wait_until(lambda: embedded.answers(values))
            return process

        yield start


def environment_with(data: Path) -> dict[str, str]:
    """This process's environment with a data folder as its only setting."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return {**kept, "ARENA_DATA_DIR": str(data)}
