"""What an instruction says, as far as words alone tell: what to do, what it is about, what kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from battles.agents.reference.givens import Given, find_things, given_values, without_quotes
from battles.agents.reference.values import NUMBER_WORDS, minutes_of
from battles.agents.reference.wording import STOPWORDS, stem, term_set, terms, words

#: What people do not say but sites ask for on the way: a term of the task brings these with it.
ON_THE_WAY = {
    "order": ("basket", "add"),
    "renew": ("account",),
    "cancel": ("account",),
    "reschedule": ("account",),
    "lose": ("property",),
}
#: The same where the task names no thing: then it is a message to somebody.
TO_SOMEBODY = {
    "write": ("contact",),
    "messag": ("contact",),
    "ask": ("contact",),
    "complain": ("contact",),
    "question": ("contact",),
}
#: Verbs about something that one has already; it is in an account or behind a reference, not in the catalogue.
MANAGING = frozenset({"renew", "cancel", "reschedule", "withdraw", "prolong", "postpone"})

_COUNTING = frozenset(stem(word) for word in NUMBER_WORDS)
_FILLER = re.compile(
    r"\b(?:please|kindly|tell me|give me|let me know|i (?:would|'d) like(?: you)? to|i (?:want|need|have|wish)(?: you)? to|"
    r"i(?:'m| am) looking for|could you|can you|would you|i no longer need|find out|look up|at the moment|as it is|"
    r"on this (?:site|page|website)|of this (?:shop|site|page)|in this (?:shop|site))\b",
    re.IGNORECASE,
)
#: Words that name the kind of a value rather than what it is a value of.
_KIND_WORDS = term_set("day days date time year price cost")
#: What is said not to be meant.
_DENIED = re.compile(
    r"\b(?:not|no|without|except|rather than|instead of)\s+(?:an?\s+|the\s+|any\s+)?[a-z]+", re.IGNORECASE
)
#: "Book" as what one does rather than what one reads.
_BOOKS = re.compile(
    r"(?:^|\bto|\bplease|\band|[.,;])\s*book\s+(?:an?|the|me|us|one|two|three|four|\d|for|my|your?)\b", re.IGNORECASE
)
_ACT = (
    "add put place book reserve order buy send submit subscribe sign register create change set remove cancel renew save "
    "write leave fill choose select request rent join report start update post vote rate suggest propose apply ask "
    "schedule reschedule arrange make enter move mark delete hire donate invite reply answer enrol borrow return file "
    "unsubscribe pay upload turn switch use have get propose nominate confirm extend withdraw contact"
).split()
_ACTS = re.compile(
    rf"^\W*(?:(?:and|then|also|now|so)\s+)?(?:please\s+|kindly\s+)?(?:(?:i (?:would like|want|need|wish|have)|i'd like)"
    rf"(?: you)? to\s+|could you (?:please )?|can you (?:please )?|would you (?:please )?)?(?:please\s+)?(?:{'|'.join(_ACT)})\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|^\W*(?:please\s+)?(?:tell|find|look|report|answer|give|check|name|list|work out|count|compare)\b|"
    r"\b(?:i (?:need|want|would like) to know|find out|tell me|let me know)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that the instruction sets: values of ``kind`` must be at most (or at least) ``amount``."""

    kind: str
    at_most: bool
    amount: float


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative: the kinds of value it may be about, likeliest first, and the terms it stands before."""

    kinds: tuple[str, ...]
    largest: bool
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wish:
    """An instruction, understood by its words alone.

    ``terms`` are its words, ``aims`` those of them that say where to go rather than what to type, ``expects`` the kind of value asked for ("" is any), ``focus`` the terms
    behind the question word, ``end`` which end of a range is meant ("first", "last" or ""), ``sum`` whether a total over
    several things is asked for, ``aside`` are terms that stand only beside the question itself.
    """

    text: str
    terms: tuple[str, ...]
    aims: tuple[str, ...]
    givens: tuple[Given, ...]
    asks: bool
    expects: str
    focus: tuple[str, ...]
    superlative: Extreme | None
    limits: tuple[Limit, ...]
    things: tuple[Given, ...]
    end: str = ""
    sum: bool = False
    aside: frozenset[str] = frozenset()

    @property
    def entities(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(given.text for given in self.things))

    @property
    def manages(self) -> bool:
        """Whether the task is about something that one has already."""
        return not self.asks and bool(set(self.aims) & MANAGING)


def understand(instruction: str) -> Wish:
    """Everything the agents take from an instruction."""
    outside = without_quotes(instruction)
    asks = is_question(outside)
    givens = given_values(instruction)
    things = find_things(givens)
    plain = " ".join(words(_FILLER.sub(" ", outside)))
    kind, focus = expected_kind(plain) if asks else ("", ())
    return Wish(
        text=instruction,
        terms=_spoken_terms(outside, givens, things, asks),
        aims=_aims(outside, givens, asks),
        givens=givens,
        asks=asks,
        expects=kind,
        focus=focus,
        superlative=superlative(plain) if asks else None,
        limits=given_limits(outside) if asks else (),
        things=things,
        end=_asked_end(plain, kind) if asks else "",
        aside=_aside(outside, things) if asks else frozenset(),
        sum=kind == "money" and bool(re.search(r"\b(?:in all|in total|altogether|together|total|overall)\b", plain)),
    )


def sentences(text: str) -> list[str]:
    """Sentences of a text; a point inside a number or a time does not end one."""
    return [part for part in re.split(r"(?<=[.?!])\s+|\n+|(?<=:)\s+(?=[A-Z])", text) if part.strip()]


def is_question(outside: str) -> bool:
    """Whether an instruction wants something told rather than done; ``outside`` has no quoted texts."""
    parts = sentences(outside)
    if any(_ACTS.search(part) and "?" not in part for part in parts):
        return False
    if any(_ACTS.search(part) and re.match(r"\W*(?:could|can|would) you", part, re.IGNORECASE) for part in parts):
        return False
    return bool(_ASKS.search(outside)) or any(_ASKS.search(part) for part in parts)


def _spoken_terms(outside: str, givens: Sequence[Given], things: Sequence[Given], asks: bool) -> tuple[str, ...]:
    kept = outside
    for given in givens:
        width = given.stop - given.start
        if given.kind in {"quoted", "code"} and (given in things or asks):
            kept = f"{kept[: given.start]}{given.text[:width]:<{width}}{kept[given.stop :]}"
    return tuple(dict.fromkeys(_content(kept)))


def _aims(outside: str, givens: Sequence[Given], asks: bool) -> tuple[str, ...]:
    """Terms outside all given values, and those that sites want on the way."""
    kept = outside
    for given in givens:
        if given.kind != "number":
            kept = f"{kept[: given.start]}{' ' * (given.stop - given.start)}{kept[given.stop :]}"
    spoken = _content(kept)
    things = any(given.kind == "quoted" for given in find_things(tuple(givens)))
    ways = ON_THE_WAY if things else ON_THE_WAY | TO_SOMEBODY
    onward = [term for said in spoken for term in ways.get(said, ())] if not asks else []
    return tuple(dict.fromkeys([*spoken, *onward]))


def _aside(outside: str, things: Sequence[Given]) -> frozenset[str]:
    """Terms of the sentences that are no question, where others are one; and words for the kind of value asked for."""
    parts = sentences(outside)
    asked = [part for part in parts if "?" in part]
    said = frozenset(_content(" ".join(asked)))
    kinds = _KIND_WORDS & said
    if not asked or len(asked) == len(parts):
        return kinds
    return kinds | (frozenset(_content(outside)) - said - term_set(*(thing.text for thing in things)))


def _content(text: str) -> list[str]:
    plain = _DENIED.sub(" ", _FILLER.sub(" ", text))
    spoken = [term for term in terms(plain) if term not in _COUNTING]
    if _BOOKS.search(text):
        spoken.append("reserve")
    return spoken


# Questions

_KINDS = (
    ("mail", r"\b(?:e-?mail(?: address)?)\b.{0,40}$", r"^(?:what|which)\b"),
    ("phone", r"\b(?:phone|telephone|mobile|number to call|call)\b", r"\b(?:what|which)\b.*\bnumber\b"),
    ("duration", r"\bhow long\b|\bhow many (?:working )?(?:days|weeks|months|hours|minutes|years|nights)\b", ""),
    ("count", r"\bhow many\b", ""),
    (
        "measure",
        r"\bhow (?:tall|high|heavy|wide|deep|big|large|far|hot|warm|cold|fast)\b|\bwhat .{0,40}\bweighs?\b|"
        r"\bhow much (?!does\b|do\b|is\b|are\b|would\b|will\b|should\b|must\b|did\b|can\b|for\b|to\b|per\b|money\b|it\b|i\b)",
        "",
    ),
    (
        "money",
        r"\bhow much\b|\bwhat\b.{0,90}\b(?:price|cost|costs|fare|total|fee|fees|charge|charges|pay|rent|deposit)\b|"
        r"\bhow expensive\b",
        "",
    ),
    (
        "time",
        r"\b(?:what|which|latest|earliest) time\b|\bhow (?:late|early)\b|\bwhen (?:does|do|is|will|did|can|must|should)\b"
        r".{0,120}\b(?:leave|leaves|depart|departs|arrive|arrives|open|opens|close|closes|start|starts|run|shut|begin|"
        r"begins|end|ends|finish)\b",
        "",
    ),
    ("year", r"\b(?:what|which) year\b", ""),
    ("date", r"\b(?:what|which) (?:date|day)\b|\bwhen\b", ""),
)
#: Adjectives that ask for a measure, and the word pages use for it.
_MEASURED = {
    "tall": "height", "high": "height", "heavy": "weight", "weigh": "weight", "wide": "width", "deep": "depth",
    "big": "size", "far": "distance", "hot": "temperature", "warm": "temperature", "cold": "temperature",
    "fast": "speed", "old": "age",
}  # fmt: skip
_NOT_FOCUS = frozenset(
    "cheapest dearest lowest highest best most least fastest quickest shortest longest earliest latest newest oldest "
    "largest biggest smallest first last next name kind top many much total".split()
)


#: What a question without a quoted name is about.
_SUBJECT = re.compile(
    r"\b(?:about|(?:on|about) the (?:subject|topic|theme) of|containing|tagged|made (?:of|from)|for making)\s+"
    r"(?!the\b|an?\b|this\b|my\b|your\b)([a-zà-þ'-]+(?:\s(?!in\b|on\b|at\b|is\b|are\b|and\b|the\b|that\b)[a-zà-þ'-]+)?)",
    re.IGNORECASE,
)


def subject_of(instruction: str) -> str:
    """What a question names as its subject, or nothing."""
    match = _SUBJECT.search(instruction)
    return match[1] if match else ""


def expected_kind(plain: str) -> tuple[str, tuple[str, ...]]:
    """What kind of answer is asked for, and the terms right behind the question word; ``plain`` is lower-case words."""
    kind = next(
        (name for name, pattern, also in _KINDS if re.search(pattern, plain) and (not also or re.search(also, plain))),
        "",
    )
    focus = _behind_question(plain)
    if re.search(r"\bwho (?:wrote|is the author)\b", plain):
        focus.insert(0, "author")
    if re.search(r"\bwhere\b", plain):
        focus = [*focus, "address", "location", "place", "room"]
    measured = next(
        (term for word, term in _MEASURED.items() if re.search(rf"\bhow {word}\b|\b{word}s?\b$", plain)), ""
    )
    if measured and kind in {"measure", "count", ""}:
        focus.insert(0, measured)
    return kind, tuple(term for term in dict.fromkeys(focus) if not (kind and term in _KIND_WORDS))


def _behind_question(plain: str) -> list[str]:
    """Terms from the question word on, up to the next word that carries no meaning."""
    behind = re.search(r"\b(?:how many|how much|what|which|who|whose|where)\b((?: [^ ]+){0,7})", plain)
    focus: list[str] = []
    for word in behind[1].split() if behind else []:
        if word in _NOT_FOCUS:
            continue
        if word in STOPWORDS:
            if focus:
                break
            continue
        focus.append(stem(word))
    return focus[:3]


_ENDS = re.compile(r"\b(?:until|till|by when|how late|close|closes|shut|shuts|end|ends|over|arrive|arrives|finish)\b")
_BEGINS = re.compile(
    r"\b(?:from when|from what|since|open|opens|start|starts|begin|begins|leave|leaves|depart|departs|how early)\b"
)


def _asked_end(plain: str, kind: str) -> str:
    """Which end of a span of time or dates is asked for."""
    if kind == "date":
        return "last" if re.search(r"\b(?:until|till|by when|end|ends|last day|deadline)\b", plain) else ""
    if kind != "time":
        return ""
    return "last" if _ENDS.search(plain) else "first" if _BEGINS.search(plain) else ""


_TIMES, _AGES = ("time", "date", "year"), ("year", "date")
_SUPERLATIVES: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    (r"most expensive|dearest|costliest|priciest|highest pric\w+", ("money",), True),
    (r"cheapest|least expensive|lowest pric\w+|lowest fares?|least money", ("money",), False),
    (r"(?:best|highest|top)[- ](?:rat\w+|review\w*|scor\w+)|best", ("rating", "number"), True),
    (r"(?:worst|lowest)[- ](?:rat\w+|review\w*|scor\w+)|worst", ("rating", "number"), False),
    (r"fastest|quickest", ("duration", "time"), False),
    (r"shortest", ("duration", "measure", "number"), False),
    (r"longest", ("duration", "measure", "number"), True),
    (r"most recent\w*|newest|youngest", ("year", "date"), True),
    (r"oldest", ("year", "date", "number"), False),
    (r"earliest|soonest|first|next", _TIMES, False),
    (r"latest|last", _TIMES, True),
    (r"largest|biggest|heaviest|tallest|highest|deepest|widest|greatest|hottest|warmest", ("measure", "number"), True),
    (r"smallest|lightest|lowest|coldest|narrowest|coolest", ("measure", "number"), False),
    (r"most|maximum", ("count", "number"), True),
    (r"fewest|least|minimum", ("count", "number"), False),
)
_NO_SUPERLATIVE = re.compile(
    r"\bat (?:the )?(?:latest|earliest|least|most|last|best|first)\b|\b(?:first|last|next) (?:class|names?|aid|floor|"
    r"edition|page|week|month|year|night|time|one)\b|\bmost of\b"
)


def superlative(plain: str) -> Extreme | None:
    """The superlative of a question in lower-case words, or None."""
    left = _NO_SUPERLATIVE.sub(" ", plain)
    for pattern, kinds, largest in _SUPERLATIVES:
        match = re.search(rf"\b(?:{pattern})\b", left)
        if match:
            behind = left[match.end() :].split()[:2]
            return Extreme(kinds, largest, term_set(" ".join(behind)))
    return None


_BOUND = (
    r"(?P<word>less than|under|below|at most|no more than|not more than|up to|cheaper than|maximum of|within|more than|over|"
    r"above|at least|minimum of|longer than|shorter than)"
)
_LIMIT = re.compile(
    _BOUND
    + r"\s+(?P<before>[£€$])?\s?(?P<amount>\d+(?:[.,]\d+)?)\s?(?P<unit>euros?|eur|pounds?|dollars?|min\w*|hours?|"
    r"stars?|(?:out )?of 5|[£€$]|km|kg|g|cm|m)?(?![\w:])",
    re.IGNORECASE,
)
_TIME_LIMIT = re.compile(
    r"\b(?P<word>after|before|by|not before|no later than|no earlier than|from|at|later than|earlier than)\s+"
    r"(?P<time>\d{1,2}:\d{2}(?:\s?[ap]\.?m\b)?|\d{1,2}\s?[ap]\.?m\b|noon)",
    re.IGNORECASE,
)
_YEAR_LIMIT = re.compile(r"\b(?P<word>after|before|since|until)\s+(?P<year>1[5-9]\d\d|20\d\d)\b(?!-)", re.IGNORECASE)
_UPWARD = frozenset({"more than", "over", "above", "at least", "minimum of", "longer than"})


def given_limits(instruction: str) -> tuple[Limit, ...]:
    """Bounds on money, lengths of time, ratings, measures, times of day and years in the instruction."""
    limits = []
    for match in _LIMIT.finditer(instruction):
        kind = _limited_kind((match["unit"] or "").lower(), match["before"])
        if kind:
            amount = float(match["amount"].replace(",", ".")) * (60 if (match["unit"] or "").startswith("hour") else 1)
            limits.append(Limit(kind, match["word"].lower() not in _UPWARD, amount))
    for match in _TIME_LIMIT.finditer(instruction):
        word = match["word"].lower()
        if word != "at":
            at_most = word in {"before", "by", "no later than", "earlier than"}
            limits.append(Limit("time", at_most, float(minutes_of(match["time"]) or 0)))
    for match in _YEAR_LIMIT.finditer(instruction):
        limits.append(Limit("year", match["word"].lower() in {"before", "until"}, float(match["year"])))
    return tuple(limits)


def _limited_kind(unit: str, currency: str | None) -> str:
    if unit.startswith(("min", "hour")):
        return "duration"
    if unit.startswith("star") or unit.endswith("of 5"):
        return "rating"
    if unit in {"km", "kg", "g", "cm", "m"}:
        return "measure"
    return "money" if unit or currency else ""
