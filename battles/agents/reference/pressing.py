"""Which link or button fits an instruction best, and how a page says that something was done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from battles.agents.reference.givens import is_message
from battles.agents.reference.instruction import Wish
from battles.agents.reference.seeing import acts_on_others
from battles.agents.reference.wording import STOPWORDS, joined_terms, mentions, stem, term_set, words
from battles.lanes.events import Element

PRESSABLE = frozenset({"link", "button", "tab", "menuitem", "summary", "option", "clickable"})
#: Words a page uses when it has done what was asked.
CONFIRMED = re.compile(
    r"\b(?:thank you|thanks(?! to)|confirmed|confirmation|"
    r"(?:has|have) (?:now )?been (?:placed|added|saved|sent|reserved|booked|made|received|created|cancelled|canceled|renewed|"
    r"removed|updated|changed|deleted|registered|submitted|published|posted|reported|recorded|moved|extended|withdrawn)|"
    r"(?:is|are) (?:now )?(?:reserved|booked|confirmed|placed|added|saved|cancelled|canceled|renewed|registered|subscribed|"
    r"signed up|published)|"
    r"(?:was|were) (?:placed|added|saved|sent|reserved|booked|cancelled|received|published|posted|submitted|created)|"
    r"success(?:ful|fully)?|(?:reservation|booking|order|reference|confirmation) (?:number|code|reference)(?: is|:)|"
    r"added to (?:your|the|my)|your reference|signed up|you(?: are|'re) (?:now )?(?:subscribed|registered|booked|in|on)|"
    r"we (?:have|'ve) (?:received|sent|saved|noted|recorded|written)|we will (?:write|be in touch|contact|reply|answer)|"
    r"you (?:are|have) (?:now )?(?:registered|joined|reserved|booked|signed|subscribed|applied|cancelled|voted)|"
    r"is (?:now )?(?:on|in) (?:your|the))\b|^(?:renewed|cancelled|saved|sent|added|created|done)\b",
    re.IGNORECASE,
)
#: Words a page uses when something is still wrong.
_REFUSED = re.compile(
    r"\b(?:please (?:check|fill|correct|enter|choose|select)|is required|required field|not valid|invalid|error|problem|"
    r"could not|cannot be|was not|missing)\b",
    re.IGNORECASE,
)
#: Steps that lie between what was chosen and the end of a task.
ONWARD = term_set("checkout continue next proceed confirm finish complete order basket yes place submit pay review")
#: Buttons and links that undo, or lead away from, what is under way.
_BACKWARD = term_set(
    "back change edit remove delete cancel empty clear reset close dismiss help sign logout print share"
)
#: What a link must share of its own words with the instruction to be worth a click; a button acts, so it needs more.
WORTH_IT, WORTH_PRESSING = 0.3, 0.5
#: A thing's own name outweighs all other words.
NAMED = 4.0
#: Where sites keep what people ask about in other words; such a link is worth half a shared word.
RELATED = {
    stem(asked): frozenset(stem(word) for word in kept.split())
    for asked, kept in {
        "price": "tickets admission rates tariff prices",
        "late": "loans fines",
        "return": "delivery loans fines refunds",
        "open": "visit visiting contact plan times",
        "close": "visit visiting contact plan times",
        "address": "contact visit directions location",
        "phone": "contact imprint about",
        "mail": "contact imprint about",
        "parking": "visit directions access arrival",
        "wheelchair": "accessibility access visit",
        "dog": "rules board travelling luggage visit facilities",
        "bicycle": "rules board travelling luggage",
        "luggage": "board travelling rules",
        "refund": "returns terms cancellation",
        "guarantee": "terms returns warranty",
        "deposit": "terms prices rates",
        "deliver": "terms help service",
        "child": "families prices tickets",
        "lose": "property found contact",
        "job": "careers team",
        "founded": "about history",
        "member": "join membership",
        "allergen": "ingredients menu",
    }.items()
}
RELATED_WORTH = 0.5


@dataclass(frozen=True, slots=True)
class Aims:
    """What is looked for on a page: the wish, terms that are spent, things dealt with, and the text around controls."""

    wish: Wish
    spent: frozenset[str] = frozenset()
    handled: frozenset[str] = frozenset()
    around: Mapping[str, str] = field(default_factory=dict)
    #: Terms of the way onward, once everything was chosen.
    onward: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.wish.entities if name not in self.handled)


def confirmation(text: str) -> str:
    """The line in which the page says that it was done, or nothing."""
    for line in text.splitlines():
        if CONFIRMED.search(line.strip()) and not _REFUSED.search(line):
            return " ".join(line.split())[:200]
    return ""


def element_terms(element: Element) -> frozenset[str]:
    """Terms of what an element is called; "Book" on a control is the verb."""
    spoken = words(element.name)
    own = term_set(element.name)
    if spoken and spoken[0] == "book" and (element.role == "button" or len(spoken) > 1):
        own |= {"reserve"}
    return own or frozenset(stem(word) for word in spoken)


def target_scores(aims: Aims, elements: Sequence[Element]) -> list[tuple[float, Element]]:
    """All links and buttons that share a word with the instruction, best first."""
    common: dict[str, int] = {}
    for element in elements:
        for term in element_terms(element):
            common[term] = common.get(term, 0) + 1
    pressable = [e for e in elements if e.role in PRESSABLE and not e.state.get("disabled")]
    contexts = _context_scores(aims, pressable)
    scored = [(_score(aims, element, common, contexts.get(element.ref, 0.0)), element) for element in pressable]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def _score(aims: Aims, element: Element, common: Mapping[str, int], context: float) -> float:
    wish = aims.wish
    name = element_terms(element)
    wanted = set(wish.aims) - aims.spent
    shared = name & wanted
    named = _names_thing(aims, element)
    onward = 1.5 * bool(name & aims.onward)
    related = RELATED_WORTH * sum(bool(name & RELATED.get(term, frozenset())) for term in wanted) if wish.asks else 0.0
    if not name or not (shared or named or onward):
        return min(related, 0.9)
    if not wish.asks and name & _BACKWARD - set(wish.aims):
        return 0.0
    share = len(shared) / len(name)
    score = sum(1 / common[term] for term in shared) + share + NAMED * named + onward
    if element.role == "button" and not wish.asks:
        score += 0.5
    enough = WORTH_PRESSING if element.role == "button" else WORTH_IT
    if share < enough and not named and not onward and not (share >= 0.4 and element.role == "button"):
        return 0.0
    return max(0.0, score + context)


def _names_thing(aims: Aims, element: Element) -> float:
    """1 where the element is called like a thing of the task, a little less where it is called like a part of it."""
    spoken = [word for word in words(element.name) if word not in STOPWORDS]
    for name in aims.names:
        if mentions(element.name, name):
            return 1.0 - 0.02 * max(0, len(spoken) - len(words(name)))
        if len(spoken) > 1 and mentions(name, element.name):
            return 0.6
    return 0.0


def _context_scores(aims: Aims, elements: Sequence[Element]) -> dict[str, float]:
    """For controls that are called alike: a bonus for the one whose surroundings fit best, less for the others."""
    groups: dict[tuple[str, str], list[Element]] = {}
    for element in elements:
        if element.ref in aims.around:
            groups.setdefault((element.role, element.name), []).append(element)
    found: dict[str, float] = {}
    for group in groups.values():
        if len(group) > 1:
            fits = {element.ref: context_fit(aims.wish, aims.around[element.ref]) for element in group}
            best = max(fits.values())
            found.update({ref: 0.5 if fit == best else -1.0 - (best - fit) for ref, fit in fits.items()})
    return found


def context_fit(wish: Wish, text: str) -> float:
    """How much of the instruction a control's surroundings speak of: given values first, then words."""
    there = joined_terms([text])
    quoted = any(thing.kind == "quoted" for thing in wish.things)
    named = sum(
        0.3 if given.kind == "name" and quoted else 2.0
        for given in wish.givens
        if given.kind not in {"number", "mail"} and not is_message(given.text) and mentions(text, given.text)
    )
    return named + 2.0 * len(set(wish.aims) & there) / max(1, len(wish.aims))


def is_about(aims: Aims, element: Element, title: str, head: str) -> bool:
    """Whether pressing the element would act on a thing of the task, where the task has quoted things left."""
    names = [thing.text for thing in aims.wish.things if thing.kind == "quoted" and thing.text not in aims.handled]
    if not names or not acts_on_others(element):
        return True
    near = f"{element.name}\n{aims.around.get(element.ref, '')}"
    return any(mentions(near, name) or mentions(title, name) or name.casefold() in head.casefold() for name in names)
