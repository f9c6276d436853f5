"""The executor on real pages: what each verb does, and what it says when it cannot."""

from __future__ import annotations

import pytest

from battles.lanes.digests import page_changed
from tests.battles.lanes.conftest import Hands

pytestmark = pytest.mark.browser


def test_clicking_by_reference_and_by_point_do_the_same(hands: Hands) -> None:
    hands.go("/")
    result = hands.do("click", ref=hands.find("second page").ref)
    assert result.ok
    assert hands.view.title == "second"
    hands.click("home page")
    assert hands.view.title == "home"
    assert hands.done is not None
    assert hands.done.target is not None
    assert hands.done.target["role"] == "link"
    assert hands.done.target["name"] == "home page"


def test_a_reference_of_an_earlier_look_is_not_found(hands: Hands) -> None:
    hands.go("/")
    old = hands.find("second page").ref
    hands.go("/second")
    result = hands.do("click", ref=old)
    assert not result.ok
    assert result.code == "not_found"
    assert hands.view.title == "second"


def test_a_reference_to_what_has_vanished_is_not_found(hands: Hands) -> None:
    hands.go("/vanishing")
    reference = hands.find("First").ref
    assert hands.do("click", ref=reference).ok
    assert hands.do("click", ref=reference).code == "not_found"


def test_a_covered_element_is_left_out_and_its_reference_refused(hands: Hands) -> None:
    hands.go("/covered")
    names = [element.name for element in hands.view.elements]
    assert "Dismiss" in names
    assert "Under" not in names
    assert hands.view.overlay == "dialog"
    hands.do("read", what="elements")
    line = next(line for line in hands.done.result.text.splitlines() if "Under" in line)
    result = hands.do("click", ref=line[1 : line.index("]")])
    assert result.code == "not_found"
    assert "covered" in result.message


def test_the_element_list_says_role_name_value_and_state(hands: Hands) -> None:
    hands.go("/controls")
    listed = {(element.role, element.name): element for element in hands.view.elements}
    assert listed["combobox", "Colour"].value == "Red"
    assert listed["combobox", "Colour"].state["options"] == ["Red", "Blue"]
    assert listed["checkbox", "Fresh"].state["checked"] is True
    assert listed["radio", "Small"].state["checked"] is False
    assert listed["textbox", "Your name"].state["placeholder"] == "Your name"
    assert listed["button", "Send"].state["disabled"] is True
    assert listed["link", "To the second"].state["href"].endswith("/second")
    assert ("clickable", "Pseudo") in listed
    assert listed["tab", "First tab"].state["selected"] is True
    assert listed["summary", "More"].state["expanded"] is False
    assert listed["slider", "Volume"].state["max"] == "9"
    names = [element.name for element in hands.view.elements]
    assert "Ghost" not in names, "an invisible control cannot be used"
    assert "Far away" not in names, "what is out of view is not listed"


def test_read_elements_lists_the_whole_page_and_its_references_work(hands: Hands) -> None:
    hands.go("/controls")
    result = hands.do("read", what="elements")
    line = next(line for line in result.text.splitlines() if "Far away" in line)
    assert line.startswith("[ref_")
    assert hands.do("click", ref=line[1 : line.index("]")]).ok
    assert hands.view.title == "far"


def test_read_text_is_the_visible_text(hands: Hands) -> None:
    hands.go("/controls")
    text = hands.do("read", what="text").text
    assert "Pseudo" in text
    assert "invisible words" not in text
    assert "hidden words" not in text


def test_read_goes_into_frames(hands: Hands) -> None:
    hands.go("/frames")
    assert hands.do("read", what="text").text.count("Inside") == 2
    assert hands.do("read", what="elements").text.count('button "Inside"') == 2


def test_text_arrives_exactly_as_written(hands: Hands) -> None:
    words = "Zażółć 你好 😀 é ß"
    hands.go("/type")
    for name in ("Line", "Area", "Rich"):
        result = hands.do("type", text=words, ref=hands.find(name).ref)
        assert words in result.message
        assert hands.find(name).value == words


def test_long_text_arrives_exactly_and_quickly(hands: Hands) -> None:
    words = "žluťoučký kůň 😀 " * 200
    hands.go("/type")
    hands.do("type", text=words, ref=hands.find("Area").ref)
    assert hands.evaluate("document.querySelector('textarea').value") == words


def test_typing_clears_first_and_presses_enter_when_asked(hands: Hands) -> None:
    hands.go("/type")
    hands.do("type", text="first", ref=hands.find("Query").ref)
    hands.do("type", text="second", ref=hands.find("Query").ref, clear=True, enter=True)
    assert hands.view.title == "sent second"


def test_a_password_is_never_told_back(hands: Hands) -> None:
    hands.go("/type")
    result = hands.do("type", text="hunter22", ref=hands.find("Secret").ref)
    assert "hunter22" not in result.message
    assert all("hunter22" not in element.value for element in hands.view.elements)


def test_typing_with_nothing_in_focus_says_so(hands: Hands) -> None:
    hands.go("/type")
    assert "Nothing has the focus" in hands.do("type", text="x").message


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        ("Return", "Enter"),
        ("ctrl+a", "Control a"),
        ("Page_Down", "PageDown"),
        ("esc", "Escape"),
        ("Shift+Tab", "Shift Tab"),
        ("Left Left", "ArrowLeft ArrowLeft"),
        ("ctrl shift k", "Control Shift k"),
    ],
)
def test_keys_are_pressed_under_their_other_names(hands: Hands, keys: str, seen: str) -> None:
    hands.go("/type")
    hands.click("Line")
    assert hands.do("press", keys=keys).ok
    assert hands.view.title.lower() == seen.lower()


def test_keys_repeat_and_are_held(hands: Hands) -> None:
    hands.go("/type")
    hands.click("Line")
    hands.do("press", keys="x", repeat=5)
    assert hands.find("Line").value == "xxxxx"
    hands.do("press", keys="y", hold_ms=100)
    assert hands.find("Line").value == "xxxxxy"


def test_copy_and_paste_work_by_keys(hands: Hands) -> None:
    hands.go("/type")
    hands.do("type", text="carried", ref=hands.find("Line").ref)
    hands.do("press", keys="ctrl+a")
    hands.do("press", keys="ctrl+c")
    hands.click("Area")
    hands.do("press", keys="ctrl+v")
    assert hands.find("Area").value == "carried"


def test_a_chord_of_the_browser_window_names_the_verb_that_does_it(hands: Hands) -> None:
    hands.go("/")
    assert "history(go=reload)" in hands.do("press", keys="F5").message


def test_hover_opens_what_hovering_opens(hands: Hands) -> None:
    hands.go("/hover")
    assert all(element.name != "Entry" for element in hands.view.elements)
    menu = next(element for element in hands.view.elements if element.role == "button")
    hands.do("hover", ref=menu.ref)
    hands.click("Entry")
    assert hands.view.title == "second"


def test_a_drag_makes_enough_moves_for_libraries_that_count_them(hands: Hands) -> None:
    hands.go("/drag")
    assert hands.do("drag", path=[[90, 140], [560, 150]]).ok
    moves = int(hands.view.title.split()[0])
    assert hands.view.title.endswith("in")
    assert moves >= 8


def test_a_drag_from_reference_to_reference(hands: Hands) -> None:
    hands.go("/drag")
    hands.do("drag", ref=hands.find("Stone").ref, to_ref=hands.find("Hole").ref)
    assert hands.view.title.endswith("in")


def test_a_native_drag_and_drop_carries_its_data(hands: Hands) -> None:
    hands.go("/native-drag")
    hands.do("drag", ref=hands.find("Stone").ref, to_ref=hands.find("Hole").ref)
    assert hands.view.title == "dropped stone"


def test_back_forward_and_reload(hands: Hands) -> None:
    hands.go("/")
    hands.go("/second")
    hands.do("history", go="back")
    assert hands.view.title == "home"
    hands.do("history", go="forward")
    assert hands.view.title == "second"
    assert hands.do("history", go="reload").ok
    result = hands.do("history", go="forward")
    assert result.code == "not_found"


def test_tabs_open_switch_and_close(hands: Hands) -> None:
    hands.go("/")
    first = hands.view.tabs[0].tab_id
    assert hands.do("tab", op="new").ok
    assert [tab.active for tab in hands.view.tabs] == [False, True]
    hands.go("/second")
    hands.do("tab", op="switch", tab_id=first)
    assert hands.view.title == "home"
    assert hands.do("tab", op="switch", tab_id="t99").code == "not_found"
    hands.do("tab", op="close", tab_id=first)
    assert hands.view.title == "second"


def test_closing_the_last_tab_leaves_a_blank_one(hands: Hands) -> None:
    hands.go("/")
    hands.do("tab", op="close")
    assert len(hands.view.tabs) == 1
    assert hands.view.url == "about:blank"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://version"])
def test_other_schemes_are_refused_and_nothing_is_loaded(hands: Hands, url: str) -> None:
    hands.go("/")
    result = hands.do("navigate", url=url)
    assert result.code == "refused_url"
    assert hands.view.title == "home"


def test_a_bare_loopback_host_is_opened_with_http(hands: Hands) -> None:
    address = hands.pond.url("/second").removeprefix("http://")
    assert hands.do("navigate", url=address).ok
    assert hands.view.title == "second"


def test_a_load_that_fails_is_a_result(hands: Hands) -> None:
    result = hands.do("navigate", url="http://127.0.0.1:9/")
    assert not result.ok
    assert result.code in {"load_failed", "refused_url"}


def test_an_http_error_is_told(hands: Hands) -> None:
    assert "HTTP 404" in hands.go("/missing").message


def test_zoom_shows_the_part_enlarged_also_on_a_scrolled_page(hands: Hands) -> None:
    hands.go("/zoom")
    hands.do("scroll", dy=1200)
    before = hands.view.digest
    hands.do("zoom", x0=0, y0=0, x1=320, y1=200)
    assert hands.done is not None
    picture = hands.done.picture
    assert picture is not None
    assert (picture.width, picture.height) == (1280, 800)
    assert hands.evaluate("innerWidth") == 1280
    assert page_changed(before, hands.view.digest) is False


def test_waiting_takes_its_time(hands: Hands) -> None:
    assert hands.do("wait", seconds=0.3).message == "Waited 0.3 s."


def test_page_scripts_cannot_be_misled_by_the_page(hands: Hands) -> None:
    hands.go("/hostile")
    assert hands.find("Honest").width > 0


def test_a_document_that_is_no_page_still_has_a_picture(hands: Hands) -> None:
    hands.go("/feed")
    assert hands.view.frame.image[:2] == b"\xff\xd8"
    assert hands.view.url.endswith("/feed")
