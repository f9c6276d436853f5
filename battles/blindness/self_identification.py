"""Where a text says which model wrote it, and nothing more.

"I'll search Google Scholar" names Google and tells nothing; "I'm Claude", "gpt-5.2-codex wrote the script" and
"my makers in Mountain View" tell. Everything here works on one text without knowing the task, because the field
that asks cannot know it either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from battles.blindness import cues_riddles, marks
from battles.blindness.cues_acting import (
    ABOUT_THOUGHTS,
    ACTING,
    ON_SIGHT,
    SUBJECT,
    THING,
    WHATEVER_THE_SUBJECT,
)
from battles.blindness.cues_first_person import CREDIT, FIRST_PERSON
from battles.blindness.cues_foreign import FOREIGN
from battles.blindness.disguises import hidden_names
from battles.blindness.fingerprints import LETTER_RUN, fingerprints_in
from battles.blindness.lexicon import Lexicon
from battles.blindness.mentions import Mention, blunt_spans, mentions_in
from battles.blindness.normalise import Folded, fold


class Voice(StrEnum):
    """Whose words a text is, which decides what in it tells.

    ``SPOKEN``: a model's own (reasoning, answers). ``TYPED``: what a model put into a page; a model's name alone
    may be what the task asks for. ``SHOWN``: what a person posted or a site showed. ``OURS``: what this code
    writes, in which no name has any business.
    """

    SPOKEN = "spoken"
    TYPED = "typed"
    SHOWN = "shown"
    OURS = "ours"


@dataclass(frozen=True, slots=True)
class Trace:
    """A piece of a text, ``text[start:end]``, that tells who wrote it, and which rule says so."""

    start: int
    end: int
    reason: str


#: Stands in every mark that replaces a name, so that what was scrubbed is not found again.
WITHHELD = "withheld"
#: What a page cannot show unless the agent brought it along.
SHOWN_FINGERPRINTS = frozenset({"referrer", "request_id", "user_agent", "secret"})

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_UNKNOWN_NAME = re.compile(
    r"\b(?:I am|I'm|I’m|My name is)(?: called)? (?P<name>[A-Z][\w.+-]*(?: [A-Z0-9][\w.+-]*){0,3})(?:,| [-–—]| and I am)? "
    r"(?:an?|the|your|built|made|created|developed|trained|powered)\b[^.!?\n]{0,50}?"
    r"(?:\b(?:AI|assistant|model|LLM|chatbot)\b|\b(?:made|built|created|developed|trained) by (?P<maker>[A-Z][\w.]*(?: [A-Z][\w.]*){0,2}))"
)
_UNKNOWN_MAKER = re.compile(
    r"\b(?:language model|AI model|AI assistant|AI agent|AI system|assistant|LLM|AI)(?: \w+){0,2}? "
    r"(?:built|made|developed|trained|created|designed|released) (?:by|at) (?P<name>[A-Z][\w.&-]*(?: [A-Z][\w.&-]*){0,3})"
)
_FIRST_PERSON_WORD = re.compile(r"\b(?:i|i'm|i'll|me|my|myself|i've)\b")
_THIRD_PERSON = re.compile(r"\b(?:is|are|was) an? [^.!?\n]{0,40}$")
_SIZED = re.compile(r"\b[A-Za-z][A-Za-z0-9.]*(?:-[A-Za-z0-9.]+){0,4}-\d{1,3}(?:\.\d)?[bB](?:-\w+)*\b")
_SIZED_ACTS = re.compile(
    r" (?:clicked|located|took \d+|finished|completed|could not|couldn't|cannot|predicted|answered|found|selected|scrolled|navigated|typed|"
    r"was used|did this|thinks|here\b)|: (?:I\b|task)"
)


def traces_in(text: str, lexicon: Lexicon, voice: Voice = Voice.SPOKEN) -> list[Trace]:
    """Everything in ``text`` that tells which model wrote it, in order and without overlaps."""
    if not text:
        return []
    folded = fold(text)
    runs = frozenset(LETTER_RUN.findall(folded.text))
    found = list(_fingerprints(folded, runs, voice))
    if voice is not Voice.SHOWN:
        found.extend(Trace(start, end, "hidden_name") for start, end in hidden_names(folded, lexicon, runs))
    mentions = mentions_in(folded, lexicon, runs)
    if voice is Voice.OURS:
        found.extend(Trace(*folded.span(start, end), "name") for start, end in blunt_spans(folded, lexicon, runs))
        found.extend(Trace(*folded.span(one.start, one.end), "name") for one in mentions if one.telling)
        return _in_order(found)
    if mentions:
        found.extend(_said_of_names(folded, mentions, voice))
    if voice is not Voice.SHOWN:
        found.extend(_riddles(folded, mentions, found))
        found.extend(_unknown_names(text))
    return _in_order(found)


def _fingerprints(folded: Folded, runs: frozenset[str], voice: Voice) -> Iterator[Trace]:
    for start, end, kind in fingerprints_in(folded.text, runs):
        if voice is not Voice.SHOWN or kind in SHOWN_FINGERPRINTS:
            yield Trace(*folded.span(start, end), kind)


def _in_order(found: list[Trace]) -> list[Trace]:
    """Overlapping traces become one, under the reason of the first."""
    joined: list[Trace] = []
    for trace in sorted(found, key=lambda one: (one.start, -one.end)):
        if joined and trace.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Trace(last.start, max(last.end, trace.end), last.reason)
        else:
            joined.append(trace)
    return joined


# Skeletons


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with its mentions replaced; ``mentions`` are in the order of their marks."""

    text: str
    mentions: tuple[Mention, ...]
    start: int
    end: int


def _mark(mention: Mention) -> str:
    if mention.full:
        return marks.FULL
    if mention.small:
        return marks.SMALL
    return {"family": marks.FAMILY, "word": marks.WORD, "maker": marks.MAKER, "house": marks.HOUSE}[mention.kind]


def _sentences(text: str, mentions: list[Mention]) -> Iterator[_Sentence]:
    """The sentences that hold mentions. A line of a list keeps the line break before it, for rules about lines."""
    pieces: list[str] = []
    held: list[Mention] = []
    begin = position = 0
    for mention in [*mentions, None]:
        until = len(text) if mention is None else mention.start
        while True:
            end = _SENTENCE_END.search(text, position, until + 1 if mention is None else until)
            if end is None or end.end() > until:
                break
            pieces.append(text[position : end.end()])
            if held:
                yield _Sentence("".join(pieces), tuple(held), begin, end.end())
            pieces, held = ["\n"] if end.group() == "\n" else [], []
            begin = position = end.end()
        pieces.append(text[position:until])
        position = until
        if mention is not None:
            pieces.append(_mark(mention))
            held.append(mention)
            position = mention.end
    if held:
        yield _Sentence("".join(pieces), tuple(held), begin, len(text))


def _mentions_within(sentence: _Sentence, start: int, end: int) -> Iterator[Mention]:
    before = sum(marks.FULL <= character <= marks.SMALL for character in sentence.text[:start])
    inside = sum(marks.FULL <= character <= marks.SMALL for character in sentence.text[start:end])
    yield from sentence.mentions[before : before + inside]


def _said_of_names(folded: Folded, mentions: list[Mention], voice: Voice) -> Iterator[Trace]:
    makers = {mention.maker for mention in mentions if mention.kind != "house" and not mention.small}
    for mention in mentions:
        if voice is not Voice.SHOWN and mention.disguised and mention.telling:
            yield Trace(*folded.span(mention.start, mention.end), "disguised_name")
    for sentence in _sentences(folded.text, mentions):
        for mention, reason in _told(sentence, voice, compared=len(makers) > 1):
            yield Trace(*folded.span(mention.start, mention.end), reason)


def _told(sentence: _Sentence, voice: Voice, *, compared: bool) -> Iterator[tuple[Mention, str]]:
    text = sentence.text
    first_person = False
    for rules in (FIRST_PERSON, FOREIGN):
        for reason, rule in rules.items():
            for match in rule.finditer(text):
                first_person = True
                for mention in _mentions_within(sentence, *match.span()):
                    yield mention, reason
    if first_person:
        for match in CREDIT.finditer(text):
            for mention in _mentions_within(sentence, *match.span()):
                yield mention, "credit"
    if voice is Voice.SHOWN:
        return
    subject = SUBJECT.search(text) is not None
    for reason, rule in ACTING.items():
        for match in rule.finditer(text):
            blocked = subject and reason not in WHATEVER_THE_SUBJECT
            if not blocked and (reason in ABOUT_THOUGHTS or not _is_a_thing(text, match)):
                for mention in _mentions_within(sentence, *match.span()):
                    yield mention, reason
    if voice is Voice.SPOKEN and not subject and not compared:
        for match in ON_SIGHT.finditer(text):
            if not _is_a_thing(text, match):
                for mention in _mentions_within(sentence, *match.span()):
                    yield mention, "model_named"


def _is_a_thing(text: str, match: re.Match[str]) -> bool:
    """Whether the match begins with the name of something on the page: "OpenAI's status page"."""
    last = max(text.rfind(mark, match.start(), match.end()) for mark in map(chr, range(ord(marks.FULL), ord(marks.SMALL) + 1)))
    return last >= 0 and THING.match(text, last + 1) is not None


# What tells without a name of the lexicon


def _riddles(folded: Folded, mentions: list[Mention], told: list[Trace]) -> Iterator[Trace]:
    """Sentences in which the speaker says where it comes from and lets the reader guess."""
    text = folded.text
    for rule in (cues_riddles.PROVENANCE, cues_riddles.ORIGIN):
        for match in rule.finditer(text):
            start, end = _bounds(text, match.start(), match.end())
            sentence = text[start:end]
            if cues_riddles.HINT.search(sentence) or cues_riddles.RIDDLE.search(sentence):
                yield Trace(*folded.span(start, end), "riddle")
            elif WITHHELD not in sentence:
                first, last = folded.span(start, end)
                named = any(start <= mention.start < end for mention in mentions)
                if (named or rule is cues_riddles.ORIGIN) and not any(first <= trace.start < last for trace in told):
                    yield Trace(first, last, "riddle")
    for match in cues_riddles.OPEN_RIDDLE.finditer(text):
        yield Trace(*folded.span(*_bounds(text, *match.span())), "riddle")
    for match in cues_riddles.OWN_NAME.finditer(text):
        start, end = _bounds(text, match.start(), match.end())
        if cues_riddles.RIDDLE.search(text, start, end):
            yield Trace(*folded.span(start, end), "riddle")


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence around ``text[start:end]``, without the white space before it and the stop after it."""
    begin = max((stop.end() for stop in _SENTENCE_END.finditer(text, 0, start)), default=0)
    stop = _SENTENCE_END.search(text, end)
    finish = stop.start() if stop else len(text)
    while begin < start and text[begin].isspace():
        begin += 1
    return begin, max(finish, end)


def _unknown_names(text: str) -> Iterator[Trace]:
    """Introductions with a name the lexicon lacks, told by how the sentence is built."""
    for match in _UNKNOWN_NAME.finditer(text):
        yield _introduced(match, "name")
        if match.group("maker"):
            yield _introduced(match, "maker")
    for match in _UNKNOWN_MAKER.finditer(text):
        start = max(text.rfind(stop, 0, match.start()) for stop in ".!?\n") + 1
        before = text[start : match.start()]
        if _FIRST_PERSON_WORD.search(text[start : match.end() + 60].lower()) and not _THIRD_PERSON.search(before):
            yield _introduced(match, "name")
    if "b" in text or "B" in text:
        for match in _SIZED.finditer(text):
            if _SIZED_ACTS.match(text, match.end()):
                yield Trace(*match.span(), "model_named")


def _introduced(match: re.Match[str], group: str) -> Trace:
    return Trace(match.start(group), match.start(group) + len(match.group(group).rstrip(".")), "introduction")
