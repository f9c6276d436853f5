"""Celery entry points of battles."""

import os
import socket
import uuid

from battles.alarms import note_passed_over
from battles.dispatch import rings_unheard
from battles.frame_sweep import sweep_frames
from battles.imagery.picture_reading import read_pictures
from battles.imagery.retention import retain_frames
from battles.lanes.race import run_battle
from battles.practice import keep_practice_stocked
from battles.preregistrations import settle_promises
from battles.racing import reap_lost_battles
from governance.background import LANES, background_task


def worker_name() -> str:
    """Host and process of this worker, for operators."""
    return f"{socket.gethostname()}:{os.getpid()}"


@background_task(queue=LANES, name="battles.race")
def race(battle_id: str) -> None:
    run_battle(uuid.UUID(battle_id), worker=worker_name())


@background_task(name="battles.reap")
def reap() -> None:
    wanting = reap_lost_battles()
    # Looked at every few seconds: while no worker hears, battles that wait must not fill the broker.
    if wanting and rings_unheard() < len(wanting):
        for battle_id in wanting:
            race.delay(str(battle_id))


@background_task(name="battles.keep_practice_stocked")
def stock_practice() -> None:
    for battle_id in keep_practice_stocked():
        race.delay(str(battle_id))


@background_task(name="battles.sweep_frames")
def sweep() -> None:
    sweep_frames()


@background_task(name="battles.read_pictures")
def look_at_pictures() -> None:
    read_pictures()


@background_task(name="battles.retain_frames")
def retain() -> None:
    retain_frames()


@background_task(name="battles.watch_the_roster")
def watch_the_roster() -> None:
    note_passed_over()
    settle_promises()
