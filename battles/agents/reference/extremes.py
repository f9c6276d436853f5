"""The largest, smallest or counted of several entries on a page, within the bounds that a question sets."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from battles.agents.reference.givens import route_ends
from battles.agents.reference.instruction import Limit, Wish
from battles.agents.reference.pages import Line, PageText, cards_of, row_cards
from battles.agents.reference.values import Value, amount_of, values_in
from battles.agents.reference.wording import joined_terms, mentions, stems, term_set, words

#: How pages say that something cannot be had.
NOT_THERE = re.compile(
    r"\b(?:out of stock|sold out|not in stock|unavailable|not available|on loan|checked out|fully booked|cancelled|"
    r"no longer available|discontinued|no vacancies|no places left|full|closed)\b",
    re.IGNORECASE,
)
#: Ratings in figures ("4.6 of 5", "4,6/5") and in stars.
_FIGURES = re.compile(
    r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?)\s?(?:of|out of|/)\s?(?:5|10)\b|(?<![\d.,])(\d(?:[.,]\d)?)\s?stars?\b"
)
_STARS = re.compile(r"★+")
#: A line that is little else than the value is where a list shows it; a sentence only mentions it.
MOSTLY = 0.35
#: Score of an extreme whose page says nothing of what was asked, and what its words can add.
BASE, ADDED = 0.35, 0.6
#: How a page says how many it found.
_RESULTS = re.compile(
    r"\b(\d{1,5})\s+(?:[a-z]+\s)?(results?|titles?|items?|articles?|matches|records?|entries|products?|hits|recipes?|jobs?|"
    r"events?|posts?|threads?|topics?|offers?|pitches|places|stations?|books?|documents?|pages|people|courses?)\b"
    r"(?:\s+(?:were |was )?(?:found|match|shown))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry with a value: how much it is, as written, what the entry is called and all that it says."""

    amount: float
    value: str
    name: str
    about: str


def extreme(wish: Wish, page: PageText) -> tuple[str, float] | None:
    """The value or the name of the entry that the superlative picks, and how well the page fits the question."""
    if wish.superlative is None:
        return None
    for kind in _kinds(wish):
        listed = entries_of(wish, page, kind)
        entries = _narrowed(wish, [entry for entry in listed if admissible(wish, entry.about)])
        if len(listed) > 1 and entries:
            pick = (max if wish.superlative.largest else min)(entries, key=lambda entry: entry.amount)
            wants_value = bool(wish.expects) and (kind in {wish.expects, "number"})
            text = pick.value if wants_value else _other_value(wish, pick) if wish.expects else pick.name
            return (text, _fit(wish, page, entries, pick)) if text else None
    return None


def _kinds(wish: Wish) -> tuple[str, ...]:
    kinds = wish.superlative.kinds if wish.superlative else ()
    if wish.expects in kinds:
        return (wish.expects, *(kind for kind in kinds if kind != wish.expects))
    return kinds


def _other_value(wish: Wish, pick: Entry) -> str:
    """For 'how much does the fastest one cost': the value of the other kind in the entry that was picked."""
    values = values_in(wish.expects, pick.about)
    return _ended(wish, values).text if values else ""


def _ended(wish: Wish, values: Sequence[Value]) -> Value:
    return next((value for value in values if value.end == wish.end), values[0])


def _fit(wish: Wish, page: PageText, entries: Sequence[Entry], pick: Entry) -> float:
    """How much of the question the page speaks of, apart from the superlative itself."""
    said = term_set(page.title, page.filled, pick.about) | page.top
    said |= term_set(*(entry.about for entry in entries[:6]))
    skip = set(wish.focus) | set(wish.superlative.about if wish.superlative else ()) | SAID_OTHERWISE
    named = term_set(*(thing.text for thing in wish.things))
    asked = [term for term in wish.terms if term not in skip and (term not in wish.aside or term in named)]
    covered = sum(term in said for term in asked) / len(asked) if asked else 0.5
    ends = [end.text for end in route_ends(wish.givens) if end is not None]
    things = [thing.text for thing in wish.things]
    own = [line.text for line in page.lines[:24] if line.text not in page.links and len(line.text) < 80]
    near = " ".join([page.title, page.filled, *own[:12], pick.about])
    if (things and not any(mentions(near, thing) for thing in things)) or not all(mentions(near, end) for end in ends):
        covered *= 0.5
    return BASE + ADDED * covered


#: Words of bounds and superlatives, which pages do not repeat.
SAID_OTHERWISE = term_set(
    "cheapest dearest lowest highest best rated most least fastest quickest shortest longest earliest latest newest oldest "
    "largest biggest smallest heaviest lightest first last next name less more euros pounds dollars stock available rating "
    "expensive money time today subject catalogue list department section category"
)


def entries_of(wish: Wish, page: PageText, kind: str) -> list[Entry]:
    """Cards, rows and lines that carry a value of the kind, each with its name and all that it says."""
    cards = [*cards_of(page), *row_cards(page)]
    found = [entry for card in cards if (entry := _card_entry(wish, kind, card.title, card.lines)) is not None]
    return found if len(found) > 1 else _loose_entries(wish, page, kind)


def _card_entry(wish: Wish, kind: str, title: str, lines: Sequence[Line]) -> Entry | None:
    about = "\n".join(line.text for line in lines)
    for line in lines:
        for number, cell in enumerate(line.cells):
            if line.text == title and len(lines) > 1:
                continue
            label = line.headers[number] if number < len(line.headers) else frozenset()
            value = _value_of(wish, kind, cell, label)
            if value is not None:
                return Entry(value[0], value[1], _called(wish, title, lines), about)
    return None


def _called(wish: Wish, title: str, lines: Sequence[Line]) -> str:
    """The cell under the header that is asked for, else the title."""
    for line in lines:
        for label, cell in zip(line.headers, line.cells, strict=False):
            if label & set(wish.focus) and re.search(r"[^\W\d_]{3}", cell):
                return cell
    return title


def _value_of(wish: Wish, kind: str, text: str, label: frozenset[str]) -> tuple[float, str] | None:
    """Amount and wording of the value of a kind in a text, or None."""
    if kind == "rating":
        return _rating_of(text, label)
    if kind in {"number", "count"}:
        about = set(wish.superlative.about if wish.superlative else ()) | set(wish.focus) | set(wish.terms)
        if not (label | term_set(text)) & about:
            return None
    values = values_in(kind, text)
    if not values:
        return None
    value = _ended(wish, values)
    amount = amount_of(value.text, kind)
    return None if amount is None else (amount, value.text)


def _rating_of(text: str, label: frozenset[str] = frozenset()) -> tuple[float, str] | None:
    """A rating in figures, else in stars, else a figure under a header that speaks of one."""
    match = _FIGURES.search(text)
    if match:
        return float((match[1] or match[2]).replace(",", ".")), match[0]
    stars = _STARS.search(text)
    if stars:
        return float(len(stars[0])), stars[0]
    bare = re.search(r"\d(?:[.,]\d+)?", text) if label & {"rating", "score", "grad"} else None
    return (float(bare[0].replace(",", ".")), bare[0]) if bare else None


def _loose_entries(wish: Wish, page: PageText, kind: str) -> list[Entry]:
    """Lines with a value, where the page has no cards: those that are little else than it, if there are several."""
    found: list[tuple[bool, int, float, str]] = []
    for at, line in enumerate(page.lines):
        value = _value_of(wish, kind, line.text, frozenset())
        if value is None or (len(line.cells) > 1 and not line.headers and len(line.cells) != 2):
            continue
        share = sum(v.stop - v.start for v in values_in(kind, line.text)) / len(line.text) if kind != "rating" else 1.0
        found.append((share >= MOSTLY, at, *value))
    if sum(mostly for mostly, *_ in found) > 1:
        found = [each for each in found if each[0]]
    places = [at for _, at, _, _ in found]
    step = min((later - at for at, later in itertools.pairwise(places)), default=3)
    entries = []
    for _, at, amount, shown in found:
        name = page.lines[at].cells[0] if len(page.lines[at].cells) > 1 else _name_above(page.lines, at)
        around = (
            page.lines[at : at + step]
            if kind in {"time", "duration"}
            else page.lines[max(0, at - step + 1) : at + step]
        )
        about = "\n".join(line.text for line in around) if len(page.lines[at].cells) == 1 else page.lines[at].text
        entries.append(Entry(amount, shown, name, about))
    return entries


def _name_above(lines: Sequence[Line], at: int) -> str:
    """The nearest short line above that is words rather than a value."""
    for above in range(at - 1, max(-1, at - 4), -1):
        text = lines[above].text
        if len(words(text)) <= 12 and re.search(r"[^\W\d_]{3}", text) and not values_in("money", text):
            return text
    return ""


def _narrowed(wish: Wish, entries: list[Entry]) -> list[Entry]:
    """Only the entries that say what sort of thing is meant, where some say it and some do not."""
    sort = set(wish.focus) | set(wish.superlative.about if wish.superlative else ())
    sort |= term_set(*(thing.text for thing in wish.things))
    for term in sort - SAID_OTHERWISE:
        having = [entry for entry in entries if term in joined_terms([entry.about])]
        entries = having if len(having) > 1 else entries
    return entries


def admissible(wish: Wish, about: str) -> bool:
    """Whether an entry keeps the bounds that the question sets, and can be had where that is asked."""
    if "available" in wish.terms and NOT_THERE.search(about):
        return False
    return all(_keeps(limit, about) for limit in wish.limits)


def _keeps(limit: Limit, about: str) -> bool:
    if limit.kind == "rating":
        rating = _rating_of(about)
        amounts = [rating[0]] if rating else []
    else:
        values = values_in(limit.kind, about)
        amounts = [amount for value in values if (amount := amount_of(value.text, limit.kind)) is not None]
    if not amounts:
        return True
    # Of a way that takes time the end must be in time, the beginning not too early.
    amount = max(amounts) if limit.kind == "time" and limit.at_most else amounts[0]
    return amount <= limit.amount if limit.at_most else amount >= limit.amount


def leads_on(name: str) -> bool:
    """Whether a link of this name leads to the next part of a list."""
    return bool(_MORE.search(name.strip()))


def goes_on(page: PageText) -> bool:
    """Whether the list on the page has further pages."""
    return any(leads_on(name) for name in page.links) or any(_PART.search(line.text) for line in page.lines)


#: Links to the next part of a list, and lines that say which part is shown.
_MORE = re.compile(
    r"^(?:next|more|older|later|show more|load more|next page|»|›|>|→|2)\b|^(?:next|load more|show more)", re.IGNORECASE
)
_PART = re.compile(r"\bpage 1 of (?:[2-9]|\d\d)|\b1\s?(?:to|-|–)\s?\d+ (?:of|shown)\b", re.IGNORECASE)


def counted(wish: Wish, page: PageText) -> tuple[str, float] | None:
    """How many entries the page says or shows that have all the words of the question."""
    asked = [term for term in wish.terms if term not in SAID_OTHERWISE and term not in _PLACES_ASKED]
    top = page.top
    said = next((match for line in page.lines if len(line.text) < 90 and (match := _RESULTS.search(line.text))), None)
    if said is not None and asked:
        covered = sum(term in top for term in asked) / len(asked)
        if covered > 0.75:
            return f"{said[1]} {said[2]}", 0.3 + 0.5 * covered
    cards = [card for card in [*cards_of(page), *row_cards(page)] if admissible(wish, card.text)]
    wanted = [term for term in asked if any(term in joined_terms([card.text]) for card in cards)]
    fitting = [card for card in cards if set(wanted) <= joined_terms([card.text])]
    if not wanted or not fitting or len(fitting) == len(cards) == 1:
        return None
    if goes_on(page):
        return str(len(fitting)), 0.3
    return str(len(fitting)), 0.25 + 0.45 * len([term for term in asked if term in wanted or term in top]) / len(asked)


#: Words for where one asks, which no entry repeats.
_PLACES_ASKED = frozenset(stems("library shop store catalogue site list museum there have offer sell collection all"))
