"""Details that are known beforehand, found again however a text writes them.

A text and a detail are compared in one reading of both, so that neither case nor spelling hides a detail: accents,
invisible characters and compatibility forms do not count, letters are those of Unicode's case folding, and white space
is one space. A text is read as it stands, and with character references, percent-encoding of UTF-8 and escapes of JSON
undone, once and twice. Each character of a reading knows its place in the text.

Not undone: percent-encoded Latin-1 (``%FC``), what is written out three times over, and bytes of UTF-8 as escapes
(``\\xc3\\xbc``). A host is never touched, so a detail that stands where an address has its host stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from governance.redaction.folding import WRITTEN_OUT, plain_letter, read_out
from governance.redaction.spans import Kind, Span, longest_first, replace
from governance.remembering import remembered

UNMISTAKABLE = 8
"""Characters from which on letters mixed with digits or signs mean the detail wherever they stand, inside words too."""

#: Characters at most by which what is looked for is told apart first.
_HEAD = 16
#: Scripts that set no spaces between words, and Korean, whose endings follow a word at once.
_UNSPACED = frozenset(
    "CJK HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO HANGUL THAI LAO KHMER MYANMAR TIBETAN JAVANESE YI".split()
)
#: Signs that stand in words and between them.
_IN_WORDS = frozenset(" '-._")

# What is never touched: the names of kinds that stand where details stood; the scheme and the host of an address. Signs
# end a host, since a detail may follow them; where a later @ leaves in doubt which part is the host, none is.
_PLACEHOLDER = "|".join(re.escape(kind.placeholder) for kind in Kind)
_PLACEHOLDERS = re.compile(_PLACEHOLDER)
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,20}://)"
    rf"(?:(?>(?:[\w.~%+:-]|{_PLACEHOLDER})*@)?(?P<host>(?>\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?>:\d{{1,5}}(?!\d))?)"
    r"(?![^\s/?#]*@))?"
)

# What JSON and JavaScript write out, besides what detectors undo.
_ESCAPED = re.compile(
    r"[\\%]u(?P<high>[dD][89ABab][0-9A-Fa-f]{2})[\\%]u(?P<low>[dD][C-Fc-f][0-9A-Fa-f]{2})"
    r"|[\\%]u(?P<unit>[0-9A-Fa-f]{4})|\\x(?P<byte>[0-9A-Fa-f]{2})|\\(?P<sign>[\"'/\\nrt])"
    rf"|{WRITTEN_OUT.pattern}"
)
#: How often escapes are undone.
_TIMES = 2
_ENCODED_SPACE = re.compile("%(?:20|0[9AaDd])")
_SPACES = re.compile("  +")

_Way: TypeAlias = tuple[str, ...]
"""How a text is read: for each time that escapes are undone, what percent-encoded white space reads as."""


class _Reading(dict[int, str]):
    """What each code point reads as; nothing for accents and for what cannot be seen."""

    def __missing__(self, point: int) -> str:
        letters = plain_letter(chr(point)).casefold()
        letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letters).casefold())
        # Turkish has two letters where English has one, and their capitals are told apart by a dot alone.
        read = "".join(" " if letter.isspace() else letter for letter in letters if not unicodedata.combining(letter))
        self[point] = read.replace("\u0131", "i")
        return self[point]


_READING = _Reading()


def read_as(text: str) -> str:
    """The reading of a text as it stands, with nothing undone. Linear in its length."""
    return _SPACES.sub(" ", text.translate(_READING))


class KnownDetails:
    """Finds details in texts; making one costs more than using it.

    Args:
        details: texts with their kinds. One that reads as nothing is left out.
        shortest: characters of the shortest reading that is looked for; what is written out may say less than it takes.
    """

    def __init__(self, details: Iterable[tuple[str, Kind]], *, shortest: int = 1) -> None:
        self._kinds = {form: kind for text, kind in details for form in _forms(text) if len(form) >= shortest}
        # Forms by how they begin, so that a text is not searched once for each.
        self._head = min(_HEAD, *map(len, self._kinds)) if self._kinds else 0
        self._by_head: dict[str, list[str]] = {}
        for form in self._kinds:
            self._by_head.setdefault(form[: self._head], []).append(form)

    def hidden(self, text: str, *, in_names: bool = False) -> str:
        """``text`` with each detail replaced by the name of its kind. Arguments as for :meth:`find`."""
        return replace(text, self.find(text, in_names=in_names))

    def find(self, text: str, *, in_names: bool = False) -> tuple[Span, ...]:
        """Where details stand in ``text``; in order, none overlapping. Linear in its length.

        Args:
            in_names: the text is the name of a field, which plain words are not looked for in.
        """
        spans = [span for way, said in _ways(text) for span in self._find(text, way, said, in_names)]
        if not spans:
            return ()
        kept = [found.span() for found in _PLACEHOLDERS.finditer(text)]
        kept += [found.span(part) for found in _ADDRESS.finditer(text) for part in ("scheme", "host") if found[part]]
        return longest_first(_outside(spans, sorted(kept)))

    def _find(self, text: str, way: _Way, said: str, in_names: bool) -> Iterator[Span]:
        read = read_as(said)
        heads = {read[at : at + self._head] for at in range(len(read) - self._head + 1)}
        begun = (form for head in self._by_head.keys() & heads for form in self._by_head[head])
        there = [form for form in begun if form in read and not (in_names and _is_plain(form))]
        if not there:
            return
        starts, ends = _places(text, way)
        for form in there:
            for at, stop in _occurrences(form, read):
                if (not at or ends[at - 1] <= starts[at]) and (stop == len(read) or ends[stop - 1] <= starts[stop]):
                    yield Span(starts[at], _with_accents(text, ends[stop - 1]), self._kinds[form])


def _forms(text: str) -> Iterator[str]:
    """A detail's readings: as it is written and with its own escapes undone, and as forms in addresses have these."""
    for times in range(_TIMES + 1):
        written = _undone(text, (" ",) * times)
        read = read_as(written)
        if read.strip():
            yield from (read, written.translate(_READING).replace(" ", "+"))


def _ways(text: str) -> Iterator[tuple[_Way, str]]:
    """How a text can be read, and what then stands there."""
    yield (), text
    way: _Way = ()
    while len(way) < _TIMES and _ESCAPED.search(text):
        # Some write a space as + and others as %20, and an address may hold both.
        if "+" in text and _ENCODED_SPACE.search(text):
            yield (*way, "+"), _undone(text, ("+",))
        way, text = (*way, " "), _undone(text, (" ",))
        yield way, text


def _undone(text: str, way: _Way) -> str:
    for space in way:
        pieces: list[str] = []
        at = 0
        for found in _ESCAPED.finditer(text):
            pieces.append(text[at : found.start()])
            pieces += (said for said, _ in _said(found, space))
            at = found.end()
        text = "".join([*pieces, text[at:]])
    return text


def _said(escaped: re.Match[str], space: str) -> Iterator[tuple[str, int]]:
    """What an escape says, and how many characters say it; ``space`` for white space that is percent-encoded."""
    written = escaped[0]
    match escaped.lastgroup:
        case "low" | "unit" | "byte":
            digits = "".join((escaped["high"] or "", escaped["low"] or escaped["unit"] or f"00{escaped['byte']}"))
            yield bytes.fromhex(digits).decode("utf-16-be", "surrogatepass"), len(written)
        case "sign":
            yield escaped["sign"] if escaped["sign"] in "\"'/\\" else " ", len(written)
        case _ if written.startswith("%"):
            # Bytes that are not UTF-8 are signs, of which no part belongs to a word beside them.
            for said, width in read_out(written):
                yield "%" if width == 1 else space if said.isspace() else said, width
        case _:
            yield from read_out(written)


def _places(text: str, way: _Way) -> tuple[Sequence[int], Sequence[int]]:
    """Where each character of a text's reading starts and ends in the text."""
    starts: Sequence[int] = range(len(text))
    ends: Sequence[int] = range(1, len(text) + 1)
    for space in way:
        stretches = list(_stretches(text, space))
        text = _undone(text, (space,))
        starts, ends = [starts[at] for at, _ in stretches], [ends[stop - 1] for _, stop in stretches]
    if text.isascii() and "  " not in text.translate(_READING):
        return starts, ends
    read_starts: list[int] = []
    read_ends: list[int] = []
    last = ""
    for letter, start, end in zip(text, starts, ends, strict=True):
        for read in _READING[ord(letter)]:
            if read == last == " ":
                read_ends[-1] = end
            else:
                read_starts.append(start)
                read_ends.append(end)
            last = read
    return read_starts, read_ends


def _stretches(text: str, space: str) -> Iterator[tuple[int, int]]:
    """Where each character of a text with its escapes undone starts and ends in the text."""
    at = 0
    for found in _ESCAPED.finditer(text):
        yield from ((place, place + 1) for place in range(at, found.start()))
        at = found.start()
        for said, width in _said(found, space):
            yield from ((at, at + width) for _ in said)
            at += width
    yield from ((place, place + 1) for place in range(at, len(text)))


def _with_accents(text: str, end: int) -> int:
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _occurrences(form: str, read: str) -> Iterator[tuple[int, int]]:
    """Where a reading stands in another as itself rather than as a part of a word or of a number.

    Linear in the other's length: where it overlaps itself, only what it adds is compared, and what its period rules out
    is passed over.
    """
    plain = _is_plain(form)
    period = _period(form)
    addition = form[-period:]
    at = read.find(form)
    while at >= 0:
        stop = at + len(form)
        if not plain or not (
            (at and _belong_together(read[at - 1], form[0]))
            or (stop < len(read) and _belong_together(form[-1], read[stop]))
        ):
            yield at, stop
        if read.startswith(addition, stop):
            at += period
        else:
            at = read.find(form, at + max(period, len(form) - period) + 1)


@remembered(most=4096)
def _period(form: str) -> int:
    """The least distance at which a reading can stand twice in a text, overlapping itself; else its length.

    Computed as in Knuth, Morris and Pratt (1977).
    """
    borders = [0]
    border = 0
    for letter in form[1:]:
        while border and letter != form[border]:
            border = borders[border - 1]
        border += letter == form[border]
        borders.append(border)
    return len(form) - border


@remembered(most=4096)
def _is_plain(form: str) -> bool:
    """Whether a reading may be a word, a name or a number, which can begin and end inside others."""
    signs = any(not _is_letter(letter) and letter not in _IN_WORDS for letter in form)
    return len(form) < UNMISTAKABLE or not signs or not any(map(_is_letter, form))


@remembered(most=4096)
def _belong_together(before: str, after: str) -> bool:
    """Two digits, or two letters of one script that sets spaces between words."""
    if before.isdigit() and after.isdigit():
        return True
    if not (_is_letter(before) and _is_letter(after)):
        return False
    script = _script(before)
    return script not in _UNSPACED and script == _script(after)


def _is_letter(letter: str) -> bool:
    """A letter, or what is written at one: vowels of many scripts are."""
    return letter.isalpha() or unicodedata.category(letter).startswith("M")


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _outside(spans: Iterable[Span], kept: list[tuple[int, int]]) -> Iterator[Span]:
    """Spans that do not lie inside a stretch of those to keep, which are in order and do not overlap."""
    at = 0
    for span in sorted(spans):
        while at < len(kept) and kept[at][1] <= span.start:
            at += 1
        if at == len(kept) or not (kept[at][0] <= span.start and span.end <= kept[at][1]):
            yield span
