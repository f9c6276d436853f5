"""Native widgets, frames, scrolling, files: where what is drawn and what can be used differ."""

from __future__ import annotations

import time

import pytest

from battles.lanes.digests import page_changed
from battles.lanes.upload_files import UPLOAD_FILES
from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser

#: A drag, and coming to rest after it, on a machine with other work: far more than either may take, and no hang.
DRAG_SECONDS = 15.0


def test_options_of_a_drop_down_can_be_clicked_by_point(hands: Hands) -> None:
    hands.go("/select")
    hands.click("Letter")
    option = next(element for element in hands.view.elements if element.name == "Gamma")
    hands.do("click", x=option.x + 20, y=option.y + option.height // 2)
    assert hands.view.title == "picked Gamma"


def test_select_takes_text_value_or_number(hands: Hands) -> None:
    hands.go("/select")
    for option, title in (("Beta", "picked Beta"), ("gamma", "picked Gamma"), ("0", "picked Alpha")):
        assert hands.do("select", ref=hands.find("Letter").ref, option=option).ok
        assert hands.view.title == title
    letter = hands.find("Letter")
    assert hands.do("select", x=letter.x + 10, y=letter.y + 10, option="Beta").ok
    assert hands.view.title == "picked Beta"


def test_select_says_what_is_wrong(hands: Hands) -> None:
    hands.go("/select")
    missing = hands.do("select", ref=hands.find("Letter").ref, option="Omega")
    assert missing.code == "not_found"
    assert "'Alpha'" in missing.message
    assert hands.do("select", ref=hands.find("Letter").ref, option="Delta").code == "not_usable"
    assert hands.do("select", x=900, y=700, option="Alpha").code == "not_found"


def test_open_shadow_roots_are_listed_and_usable(hands: Hands) -> None:
    hands.go("/shadow-select")
    hands.do("click", ref=hands.find("In the shadow").ref)
    assert hands.view.title == "shadow clicked"
    hands.do("select", ref=hands.find("Inner").ref, option="Two")
    assert hands.view.title == "picked Two"
    hands.click("Inner")
    option = next(element for element in hands.view.elements if element.name == "One")
    hands.do("click", x=option.x + 20, y=option.y + option.height // 2)
    assert hands.view.title == "picked One"


def test_a_native_date_picker_is_announced_and_takes_typing(hands: Hands) -> None:
    hands.go("/date")
    day = hands.find("Day")
    result = hands.do("click", x=day.x + 15, y=day.y + 15)
    assert "type the value" in result.message
    hands.do("type", text="12252026", x=day.x + 15, y=day.y + 15)
    assert hands.find("Day").value == "2026-12-25"


def test_the_wheel_turns_what_is_under_it(hands: Hands) -> None:
    hands.go("/nested")
    hands.do("scroll", x=100, y=100, dy=300)
    assert hands.evaluate("[d.scrollTop, scrollY]") == [300, 0]
    before = hands.view.digest
    hands.do("scroll", x=700, y=600, dy=300)
    assert hands.evaluate("[d.scrollTop, scrollY]") == [300, 300]
    assert page_changed(before, hands.view.digest), "a scrolled view is a changed view"


def test_frames_of_the_same_and_of_another_origin_are_listed_and_usable(hands: Hands) -> None:
    hands.go("/frames")
    inside = [element for element in hands.view.elements if element.name == "Inside"]
    assert len(inside) == 2
    for element in inside:
        hands.do("click", ref=element.ref)
    names = [element.name for element in hands.view.elements]
    assert "clicked ?same" in names
    assert "clicked ?other" in names


def test_points_inside_a_frame_of_another_origin_are_told_apart(hands: Hands) -> None:
    hands.go("/frames")
    before = hands.view.digest
    other = [element for element in hands.view.elements if element.name == "Inside"][1]
    hands.do("click", x=other.x + other.width // 2, y=other.y + other.height // 2)
    assert hands.done is not None
    assert hands.done.target is not None
    assert hands.done.target["role"] == "button"
    assert hands.done.target["box"] == [other.x, other.y, other.width, other.height]
    assert page_changed(before, hands.view.digest)


def test_typing_into_a_frame_of_another_origin(hands: Hands) -> None:
    hands.go("/frames")
    field = [element for element in hands.view.elements if element.name == "Field"][1]
    hands.do("type", ref=field.ref, text="across")
    assert [element.value for element in hands.view.elements if element.name == "Field"] == ["", "across"]


def test_an_element_in_a_frame_below_the_view_is_brought_into_it(hands: Hands) -> None:
    hands.go("/frame-below")
    assert all(element.name != "Inside" for element in hands.view.elements)
    lines = hands.do("read", what="elements").text.splitlines()
    line = next(line for line in lines if "Inside" in line)
    assert hands.do("click", ref=line[1 : line.index("]")]).ok
    assert "clicked ?other" in [each.name for each in hands.view.elements]


def test_a_file_chooser_is_caught_and_announced(hands: Hands) -> None:
    hands.go("/upload")
    hands.click("File")
    assert hands.changes("file_chooser")
    assert hands.do("upload", file="table.csv").ok
    assert hands.view.title == f"got table.csv {len(UPLOAD_FILES['table.csv'].content)}"


@pytest.mark.parametrize("file", list(UPLOAD_FILES))
def test_upload_gives_a_file_input_each_of_the_ready_files(hands: Hands, file: str) -> None:
    hands.go("/upload")
    assert hands.do("upload", ref=hands.find("File").ref, file=file).ok
    assert hands.view.title == f"got {file} {len(UPLOAD_FILES[file].content)}"


def test_upload_works_through_a_label_of_a_hidden_input(hands: Hands) -> None:
    hands.go("/upload")
    assert hands.do("upload", x=60, y=60, file="note.txt").ok
    assert hands.view.title == "hidden got note.txt"


def test_upload_without_a_chooser_says_so(hands: Hands) -> None:
    hands.go("/")
    assert hands.do("upload", file="note.txt").code == "not_found"


def test_a_title_tooltip_is_drawn(hands: Hands) -> None:
    hands.go("/tooltip")
    button = hands.find("Hover me")
    before = hands.view.frame.image
    hands.do("hover", ref=button.ref)
    hands.do("wait", seconds=1.5)
    assert hands.view.frame.image != before


@pytest.mark.parametrize(
    ("path", "kind"), [("/banner", "fixed"), ("/covered", "dialog"), ("/fixed-app", ""), ("/", "")]
)
def test_overlays_are_known_by_a_stated_rule(hands: Hands, path: str, kind: str) -> None:
    hands.go(path)
    assert hands.view.overlay == kind


def test_an_overlay_that_was_dismissed_is_gone(hands: Hands) -> None:
    hands.go("/banner")
    hands.click("Accept")
    assert hands.view.overlay == ""


def test_a_click_waits_for_what_hovering_puts_under_the_pointer(hands: Hands) -> None:
    hands.go("/hover-swap")
    hands.do("click", x=100, y=40)
    assert hands.view.title == "bought"


LONGEST_PATH = [[100 + number % 2 * 300, 40 + number * 20] for number in range(32)]


@pytest.mark.parametrize("points", [2, 5, 32])
def test_a_drag_of_any_length_is_bounded_and_visits_each_point(hands: Hands, points: int) -> None:
    hands.go("/drag-path")
    path = LONGEST_PATH[:points]
    began = time.monotonic()
    assert hands.do("drag", path=path).ok
    assert time.monotonic() - began < DRAG_SECONDS
    seen = hands.evaluate("seen")
    assert all(point in seen for point in path[1:])
    assert len(seen) >= max(8, points - 1)
