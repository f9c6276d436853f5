"""Names as they occur in a text: where, how sure, how written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from battles.blindness.lexicon import Lexicon, Name
from battles.blindness.normalise import Folded
from battles.blindness.vocabulary import ENTRIES, Entry

#: Words that make a model of a version: "Gemini 3 Pro", "gpt-4o-mini".
MODEL_WORDS = frozenset(
    """pro flash lite mini nano max plus turbo ultra large medium small instruct chat coder codex vl vision omni preview
    exp experimental latest thinking reasoner reasoning multimodal versatile instant distill base it air fast beta
    agent act high low minimal""".split()
)
#: What follows a first name or a word when both are one proper name, and yet is none: "Claude API", "Gemini App".
NOT_A_SURNAME = MODEL_WORDS | frozenset(
    """ai api app apps cli sdk code team enterprise free premium advanced model models assistant agents here did was
    could can has will is on in for the and or says said thinks chatbot bot prompt desktop browser studio search live
    computer by from with deep i""".split()
).union(*(variant.split() for entry in ENTRIES for variant in entry.variants))
#: Before a first name these say that a person is meant.
_TITLE = re.compile(
    r"(?:\b(?:mr|mrs|ms|mme|mlle|madame|monsieur|miss|sir|dr|prof|professor|saint|st|san|santa|uncle|aunt|captain|"
    r"king|queen|"
    r"herr|frau|signor|senor|don|jean|pierre|marie|anne|louis|lady|lord|hotel|rue|avenue|chef)\.?[ -]|(?<!['’])\bm\. )$"
)
#: Bounded, since a text may go on like this for ever.
_ATTACHED = re.compile(r"(?:[-_.:]?v?\d|[-_][a-z])[\w.]{0,40}(?:[-_:@.+][\w.]{1,40}){0,8}")
_NEXT_WORD = re.compile(r"[ \n]\(?([a-z0-9][a-z0-9.+]*)")
_DECIMAL = re.compile(r"v?\d{1,2}(?:\.\d{1,2}){1,2}[a-z]{0,3}$")
_SIZE = re.compile(r"(?:\d{1,3}(?:\.\d)?b|\d{1,2}x\d{1,2}b|e[24]b|a\d{1,2}b)$")
_SMALL_NUMBER = re.compile(r"v?\d{1,2}$")
_RELEASE = re.compile(r"[-_.:]?v?\d{1,2}(?:\.\d{1,2}){0,2}(?![0-9])")
_DECIMAL_WITHIN = re.compile(r"\d\.\d")
_AMOUNT = re.compile(
    r"[.,:/]\d|\d|%| ?(?:times|days|hours|minutes|seconds|years|steps|stars|eur|usd|km|kg|cm|mm|m|metres|meters|"
    r"litres|liters|"
    r"inch|inches|of|out|people|rooms|nights|percent|million)\b"
)
_LETTERS = re.compile(r"[a-z]+")
_CAPITALISED = re.compile(r"[ \n]([A-Z][a-zà-ÿ]+)")

#: Names that their makers write in lower case, or that are no words in any case.
WRITTEN_SMALL = frozenset({"o1", "o3", "o4", "gpt"})
#: "Meta's Llama" is one mention.
LONGEST_GAP = 3
#: Kinds in rising order of certainty; when two names stand together the surer one counts.
_SURENESS = {"house": 0, "word": 1, "maker": 2, "family": 3}


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a name in folded text, with what belongs to it (version, size, variant).

    ``full`` says that it names one model (``gemini 2.5 pro``) and no more than that can be meant.
    ``disguised`` says that somebody hid it. ``small`` says that an ordinary word stands there in lower case.
    """

    start: int
    end: int
    maker: str
    kind: str
    common: bool = False
    full: bool = False
    disguised: bool = False
    small: bool = False

    @property
    def telling(self) -> bool:
        """Whether hiding this name can have only one reason."""
        return self.kind != "house" and (self.full or not self.common)


def mentions_in(folded: Folded, lexicon: Lexicon, runs: Set[str]) -> list[Mention]:
    """Every name in the text, in order, neighbours merged ("Google Gemini 2.5 Pro" is one)."""
    found = sorted(_occurrences(folded, lexicon, runs), key=lambda one: (one[0], -one[1]))
    mentions: list[Mention] = []
    for start, end, name in found:
        if mentions and start < mentions[-1].end:
            continue
        mention = _mention(folded, start, end, name)
        if mention is not None:
            mentions.append(mention)
    return _merged(folded.text, mentions)


def blunt_spans(folded: Folded, lexicon: Lexicon, runs: Set[str]) -> Iterator[tuple[int, int]]:
    """Every name that our own messages must not contain, whatever is said of it, in folded text.

    A superset of what the database refuses, which looks for :attr:`Name.bounded` alone.
    """
    for start, end, name in _occurrences(folded, lexicon, runs, blunt=True):
        yield start, _with_version(folded.text, end, name)[0]


def _occurrences(
    folded: Folded, lexicon: Lexicon, runs: Set[str], *, blunt: bool = False
) -> Iterator[tuple[int, int, Name]]:
    text = folded.text
    hits = lexicon.heads.keys() & runs
    if hits:
        for run in _LETTERS.finditer(text):
            if run.group() in hits:
                for name in lexicon.heads[run.group()]:
                    if blunt and not name.blunt:
                        continue
                    pattern = name.bounded if blunt and name.entry.kind == "house" else name.pattern
                    match = pattern.match(text, run.start())
                    if match:
                        yield match.start(), match.end(), name
                        break
    if not text.isascii() or any(form in text for form in lexicon.digit_first):
        for match in lexicon.foreign.finditer(text):
            name = lexicon.foreign_names[match.group()]
            if _stands_alone(text, match.start(), match.end()):
                yield match.start(), match.end(), name


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Scripts with spaces need bounds; Chinese, Japanese and Korean run on."""
    if ord(text[start]) >= 0x2E80 or ord(text[start]) in range(0x0590, 0x0780):
        return True
    before = text[start - 1] if start else " "
    return not (before.isalnum() and ord(before) < 0x2E80)


def _mention(folded: Folded, start: int, end: int, name: Name) -> Mention | None:
    entry = name.entry
    end, full = _with_version(folded.text, end, name)
    full = full or entry.exact
    disguised = name.spelling.isascii() and folded.disguised(start, end)
    first = folded.original[folded.span(start, start + 1)[0]]
    small = entry.kind == "word" and first.islower() and not full and name.spelling not in WRITTEN_SMALL
    if entry.common and small and not disguised:
        return None
    if entry.kind == "word" and not full and _is_a_proper_name(folded, start, end):
        return None
    released = entry.kind == "word" and not first.islower() and _DECIMAL_WITHIN.search(folded.text, start, end)
    return Mention(
        start=start,
        end=end,
        maker=entry.maker,
        kind="family" if released else entry.kind,
        common=entry.common,
        full=full,
        disguised=disguised,
        small=small,
    )


def _with_version(text: str, end: int, name: Name) -> tuple[int, bool]:
    """Take in versions, sizes and variants after the name; say whether that makes one model of it."""
    entry = name.entry
    if entry.kind in {"house", "maker"}:
        return end, False
    end, full, numbered = _attached_version(text, end, entry)
    while True:
        following = _NEXT_WORD.match(text, end)
        if following is None:
            return end, full
        word = following.group(1).rstrip(".")
        two = _two_words(text, following.end(1), word)
        sure = full or not entry.common
        if two in entry.variants or word in entry.variants:
            full, word = sure, two if two in entry.variants else word
        elif _SIZE.match(word):
            full = True
        elif (_DECIMAL.match(word) and not _counts(text, following.end(1))) or (
            word in MODEL_WORDS and (numbered or full)
        ):
            full = sure
        elif _SMALL_NUMBER.match(word) and not numbered and not full and not _counts(text, following.end(1)):
            full, numbered = entry.whole and sure, True
        else:
            return end, full
        end = following.start(1) + len(word)


def _attached_version(text: str, end: int, entry: Entry) -> tuple[int, bool, bool]:
    """What hangs on the name without a space ("-opus-4-5", "2.5vl:7b"): its end, if it is full, or a bare number."""
    attached = _ATTACHED.match(text, end)
    if attached is None:
        return end, False, False
    body = attached.group().rstrip(".:-_+")
    after = end + len(body)
    parts = set(re.split(r"[-_.:@+]", body))
    release = _RELEASE.match(body)
    if release and (_DECIMAL_WITHIN.search(body) or entry.whole or entry.kind == "family"):
        return after, True, False
    if any(set(variant.split()) <= parts for variant in entry.variants) or re.search(r"\d+b\b", body):
        return after, True, False
    if not entry.common and not MODEL_WORDS.isdisjoint(_LETTERS.findall(body)):
        return after, True, False
    if release and release.end() == len(body) and not body.startswith((".", ":")):
        return after, False, True
    return end, False, False


def _two_words(text: str, end: int, word: str) -> str:
    following = _NEXT_WORD.match(text, end)
    return f"{word} {following.group(1).rstrip('.')}" if following else word


def _counts(text: str, end: int) -> bool:
    """Whether the number goes on as an amount, a time or an ordinal and so is no version."""
    return _AMOUNT.match(text, end) is not None


def _is_a_proper_name(folded: Folded, start: int, end: int) -> bool:
    """Whether an ordinary word is part of somebody's or something's name: "Claude Dupont", "Nova Scotia"."""
    before = folded.text[max(0, start - 14) : start]
    if _TITLE.search(before):
        return True
    after = folded.original[folded.span(start, end)[1] :][:40]
    following = _CAPITALISED.match(after)
    return following is not None and following.group(1).lower() not in NOT_A_SURNAME


def _merged(text: str, mentions: list[Mention]) -> list[Mention]:
    merged: list[Mention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        gap = text[last.end : mention.start] if last else ""
        if last is None or len(gap) > LONGEST_GAP or gap.strip(" -_/:'s("):
            merged.append(mention)
            continue
        surer = max((last, mention), key=lambda one: _SURENESS[one.kind])
        kind = "family" if {last.kind, mention.kind} & {"house", "maker"} and last.kind != mention.kind else surer.kind
        merged[-1] = replace(
            last,
            end=mention.end,
            maker=surer.maker,
            kind=kind,
            common=last.common and mention.common,
            full=last.full or mention.full or (last.maker == mention.maker and last.kind == mention.kind == "word"),
            disguised=last.disguised or mention.disguised,
            small=last.small and mention.small,
        )
    return merged
