"""Pictures are kept as long as stated and no longer; every run leaves a record."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from battles.imagery import retention
from battles.imagery.masks import shown_image
from battles.imagery.retention import ACTION, FRAMES_KEPT, ORIGINALS_KEPT, retain_frames
from battles.lanes.frame_store import FrameStoreFull, read_frame, stored_frames
from battles.models import Frame
from governance.models import JournalEntry
from tests.battles.imagery.conftest import MAIL, NOBODY, frames_of, picture, shot, shows_ink

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)


def _later(after: timedelta):
    return timezone.now() + after


def _stored() -> set[str]:
    return {Path(name).stem for name, _ in stored_frames()}


def test_after_its_time_an_original_gives_way_to_its_mask(make_recorded):
    battle = make_recorded(shot(MAIL), shot(NOBODY, 5))
    masked, clean = frames_of(battle)
    assert retain_frames(now=_later(ORIGINALS_KEPT - DAY)).masked == 0
    assert read_frame(masked.sha256, masked.mime) == picture()

    done = retain_frames(now=_later(ORIGINALS_KEPT + DAY))
    assert done.masked >= 2
    before = masked.sha256
    masked.refresh_from_db()
    clean.refresh_from_db()
    assert before not in _stored()
    for original in (True, False):
        assert not shows_ink(shown_image(masked, original=original))
    assert clean.original_deleted_at is not None
    assert shown_image(clean, original=False) == picture(5)
    assert masked.text_redaction == Frame.Redaction.MASKED
    assert retain_frames(now=_later(ORIGINALS_KEPT + DAY)).masked == 0


def test_a_frame_that_nobody_read_keeps_its_coarse_picture_only(make_recorded):
    (frame,) = frames_of(make_recorded(shot(None)))
    seen_by_judges = shown_image(frame, original=False)
    retain_frames(now=_later(ORIGINALS_KEPT + DAY))
    frame.refresh_from_db()
    assert shown_image(frame, original=True) == seen_by_judges


def test_an_image_that_was_taken_again_waits_with_its_newest_frame(make_recorded):
    first, _ = frames_of(make_recorded(shot(MAIL), shot(MAIL)))
    Frame.objects.filter(pk=first.pk).update(taken_at=timezone.now() - 2 * ORIGINALS_KEPT)
    retain_frames()
    first.refresh_from_db()
    assert first.original_deleted_at is None


def test_at_the_end_no_picture_is_left_and_the_rows_say_so(make_recorded):
    frames = frames_of(make_recorded(shot(MAIL), shot(NOBODY, 5)))
    done = retain_frames(now=_later(FRAMES_KEPT + DAY))
    assert done.deleted >= 2
    for frame in frames:
        assert frame.sha256 not in _stored()
        frame.refresh_from_db()
        assert (frame.sha256, frame.size, frame.text_boxes) == ("", 0, [])
    assert not _stored()


def test_every_run_is_on_record_also_when_nothing_was_due():
    retain_frames()
    row = JournalEntry.objects.get(action=ACTION)
    assert row.actor == retention.ACTOR
    assert (row.detail["masked"], row.detail["deleted"], row.detail["failed"]) == (0, 0, 0)
    assert (row.detail["originals_days"], row.detail["frames_days"]) == (30, 730)


def test_a_full_disk_is_tried_again_the_next_night(make_recorded, monkeypatch):
    (frame,) = frames_of(make_recorded(shot(MAIL)))

    def full(*_):
        raise FrameStoreFull("no room")

    with monkeypatch.context() as patched:
        patched.setattr(retention, "store_frame", full)
        assert retain_frames(now=_later(ORIGINALS_KEPT + DAY)).failed == 1
    assert read_frame(frame.sha256, frame.mime) == picture()
    retain_frames(now=_later(ORIGINALS_KEPT + DAY))
    frame.refresh_from_db()
    assert not shows_ink(shown_image(frame, original=True))


def test_the_page_states_the_same_times():
    page = (Path(__file__).parents[3] / "docs" / "redaction.md").read_text(encoding="utf-8")
    assert f"| {ORIGINALS_KEPT.days} days after" in page
    assert f"| masked pictures | {FRAMES_KEPT.days} days |" in page
