"""A page's text taken apart: lines, rows of tables with their headers, headings, and cards of a list."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from battles.agents.reference.values import VALUE_PATTERNS
from battles.agents.reference.wording import STOPWORDS, joined_terms, stems, term_set, words

#: A heading is short: at most this many words.
LONGEST_HEADING = 8
#: Lines at the top that tell what the whole page is about.
TOP_LINES = 6
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
        """Terms of the title, of what the fields hold and of the first lines; links only say what is elsewhere."""
        own = [line.text for line in self.lines if len(line.text) < 80 and not _is_entry(line, self.links)]
        return term_set(self.title, self.filled, *own[:TOP_LINES])


def _is_entry(line: Line, links: Collection[str]) -> bool:
    """Whether a line is a link or has a price or a time: neither says what the page is about."""
    return line.text in links or any(VALUE_PATTERNS[kind].search(line.text) for kind in ("money", "time"))


def take_apart(
    title: str,
    text: str,
    *,
    links: Collection[str] = (),
    options: Collection[str] = (),
    controls: Collection[str] = (),
    filled: str = "",
) -> PageText:
    """A page's text as lines.

    Left out are lines that are no more than what ``controls`` are called, and runs of ``options``, which are what
    selects and radios offer.
    """
    called = {" ".join(name.split()) for name in controls}
    raw = [line for line in text.splitlines() if line.strip() and " ".join(line.split()) not in called]
    rows = _without_runs(_whole_rows(raw), frozenset(options))
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

    Links with nothing between them are navigation, not cards; what follows the last of them belongs to it only where
    all entries are as long.
    """
    starts = [at for at, line in enumerate(page.lines) if len(line.cells) == 1 and line.text in page.links]
    spans = [
        (start, min(stop, start + LONGEST_CARD))
        for start, stop in itertools.pairwise([*starts, len(page.lines)])
        if stop - start > 1
    ]
    lengths = [stop - start for start, stop in spans]
    usual = max(set(lengths), key=lengths.count) if len(spans) > 2 else 0
    kept = [(start, stop) for start, stop in spans if start - 1 not in starts or stop - start == usual]
    return [Card(page.lines[start].text, page.lines[start:stop]) for start, stop in kept] if len(kept) > 1 else []


def row_cards(page: PageText) -> list[Card]:
    """The rows of tables that have headers, as cards called by their first cell."""
    return [Card(line.cells[0], (line,)) for line in page.lines if line.headers and line.cells[0]]


def pairs_at(page: PageText, at: int, focus: Sequence[str] = ()) -> list[tuple[frozenset[str], str]]:
    """Label and value pairs at a line: by colon, by header, by first cell, or the next line under a short label.

    A sentence that begins with the terms of ``focus`` is a label with its value as well: "Shelf mark 512 KEL".
    """
    lines, line = page.lines, page.lines[at]
    pairs: list[tuple[frozenset[str], str]] = []
    for sentence in sentences_of(line.text) if focus else ():
        spoken = sentence.split()
        rest = " ".join(spoken[len(focus) :]).strip(" :,;.")
        begins = stems(" ".join(spoken[: len(focus)])) == list(focus)
        if begins and words(rest) and words(rest)[0] not in STOPWORDS:
            pairs.append((frozenset(focus), rest))
    before, colon, after = line.text.partition(": ")
    if colon and len(before) < 40 and after.strip():
        pairs.append((term_set(before), after.strip()))
    pairs.extend((label, cell) for label, cell in zip(line.headers, line.cells, strict=False) if label and cell)
    if len(line.cells) == 2:
        pairs.append((term_set(line.cells[0]), line.cells[1]))
    below = lines[at + 1] if at + 1 < len(lines) else None
    short = len(line.cells) == 1 and len(words(line.text)) <= 5 and below is not None and len(below.cells) == 1
    if short and below is not None and not {line.text, below.text} <= page.links:
        pairs.append((line.terms, below.text))
    by = re.match(r"(?:written |recipe |posted |photo |text )?(?:by|from)\s+(.{3,60})$", line.text, re.IGNORECASE)
    if by:
        pairs.append((frozenset({"author"}), by[1]))
    return [(label, value) for label, value in pairs if label]


def sentences_of(text: str) -> list[str]:
    """The sentences of a line."""
    return re.split(r"(?<=[.!?;])\s+(?=[A-ZÀ-Þ0-9])", text)
