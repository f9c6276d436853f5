"""Names of persons, best effort: by what stands before them, and by lists of given names and surnames.

A name behind a cue (a field, a title, a greeting, an introduction) is taken whatever it is. Without one, capitalised
words are taken for a name when one of them is known as such, or when two or three unknown ones stand inside a sentence;
never when something near speaks of a work, a place or a product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from governance.redaction import name_cues as cue
from governance.redaction.letters import UPPER
from governance.redaction.lexicon import (
    ambiguous_names,
    certain_names,
    given_names,
    has_surname_ending,
    plain_words,
    public_names,
    surnames,
)
from governance.redaction.spans import Kind, Span

NEAR = 40
"""How many characters around a name are read for a word that makes it a public one."""

_WORD = re.compile(r"[^\s]+")
_LOWER_NAME = re.compile(r"[^\W\d_]{2,20}(?:[ +_.-][^\W\d_]{2,20}){0,2}")
_PARTICLES = frozenset(
    "de la los las en van von der den dem und zu zum zur del della di da do dos das du des le ter ten te af av bin ibn "
    "bint al el ul abu y e i 't san jr jr. sr sr. ii iii the elder younger".split()
)
_LEADING = _PARTICLES - frozenset("jr jr. sr sr. ii iii elder younger".split())
_LITTLE = 8
_MAILBOX = re.compile(r"[\"']? [<(\[][^\s<>@]{1,64}@[^\s<>]{3,}")
_PERSON_ONLY = re.compile(
    r" (?:(?:has|have|had) (?:booked|written|said|asked|replied|signed|called|paid|ordered|requested)|wrote|writes|"
    r"said|says|asked|asks|replied|shouted|told|signed|booked|phoned|lives|wants|thinks|agreed|schrieb|sagte|dijo|"
    r"escribió|disse|zei|sa|sade)\b|: "
)
_WHO = re.compile(r",? (?:who|whose|whom) ")
_OWNS = re.compile(
    r"'s (?:\w+ )?(?:phone|number|mobile|e-?mail|mail|address|birthday|password|card|account|name|house|flat|car|"
    r"order|parcel|profile)\b| (?:family|household|residence)\b"
    r"|,? (?:says|said|asked|asks|wrote|writes|told|replied|called) "
)
_ASKED = re.compile(
    r"(?<![^\W_])(?:ask|tell|remind|thank|let|this is|call|text|phone|calls? me|is that|asked|told|reminded|thanked|"
    r"shouted at|(?:parcel|package|letter|message|note|mail|call|delivery) for|love from|(?:regards|hi|greetings) "
    r"to|waiting for|hugged|kissed|married) $",
    re.I,
)
_NAME_QUESTION = re.compile(
    r"\bname\b[^\n?]{0,40}\?[\"']?\s{1,3}(?:[A-Z]\w{2,9}: )?(?:(?:it'?s|that'?s|it is) )?$", re.I
)
_JOINED_BY_PLUS = re.compile(rf"(?:[+_](?:{cue.PARTICLE}[+_])?{cue.TOKEN}){{0,4}}")
_ADDRESSED = re.compile(r", (?:could|can|would|will|please|are|do|did|have) (?:you|I|we)\b")
_INTERJECTIONS = frozenset(
    "ok okay yes no yeah yep nope hmm well oh sorry please alternatively otherwise anyway however".split()
)
_VOCATIVE = re.compile(
    rf"(?:^|(?<=\n)|(?<=[.!?:] )|(?<=\"))(?P<name>[{UPPER}][^\W\d_]{{1,14}})(?=, (?:can|could|would|will|please|do|"
    rf"are|is|have|did|how|what|when|where|why|thanks|thank|i|i'm|we|you|let|don't|it|the|this|my|kannst|könntest|"
    rf"bitte|peux|pouvez|puedes|puoi|kan|could)\b)"
)


def find_names(text: str) -> Iterator[Span]:
    """Names of persons in a folded text."""
    for match in cue.UNCASED.finditer(text):
        if match.lastgroup is not None:
            yield Span(*match.span(match.lastgroup), Kind.NAME)
    yield from _titled(text)
    greetings = cue.GREETINGS.finditer(text) if cue.SOME_GREETING.search(text) else ()
    closings = chain(cue.CLOSINGS.finditer(text), cue.CLOSINGS_ON_ONE_LINE.finditer(text))
    for match in chain(cue.INTRODUCTIONS.finditer(text), greetings, closings):
        for span in _cued(text, match.end()):
            if not _is_well_known(text[match.start() : span.end]):
                yield span
    yield from _fields(text)
    for match in _VOCATIVE.finditer(text):
        name = match["name"].casefold()
        addressed = name not in plain_words() and name not in _INTERJECTIONS and not name.endswith("ly")
        if name in certain_names() or (addressed and _ADDRESSED.match(text, match.end())):
            yield Span(*match.span("name"), Kind.NAME)
    for match in cue.NAME.finditer(text):
        for start, end in _stretches(text, match.start(), match.end()):
            if _is_person(text, start, end):
                yield Span(start, end, Kind.NAME)


def _titled(text: str) -> Iterator[Span]:
    for match in cue.TITLES.finditer(text):
        name = cue.NAME.match(text, match.end())
        if name and not _is_well_known(text[match.start() : name.end()]):
            yield Span(match.end(), name.end(), Kind.NAME)


def _fields(text: str) -> Iterator[Span]:
    for match in cue.FIELDS.finditer(text):
        yield from _field(text, match.end())
    if '"' in text or "'" in text:
        for match in cue.TYPED_BEHIND.finditer(text):
            yield from _field(text, match.end())
        for match in cue.TYPED_BEFORE.finditer(text):
            yield from _field(text, match.start(1))


def _cued(text: str, at: int) -> Iterator[Span]:
    """The name that begins at ``at``, up to the first word that is none."""
    match = cue.NAME.match(text, at)
    if match is None:
        lowered = _LOWER_NAME.match(text, at)
        if lowered and lowered.group().split()[0] in certain_names():
            words = [word for word in lowered.group().split() if _is_known(word)]
            yield Span(at, at + len(" ".join(words)), Kind.NAME)
        return
    for start, end in _stretches(text, match.start(), match.end(), trusted=True)[:1]:
        if start == match.start():
            yield Span(start, end, Kind.NAME)


def _field(text: str, at: int) -> Iterator[Span]:
    """The value of a field for a name: any name, or lower-case words when one of them is known."""
    found = list(_cued(text, at))
    if not found:
        match = _LOWER_NAME.match(text, at)
        if match:
            words = re.split(r"[ +_.-]", match.group())
            if any(word.casefold() in certain_names() for word in words) and len(words) <= 3:
                found = [Span(match.start(), match.end(), Kind.NAME)]
    for span in found:
        plus = _JOINED_BY_PLUS.match(text, span.end)
        yield Span(span.start, plus.end() if plus else span.end, Kind.NAME)


def _stretches(text: str, start: int, end: int, *, trusted: bool = False) -> list[tuple[int, int]]:
    """The parts of a run of capitalised words that ordinary words do not take out, without particles at their ends."""
    parts: list[list[tuple[int, int]]] = [[]]
    found = list(_WORD.finditer(text, start, end))
    bare_words = [match.group().casefold().rstrip(".").removesuffix("'s") for match in found]
    for at, match in enumerate(found):
        word = match.group()
        behind = bare_words[at + 1] if at + 1 < len(found) else ""
        if _is_plain(bare_words[at], behind, _before(bare_words, at), trusted and at == 0):
            parts.append([])
            continue
        parts[-1].append((match.start(), match.start() + len(word.removesuffix("'s"))))
        if word.endswith("'s"):
            parts.append([])
    trimmed = []
    for part in parts:
        while part and text[part[-1][0] : part[-1][1]].casefold() in _LEADING:
            part.pop()
        if part:
            trimmed.append((part[0][0], part[-1][1]))
    return trimmed


def _before(words: list[str], at: int) -> str:
    """The word before number ``at`` that is no particle; empty with none."""
    return next((word for word in reversed(words[:at]) if word not in _PARTICLES), "")


def _is_plain(word: str, behind: str, before: str, trusted: bool) -> bool:
    """Whether a case-folded word takes no part in a name, given its neighbours in the run."""
    if word not in plain_words() or (word in _PARTICLES and (word != "the" or behind in {"elder", "younger"})):
        return False
    if before in certain_names():
        return False
    if word in given_names():
        if word not in ambiguous_names() or trusted:
            return False
        return not behind or (behind in plain_words() and behind not in surnames())
    return not (trusted and word in surnames())


class _Setting:
    """What stands around capitalised words that may be a name, each read when it is asked for."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._window = text[max(0, start - NEAR) : start]

    @cached_property
    def relation(self) -> bool:
        window = self._window
        return window.endswith(" ") and bool(
            cue.RELATIONS.search(window) or ("?" in window and _NAME_QUESTION.search(window))
        )

    @cached_property
    def directed(self) -> bool:
        opened = self._window.rstrip("\"'(").endswith(" ")
        return self.relation or (opened and bool(cue.DIRECTED.search(self._window)))

    @cached_property
    def asked(self) -> bool:
        before = self._window.endswith(" ") and bool(_ASKED.search(self._window))
        return before or self._text.startswith(" and I ", self._end)

    @cached_property
    def owns(self) -> bool:
        return bool(_OWNS.match(self._text, self._end))

    @cached_property
    def public(self) -> bool:
        return _is_public(self._text, self._start, self._end)

    @cached_property
    def names_itself(self) -> bool:
        text, end = self._text, self._end
        return bool(_WHO.match(text, end) or (_begins(text, self._start) and _PERSON_ONLY.match(text, end)))

    @cached_property
    def shaped(self) -> bool:
        return _looks_like_a_name(self._text, self._start, self._end)


def _is_person(text: str, start: int, end: int) -> bool:
    name = text[start:end]
    words = [word.casefold() for word in name.split() if word.casefold() not in _PARTICLES]
    if not words or _is_well_known(name):
        return False
    if _MAILBOX.match(text, end):
        return True
    setting = _Setting(text, start, end)
    if len(words) == 1:
        return _is_single_name(words[0], setting, shouted=name.isupper() or len(name) < 3)
    return _is_full_name(words, setting)


def _is_single_name(word: str, setting: _Setting, *, shouted: bool) -> bool:
    """A word alone: any behind a relation, an address or before what only persons have; a certain name anywhere."""
    if not shouted and (setting.relation or setting.owns):
        return True
    certain = all(part in certain_names() for part in word.split("-"))
    return (certain or (word not in plain_words() and setting.asked)) and not setting.public


def _is_full_name(words: list[str], setting: _Setting) -> bool:
    """Several words: of whatever kind behind a relation; else one known, or all unknown but placed as names are."""
    if setting.relation and len(words) <= 4:
        return True
    first, *rest = words
    parts = {first, *first.split("-")}
    listed = any(part in surnames() for word in rest for part in word.split("-"))
    if parts.isdisjoint(given_names()) and not listed:
        return len(words) in {2, 3} and (setting.names_itself or (setting.shaped and not setting.public))
    if setting.public:
        return False
    certain = not parts.isdisjoint(certain_names()) and parts.isdisjoint(ambiguous_names())
    return certain or listed or any(has_surname_ending(word) for word in rest) or setting.shaped or setting.directed


def _is_well_known(name: str) -> bool:
    """Whether a name everybody knows is how ``name`` begins: ``Johnnie Walker Black``."""
    words = name.casefold().split()
    if words[0] in {"san", "santa", "saint", "sankt", "st."}:
        return True
    return any(" ".join(words[:count]) in public_names() for count in range(1, len(words) + 1))


def _looks_like_a_name(text: str, start: int, end: int) -> bool:
    """Whether unknown capitalised words stand in a text as a name does: not as its whole, not all in capitals."""
    name = text[start:end]
    rest = len(text) - len(name)
    if rest <= _LITTLE and not (text[:start] + text[end:]).strip(" .!\n"):
        return False
    return all(len(word) >= 2 and not word.isupper() for word in name.split() if word.casefold() not in _PARTICLES)


def _is_known(word: str) -> bool:
    return word.casefold() in given_names() or word.casefold() in surnames()


def _is_public(text: str, start: int, end: int) -> bool:
    """Whether what stands around a name makes it a work's, a place's, a product's or a celebrity's."""
    if text[start - 1 : start] == " " and cue.ARTICLE.search(text, max(0, start - 12), start):
        return True
    if re.match(r" ?& ?\w|'s [A-Z]", text[end : end + 6]):
        return True
    before = text[max(0, start - NEAR) : start].rpartition("\n")[2]
    return bool(cue.PUBLIC_BEFORE.search(before) or cue.PUBLIC_BEHIND.match(text, end))


def _begins(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in "\n\"'" or text[max(0, at - 2) : at] in {". ", "! ", "? ", ": "}
