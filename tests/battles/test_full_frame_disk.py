"""A disk that is really full of pictures: nothing half is kept, and what cannot be shown is not judged."""

import os

import pytest
from django.core.files.storage import storages

from battles.lanes.race import run_battle
from battles.models import Battle, Frame, Step
from tests.arena_site.faults.small_disk import fill, make_room, small_disk, why_not
from tests.battles.factories import ended, make_battle, race, started, step

pytestmark = pytest.mark.django_db


@pytest.fixture
def frames(tmp_path, settings):
    """The folder of the pictures, on a disk of 256 kB."""
    if refused := why_not(tmp_path / "frames"):
        pytest.skip(refused)
    store = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": tmp_path / "frames"}}
    with small_disk(tmp_path / "frames", kilobytes=256) as folder:
        settings.STORAGES = settings.STORAGES | {"frames": store}
        storages._storages.clear()
        yield folder


def big(slot, number):
    shot = started(slot).frame
    image = shot.image + os.urandom(90_000)
    return step(slot, number, frame=type(shot)(image=image, mime=shot.mime, page=shot.page))


def lane(order, emit, barrier, stop, folder):
    emit(started(order.slot))
    for number in range(1, 9):
        emit(big(order.slot, number))
    emit(ended(order.slot))


def test_a_disk_that_fills_up_in_a_race_voids_the_battle_in_words_and_keeps_nothing_half(frames):
    battle = make_battle()
    assert run_battle(battle.pk, worker="test:1", lane=lane)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    assert "No space left on device" in battle.void_reason
    files = [path for path in frames.rglob("*") if path.is_file()]
    assert {path.stem for path in files} == set(Frame.objects.values_list("sha256", flat=True))
    assert {path.stat().st_size for path in files} == set(Frame.objects.values_list("size", flat=True))
    assert Step.objects.filter(frame=None).count() == 0


def test_once_there_is_room_the_next_battle_is_kept(frames):
    fill(frames)
    battle = make_battle()
    run_battle(battle.pk, worker="test:1", lane=lane)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    make_room(frames)
    assert race(make_battle()).state == Battle.State.VOTABLE
