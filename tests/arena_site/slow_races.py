"""Loaded into a real worker (``--include``): its races take as long as RACE_SECONDS says, and use no browser."""

import functools
import os

import battles.tasks
from battles.lanes.race import run_battle
from tests.battles.factories import ended, started, step


def lane(order, emit, barrier, stop, folder):
    emit(started(order.slot))
    emit(step(order.slot))
    if not stop.wait(timeout=float(os.environ["RACE_SECONDS"])):
        emit(ended(order.slot))


battles.tasks.run_battle = functools.partial(run_battle, lane=lane)
