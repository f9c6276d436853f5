"""Pictures leave masked or not at all, and whatever leaves is what its manifest says."""

import hashlib
import io

import pyarrow.parquet as pq
import pytest
from PIL import Image

from battles.lanes.frame_store import store_frame
from battles.models import Frame
from governance.dataset.building import build_snapshot
from governance.dataset.home import snapshots_home
from governance.dataset.replacing import replace_snapshots
from governance.dataset.verifying import verify_folder
from governance.redaction.masking import mask_picture
from governance.redaction.pictures import Box
from tests.governance.dataset.boards import ACTOR, closed_battle, left_out, manifest, rows, take_back

pytestmark = pytest.mark.django_db

SIZE = (160, 120)
BOXES = {"text_boxes": [[10, 10, 60, 20, "e-mail"]], "picture_boxes": [[90, 70, 50, 30, "name"]]}


def picture():
    """Noise, so that every pixel says something."""
    encoded = io.BytesIO()
    Image.effect_noise(SIZE, 90).convert("RGB").save(encoded, "PNG")
    return encoded.getvalue()


def pixels(image):
    return Image.open(io.BytesIO(image)).convert("RGB")


def shown(image, text="masked", seen="masked", **fields):
    """One frame of a battle that leaves, showing this image; the others are examined by nobody."""
    battle = closed_battle()
    frame = Frame.objects.filter(lane__attempt__battle=battle).order_by("pk").first()
    values = {"sha256": store_frame(image, "image/png"), "mime": "image/png", "size": len(image), **BOXES, **fields}
    Frame.objects.filter(pk=frame.pk).update(text_redaction=text, picture_redaction=seen, **values)
    frame.refresh_from_db()
    return frame


def everything_in(folder):
    """What is in the files of a snapshot, as it is and as it is read."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    tables = [repr(pq.read_table(path).to_pylist()) for path in files if path.suffix == ".parquet"]
    return b"".join(path.read_bytes() for path in files) + "".join(tables).encode()


def test_what_a_mask_covers_is_flat_and_the_rest_is_as_it_was():
    original = picture()
    frame = shown(original)
    [image] = rows(build_snapshot(actor=ACTOR), "images")
    masks = [Box(*box) for box in (*frame.text_boxes, *frame.picture_boxes)]
    # The same masks on nothing at all: whatever is under them makes no difference.
    blank = io.BytesIO()
    Image.new("RGB", SIZE, (0, 0, 0)).save(blank, "PNG")
    of_nothing = pixels(mask_picture(blank.getvalue(), masks, "image/png"))
    leaving, before = pixels(image["bytes"]), pixels(original)
    for box in masks:
        area = (box.x, box.y, box.x + box.width, box.y + box.height)
        assert leaving.crop(area).tobytes() == of_nothing.crop(area).tobytes() != before.crop(area).tobytes()
        leaving.paste(before.crop(area), area[:2])
    assert leaving.tobytes() == before.tobytes()


def test_the_digest_of_an_original_is_nowhere_and_files_are_what_the_manifest_says():
    frame = shown(picture())
    snapshot = build_snapshot(actor=ACTOR)
    folder = snapshots_home() / snapshot.path
    held = everything_in(folder)
    assert rows(snapshot, "images")[0]["bytes"]
    for digest in Frame.objects.values_list("sha256", flat=True):
        assert digest.encode() not in held
        assert bytes.fromhex(digest) not in held
    assert frame.sha256 not in snapshot.manifest
    told = manifest(snapshot)["files"]
    assert {file["path"] for file in told} | {"manifest.json"} == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }
    for file in told:
        content = (folder / file["path"]).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (file["sha256"], file["bytes"])


@pytest.mark.parametrize("fact", ["not_examined", "detector_failed"])
@pytest.mark.parametrize("other", ["masked", "clean", "not_examined", "detector_failed"])
def test_a_picture_that_one_detector_has_not_read_stays(fact, other):
    shown(picture(), fact, other)
    again = build_snapshot(actor=ACTOR)
    assert rows(again, "images") == []
    Frame.objects.update(text_redaction=other, picture_redaction=fact)
    snapshot = build_snapshot(actor=ACTOR)
    assert rows(snapshot, "images") == []
    assert not any(frame["image"] for frame in rows(snapshot, "frames"))
    assert {reason for of, reason, _ in left_out(snapshot) if of == "image"} <= {fact, other}


def test_a_picture_whose_examination_is_taken_back_while_files_are_written_stays():
    shown(picture())

    def say(words):
        if words.startswith("frames:"):
            Frame.objects.update(picture_redaction="detector_failed")

    assert rows(build_snapshot(actor=ACTOR, say=say), "images") == []


def test_what_is_no_picture_cannot_be_masked_and_stays():
    shown(b"no picture, but maria@example.org")
    snapshot = build_snapshot(actor=ACTOR)
    assert [image["bytes"] for image in rows(snapshot, "images")] == [None]
    assert b"maria@example.org" not in everything_in(snapshots_home() / snapshot.path)


@pytest.mark.parametrize("kept", [True, False])
def test_a_replacement_has_no_picture_that_the_replaced_snapshot_did_not_have(
    kept, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    stays, goes = shown(picture()), shown(picture())
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    assert len(rows(snapshot, "images")) == 2
    # The rest is examined between the two.
    Frame.objects.update(text_redaction="clean", picture_redaction="clean")
    later = Frame.objects.filter(lane__attempt__battle=stays.lane.attempt.battle).count() - 1
    take_back(goes.lane.attempt.battle.task.judge)
    if not kept:
        # Made before anything was kept of it, or its files are lost: what is gone is still counted from none.
        (snapshots_home() / "held" / snapshot.path).unlink()
    with django_capture_on_commit_callbacks(execute=True):
        [replacement] = replace_snapshots()
    removed = manifest(replacement)["replaces"]["removed"]
    assert min(removed.values()) >= 0
    if kept:
        assert [image["image"] for image in rows(replacement, "images")] == [str(stays.pk)]
        assert removed["images"] == 1
        assert ("image", "not_before", later) in left_out(replacement)
    folder = snapshots_home() / replacement.path
    assert verify_folder(folder, digest=replacement.digest).problems == []
