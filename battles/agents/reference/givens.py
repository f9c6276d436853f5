"""The values that an instruction hands over, each with the words around it that say what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from battles.agents.reference.values import MONTHS, NUMBER_WORDS, VALUE_PATTERNS, given_dates, minutes_of
from battles.agents.reference.wording import stem, stems, term_set, words

#: A quoted text of more words than this is a message, not the name of a thing.
LONGEST_NAME = 7
#: How many words around a value can say what it is for.
WORDS_BEFORE, WORDS_BEHIND = 6, 3

_QUOTED = re.compile(r"[\"“”«»„]([^\"“”«»„]{1,400})[\"“”«»]|(?<!\w)['‘]([^'‘’]{2,400})['’](?!\w)")
_TIME = re.compile(
    r"(?<![\d.:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])(?:\s?[ap]\.?m\b)?|\b(?:1[0-2]|[1-9])\s?[ap]\.?m\b", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?![\w:-]|[.,]\d)")
# Of ASCII letters alone: a Turkish dotless i would match an i as well, and then name no number.
_SPELLED = re.compile(r"\b((?a:" + "|".join(NUMBER_WORDS) + r"))\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=[A-Z\d-]*\d)(?=[A-Z\d-]*[A-Z])[A-Z\d]+(?:-[A-Z\d]+)*\b")
_CAPITALS = re.compile(r"\b[A-Z][\w'’-]+(?:\s+(?:(?:of|the|and|de|&)\s+)*[A-Z0-9][\w'’-]*)*")
_CALLED = re.compile(
    r"\b(?:called|named|titled|entitled)\s+([A-Z][^.,;:?!\"“]*?)(?=\s+(?:and|with|for|on|at|to|in|from|by)\b|[.,;:?!\"“]|$)"
)
_PREPOSITION = re.compile(
    r"\b(from|to|at|in|on|by|until|till|for|with|via|between|after|before|towards?|into)\b", re.IGNORECASE
)
_CALENDAR = frozenset(stems(" ".join(MONTHS) + " monday tuesday wednesday thursday friday saturday sunday i"))

#: A quoted text behind one of these words fills a field; any other is what the task is about.
FIELD_TERMS = term_set(
    "mail message text title postcode town address street card quantity code note subject phone comment words password "
    "user reason surname pin reference nickname headline reads signature company country signed sign reply"
) | {"name", "say", "says", "write"}
#: Words that join a second thing to the first: 'one "..." and two "..."'.
JOINS = frozenset(
    {"and", "or", "then", "one", "a", "the", "of", "copy", "with", "also", "both", "add", "piece", "pair"}
)
#: Words that make something new, whose name is not yet anywhere on the site.
_MAKES = frozenset({"create", "open", "make", "set", "add", "new"})


@dataclass(frozen=True, slots=True)
class Given:
    """A value of the instruction.

    ``kind`` is quoted, name, mail, code, date, time or number. ``cue`` are the terms before it, ``behind`` those after
    it, ``lead`` the last preposition before it; ``start`` and ``stop`` its place in the instruction.
    """

    text: str
    kind: str
    cue: tuple[str, ...] = ()
    start: int = 0
    stop: int = 0
    behind: tuple[str, ...] = ()
    lead: str = ""


def without_quotes(instruction: str) -> str:
    """The instruction with every quoted text blanked, in the same length."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), instruction)


def quoted_kind(text: str) -> str:
    """What a quoted text is: a mail address, a date, a time, a number, a code with digits, or words."""
    if VALUE_PATTERNS["mail"].fullmatch(text):
        return "mail"
    if any(match[0] == text for match in given_dates(text)):
        return "date"
    if re.fullmatch(r"\d{1,2}:\d{2}", text):
        return "time"
    if (
        re.fullmatch(r"[A-Z]{0,8}[- ]?\d[\w +()/-]*|\+?\d[\d ()/-]+", text)
        and len(text) <= 24
        and not re.search("[a-z]{3}", text)
    ):
        return "code"
    if re.fullmatch(r"(?=.*\d)[A-Z\d-]{4,20}", text):
        return "code"
    return "quoted"


def _spans(instruction: str) -> Iterable[tuple[int, int, str, str]]:
    """Start, stop, text and kind of every given value; of two that overlap the earlier kind counts."""
    for match in _QUOTED.finditer(instruction):
        text = (match[1] or match[2]).strip()
        yield match.start(), match.end(), text, quoted_kind(text)
    for match in VALUE_PATTERNS["mail"].finditer(instruction):
        yield match.start(), match.end(), match[0], "mail"
    for match in _CALLED.finditer(instruction):
        yield match.start(1), match.end(1), match[1].strip(), "name"
    for match in given_dates(instruction):
        yield match.start(), match.end(), match[0], "date"
    for match in _TIME.finditer(instruction):
        minutes = minutes_of(match[0]) or 0
        yield match.start(), match.end(), f"{minutes // 60:02d}:{minutes % 60:02d}", "time"
    for match in _CODE.finditer(instruction):
        yield match.start(), match.end(), match[0], "code"
    for match in _CAPITALS.finditer(instruction):
        begins = re.search(r"(?:^|[.!?:][\"”'’]?)\s*$", instruction[: match.start()])
        if not begins and not set(stems(match[0])) <= _CALENDAR:
            yield match.start(), match.end(), match[0], "name"
    for match in _NUMBER.finditer(instruction):
        yield match.start(), match.end(), match[0], "number"
    for match in _SPELLED.finditer(instruction):
        yield match.start(), match.end(), NUMBER_WORDS[match[0].lower()], "number"


def given_values(instruction: str) -> tuple[Given, ...]:
    """Every value of the instruction, in its order."""
    found: list[tuple[int, int, str, str]] = []
    for span in _spans(instruction):
        if span[2] and not any(span[0] < stop and span[1] > start for start, stop, _, _ in found):
            found.append(span)
    found.sort()
    limits = [0, *(stop for _, stop, _, _ in found)]
    nexts = [*(start for start, _, _, _ in found[1:]), len(instruction)]
    return tuple(
        _with_words(instruction, span, before, behind)
        for span, before, behind in zip(found, limits, nexts, strict=False)
    )


def _with_words(instruction: str, span: tuple[int, int, str, str], before: int, behind: int) -> Given:
    start, stop, text, kind = span
    ahead = instruction[before:start]
    follows = re.split(r"[.,;:!?]\s|[.?!]$", instruction[stop:behind])[0]
    leads = _PREPOSITION.findall(ahead[-40:])
    return Given(
        text=text,
        kind=kind,
        cue=tuple(stem(word) for word in words(ahead)[-WORDS_BEFORE:]),
        start=start,
        stop=stop,
        behind=tuple(stems(follows)[:WORDS_BEHIND]),
        lead=leads[-1].lower() if leads else "",
    )


def is_message(text: str) -> bool:
    """A sentence or more: what one writes to somebody, rather than what a thing is called."""
    return len(words(text)) > LONGEST_NAME or bool(re.search(r"[.!?]$", text.strip()) and len(words(text)) > 2)


def is_description(text: str) -> bool:
    """What is written about something rather than its name: a message, or several words that begin small."""
    return is_message(text) or (len(words(text)) > 2 and text[:1].islower())


def route_ends(givens: tuple[Given, ...]) -> tuple[Given | None, Given | None]:
    """Where a journey begins and where it ends: two places joined by "from" and "to", in either order."""
    places = [given for given in givens if given.kind in {"quoted", "name"} and not is_message(given.text)]
    start = next((given for given in places if given.lead == "from" and not set(given.cue[-3:]) & FIELD_TERMS), None)
    if start is None:
        leaves = [given for given in places if set(given.cue[-2:]) & {"depart"}]
        start = leaves[0] if leaves else None
    goals = {"to", "towards", "toward", "for"}
    if start is not None and start.lead != "from":
        goals |= {"in", "at"}
    end = next((given for given in places if given is not start and given.lead in goals), None)
    if start is None or (end is None and start.lead == "from"):
        return None, None
    return start, end


def find_things(givens: tuple[Given, ...]) -> tuple[Given, ...]:
    """What the task is about, rather than what is typed into fields, in its order.

    That is the first quoted text that no field word announces, and the quoted texts joined to it; where nothing is
    quoted, the names. The two ends of a journey are no things.
    """
    ends = [given for given in route_ends(givens) if given is not None] if all(route_ends(givens)) else []
    things: list[Given] = []
    for at, given in enumerate(givens):
        cue = given.cue[-3:]
        if (
            given.kind != "quoted"
            or is_message(given.text)
            or set(cue) & FIELD_TERMS
            or given in ends
            or is_made(given)
        ):
            continue
        counted = at > 0 and givens[at - 1].kind == "number" and set(given.cue) <= JOINS
        joined = bool(given.cue) and given.cue[-1] in JOINS and set(given.cue[-2:]) <= JOINS
        if not things or counted or joined:
            things.append(given)
    if not any(given.kind == "quoted" for given in givens):
        things = [given for given in givens if given.kind == "name" and given not in ends]
    return tuple(things)


def is_made(given: Given) -> bool:
    """Whether the value names something that the task makes: 'create a list called "..."'."""
    return bool({"call", "nam", "titl", "name"} & set(given.cue[-2:])) and bool(set(given.cue) & _MAKES)
