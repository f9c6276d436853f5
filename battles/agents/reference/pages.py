"""A page's text taken apart: lines, rows of tables with their headers, headings, and cards of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from battles.agents.reference.wording import joined_terms, stems, term_set, words

#: A heading is short: at most this many words.
LONGEST_HEADING = 8
#: Lines at the top that tell what the whole page is about.
TOP_LINES = 12
#: A card of a list has at most this many lines.
LONGEST_CARD = 12


@dataclass(slots=True)
class Line:
    """One line of text: its cells (one where it is no row), terms, and for a row the terms of each column's header."""

    text: str
    cells: list[str]
    terms: frozenset[str]
    headers: list[frozenset[str]] = field(default_factory=list)
    heading: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Card:
    """One entry of a list: its title and its lines, the title's among them."""

    title: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and lines. ``links`` are the names of its links, ``filled`` what its fields hold."""

    title: str
    lines: tuple[Line, ...]
    links: frozenset[str] = frozenset()
    filled: str = ""

    @property
    def top(self) -> frozenset[str]:
        return term_set(self.title, self.filled, *(line.text for line in self.lines[:TOP_LINES] if len(line.text) < 80))


def take_apart(
    title: str, text: str, *, links: Collection[str] = (), options: Collection[str] = (), filled: str = ""
) -> PageText:
    """A page's text as lines; runs of ``options``, which are what selects and radios offer, are left out."""
    rows = _without_runs(_whole_rows([line for line in text.splitlines() if line.strip()]), frozenset(options))
    lines = [_line(row) for row in rows]
    _set_headers(lines)
    heading: frozenset[str] = frozenset()
    for at, line in enumerate(lines):
        line.heading = heading
        if is_heading(line) and at + 1 < len(lines):
            heading = line.terms
    return PageText(title, tuple(lines), frozenset(" ".join(name.split()) for name in links if name), filled)


def _line(row: str) -> Line:
    cells = [" ".join(cell.split()) for cell in row.split("\t")]
    return Line(text=" ".join(" ".join(cells).split()), cells=cells, terms=joined_terms(cells))


def _whole_rows(raw: Sequence[str]) -> list[str]:
    """Rows that a line break inside a cell tore apart, put together again: a row has as many cells as the one above."""
    rows: list[str] = []
    at = 0
    width = 0
    while at < len(raw):
        row = raw[at]
        at += 1
        tabs = row.count("\t")
        if 0 < tabs < width:
            missing = width - tabs
            ahead = raw[at : at + 4]
            for taken in range(1, len(ahead) + 1):
                if sum(line.count("\t") for line in ahead[:taken]) == missing:
                    row = " ".join([row, *ahead[:taken]])
                    at += taken
                    break
        width = row.count("\t") or 0
        rows.append(row)
    return rows


def _without_runs(rows: Sequence[str], options: frozenset[str]) -> list[str]:
    offered = [" ".join(row.split()) in options for row in rows]
    return [
        row
        for at, row in enumerate(rows)
        if not (offered[at] and ((at and offered[at - 1]) or (at + 1 < len(rows) and offered[at + 1])))
    ]


def _set_headers(lines: Sequence[Line]) -> None:
    """The first of several rows of the same width names the columns, unless it is itself a label with a value."""
    header: Line | None = None
    for line in lines:
        if len(line.cells) < 2:
            header = None
        elif header is None or len(header.cells) != len(line.cells):
            header = line
        elif len(line.cells) > 2 or not any(re.search(r"\d", cell) for cell in header.cells):
            line.headers = [term_set(cell) for cell in header.cells]


def is_heading(line: Line) -> bool:
    """Whether a line is short and no sentence."""
    return len(line.cells) == 1 and len(words(line.text)) <= LONGEST_HEADING and not re.search(r"[.!;:,]$", line.text)


def cards_of(page: PageText) -> list[Card]:
    """The entries of a list: each begins with a line that is a link and goes on to the next such line.

    Links with nothing between them are navigation, not cards.
    """
    starts = [at for at, line in enumerate(page.lines) if len(line.cells) == 1 and line.text in page.links]
    cards = []
    for at, start in enumerate(starts):
        stop = min(starts[at + 1] if at + 1 < len(starts) else len(page.lines), start + LONGEST_CARD)
        if stop - start > 1:
            cards.append(Card(page.lines[start].text, page.lines[start:stop]))
    return _alike(cards)


def _alike(cards: list[Card]) -> list[Card]:
    """Without the last of a navigation, whose "card" is whatever follows it: such a one has no sibling beside it."""
    return cards if len(cards) > 1 else []


def row_cards(page: PageText) -> list[Card]:
    """The rows of tables that have headers, as cards called by their first cell."""
    return [Card(line.cells[0], (line,)) for line in page.lines if line.headers and line.cells[0]]


def pairs_at(lines: Sequence[Line], at: int, focus: Sequence[str] = ()) -> list[tuple[frozenset[str], str]]:
    """Label and value pairs at a line: by colon, by header, by first cell, or the next line under a short label.

    A sentence that begins with the terms of ``focus`` is a label with its value as well: "Shelf mark 512 KEL".
    """
    line = lines[at]
    pairs: list[tuple[frozenset[str], str]] = []
    for sentence in sentences_of(line.text) if focus else ():
        spoken = sentence.split()
        if len(spoken) > len(focus) and stems(" ".join(spoken[: len(focus)])) == list(focus):
            pairs.append((frozenset(focus), " ".join(spoken[len(focus) :]).strip(" :,;.")))
    before, colon, after = line.text.partition(": ")
    if colon and len(before) < 40 and after.strip():
        pairs.append((term_set(before), after.strip()))
    pairs.extend((label, cell) for label, cell in zip(line.headers, line.cells, strict=False) if label and cell)
    if len(line.cells) == 2:
        pairs.append((term_set(line.cells[0]), line.cells[1]))
    if len(line.cells) == 1 and len(words(line.text)) <= 5 and at + 1 < len(lines) and len(lines[at + 1].cells) == 1:
        pairs.append((line.terms, lines[at + 1].text))
    by = re.match(r"(?:written |recipe |posted |photo |text )?(?:by|from)\s+(.{3,60})$", line.text, re.IGNORECASE)
    if by:
        pairs.append((frozenset({"author"}), by[1]))
    return [(label, value) for label, value in pairs if label]


def sentences_of(text: str) -> list[str]:
    """The sentences of a line."""
    return re.split(r"(?<=[.!?;])\s+(?=[A-ZÀ-Þ0-9])", text)
