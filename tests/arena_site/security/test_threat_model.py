"""docs/security.md names files, symbols and tests that are there, so that the page cannot rot."""

import ast
import functools
import re
from pathlib import Path

import pytest

from arena_site.environment import CHECKOUT

PAGE = CHECKOUT / "docs" / "security.md"
CITED = re.compile(r"`((?:[\w.-]+/)+[\w.-]+)(?:::(\w+))?`")
TABLE_ROW = re.compile(r"^\| (?!-|threat \||what \||who \|)(.+) \|$", re.MULTILINE)


def cited():
    return sorted(set(CITED.findall(PAGE.read_text(encoding="utf-8"))))


@functools.cache
def defined_in(path: Path) -> frozenset[str]:
    """Names that a module defines at its top, and the methods of its classes."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        found.update(name for target in targets if (name := getattr(target, "id", getattr(target, "name", ""))))
        found.update(inner.name for inner in getattr(node, "body", []) if isinstance(inner, ast.FunctionDef))
    return frozenset(found)


@pytest.mark.parametrize(("file", "name"), cited(), ids="::".join)
def test_what_is_cited_is_there(file, name):
    path = CHECKOUT / file
    assert path.is_file(), file
    assert not name or name in defined_in(path), f"{file} has no {name}"
    if file.startswith("tests/") and name.startswith("test_"):
        # As pytest collects.
        assert path.name.startswith("test_")
        assert "soak" not in name


def test_every_threat_names_what_keeps_it_and_a_test():
    rows = [row for row in TABLE_ROW.findall(PAGE.read_text(encoding="utf-8")) if row.count(" | ") >= 3]
    assert len(rows) > 30
    for row in rows:
        threat, _, by, proof = row.split(" | ")[:4]
        assert CITED.search(by), threat
        assert [file for file, _ in CITED.findall(proof) if file.startswith("tests/")], threat


def test_a_citation_that_rots_is_seen():
    assert "take_sign_in" in defined_in(CHECKOUT / "arena_site/accounts/limits.py")
    assert "take_sign_out" not in defined_in(CHECKOUT / "arena_site/accounts/limits.py")
    assert "write" in defined_in(CHECKOUT / "arena_site/control_characters.py")
