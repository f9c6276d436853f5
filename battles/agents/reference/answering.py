"""Finding an answer in a page's text: values of the kind asked for, labelled values, the name of what fits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from battles.agents.reference.extremes import counted, extreme
from battles.agents.reference.instruction import Wish
from battles.agents.reference.pages import PageText, cards_of, pairs_at, row_cards, sentences_of
from battles.agents.reference.values import Value, values_in
from battles.agents.reference.wording import joined_terms, mentions, stems, term_set, words

#: How much a term counts by where it stands: in the very sentence or row, in a label, in the heading above, beside, on top.
IN_LINE, IN_LABEL, IN_HEADING, BESIDE, IN_TITLE = 1.0, 1.0, 0.9, 0.6, 0.85
#: Weight of a term that the page never says, and factor for one that stands beside the question.
UNSAID, BY_THE_WAY = 0.6, 0.4
#: A text answer longer than this is a paragraph, not a value.
LONGEST_VALUE = 120
#: Where the thing asked about is named nowhere near a value, the value is hardly about it.
ELSEWHERE = 0.5
#: A name is near a value within so many lines above it.
NEAR_LINES = 8

Places = list[tuple[frozenset[str], float]]


@dataclass(frozen=True, slots=True)
class Found:
    """A value on a page that may be the answer, and how well its surroundings fit the instruction (0 to about 1)."""

    text: str
    score: float


def find_answer(wish: Wish, page: PageText) -> Found | None:
    """The value on the page that fits the instruction best, or None."""
    if not page.lines:
        return None
    if wish.superlative is not None:
        best = extreme(wish, page)
        return Found(*best) if best is not None else None
    weights = _weights(wish, page)
    if "author" in wish.focus:
        candidates = [*_labelled_values(wish, page, weights), *_persons(wish, page, weights)]
    elif wish.expects:
        candidates = _typed_values(wish, page, weights)
    else:
        candidates = [*_labelled_values(wish, page, weights), *_named(wish, page, weights)]
    if wish.expects == "count":
        number = counted(wish, page)
        candidates.extend([Found(*number)] if number is not None else [])
    if not candidates and wish.expects in {"measure", "duration", "date", "year", "phone"}:
        candidates = [found for found in _labelled_values(wish, page, weights) if re.search(r"\d", found.text)]
    return max(candidates, key=lambda found: (found.score, -len(found.text)), default=None)


def _weights(wish: Wish, page: PageText) -> dict[str, float]:
    """Rare terms say more: a term on every line tells no line from another. What the page never says may be worded
    otherwise there, and what the question says only by the way matters less.
    """
    weights = {}
    for term in wish.terms:
        on = sum(term in line.terms for line in page.lines)
        weights[term] = (1 / (1 + on) ** 0.5 if on else UNSAID) * (BY_THE_WAY if term in wish.aside else 1.0)
    return weights


def _score(weights: dict[str, float], places: Places) -> float:
    total = sum(weights.values())
    gained = sum(
        weight * max((worth for place, worth in places if term in place), default=0.0)
        for term, weight in weights.items()
    )
    return gained / total if total else 0.0


def _places(page: PageText, at: int) -> Places:
    lines = page.lines
    beside = frozenset().union(*(lines[near].terms for near in (at - 1, at - 2, at + 1) if 0 <= near < len(lines)))
    return [(lines[at].heading, IN_HEADING), (beside, BESIDE), (page.top, IN_TITLE)]


def _about_it(wish: Wish, page: PageText, at: int) -> float:
    """1 where the page or the lines above name what is asked about, less where they do not."""
    if wish.sum or not any(thing.kind == "quoted" for thing in wish.things):
        return 1.0
    near = " ".join([page.title, *(line.text for line in page.lines[max(0, at - NEAR_LINES) : at + 2])])
    head = " ".join(line.text for line in page.lines[: NEAR_LINES * 2] if len(line.text) < 80)
    named = any(mentions(near, thing.text) or mentions(head, thing.text) for thing in wish.things)
    return 1.0 if named else ELSEWHERE


def _typed_values(wish: Wish, page: PageText, weights: dict[str, float]) -> list[Found]:
    found = []
    for at, line in enumerate(page.lines):
        places = _places(page, at)
        about = _about_it(wish, page, at)
        for number, cell in enumerate(line.cells):
            label = line.headers[number] if number < len(line.headers) else frozenset()
            row: Places = [(line.terms, IN_LINE)] if len(line.cells) > 1 else []
            for sentence in sentences_of(cell):
                own = [*row, *places, (label, IN_LABEL), (joined_terms([sentence]), IN_LINE)]
                if len(line.cells) == 1:
                    own.append((line.terms, BESIDE))
                score = _score(weights, own) * about
                for value in values_in(wish.expects, sentence):
                    worth = score + _nearness(
                        wish, sentence, value, label | (line.terms if len(line.cells) > 1 else label)
                    )
                    if not _is_spoken(wish, value):
                        found.append(Found(_in_full(wish, sentence, value), worth))
    return found


def _is_spoken(wish: Wish, value: Value) -> bool:
    """A value of the question itself is no answer to it; neither is a year to how many there are."""
    if wish.expects == "count" and re.fullmatch(r"(?:1[5-9]|20)\d\d", value.text):
        return True
    return bool(re.search(rf"(?<![\w.,:]){re.escape(value.text)}(?![\w:]|[.,]\d)", wish.text))


def _nearness(wish: Wish, sentence: str, value: Value, label: frozenset[str]) -> float:
    """A bonus for a value beside the very words asked for, and for the right end of a range."""
    behind = term_set(sentence[value.stop : value.stop + 18])
    before = term_set(sentence[max(0, value.start - 30) : value.start])
    focus = set(wish.focus[:1] if wish.expects == "count" else wish.focus)
    bonus = 0.2 * bool(focus & (behind | label)) or 0.12 * bool(focus & before)
    if wish.expects in {"count", "measure"} and focus and not focus & (behind | before | label):
        bonus -= 0.1 if focus & term_set(sentence) else 0.4
    if wish.sum:
        bonus += 0.3 if {"total"} & (before | label | term_set(sentence)) else -0.3
    bonus += 0.05 * len((behind | before) & set(wish.terms))
    if wish.expects == "date" and not re.search(r"\d", value.text):
        bonus -= 0.25
    if wish.expects in {"date", "time"} and re.search(r"\b(?:today is|it is now)\b", sentence, re.IGNORECASE):
        bonus -= 0.5
    if wish.end and value.end:
        bonus += 0.1 if value.end == wish.end else -0.1
    cue = {
        "last": r"\b(?:until|till|to|by|closes?|expected|due)\s*(?:at|on)?\s*$",
        "first": r"\b(?:from|opens?|since)\s*(?:at)?\s*$",
    }
    if wish.end and not value.end and re.search(cue[wish.end], sentence[: value.start], re.IGNORECASE):
        bonus += 0.08
    return bonus


def _in_full(wish: Wish, sentence: str, value: Value) -> str:
    """The value with its unit: a bare count takes the word behind it along."""
    if wish.expects != "count":
        return value.text
    unit = re.match(r"\s([a-z]{3,20})\b", sentence[value.stop :])
    return f"{value.text} {unit[1]}" if unit and set(stems(unit[1])) & set(wish.focus) else value.text


def _labelled_values(wish: Wish, page: PageText, weights: dict[str, float]) -> list[Found]:
    """Values whose label is among the words behind the question word."""
    focus = set(wish.focus)
    found = []
    for at, line in enumerate(page.lines):
        row: Places = [(line.terms, IN_LINE)]
        places = [*row, *_places(page, at)]
        about = _about_it(wish, page, at)
        for label, value in pairs_at(page, at, wish.focus):
            shared = focus & label
            if not shared or len(value) > LONGEST_VALUE or term_set(value) <= focus or mentions(wish.text, value):
                continue
            whole = len(shared) / len(focus) if len(focus) < 3 else 1.0
            bonus = 0.25 * whole * len(shared) / len(label) + 0.05 * len(shared)
            score = _score(weights, [*places, (label, IN_LABEL)]) * about * whole**0.5
            found.append(Found(value, score + bonus))
        for match in re.finditer(r"\b([A-Za-z]{4,12}) (\d{1,4}[a-zA-Z]?|[A-Z])\b(?![:.]\d)", line.text):
            if set(stems(match[1])) & set(wish.focus[:1]) and not mentions(wish.text, match[0]):
                found.append(Found(match[0], _score(weights, places) * about + 0.15))
    return found


_PERSON = re.compile(
    r"[A-ZÀ-Þ][\w'’.-]+,(?: [A-ZÀ-Þ][\w'’.-]*){1,3}|[A-ZÀ-Þ][\w'’.-]+(?: (?:van|de|von|der|la|le|bin))*(?: [A-ZÀ-Þ][\w'’.-]*){1,3}"
)


def _persons(wish: Wish, page: PageText, weights: dict[str, float]) -> list[Found]:
    """Lines right under the name of the thing that are called like a person: sites put an author there unlabelled."""
    found = []
    for at, line in enumerate(page.lines):
        above = page.lines[at - 1].text if at else ""
        if _PERSON.fullmatch(line.text) and any(mentions(above, thing.text) for thing in wish.things):
            found.append(Found(line.text, 0.75 if len(above) < LONGEST_VALUE else 0.4))
    return found


def _named(wish: Wish, page: PageText, weights: dict[str, float]) -> list[Found]:
    """The name of the one card or row that fits the question much better than its neighbours."""
    if not wish.focus or (wish.things and any(thing.kind == "quoted" for thing in wish.things)):
        return []
    scored = sorted(
        (
            (_score(weights, [(joined_terms([card.text]), IN_LINE), (page.top, IN_TITLE)]), card.title)
            for card in [*cards_of(page), *row_cards(page)]
            if not mentions(wish.text, card.title) and len(words(card.title)) <= 12
        ),
        key=lambda pair: -pair[0],
    )
    if not scored:
        return []
    lead = scored[0][0] - scored[1][0] if len(scored) > 1 else 0.0
    return [Found(scored[0][1], scored[0][0] * (0.95 if lead > 0.05 else 0.6))]
