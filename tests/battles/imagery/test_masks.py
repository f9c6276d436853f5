"""Who sees what of a frame: the submitter the original, judges a masked picture, exports what both detectors read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from battles.imagery.masks import NotExamined, boxes_of_image, exported_image, sees_originals, shown_image
from battles.models import Frame
from governance.redaction.pictures import PageWords, Rectangle, Word
from tests.battles.factories import make_battle, make_judge, make_task
from tests.battles.imagery.conftest import MAIL, NOBODY, PLACE, frames_of, picture, shot, shows_ink

pytestmark = pytest.mark.django_db

ADDRESS = PageWords(
    words=tuple(
        Word(word, (Rectangle(PLACE.x + 35 * place, PLACE.y, 33, 14),))
        for place, word in enumerate("12 Elm Street, Springfield IL 62704".split())
    )
)


def test_the_recorder_keeps_boxes_and_kinds_and_no_word(make_recorded):
    (frame,) = frames_of(make_recorded(shot(MAIL)))
    assert frame.text_redaction == Frame.Redaction.MASKED
    assert frame.picture_redaction == Frame.Redaction.NOT_EXAMINED
    assert frame.text_boxes == [[98, 98, 204, 18, "e-mail"]]


@pytest.mark.parametrize(
    ("page", "fact"),
    [
        (MAIL, Frame.Redaction.MASKED),
        (NOBODY, Frame.Redaction.CLEAN),
        (None, Frame.Redaction.DETECTOR_FAILED),
        (replace(MAIL, whole=False), Frame.Redaction.DETECTOR_FAILED),
    ],
)
def test_each_outcome_is_a_fact_of_its_own(make_recorded, page, fact):
    (frame,) = frames_of(make_recorded(shot(page)))
    assert frame.text_redaction == fact


def test_a_detector_that_breaks_is_a_failure_and_says_nothing_of_the_page(make_recorded, monkeypatch, caplog):
    def breaks(*_, **__):
        raise RuntimeError("inga.holm@example.org")

    monkeypatch.setattr("governance.redaction.pictures.PictureReader.boxes", breaks)
    (frame,) = frames_of(make_recorded(shot(MAIL)))
    assert frame.text_redaction == Frame.Redaction.DETECTOR_FAILED
    assert "inga" not in caplog.text


def test_originals_are_for_the_submitter_alone():
    battle = make_battle(task=make_task())
    assert sees_originals(battle.task, battle.task.judge)
    assert not sees_originals(battle.task, make_judge())
    assert not sees_originals(battle.task, None)
    practice = make_battle(kind="practice")
    assert not sees_originals(practice.task, None)


def test_judges_see_the_mask_and_the_submitter_the_original(make_recorded):
    (frame,) = frames_of(make_recorded(shot(MAIL)))
    assert shown_image(frame, original=True) == picture()
    assert shows_ink(picture())
    assert not shows_ink(shown_image(frame, original=False))


def test_a_clean_frame_is_shown_as_it_is(make_recorded):
    (frame,) = frames_of(make_recorded(shot(NOBODY)))
    assert shown_image(frame, original=False) == picture()


def test_the_same_picture_is_masked_by_what_any_frame_of_it_found(make_recorded):
    clean, masked = frames_of(make_recorded(shot(NOBODY), shot(MAIL)))
    assert clean.sha256 == masked.sha256
    assert clean.text_redaction == Frame.Redaction.CLEAN
    assert not shows_ink(shown_image(clean, original=False))


def test_a_frame_that_nobody_read_is_coarse_until_somebody_has(make_recorded):
    (frame,) = frames_of(make_recorded(shot(None)))
    coarse = shown_image(frame, original=False)
    assert coarse != picture()
    assert shown_image(frame, original=True) == picture()
    Frame.objects.update(picture_redaction=Frame.Redaction.CLEAN)
    frame.refresh_from_db()
    assert shown_image(frame, original=False) == picture()


def test_judges_see_addresses_and_exports_do_not(make_recorded):
    (frame,) = frames_of(make_recorded(shot(ADDRESS)))
    assert {box.kind for box in boxes_of_image(frame.sha256)} == {"address"}
    assert shows_ink(shown_image(frame, original=False))
    Frame.objects.update(picture_redaction=Frame.Redaction.CLEAN)
    frame.refresh_from_db()
    assert not shows_ink(exported_image(frame))


@pytest.mark.parametrize("page", Frame.Redaction.values)
@pytest.mark.parametrize("drawn", Frame.Redaction.values)
def test_an_export_needs_both_detectors(make_recorded, page, drawn):
    (frame,) = frames_of(make_recorded(shot(MAIL)))
    frame.text_redaction, frame.picture_redaction = page, drawn
    if {page, drawn} <= {"masked", "clean"}:
        assert not shows_ink(exported_image(frame))
    else:
        with pytest.raises(NotExamined):
            exported_image(frame)
