"""Frames in frames and roots closed to scripts: what a person sees in them, an agent reads and uses."""

from __future__ import annotations

import pytest

from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser


def _names(hands: Hands) -> list[str]:
    return [element.name for element in hands.view.elements]


def _reference(hands: Hands, name: str) -> str:
    """A reference from the list of the whole page."""
    lines = hands.do("read", what="elements").text.splitlines()
    line = next(line for line in lines if f'"{name}"' in line)
    return line[1 : line.index("]")]


def test_closed_roots_are_listed_and_usable(hands: Hands) -> None:
    hands.go("/closed-shadow")
    hands.do("click", ref=hands.find("Sealed").ref)
    assert hands.view.title == "Sealed clicked"
    hands.do("type", ref=hands.find("Sealed field").ref, text="within")
    assert hands.find("Sealed field").value == "within"
    hands.do("select", ref=hands.find("Sealed list").ref, option="Two")
    assert hands.view.title == "Sealed picked Two"


def test_an_option_in_a_closed_root_can_be_clicked_by_point(hands: Hands) -> None:
    hands.go("/closed-shadow")
    hands.click("Sealed list")
    option = hands.find("Two")
    hands.do("click", x=option.x + 20, y=option.y + option.height // 2)
    assert hands.view.title == "Sealed picked Two"


def test_closed_roots_in_closed_roots_and_instead_of_children_are_found(hands: Hands) -> None:
    hands.go("/closed-shadow")
    assert "Instead" in _names(hands)
    hands.do("click", ref=hands.find("Deep").ref)
    assert hands.view.title == "deep clicked"


def test_a_point_in_a_closed_root_is_recorded_as_what_is_there(hands: Hands) -> None:
    hands.go("/closed-shadow")
    hands.click("Sealed")
    assert hands.done is not None
    assert hands.done.target is not None
    assert (hands.done.target["role"], hands.done.target["name"]) == ("button", "Sealed")


def test_reading_reaches_closed_roots_out_of_view(hands: Hands) -> None:
    hands.go("/closed-shadow")
    assert "sealed words Below" in hands.do("read", what="text").text
    hands.go("/closed-shadow")
    assert hands.do("click", ref=_reference(hands, "Below")).ok
    assert hands.view.title == "Below clicked"


def test_frames_inside_frames_of_other_sites_are_listed_where_they_are(hands: Hands) -> None:
    hands.go("/frame-in-frame")
    inside = [element for element in hands.view.elements if element.name == "Inside"]
    assert len(inside) == 2
    for element in inside:
        hands.do("click", x=element.x + element.width // 2, y=element.y + element.height // 2)
        assert hands.done is not None
        assert hands.done.target is not None
        assert hands.done.target["box"] == [element.x, element.y, element.width, element.height]
    assert {"clicked ?innermost", "clicked ?beside"} <= set(_names(hands))
    hands.click("Between")
    assert "between clicked" in _names(hands)


def test_frames_inside_frames_of_other_sites_work_by_reference(hands: Hands) -> None:
    hands.go("/frame-in-frame")
    for element in [element for element in hands.view.elements if element.name == "Inside"]:
        assert hands.do("click", ref=element.ref).ok
    assert {"clicked ?innermost", "clicked ?beside"} <= set(_names(hands))
    for number, field in enumerate([element for element in hands.view.elements if element.name == "Field"]):
        hands.do("type", ref=field.ref, text=f"number {number}")
    values = {element.value for element in hands.view.elements if element.name == "Field"}
    assert values == {"number 0", "number 1"}


def test_a_frame_in_a_frame_out_of_view_is_read_and_brought_into_it(hands: Hands) -> None:
    hands.go("/frame-far-in-frame")
    assert "Inside" not in _names(hands)
    assert "Inside" in hands.do("read", what="text").text
    assert hands.do("click", ref=_reference(hands, "Inside")).ok
    assert "clicked ?far" in _names(hands)


def test_a_frame_without_an_origin_is_listed_and_usable(hands: Hands) -> None:
    hands.go("/frame-sandboxed")
    hands.do("click", ref=hands.find("Inside").ref)
    assert "clicked ?boxed" in _names(hands)


def test_what_the_page_lays_over_a_frame_is_not_usable_in_it(hands: Hands) -> None:
    hands.go("/frame-covered")
    assert "Inside" not in _names(hands), "a banner lies over it"
    assert "Field" in _names(hands), "beside the banner it is free"


def test_what_lies_beyond_the_edge_of_the_view_in_a_frame_is_not_listed(hands: Hands) -> None:
    hands.go("/frame-cut")
    assert "Above the edge" in _names(hands)
    assert "Beyond the edge" not in _names(hands)
