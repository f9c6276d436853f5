"""``docs/claims.md``: the beliefs as they read today, and what was noticed when each mechanism was removed."""

from __future__ import annotations

from pathlib import Path

from governance.claims import Claims
from governance.theses import ROOT

PAGE = ROOT / "docs" / "claims.md"
#: Between these stands what the code says; the rest of the page is written by people.
BELIEFS = ("<!-- beliefs -->\n", "<!-- /beliefs -->\n")
MUTATIONS = ("<!-- mutations -->\n", "<!-- /mutations -->\n")


def beliefs_markdown(claims: Claims) -> str:
    """A table of every belief that is held, a chapter after the other."""
    lines = []
    section = None
    for claim in claims.held:
        if claim.section is not section:
            section = claim.section
            lines += ["", f"### {section.value}", "", "| belief | mechanism | standing |", "|---|---|---|"]
        where = f"`{claim.file}`, `{claim.symbol}`"
        lines.append(f"| {claim.belief} | {claim.mechanism} {where} | {claim.standing.value} |")
    return "\n".join(lines[1:]) + "\n"


def document_problem(claims: Claims, page: Path = PAGE) -> str:
    """What is wrong with the beliefs that the page quotes; nothing if they are those of the code."""
    try:
        quoted = part(page.read_text(encoding="utf-8"), BELIEFS)
    except (OSError, ValueError):
        return f"{page.name} has no beliefs to compare."
    if quoted == beliefs_markdown(claims):
        return ""
    return f"{page.name} quotes other beliefs or constants than the code has; manage.py verify_claims --write mends it."


def write_document(claims: Claims, page: Path = PAGE) -> None:
    """Quote today's beliefs."""
    write_part(BELIEFS, beliefs_markdown(claims), page)


def write_part(marks: tuple[str, str], text: str, page: Path = PAGE) -> None:
    """Put a text between two marks of the page.

    Raises:
        ValueError: the marks are not there.
    """
    whole = page.read_text(encoding="utf-8")
    old = part(whole, marks)
    page.write_text(whole.replace(f"{marks[0]}{old}{marks[1]}", f"{marks[0]}{text}{marks[1]}"), encoding="utf-8")


def part(whole: str, marks: tuple[str, str]) -> str:
    """What stands between two marks.

    Raises:
        ValueError: they are not there.
    """
    start = whole.index(marks[0]) + len(marks[0])
    return whole[start : whole.index(marks[1], start)]
