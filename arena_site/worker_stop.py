"""How a worker stops where nobody supervises it: what runs is finished within the patience, or handed back at once.

The first SIGTERM takes no new work and lets a race end. A second one, or the end of the patience, hands the race back:
its processes end, its lease is given up, and another worker is called. Celery by itself ignores a second SIGTERM, and
leaves the lease to run out.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import socket
import threading
from typing import Any

from celery.signals import worker_init, worker_shutting_down
from django.db import Error, close_old_connections
from kombu.exceptions import OperationalError

from arena_site.services.processes import lives

logger = logging.getLogger(__name__)

#: A race has five minutes; its last writes and the end of its browsers take seconds more.
DRAIN_SECONDS = 330.0


@worker_shutting_down.connect(weak=False)
def stop(how: str = "", **_: Any) -> None:
    """In a signal's handler: note what there is to do, and do nothing that could wait."""
    if how == "Warm":
        signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGQUIT))
        patience = threading.Timer(DRAIN_SECONDS, os.kill, (os.getpid(), signal.SIGQUIT))
        patience.daemon = True
        patience.start()


@worker_init.connect(weak=False)
def begin(**_: Any) -> None:
    """In the worker itself, before it has a pool. Celery's own signal of the end is not sent where it is a hard one."""
    atexit.register(_at_the_end, os.getpid())


def _at_the_end(worker: int) -> None:
    if os.getpid() == worker:
        hand_back_races()


def hand_back_races() -> None:
    """Give up the leases of races on this host whose process is gone, and call other workers."""
    from battles.racing import hand_back, racing_workers  # noqa: PLC0415  # models, which are there only later
    from battles.tasks import race  # noqa: PLC0415

    try:
        close_old_connections()
        for name in racing_workers():
            host, _colon, number = name.rpartition(":")
            if host == socket.gethostname() and number.isdigit() and not lives(int(number)):
                for battle in hand_back(worker=name):
                    race.delay(str(battle))
    except (Error, OSError, OperationalError) as problem:
        logger.warning("races of this worker wait for the reaper: %s", type(problem).__name__)
