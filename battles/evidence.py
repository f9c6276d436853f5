"""Values in a final answer that also stand in texts captured on the way: where to look when checking the answer.

Pure text work. A value that is found was on a page; one that is not found may have been on a page all the same, since
only what an agent read is captured as text. So a hit is a pointer, and a miss says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

#: Longer captured texts are searched up to here: a judge's page must not wait for a novel.
SEARCHED_CHARACTERS = 40_000
#: Longer answers are an essay; their first part is searched.
ANSWER_CHARACTERS = 8_000
#: A name of fewer letters is found in half of all texts.
SHORTEST_NAME = 4
#: A whole answer that is longer is a sentence of the agent's own.
LONGEST_PHRASE = 80

MONTHS = tuple("january february march april may june july august september october november december".split())
_MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, start=1)}
_MONTH_NUMBERS |= {name[:3]: number for name, number in _MONTH_NUMBERS.items()} | {"sept": 9}
# Of ASCII letters alone: a dotless i would match an i as well, and then be the number of no month.
_MONTH = "(?a:" + "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True)) + r")\b\.?"

#: Tried in this order at each place: a date is no three numbers, a time no two.
_PATTERNS = (
    ("iso_date", r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"),
    ("dotted_date", r"(?<![\d.,])\d{1,2}\.\d{1,2}\.(?:\d{4})(?!\d)"),
    ("day_month", rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}}(?!\d))?"),
    ("month_day", rf"\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s+\d{{4}}(?!\d))?"),
    ("time", r"(?<![\d:.])\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?(?![\d:])"),
    ("number", r"(?<![\w.,:])\d+(?:[.,'\u2019\u00a0\u202f]\d+)*(?![\w:])"),
)
_VALUE = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS), re.IGNORECASE)
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{4,80})[\"\u201d\u201c\u00bb]")
#: Two or more words with a capital, small words in between allowed ("Maria de la Cruz").
_CAPITAL = r"[^\W\d_a-z\u00df-\u00f6\u00f8-\u00ff][\w\u2019'-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:\s+(?:(?:of|the|de|la|van|von|der|and|&)\s+){{0,2}}{_CAPITAL})+")
#: "Cruz, Maria": as catalogues write a person.
_SURNAME_FIRST = re.compile(rf"\b{_CAPITAL},\s+{_CAPITAL}\b")
#: Words that begin a sentence and are part of no name.
_OPENERS = frozenset(
    "the a an it its this that these those there they he she we i in on at from to by for and or but no yes".split()
)


class Value(NamedTuple):
    """A value in a text: where it stands, and what it is whatever way it is written."""

    start: int
    end: int
    meaning: Hashable


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an answer. ``step`` is the number of the last step on whose page the piece was seen, or None."""

    text: str
    step: int | None


def answer_parts(answer: str, seen: Mapping[int, Sequence[str]]) -> list[Part]:
    """Cut an answer into plain pieces and pieces that captured texts hold as well; joined they are the answer.

    Args:
        seen: captured texts by the number of the step that brought them.
    """
    searched = answer[:ANSWER_CHARACTERS]
    values = sorted([*_values(searched), *_names(searched)], key=lambda value: (value.start, -value.end))
    found = _last_steps({value.meaning for value in values}, seen) if values else {}
    parts: list[Part] = []
    done = 0
    for value in values:
        if value.meaning not in found or value.start < done:
            continue
        if value.start > done:
            parts.append(Part(answer[done : value.start], None))
        parts.append(Part(answer[value.start : value.end], found[value.meaning]))
        done = value.end
    if done < len(answer):
        parts.append(Part(answer[done:], None))
    return parts


def _last_steps(meanings: set[Hashable], seen: Mapping[int, Sequence[str]]) -> dict[Hashable, int]:
    """The last step at which each meaning was seen; those never seen are missing."""
    names = {meaning for meaning in meanings if isinstance(meaning, str)}
    found: dict[Hashable, int] = {}
    for number in sorted(seen):
        text = "\n".join(seen[number])[:SEARCHED_CHARACTERS]
        here: set[Hashable] = {value.meaning for value in _values(text)} & meanings
        folded = f" {_folded(text)} "
        here |= {name for name in names if f" {name} " in folded}
        found |= dict.fromkeys(here, number)
    return found


def _values(text: str) -> Iterator[Value]:
    """Numbers, prices, dates and times."""
    for match in _VALUE.finditer(text):
        meaning = _meaning(match.lastgroup or "", match[0])
        if meaning is not None:
            yield Value(match.start(), match.end(), meaning)


def _meaning(kind: str, text: str) -> Hashable | None:
    if kind == "number":
        return _number(text)
    return _time(text) if kind == "time" else _date(kind, text)


def _number(text: str) -> Hashable | None:
    """A number as (digits before, digits after the decimal sign); None for single digits, which are everywhere.

    Where one sign can be either, three digits after it make it a thousands sign.
    """
    plain = re.sub("['\u2019\u00a0\u202f]", "", text)
    signs = [character for character in plain if character in ".,"]
    last = plain.rfind(signs[-1]) if signs else -1
    decimal = bool(signs) and signs.count(signs[-1]) == 1 and len(plain) - last - 1 != 3
    whole = re.sub("[.,]", "", plain[:last] if decimal else plain).lstrip("0") or "0"
    after = plain[last + 1 :].rstrip("0") if decimal else ""
    return None if len(re.sub(r"\D", "", text)) < 2 else ("number", whole, after)


def _time(text: str) -> Hashable:
    hours, minutes = (int(part) for part in re.findall(r"\d+", text)[:2])
    lower = text.lower()
    if "p" in lower and hours < 12:
        hours += 12
    elif "a" in lower and hours == 12:
        hours = 0
    return ("time", hours, minutes)


def _date(kind: str, text: str) -> Hashable | None:
    """A date as (month, day), whether or not a year is given with it; None for what no calendar has."""
    digits = [int(part) for part in re.findall(r"\d+", text)]
    if kind == "iso_date":
        month, day = digits[1], digits[2]
    elif kind == "dotted_date":
        day, month = digits[0], digits[1]
    else:
        words = re.findall(r"[a-z]+", text.lower())
        month, day = next(_MONTH_NUMBERS[word] for word in words if word in _MONTH_NUMBERS), digits[0]
    return ("date", month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _names(text: str) -> Iterator[Value]:
    """What stands in quotation marks, runs of words with capitals, and an answer that is nothing but one phrase."""
    whole = text.strip().rstrip(".!")
    if len(whole) <= LONGEST_PHRASE and " " in whole:
        yield from _name(text, text.index(whole), text.index(whole) + len(whole))
    for match in _SURNAME_FIRST.finditer(text):
        yield from _name(text, match.start(), match.end())
    for match in _QUOTED.finditer(text):
        yield from _name(text, match.start(1), match.end(1))
    for match in _NAME.finditer(text):
        first, *others = re.finditer(r"\S+", match[0])
        opens = others and first[0].lower() in _OPENERS
        yield from _name(text, match.start() + (others[0].start() if opens else 0), match.end())


def _name(text: str, start: int, end: int) -> Iterable[Value]:
    meaning = _folded(text[start:end])
    return [Value(start, end, meaning)] if len(meaning) >= SHORTEST_NAME else []


def _folded(text: str) -> str:
    """Letters and digits in one case, everything else one space: how a name is compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))
