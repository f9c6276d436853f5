"""Which option of a select, which radio and which box an instruction means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from battles.agents.reference.givens import Given, is_message, route_ends
from battles.agents.reference.instruction import Wish
from battles.agents.reference.values import minutes_of
from battles.agents.reference.wording import STOPWORDS, stem, stems, term_set, words

#: A number this close before a thing says how many of it: 'two "Blue mug"', '3 copies of "..."'.
COUNTS_WITHIN = 14
#: Words this near to each other in an instruction belong together.
NEAR_WORDS = 4
#: Share of a label's own words that an instruction must say.
ENOUGH = 0.75
#: Options that choose nothing.
_NOTHING = re.compile(
    r"^\W*$|^(?:please\s)?(?:choose|select|pick)\b|^(?:any|all)\b(?! day)|^-+$|^none selected", re.IGNORECASE
)
#: Options for those who have no wish of their own, likeliest first.
_INDIFFERENT = ("no preference", "no", "none", "any", "other", "something else", "standard", "normal", "not applicable")
_PRICE = re.compile(r"[(,:–—+].*$|\s-\s.*$|[£€$]\s?\d.*$")
_NEGATIONS = frozenset({"no", "not", "without", "except", "neither", "nor", "never"})
_SORTING = frozenset({"sort", "order", "sorted", "ordered", "arrange", "arrang"})
_LOW_FIRST = re.compile(
    r"low\w* (?:to|first|-)|cheap|ascending|oldest|earliest|shortest|least|smallest|fewest|a\s?(?:-|–|to)\s?z",
    re.IGNORECASE,
)
_HIGH_FIRST = re.compile(
    r"high\w* (?:to|first|-)|expensive|descending|newest|latest|longest|most|largest|best|top|z\s?(?:-|–|to)\s?a",
    re.IGNORECASE,
)
_SORT_TERMS = {
    "money": term_set("price cost cheapest expensive fare"),
    "rating": term_set("rated rating best review stars score"),
    "year": term_set("year date published newest oldest age"),
    "date": term_set("date newest oldest recent earliest latest day"),
    "time": term_set("time departure earliest latest"),
    "duration": term_set("duration fastest shortest length time"),
    "number": term_set("number popular most"),
    "count": term_set("number popular most comments"),
    "measure": term_set("size height weight length distance"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen, and how surely the instruction says it (about 0.5 to 2)."""

    option: str
    fit: float


def core(option: str) -> str:
    """An option without its price or note: "Standard delivery, 3.50" is "Standard delivery"."""
    cut = _PRICE.sub("", option).strip()
    return cut or option


def choose(
    wish: Wish, field: frozenset[str], options: Sequence[str], about: Given | None = None, *, must: bool = False
) -> Choice | None:
    """The option of a field, whose terms are given, that the instruction says; None where it says none.

    ``about`` is the thing that the page is about: of several options that are spoken, the one said after it counts.
    Where one ``must`` be chosen, a part of its words is enough.
    """
    real = [option for option in options if not _NOTHING.search(option)]
    if field & _SORTING or sum(bool(_LOW_FIRST.search(o) or _HIGH_FIRST.search(o)) for o in real) > 1:
        return _sorted_by(wish, real)
    if real and all(re.fullmatch(r"\d{1,2}:\d{2}(?: ?[ap]m)?", option) for option in real):
        return _at_time(wish, real)
    counts = _how_many(wish, field, real, about)
    if counts is not None:
        return counts
    return _spoken_option(wish, field, real, about, must)


def _spoken_option(
    wish: Wish, field: frozenset[str], real: Sequence[str], about: Given | None, must: bool
) -> Choice | None:
    raw = _spoken_words(wish)
    spoken = [stem(word) for word in raw]
    own = [_own_terms(option) for option in real]
    best: Choice | None = None
    for option, mine in zip(real, own, strict=True):
        shared_by_all = frozenset.intersection(*own) if len(own) > 1 else frozenset()
        telling = mine - shared_by_all or mine
        places = {term: [at for at, said in enumerate(spoken) if said == term] for term in telling}
        said = {term for term, at in places.items() if at and not _negated(raw, at)}
        share = len(said) / len(telling) if telling else 0.0
        if not _is_enough(share, said, option, own, must=must):
            continue
        fit = 0.6 * share + 0.1 * len(said) + _closeness(wish, field, said, spoken, about)
        if best is None or fit > best.fit:
            best = Choice(option, fit)
    return best


def _own_terms(option: str) -> frozenset[str]:
    own = term_set(core(option))
    return own or frozenset(stems(core(option)))


def _is_enough(share: float, said: set[str], option: str, own: Sequence[frozenset[str]], *, must: bool) -> bool:
    """Whether so large a share of an option's telling words means it: all of one or two, most of more.

    The first word alone is enough where no other option has it: "Express" of "Express delivery".
    """
    if share == 1.0 or (share >= ENOUGH and len(said) > 1):
        return True
    first = stems(core(option))[:1]
    return bool(said) and _alone(said, own) and (must or (set(first) <= said and share >= 0.5))


def _alone(said: set[str], own: Sequence[frozenset[str]]) -> bool:
    """Whether the words said are those of this option only."""
    return bool(said) and sum(bool(said & terms) for terms in own) == 1


def _spoken_words(wish: Wish) -> list[str]:
    """Words of the instruction in order, without what it says only to be typed."""
    text = wish.text
    for given in wish.givens:
        if given.kind == "mail" or (given.kind == "quoted" and is_message(given.text)):
            text = f"{text[: given.start]}{' ' * (given.stop - given.start)}{text[given.stop :]}"
    return words(text)


def _negated(spoken: Sequence[str], places: Sequence[int]) -> bool:
    """Whether "no", "not" or the like stands before every one of the places."""
    return bool(places) and all(set(spoken[max(0, at - 2) : at]) & _NEGATIONS for at in places)


def _closeness(wish: Wish, field: frozenset[str], said: set[str], spoken: Sequence[str], about: Given | None) -> float:
    """Up to 0.8 more where the field's own word is near, and where the option is said soon after the thing."""
    at = [place for place, term in enumerate(spoken) if term in said]
    label = [place for place, term in enumerate(spoken) if term in field]
    near = any(abs(place - other) <= NEAR_WORDS for place in at for other in label)
    bonus = 0.4 * near
    start, _ = route_ends(wish.givens)
    if start is not None and said <= set(stems(start.text)):
        bonus += 0.2
    if about is not None and len(wish.things) > 1:
        begin = len(stems(wish.text[: about.start]))
        behind = [place - begin for place in at if place >= begin]
        bonus += 0.4 / (1 + min(behind)) if behind else -0.3
    return bonus


def _how_many(wish: Wish, field: frozenset[str], options: Sequence[str], about: Given | None) -> Choice | None:
    """An option that is a number, for a count the instruction gives."""
    figures = {
        re.sub(r"\D.*$", "", option.strip()): option for option in options if re.match(r"\s*\d{1,3}\b(?![.:])", option)
    }
    if len(figures) < max(2, len(options) // 2):
        return None
    for given in wish.givens:
        if given.kind != "number" or given.text not in figures:
            continue
        unit = set(given.behind[:2]) & (field | term_set(figures[given.text]))
        if unit or counts_thing(given, about, field) or field & set(given.cue[-2:]):
            return Choice(figures[given.text], 1.2)
    return None


def counts_thing(given: Given, about: Given | None, field: frozenset[str]) -> bool:
    """Whether a number says how many there should be of the thing that the page is about."""
    return about is not None and "quantity" in field and 0 < about.start - given.start < COUNTS_WITHIN


def _at_time(wish: Wish, options: Sequence[str]) -> Choice | None:
    """The time given, or the last one offered before it; a time by which something must be over is none to begin at."""
    for given in wish.givens:
        wanted = minutes_of(given.text) if given.kind == "time" else None
        if wanted is None or given.lead in {"by", "before", "until", "till"}:
            continue
        before = [option for option in options if (minutes_of(option) or 0) <= wanted]
        if before:
            return Choice(max(before, key=lambda option: minutes_of(option) or 0), 1.0)
    return None


def _sorted_by(wish: Wish, options: Sequence[str]) -> Choice | None:
    """The order that puts the entry a superlative asks for first."""
    if wish.superlative is None:
        return None
    for kind in wish.superlative.kinds:
        sorting = _SORT_TERMS.get(kind, frozenset())
        for option in options:
            if not term_set(option) & sorting:
                continue
            best_first = kind == "rating" and wish.superlative.largest and not _LOW_FIRST.search(option)
            way = _HIGH_FIRST if wish.superlative.largest else _LOW_FIRST
            if best_first or way.search(option):
                return Choice(option, 0.8)
    return None


def is_ordering(option: str) -> bool:
    """Whether an option puts a list in an order by some value."""
    return bool(_LOW_FIRST.search(option) or _HIGH_FIRST.search(option))


def indifferent(options: Sequence[str]) -> str | None:
    """What somebody without a wish chooses where something must be chosen."""
    real = [option for option in options if not _NOTHING.search(option)]
    for easy in _INDIFFERENT:
        for option in real:
            if " ".join(words(core(option))) == easy:
                return option
    return real[0] if real else None


def is_placeholder(option: str) -> bool:
    """Whether an option stands for "nothing chosen yet"."""
    return bool(_NOTHING.search(option))


def means_box(wish: Wish, label: str) -> bool:
    """Whether the instruction says what a box stands for, or the box is one that has to be ticked."""
    if re.search(r"\b(?:accept|agree|consent|i have read|terms|conditions)\b", label, re.IGNORECASE):
        return not wish.asks
    own = [stem(word) for word in words(core(label)) if word not in STOPWORDS and word != "only"]
    raw = _spoken_words(wish)
    spoken = [stem(word) for word in raw]
    said = [term for term in own if term in spoken]
    places = [at for at, term in enumerate(spoken) if term in set(own)]
    return bool(own) and len(said) / len(own) >= ENOUGH and not _negated(raw, places)
