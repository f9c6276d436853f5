"""Loaded by the supervisor's Celery workers (``--include``): none of their processes is left behind.

A pool process that outlives its worker would race a battle that has been handed to somebody else; a worker that
outlives its supervisor waits for a broker that has gone with it.
"""

import os
import shutil
import signal
import tempfile
import threading
import time
from typing import Any

from celery.signals import worker_init, worker_process_init
from django.conf import settings

from arena_site.services.folders import make_folder
from arena_site.services.processes import end_with_parent

#: How often a worker looks whether its supervisor lives.
LOOK_SECONDS = 1.0
#: What the signal that the kernel sends at the supervisor's death may take; Celery cannot hand back without a broker.
COLD_STOP_SECONDS = 10.0


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """Runs first in every process of a pool."""
    if not end_with_parent(signal.SIGKILL, os.getppid()):
        os._exit(1)
    tempfile.tempdir = None


@worker_init.connect
def end_with_the_supervisor(sender: Any = None, **_: Any) -> None:
    """Runs first in the worker itself, which leads the group of its pool."""
    _keep_temporary_files_together(str(getattr(sender, "hostname", "worker")))
    threading.Thread(target=_watch, args=(os.getppid(),), name="watch the supervisor", daemon=True).start()


def _watch(supervisor: int) -> None:
    while os.getppid() == supervisor:
        time.sleep(LOOK_SECONDS)
    time.sleep(COLD_STOP_SECONDS)
    os.killpg(0, signal.SIGKILL)


def _keep_temporary_files_together(name: str) -> None:
    """Give the worker a temporary folder that the next one of its name empties.

    The pool library makes folders that a killed worker cannot remove. Its processes, which race, go back to the
    machine's own temporary folder: lanes need a short path and look after what they leave.
    """
    folder = settings.ARENA_DATA_DIR / "temporary" / name.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder.parent)
    make_folder(folder)
    tempfile.tempdir = str(folder)
