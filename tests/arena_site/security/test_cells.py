"""No text of anybody is a formula to a spreadsheet, whichever sign separates cells where it is opened."""

import ast
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_site.environment import CHECKOUT
from governance.spreadsheet_cells import FORMULA_STARTS, text_cell

#: Characters of which such texts are made.
SIGNS = "=+-@|%;,\t\r\n\"' a1(\u00a0\ufeff＝＋－＠"
#: What separates cells: here, in half of Europe, and where text is pasted.
SEPARATORS = (",", ";", "\t")


def cells_as_opened(text, separator):
    """The cells that a spreadsheet with this separator makes of our one cell between two others."""
    out = io.StringIO()
    csv.writer(out).writerow(["first", text, "last"])
    for row in csv.reader(io.StringIO(out.getvalue(), newline=""), delimiter=separator):
        yield from row


@given(text=st.text(SIGNS, max_size=12), separator=st.sampled_from(SEPARATORS))
def test_no_text_is_a_formula_however_it_is_opened(text, separator):
    for cell in cells_as_opened(text_cell(text), separator):
        assert not cell.lstrip(" \u00a0\ufeff").startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")), (text, cell)


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_each_start_is_marked(start):
    assert text_cell(f"{start}1+1").startswith("'")


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
