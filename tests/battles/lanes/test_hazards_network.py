"""Downloads, documents that are no pages, logins, other programs, permissions, printing, full screen."""

from __future__ import annotations

import time

import pytest

from tests.battles.lanes.conftest import BOUNDS, Hands

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("by", ["address", "link"])
def test_a_download_is_reported_and_not_kept(hands: Hands, by: str) -> None:
    hands.go("/links")
    result = hands.go("/file") if by == "address" else hands.click("File")
    assert result.ok
    (download,) = hands.changes("download")
    assert download["name"] == "data.bin"
    assert download["size"] == 1234
    assert hands.view.title == "links", "the page stays"


def test_a_login_by_the_browser_is_a_result(hands: Hands) -> None:
    result = hands.go("/locked")
    assert not result.ok
    assert result.code == "load_failed"
    assert "name and password" in result.message


def test_a_link_to_a_login_is_told(hands: Hands) -> None:
    hands.go("/links")
    hands.click("Locked")
    assert hands.changes("load_failed")


def test_an_empty_answer_leaves_the_page(hands: Hands) -> None:
    hands.go("/links")
    assert hands.click("Nothing").ok
    assert hands.view.title == "links"


@pytest.mark.parametrize(("link", "scheme"), [("Mail", "mailto"), ("Call", "tel")])
def test_other_programs_are_not_started(hands: Hands, link: str, scheme: str) -> None:
    hands.go("/links")
    result = hands.click(link)
    assert result.ok
    assert hands.changes("external_program")[0]["scheme"] == scheme
    assert hands.view.title == "links"


@pytest.mark.parametrize(
    ("button", "title"), [("Place", "no place 1"), ("Notify", "notify denied"), ("Paste", "no clip")]
)
def test_permissions_are_denied_at_once(hands: Hands, button: str, title: str) -> None:
    hands.go("/permissions")
    hands.click(button)
    # A private context waits a random second or two before it denies notifications, so as not to give itself away.
    for _ in range(10):
        if hands.view.title != title:
            hands.do("wait", seconds=0.5)
    assert hands.view.title == title


def test_printing_is_noted_and_does_not_hang(hands: Hands) -> None:
    hands.go("/permissions")
    hands.click("Print")
    assert hands.view.title == "printed"
    told = [change["kind"] for change in (*hands.done.result.changes, *hands.browser.incidents.take())]
    assert "print" in told


def test_full_screen_is_left_at_the_end_of_the_step(hands: Hands) -> None:
    hands.go("/permissions")
    hands.click("Full")
    assert hands.changes("fullscreen")
    assert hands.evaluate("document.title") == "full", "it was entered"
    assert hands.evaluate("document.fullscreenElement === null")
    assert hands.evaluate("[innerWidth, innerHeight]") == [1280, 800]


@pytest.mark.parametrize("button", ["Mail", "Mail window", "Made up", "In a frame"])
def test_other_programs_are_not_started_by_scripts_either(hands: Hands, button: str) -> None:
    hands.go("/scripted-schemes")
    began = time.monotonic()
    hands.click(button)
    assert time.monotonic() - began < BOUNDS.settle
    assert hands.changes("external_program")
    assert "schemes" in {tab.title for tab in hands.view.tabs}, "the page stays"
    assert hands.go("/second").ok
