"""Files that pages offer: none is kept, and of a PDF the text is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from battles.lanes.runtime_dir import lane_runtime_dir
from battles.lanes.upload_files import UPLOAD_FILES
from battles.lanes.vocabulary import READ_LIMIT
from tests.battles.lanes.conftest import BOUNDS, Hands
from tests.battles.lanes.pond_site import Pond
from tests.battles.lanes.whole_lane import visit_in_a_lane

pytestmark = pytest.mark.browser

LINE = "A page with one line of text."


def test_a_pdf_in_a_lanes_own_browser_is_read_and_not_kept(pond: Pond) -> None:
    with lane_runtime_dir() as folder:
        visit = visit_in_a_lane(folder, f"127.0.0.1:{pond.server_address[1]}", "/paper")
        assert visit.result.ok
        assert visit.result.text == LINE
        assert not any(folder.iterdir())


@pytest.mark.parametrize("link", ["Paper", "Paper in a tab", "Made paper", "Attached paper"])
def test_a_pdf_is_a_download_whose_text_is_read(hands: Hands, link: str) -> None:
    hands.go("/files")
    result = hands.click(link)
    assert result.ok
    (pdf,) = hands.changes("pdf")
    assert (pdf["pages"], pdf["size"]) == (1, len(UPLOAD_FILES["page.pdf"].content))
    assert result.text == LINE
    assert not hands.changes("download"), "told once"
    assert hands.view.title == "files", "the page stays"
    assert len(hands.view.tabs) == 1


def test_a_pdf_by_address_is_the_same(hands: Hands) -> None:
    hands.go("/files")
    result = hands.go("/paper")
    assert result.ok
    assert result.text == LINE
    assert hands.view.title == "files"


def test_a_broken_pdf_is_told_without_text(hands: Hands) -> None:
    hands.go("/files")
    result = hands.click("Bad paper")
    assert result.text == ""
    (pdf,) = hands.changes("pdf")
    assert pdf["characters"] == 0


def test_a_pdf_made_to_exhaust_its_reader_costs_a_bounded_time(make_hands: Callable[..., Hands]) -> None:
    hands = make_hands(replace(BOUNDS, paper=3.0))
    hands.go("/files")
    began = time.monotonic()
    result = hands.click("Heavy paper")
    assert time.monotonic() - began < 3 + 4
    assert len(result.text) <= READ_LIMIT
    assert hands.changes("pdf")
    assert hands.go("/second").ok


def test_a_pdf_that_never_ends_is_given_up(make_hands: Callable[..., Hands]) -> None:
    hands = make_hands(replace(BOUNDS, paper=1.5))
    hands.go("/files")
    began = time.monotonic()
    assert hands.click("Unending").text == ""
    assert time.monotonic() - began < 1.5 * 2 + 3
    assert hands.go("/second").ok


def test_a_file_that_a_page_makes_itself_is_a_download_like_any_other(hands: Hands) -> None:
    hands.go("/files")
    hands.click("Made here")
    (download,) = hands.changes("download")
    assert download["name"] == "made.txt"
    assert hands.view.title == "files"
