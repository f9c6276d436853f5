"""Where a page shows something personal, in px of the picture: fields, texts, closed roots, frames."""

from __future__ import annotations

import pytest
from playwright.async_api import Error as PlaywrightError

from battles.imagery.page_reading import Found, read_page
from battles.models import Frame
from governance.redaction.pictures import UNREAD, Box, PictureReader
from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser

MARGIN = 4


def _found(hands: Hands) -> Found:
    return read_page(PictureReader(), hands.view.frame)


def _place(hands: Hands, identifier: str) -> tuple[float, float, float, float]:
    box = hands.evaluate(
        f"(() => {{ const box = document.getElementById('{identifier}').getBoundingClientRect(); "
        "return [box.x, box.y, box.width, box.height]; })()"
    )
    return tuple(box)


def _at(found: Found, place: tuple[float, float, float, float]) -> list[Box]:
    """Boxes that cover the middle of a place."""
    x, y = place[0] + min(place[2], 60) / 2, place[1] + place[3] / 2
    return [box for box in found.boxes if box.x <= x < box.x + box.width and box.y <= y < box.y + box.height]


def test_what_a_page_shows_of_somebody_is_found_where_it_stands(hands: Hands) -> None:
    hands.go("/personal")
    found = _found(hands)
    assert found.fact == Frame.Redaction.MASKED
    for identifier, kind in {
        "secret": "password",
        "mail": "e-mail",
        "card": "card",
        "born": "date of birth",
        "paper": "identity number",
        "note": "e-mail",
        "shown": "e-mail",
        "phone": "phone",
    }.items():
        place = _place(hands, identifier)
        assert kind in {box.kind for box in _at(found, place)}, identifier
    tight = next(box for box in _at(found, _place(hands, "shown")) if box.kind == "e-mail")
    x, y, width, height = _place(hands, "shown")
    assert (tight.x, tight.y) >= (x - MARGIN, y - MARGIN)
    assert tight.width <= width + 2 * MARGIN
    assert tight.height <= height + 2 * MARGIN
    for identifier in ("search", "hidden", "scrolled-away", "below"):
        assert not _at(found, _place(hands, identifier)), identifier


def test_closed_roots_and_frames_of_either_origin_are_looked_into(hands: Hands) -> None:
    hands.go("/personal")
    found = _found(hands)
    assert "card" in {box.kind for box in _at(found, _place(hands, "host"))}
    frames = hands.evaluate(
        "[...document.querySelectorAll('iframe')].map((frame) => [frame.getBoundingClientRect().x, "
        "frame.getBoundingClientRect().y])"
    )
    for left, top in frames:
        inside = [box for box in found.boxes if left < box.x < left + 300 and top < box.y < top + 60]
        assert [box.width < 140 for box in inside if box.kind == "e-mail"] == [True]
    assert UNREAD not in {box.kind for box in found.boxes}


def test_a_page_with_nothing_personal_is_clean(hands: Hands) -> None:
    hands.go("/tall")
    assert _found(hands) == Found(Frame.Redaction.CLEAN)


def test_a_frame_nobody_entered_is_masked_whole(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(tab: object) -> list[object]:
        return []

    monkeypatch.setattr("battles.lanes.viewing.foreign_frames", none)
    hands.go("/personal")
    unread = [box for box in _found(hands).boxes if box.kind == UNREAD]
    assert len(unread) == 1
    assert unread[0].width >= 300
    assert unread[0].height >= 60


def test_a_page_that_cannot_be_asked_is_a_failure_and_not_clean(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuses(*_: object) -> dict[str, object]:
        raise PlaywrightError("the lane's script failed in the page: sealed")

    hands.go("/personal")
    monkeypatch.setattr("battles.lanes.viewing._observed", refuses)
    hands.look()
    assert _found(hands) == Found(Frame.Redaction.DETECTOR_FAILED)


def test_more_than_is_looked_at_is_a_failure_and_what_was_found_is_kept(hands: Hands) -> None:
    hands.go("/personal")
    hands.evaluate(
        "document.body.insertAdjacentHTML('beforeend', "
        "'<p style=\"position:fixed;inset:0;font-size:4px;line-height:4px\">' + 'so '.repeat(40000) + '</p>')"
    )
    hands.look()
    found = _found(hands)
    assert found.fact == Frame.Redaction.DETECTOR_FAILED
    assert {"password", "e-mail"} <= {box.kind for box in found.boxes}
