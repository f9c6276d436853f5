"""Frames are in the store whole or not at all, and none outlives the rows that name it for long."""

import os
import time
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from battles.frame_sweep import sweep_frames
from battles.lanes.frame_store import FrameStoreFull, frame_name, frame_storage, read_frame, store_frame
from battles.models import Frame
from tests.battles.factories import make_battle, race

IMAGE = os.urandom(60_000)


@pytest.fixture(autouse=True)
def own_store(settings, tmp_path):
    frames = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": tmp_path / "frames"}}
    settings.STORAGES = settings.STORAGES | {"frames": frames}


def files():
    return [path for path in Path(frame_storage().path("")).rglob("*") if path.is_file()]


def test_an_image_is_kept_once_under_its_digest():
    digest = store_frame(IMAGE, "image/webp")
    assert store_frame(IMAGE, "image/webp") == digest
    assert read_frame(digest, "image/webp") == IMAGE
    assert [path.stem for path in files()] == [digest]


def test_a_write_that_breaks_off_leaves_nothing_under_the_name(monkeypatch):
    def half(self, chunk_size=None):
        yield IMAGE[:1000]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ContentFile, "chunks", half)
    with pytest.raises(FrameStoreFull):
        store_frame(IMAGE, "image/webp")
    assert files() == []
    monkeypatch.undo()
    assert read_frame(store_frame(IMAGE, "image/webp"), "image/webp") == IMAGE


def test_a_cut_image_from_before_is_written_again():
    digest = store_frame(IMAGE, "image/webp")
    Path(frame_storage().path(frame_name(digest, "image/webp"))).write_bytes(IMAGE[:500])
    store_frame(IMAGE, "image/webp")
    assert read_frame(digest, "image/webp") == IMAGE


@pytest.mark.django_db
def test_the_sweep_takes_what_no_frame_names_and_leaves_the_rest_and_the_young():
    assert sweep_frames() == 0
    race(make_battle())
    named = {frame.sha256 for frame in Frame.objects.all()}
    orphan = store_frame(IMAGE, "image/webp")
    assert sweep_frames() == 0
    for path in files():
        os.utime(path, (time.time() - 3600,) * 2)
    assert sweep_frames() == 1
    assert {path.stem for path in files()} == named
    assert orphan not in named
