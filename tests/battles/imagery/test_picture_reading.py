"""Words drawn in pictures: each image is read once, for frames that wait for export, and never beside a race."""

from __future__ import annotations

import pytest

from battles.imagery import picture_reading
from battles.imagery.picture_reading import PicturesRead, read_pictures
from battles.models import Attempt, Frame
from battles.racing import start_attempt
from governance.redaction.pictures import Box
from tests.battles.factories import make_battle
from tests.battles.imagery.conftest import NOBODY, frames_of, picture, shot

pytestmark = pytest.mark.django_db


class Ocr:
    """Reads a card in the first picture, breaks on the second, finds nothing in any other."""

    seen: list[bytes]

    def __init__(self) -> None:
        Ocr.seen = []

    def boxes(self, image: bytes, *, width: int, height: int) -> tuple[Box, ...]:
        Ocr.seen.append(image)
        if image == picture(1):
            return (Box(1, 2, 3, 4, "card"),)
        if image == picture(2):
            raise RuntimeError("inga.holm@example.org")
        return ()


@pytest.fixture(autouse=True)
def ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_reading, "PictureOcr", Ocr)
    monkeypatch.setattr(picture_reading, "ocr_is_installed", lambda: True)


def test_each_image_is_read_once_and_the_fact_is_on_all_its_frames(make_recorded, caplog):
    battle = make_recorded(shot(NOBODY, 1), shot(NOBODY, 1), shot(NOBODY, 2), shot(NOBODY, 3))
    done = read_pictures()
    assert (done.failed, done.waiting) == (1, 0)
    assert sorted(map(len, Ocr.seen)) == sorted(map(len, set(Ocr.seen)))
    facts = [(frame.picture_redaction, frame.picture_boxes) for frame in frames_of(battle)]
    card = [[1, 2, 3, 4, "card"]]
    assert facts == [("masked", card), ("masked", card), ("detector_failed", []), ("clean", [])]
    assert {frame.text_redaction for frame in frames_of(battle)} == {"clean"}
    assert "inga" not in caplog.text


def test_a_picture_seen_again_is_not_read_again(make_recorded):
    make_recorded(shot(NOBODY, 1))
    read_pictures()
    again = make_recorded(shot(NOBODY, 1))
    read_pictures()
    assert picture(1) not in Ocr.seen
    assert [frame.picture_redaction for frame in frames_of(again)] == ["masked"]


def test_what_no_page_could_tell_of_comes_first(make_recorded):
    make_recorded(shot(NOBODY, 3), shot(None, 4))
    read_pictures()
    assert Ocr.seen[0] == picture(4)


def test_nothing_is_read_while_somebody_races(make_recorded):
    battle = make_recorded(shot(NOBODY, 1))
    start_attempt(battle_id=make_battle().pk, worker="test:1")
    waiting = read_pictures().waiting
    assert waiting > 0
    assert {frame.picture_redaction for frame in frames_of(battle)} == {"not_examined"}
    Attempt.objects.filter(outcome="running").update(outcome="broken")
    assert read_pictures().read == waiting


def test_without_the_extra_facts_stay_what_they_are(make_recorded, monkeypatch):
    monkeypatch.setattr(picture_reading, "ocr_is_installed", lambda: False)
    battle = make_recorded(shot(NOBODY, 1))
    assert read_pictures() == PicturesRead(0, 0, Frame.objects.values("sha256").distinct().count())
    assert {frame.picture_redaction for frame in frames_of(battle)} == {"not_examined"}


def test_a_run_ends_when_its_time_is_over(make_recorded):
    make_recorded(shot(NOBODY, 1), shot(NOBODY, 2), shot(NOBODY, 3))
    done = read_pictures(seconds=-1)
    assert done.read == 0
    assert done.waiting >= 3
