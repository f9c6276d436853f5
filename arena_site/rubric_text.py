"""The rubric's Markdown as blocks a template can show. Its grammar is the part that rubrics use, and nothing else.

Headings, paragraphs, lists with one level, **bold** and *emphasis*. Whatever else is written shows as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from judging.models import Rubric

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"\*(.+?)\*")
_ITEM = re.compile(r"(?P<bullet>-|\d+\.)\s+(?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Block:
    """``kind`` is ``text``, ``numbered`` or ``list``; a text has one item."""

    kind: str
    items: list[SafeString]


@dataclass(slots=True)
class Section:
    """What stands under one heading; before the first one the title is empty."""

    title: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RubricView:
    """A rubric in sections. ``order`` is its first list: what counts, in order; ``choices`` its first unordered one."""

    version: int
    title: str
    sections: list[Section]
    order: list[SafeString]
    choices: list[SafeString]


def how_to_judge(rubric: Rubric) -> RubricView:
    """A stored rubric, ready to be shown."""
    title, sections = _sections(rubric.text)
    blocks = [block for section in sections for block in section.blocks]
    return RubricView(
        version=rubric.version,
        title=title,
        sections=sections,
        order=next((block.items for block in blocks if block.kind == "numbered"), []),
        choices=next((block.items for block in blocks if block.kind == "list"), []),
    )


def inline(text: str) -> SafeString:
    """Bold and emphasis as elements; everything else escaped."""
    marked = _EMPHASIS.sub(r"<em>\1</em>", _BOLD.sub(r"<strong>\1</strong>", escape(text)))
    return mark_safe(marked)  # noqa: S308  # escaped just above; only the two elements are added


def _sections(text: str) -> tuple[str, list[Section]]:
    title, sections = "", [Section("")]
    for chunk in _chunks(text):
        if chunk[0].startswith("# "):
            title = chunk[0][2:].strip()
        elif chunk[0].startswith("## "):
            sections.append(Section(chunk[0][3:].strip()))
        else:
            sections[-1].blocks.append(_block(chunk))
    return title, [section for section in sections if section.title or section.blocks]


def _chunks(text: str) -> Iterator[list[str]]:
    """Runs of lines between empty lines."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            lines.append(line.strip())
        elif lines:
            yield lines
            lines = []


def _block(lines: list[str]) -> Block:
    items = [_ITEM.fullmatch(line) for line in lines]
    if not all(items):
        return Block("text", [inline(" ".join(lines))])
    kind = "list" if items[0] is not None and items[0]["bullet"] == "-" else "numbered"
    return Block(kind, [inline(item["text"]) for item in items if item is not None])
