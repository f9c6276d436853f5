"""Where a text says which model wrote it, and nothing more.

"I'll search Google Scholar" names Google and tells nothing; "I'm Claude", "gpt-5.2-codex wrote the script" and
"my makers in Mountain View" tell. Everything here works on one text without knowing the task, because the field
that asks cannot know it either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from battles.blindness import cues_riddles, marks
from battles.blindness.cues_acting import ABOUT_THOUGHTS, ACTING, ON_SIGHT, THING, WHATEVER_THE_SUBJECT, about_models
from battles.blindness.cues_first_person import CREDIT, FIRST_PERSON
from battles.blindness.cues_foreign import FOREIGN, may_be_foreign
from battles.blindness.disguises import hidden_names
from battles.blindness.fingerprints import LETTER_RUN, fingerprints_in
from battles.blindness.lexicon import Lexicon
from battles.blindness.mentions import Mention, blunt_spans, mentions_in
from battles.blindness.normalise import Folded, fold
from battles.blindness.sentences import Sentence, Sentences


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
#: What a page cannot show unless the agent brought it along. Everything else an article on models may hold.
SHOWN_FINGERPRINTS = frozenset({"referrer"})

_UNKNOWN_NAME = re.compile(
    r"\b(?:I am|I'm|I’m|My name is)(?: called)? (?P<name>[A-Z][\w.+-]*(?: [A-Z0-9][\w.+-]*){0,3})"
    r"(?:,| [-–—]| and I am)? (?:an?|the|your|built|made|created|developed|trained|powered)\b[^.!?\n]{0,50}?"
    r"(?:\b(?:AI|assistant|model|LLM|chatbot)\b"
    r"|\b(?:made|built|created|developed|trained) by (?P<maker>[A-Z][\w.]*(?: [A-Z][\w.]*){0,2}))"
)
_UNKNOWN_MAKER = re.compile(
    r"\b(?:language model|AI model|AI assistant|AI agent|AI system|assistant|LLM|AI)(?: \w+){0,2}? "
    r"(?:built|made|developed|trained|created|designed|released) (?:by|at) "
    r"(?P<name>[A-Z][\w.&-]*(?: [A-Z][\w.&-]*){0,3})"
)
_FIRST_PERSON_WORD = re.compile(r"\b(?:i|i'm|i'll|me|my|myself|i've)\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:is|are|was) an? [^.!?\n]{0,40}$")
#: Without one of these nobody is introduced; "b" is what is left of "7b".
_INTRODUCING = frozenset(
    {"ai", "assistant", "model", "llm", "chatbot", "agent", "system", "built", "made", "created", "b"}
)
#: How far a sentence about an unknown maker is looked at, before and after.
_NEARBY = 120
_SIZED = re.compile(r"\b[A-Za-z][A-Za-z0-9.]{0,30}(?:-[A-Za-z0-9.]{1,20}){0,4}-\d{1,3}(?:\.\d)?[bB](?:-\w+)*\b")
_SIZED_ACTS = re.compile(
    r" (?:clicked|located|took \d+|finished|completed|could not|couldn't|cannot|predicted|answered|found|selected|"
    r"scrolled|navigated|typed|was used|did this|thinks|here\b)|: (?:I\b|task)"
)


def traces_in(text: str, lexicon: Lexicon, voice: Voice = Voice.SPOKEN) -> list[Trace]:
    """Everything in ``text`` that tells which model wrote it, in order and without overlaps."""
    if not text:
        return []
    folded = fold(text)
    runs = frozenset(LETTER_RUN.findall(folded.text))
    found = [
        Trace(*folded.span(start, end), kind)
        for start, end, kind in fingerprints_in(folded.text, runs)
        if voice is not Voice.SHOWN or kind in SHOWN_FINGERPRINTS
    ]
    mentions = mentions_in(folded, lexicon, runs)
    if voice is not Voice.SHOWN:
        found.extend(Trace(start, end, "hidden_name") for start, end in hidden_names(folded, lexicon, runs))
    if voice is Voice.OURS:
        found.extend(_names(folded, lexicon, runs, mentions))
        return _in_order(found)
    sentences = Sentences(folded.text) if mentions or voice is not Voice.SHOWN else None
    if sentences and mentions:
        found.extend(_said_of_names(folded, sentences, mentions, voice))
    if sentences and voice is not Voice.SHOWN:
        if cues_riddles.may_riddle(runs):
            found.extend(_riddles(folded, sentences, mentions, tuple(found)))
        if not _INTRODUCING.isdisjoint(runs):
            found.extend(_unknown_names(text))
    return _in_order(found)


def _names(folded: Folded, lexicon: Lexicon, runs: frozenset[str], mentions: Sequence[Mention]) -> Iterator[Trace]:
    """In words of our own: every name, and what names one model although its parts are everyday words."""
    for start, end in blunt_spans(folded, lexicon, runs):
        yield Trace(*folded.span(start, end), "name")
    for mention in mentions:
        if mention.telling:
            yield Trace(*folded.span(mention.start, mention.end), "name")


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


def _said_of_names(folded: Folded, sentences: Sentences, mentions: Sequence[Mention], voice: Voice) -> Iterator[Trace]:
    makers = {mention.maker for mention in mentions if mention.kind != "house" and not mention.small}
    if voice is not Voice.SHOWN:
        for mention in mentions:
            if mention.disguised and mention.telling:
                yield Trace(*folded.span(mention.start, mention.end), "disguised_name")
    for sentence in sentences.with_mentions(mentions):
        for mention, reason in _told(sentence, voice, compared=len(makers) > 1):
            yield Trace(*folded.span(mention.start, mention.end), reason)


def _told(sentence: Sentence, voice: Voice, *, compared: bool) -> Iterator[tuple[Mention, str]]:
    """What a sentence gives away. ``compared``: the text speaks of models of several makers."""
    yield from _told_in_first_person(sentence)
    if voice is Voice.SHOWN:
        return
    subject = about_models(sentence.text)
    yield from _told_of_work(sentence, subject=subject)
    if voice is Voice.SPOKEN and not subject and not compared:
        for match in ON_SIGHT.finditer(sentence.text):
            if not _is_a_thing(sentence.text, match):
                yield from ((mention, "model_named") for mention in sentence.within(match))


def _told_in_first_person(sentence: Sentence) -> Iterator[tuple[Mention, str]]:
    first_person = False
    for rules in (FIRST_PERSON, FOREIGN) if may_be_foreign(sentence) else (FIRST_PERSON,):
        for reason, rule in rules.items():
            for match in rule.finditer(sentence.text):
                first_person = True
                yield from ((mention, reason) for mention in sentence.within(match))
    if first_person:
        for match in CREDIT.finditer(sentence.text):
            yield from ((mention, "credit") for mention in sentence.within(match))


def _told_of_work(sentence: Sentence, *, subject: bool) -> Iterator[tuple[Mention, str]]:
    """``subject``: the sentence speaks of models as things of the world, so only the plainest rules hold."""
    for reason, rule in ACTING.items():
        if subject and reason not in WHATEVER_THE_SUBJECT:
            continue
        for match in rule.finditer(sentence.text):
            if reason in ABOUT_THOUGHTS or not _is_a_thing(sentence.text, match):
                yield from ((mention, reason) for mention in sentence.within(match))


_LAST_NAME = re.compile(f"{marks.ANY}(?=[^{marks.FULL}-{marks.SMALL}]*$)")


def _is_a_thing(text: str, match: re.Match[str]) -> bool:
    """Whether the last name in the match is that of something on the page: "OpenAI's status page"."""
    last = _LAST_NAME.search(match.group())
    return last is not None and THING.match(text, match.start() + last.end()) is not None


# What tells without a name of the lexicon


def _riddles(
    folded: Folded, sentences: Sentences, mentions: Sequence[Mention], told: Sequence[Trace]
) -> Iterator[Trace]:
    """Sentences in which the speaker says where it comes from and lets the reader guess."""
    for (start, end), surely in _sentences_of_origin(folded.text, sentences).items():
        trace = Trace(*folded.span(start, end), "riddle")
        sentence = folded.text[start:end]
        guessed = cues_riddles.HINT.search(sentence) or cues_riddles.RIDDLE.search(sentence)
        known = surely or any(start <= mention.start < end for mention in mentions)
        said = WITHHELD in sentence or any(trace.start <= other.start < trace.end for other in told)
        if guessed or (known and not said):
            yield trace
    for match in cues_riddles.OPEN_RIDDLE.finditer(folded.text):
        yield Trace(*folded.span(*sentences.around(*match.span())), "riddle")
    for start, end in {sentences.around(*match.span()) for match in cues_riddles.OWN_NAME.finditer(folded.text)}:
        if cues_riddles.RIDDLE.search(folded.text, start, end):
            yield Trace(*folded.span(start, end), "riddle")


def _sentences_of_origin(text: str, sentences: Sentences) -> dict[tuple[int, int], bool]:
    """Where somebody says where it comes from, and whether only a program would say it so."""
    said: dict[tuple[int, int], bool] = {}
    for rule, surely in ((cues_riddles.PROVENANCE, False), (cues_riddles.ORIGIN, True)):
        for match in rule.finditer(text):
            slice_ = sentences.around(*match.span())
            said[slice_] = said.get(slice_, False) or surely
    return said


def _unknown_names(text: str) -> Iterator[Trace]:
    """Introductions with a name the lexicon lacks, told by how the sentence is built."""
    for match in _UNKNOWN_NAME.finditer(text):
        yield _introduced(match, "name")
        if match.group("maker"):
            yield _introduced(match, "maker")
    for match in _UNKNOWN_MAKER.finditer(text):
        before = re.split(r"[.!?\n]", text[max(0, match.start() - _NEARBY) : match.start()])[-1]
        after = text[match.end() : match.end() + _NEARBY]
        if _FIRST_PERSON_WORD.search(before + match.group() + after) and not _THIRD_PERSON.search(before):
            yield _introduced(match, "name")
    for match in _SIZED.finditer(text):
        if _SIZED_ACTS.match(text, match.end()):
            yield Trace(*match.span(), "model_named")


def _introduced(match: re.Match[str], group: str) -> Trace:
    return Trace(match.start(group), match.start(group) + len(match.group(group).rstrip(".")), "introduction")
