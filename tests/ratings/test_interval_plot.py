"""The picture of ratings with their intervals."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from ratings.headline import AgentRating, fit_headline
from ratings.interval_plot import NAMES, PLOT, interval_plot
from tests.ratings.boards import ballots, head_to_head, judged_apart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(rows: list[AgentRating]) -> ElementTree.Element:
    return ElementTree.fromstring(interval_plot(rows, title="Ratings & more", gauge="the mean is 1000"))


def board() -> list[AgentRating]:
    rows = judged_apart(head_to_head(9, 7) + head_to_head(6, 0, a=2, b=0) + head_to_head(0, 6, a=3, b=1))
    return list(fit_headline(ballots(rows), ["<b>one</b>", "two\x08", "star", "dud"]).agents)


def test_the_picture_says_in_words_what_it_shows() -> None:
    picture = drawn(board())
    assert picture.get("role") == "img"
    assert picture.findtext(f"{SVG}title") == "Ratings & more"
    described = picture.findtext(f"{SVG}desc") or ""
    assert "<b>one</b>: 1" in described
    assert "star: at least" in described
    assert "prefers-color-scheme: dark" in (picture.findtext(f"{SVG}style") or "")


def test_every_mark_lies_on_the_plot() -> None:
    rows = board()
    picture = drawn(rows)
    thick = [line for line in picture.iter(f"{SVG}line") if line.get("class") == "alone"]
    assert len(thick) == len(list(picture.iter(f"{SVG}circle"))) == 2
    for line in picture.iter(f"{SVG}line"):
        assert NAMES <= float(line.get("x1", "")) <= float(line.get("x2", "")) + PLOT <= NAMES + 2 * PLOT
    for line, circle in zip(thick, picture.iter(f"{SVG}circle"), strict=True):
        assert float(line.get("x1", "")) < float(circle.get("cx", "")) < float(line.get("x2", ""))
    assert len([path for path in picture.iter(f"{SVG}path") if path.get("class") == "arrow"]) == 2


def test_groups_that_never_met_stand_apart() -> None:
    rows = list(fit_headline(ballots(head_to_head(3, 2) + head_to_head(2, 2, a=2, b=3)), list("abcd")).agents)
    texts = [text.text for text in drawn(rows).iter(f"{SVG}text")]
    assert texts.index("Group 1") < texts.index("a") < texts.index("Group 2") < texts.index("c")


def test_nobody_rated_is_a_picture_too() -> None:
    rows = [replace(row, rating=None, bound=None, lower=None, upper=None) for row in board()]
    assert drawn([]).findtext(f"{SVG}desc") == "Nobody is rated."
    assert "no finite rating" in (drawn(rows).findtext(f"{SVG}desc") or "")
