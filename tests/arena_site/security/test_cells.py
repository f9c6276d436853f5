"""No text of anybody is a formula to a spreadsheet, whichever sign separates cells where it is opened."""

import ast
import csv
import functools
import io
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_site.environment import CHECKOUT
from governance.spreadsheet_cells import text_cell

#: What a spreadsheet takes for the beginning of a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
#: Every character that is white space or that nobody sees: told from Unicode here, whatever the rule goes by.
NOBODY_SEES = ("Cc", "Cf", "Zs", "Zl", "Zp")
unseen_characters = st.characters(categories=NOBODY_SEES)
#: Characters of which such texts are made.
SIGNS = "=+-@|%;,\t\r\n\"' a1(＝＋－＠"
#: What separates cells: here, in half of Europe, and where text is pasted.
SEPARATORS = (",", ";", "\t")


def cells_as_opened(text, separator):
    """The cells that a spreadsheet with this separator makes of our one cell between two others."""
    out = io.StringIO()
    csv.writer(out).writerow(["first", text, "last"])
    for row in csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=separator):
        yield from row


def stripped(cell):
    """What a spreadsheet that takes away whatever nobody sees is left with."""
    seen = (place for place, sign in enumerate(cell) if unicodedata.category(sign) not in NOBODY_SEES)
    return cell[next(seen, len(cell)) :]


@given(text=st.text(st.sampled_from(SIGNS) | unseen_characters, max_size=12), separator=st.sampled_from(SEPARATORS))
def test_no_text_is_a_formula_however_it_is_opened(text, separator):
    for cell in cells_as_opened(text_cell(text), separator):
        assert not stripped(cell).startswith(FORMULAS), (text, cell)


@given(
    before=st.text(unseen_characters, max_size=5),
    start=st.sampled_from([*FORMULAS, "\n", "|", "%"]),
    separator=st.sampled_from(["", "a;", 'a"; ']),
)
def test_each_start_is_marked_whatever_nobody_sees_before_it(before, start, separator):
    marked = text_cell(f"{separator}{before}{start}1+1")
    if separator and start in "\t\r\n":
        # There it only begins another cell, in which nothing is a formula.
        assert marked == f"{separator}{before}{start}1+1"
    elif separator:
        assert marked == f"{separator}{before}'{start}1+1"
    else:
        assert marked.startswith("'")


@functools.cache
def all_unseen():
    return [sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(sign) in NOBODY_SEES]


@pytest.mark.parametrize("start", ["=", "＠"])
def test_no_single_character_hides_a_formula(start):
    assert len(all_unseen()) > 200
    assert [hex(ord(sign)) for sign in all_unseen() if not text_cell(f"{sign}{start}1").startswith("'")] == []


@pytest.mark.parametrize("text", ["Find the opening hours; then the address.", "a - b", "50 % off", "née", "a,b", ""])
def test_ordinary_text_stays_as_it_is(text):
    assert text_cell(text) == text


def test_who_writes_csv_writes_text_through_this_rule():
    """Every module with a writer of CSV takes its text cells from here, but for tables of numbers and closed words."""
    without = set()
    for package in ("arena_site", "governance", "battles", "judging", "ratings", "metrics"):
        for path in (CHECKOUT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "csv.writer(" in text or "csv.DictWriter(" in text:
                tree = ast.parse(text)
                used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
                if "text_cell" not in used:
                    without.add(str(path.relative_to(CHECKOUT)))
    assert without == set()
