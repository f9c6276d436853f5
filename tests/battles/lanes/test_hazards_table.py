"""The table of hazards names real tests, and leaves none of them out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[3] / "docs" / "hazards.md"
HERE = Path(__file__).parent


def _tests(pattern: str) -> set[str]:
    return {
        node.name
        for file in HERE.glob(pattern)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def _rows() -> list[str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.endswith("proved by |")]


def test_every_row_is_proved_by_tests_that_exist() -> None:
    known = _tests("test_*.py")
    for row in _rows():
        cells = row.strip("|").split(" | ")
        assert len(cells) == 4, row
        named = re.findall(r"`(test_\w+)`", cells[3])
        assert named, row
        assert set(named) <= known, f"{sorted(set(named) - known)} in: {row}"


def test_every_hazard_that_is_tested_is_in_the_table() -> None:
    named = set(re.findall(r"`(test_\w+)`", TABLE.read_text(encoding="utf-8")))
    assert _tests("test_hazards_*.py") - _tests("test_hazards_table.py") <= named
