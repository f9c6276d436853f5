"""Words of instructions and pages made comparable: tokens, terms, synonyms, phrases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

#: Words that carry no meaning of their own in an instruction or a label.
STOPWORDS = frozenset(
    (
        "a am an the of to in on at for from by with and or but as is are was were be been being it its this that these "
        "those there then than so if you your yours i me my mine we us our he she they them his her their please can "
        "could would should will shall may might must do does did done has have had having not no into onto up out off "
        "over under about after before until till since during between only just also which what who whom whose when "
        "where why how much many find look give get got go going goes come use one ones it's whats here site website "
        "web any all each every some same such want wants wanted need needs needed like would know let "
        "make makes made sure say says said answer question using via per looking mean means moment today now "
        "currently please kindly yes exactly called titled entitled something anything thing things"
    ).split()
)

#: Words that sites and people use for one another. Each group counts as one term, its first word.
SAME_MEANING = (
    ("basket", "cart", "bag", "trolley"),
    ("order", "orders", "checkout", "buy", "buys", "bought", "purchase", "purchases", "ordered", "ordering"),
    (
        "reserve",
        "hold",
        "holds",
        "reservation",
        "reservations",
        "reserved",
        "reserving",
        "booking",
        "bookings",
        "booked",
    ),
    (
        "price",
        "prices",
        "cost",
        "costs",
        "costing",
        "fare",
        "fares",
        "fee",
        "fees",
        "charge",
        "charges",
        "charged",
        "pay",
        "pays",
        "paid",
        "paying",
        "payable",
    ),
    ("depart", "departs", "departing", "leave", "departure", "departures", "leaves", "leaving", "outbound"),
    ("arrive", "arrival", "arrivals", "reach", "arrives", "arriving", "arrived"),
    ("author", "wrote", "written", "writer", "writes", "authors"),
    ("phone", "telephone", "mobile", "tel"),
    ("open", "opening", "hours", "opens", "opened"),
    ("close", "closing", "closes", "closed", "shut", "shuts"),
    ("deliver", "delivery", "delivered", "shipping", "ship", "shipped", "delivers"),
    ("expect", "expected", "estimated", "due"),
    ("available", "availability", "stock", "shelf", "vacant", "vacancies", "vacancy"),
    ("publish", "published", "publication", "publisher", "publishes"),
    ("duration", "lasts", "lasting"),
    ("platform", "track"),
    ("change", "changes", "changing", "transfer", "transfers"),
    ("mail", "email", "e-mail", "emails", "mails"),
    ("town", "city"),
    ("quantity", "amount", "qty"),
    ("number", "nr", "num"),
    ("journey", "journeys", "trip", "trips", "connection", "connections"),
    ("contact", "enquiry", "enquire", "enquiries", "inquiry"),
    ("subscribe", "newsletter", "signup", "subscription", "subscribed", "alerts", "alert"),
    ("notify", "notified", "inform", "informed", "notification", "told", "tell"),
    ("weight", "weigh", "weighs", "heavy", "heavier"),
    ("height", "tall", "high"),
    ("width", "wide"),
    ("depth", "deep"),
    ("size", "big", "large", "dimensions"),
    ("colour", "color", "colours", "colors", "shade"),
    ("sign", "signed", "signature"),
    ("return", "returns", "back", "returned", "returning"),
    ("postcode", "zip", "zipcode", "postal"),
    ("review", "reviews"),
    ("rating", "rated", "stars", "star", "ratings", "rate"),
    ("loan", "loans", "lend", "lent", "lending", "borrow", "borrowed", "borrowing", "loaned"),
    ("late", "overdue"),
    ("child", "children", "kids", "kid"),
    ("adult", "adults", "grown-ups"),
    ("person", "people", "persons", "guests", "guest", "passengers", "passenger", "visitors", "visitor", "party"),
    ("gift", "present", "presents", "gifts"),
    ("ticket", "tickets", "admission", "entrance", "entry"),
    ("lose", "lost", "losing", "lose", "left"),
    ("bicycle", "bicycles", "bike", "bikes", "cycle", "cycles"),
    ("monday", "mondays", "mon"),
    ("tuesday", "tuesdays", "tue", "tues"),
    ("wednesday", "wednesdays", "wed"),
    ("thursday", "thursdays", "thu", "thur", "thurs"),
    ("friday", "fridays", "fri"),
    ("saturday", "saturdays", "sat"),
    ("sunday", "sundays", "sun"),
    ("daily", "day", "days"),
    ("weekly", "week", "weeks"),
    ("monthly", "month", "months"),
    ("yearly", "year", "years", "annual", "annually"),
    ("account", "login", "profile"),
    ("cancel", "cancels", "cancelled", "canceled", "cancellation", "cancelling"),
    ("renew", "renewal", "renewed", "extend", "prolong", "renewing"),
    ("store", "shop", "shops", "stores"),
    ("job", "jobs", "vacancies", "position", "positions"),
    ("apply", "application", "applications", "applying", "applies"),
    ("register", "registration", "registered", "enrol", "enroll", "enrolment", "join", "joining"),
    ("doctor", "physician", "gp", "dr"),
    ("appointment", "appointments", "visit", "visits"),
    ("comment", "reply", "comments", "replies"),
    ("post", "posts", "thread", "threads", "topic", "topics"),
    ("cook", "cooking", "bake", "baking"),
    ("suggest", "suggestion", "suggestions", "propose", "proposal", "recommend"),
    ("create", "new", "begin", "start"),
    ("report", "reports", "reporting", "reported"),
    ("discount", "voucher", "promo", "promotion", "coupon", "promotional"),
    ("free", "gratis"),
    ("total", "altogether", "sum", "together"),
    ("write", "writing"),
    ("wrap", "wrapped", "wrapping"),
    ("favourite", "favorites", "favourites", "favorite", "wishlist"),
)

_CANON = {word: group[0] for group in SAME_MEANING for word in group}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TOKEN = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?![\d:])|\d+(?:[.,]\d+)+|[^\W_]+(?:[-'][^\W_]+)*")
_SHORT_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s")


def words(text: str) -> list[str]:
    """Lower-case words, numbers and times of day (``9:30`` is ``09:30``); accents kept, possessives dropped."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("'s", "")
    return [f"0{token}" if re.fullmatch(r"\d:\d\d", token) else token for token in _TOKEN.findall(plain)]


def stem(word: str) -> str:
    """A word's term: its group's first word, or the word without common English endings."""
    if word in _CANON:
        return _CANON[word]
    for ending in _SHORT_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            root = word[: -len(ending)]
            root = f"{root}y" if ending in {"ied", "ies"} else root
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" and ending in {"ing", "ed"}:
                root = root[:-1]
            return _CANON.get(root, _CANON.get(f"{root}e", root.rstrip("e") if len(root) > 4 else root))
    return word.rstrip("e") if len(word) > 4 else word


def terms(text: str) -> list[str]:
    """The terms of a text in order, without stop words."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


def term_set(*texts: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text))


def stems(text: str) -> list[str]:
    """The terms of a text in order, stop words among them."""
    return [stem(word) for word in words(text)]


def mentions(text: str, phrase: str) -> bool:
    """Whether every term of the phrase is in the text."""
    wanted = stems(phrase)
    return bool(wanted) and set(wanted) <= set(stems(text))


def days_between(text: str) -> frozenset[str]:
    """The weekdays that a text such as "Monday to Friday" or "Tue-Sat" spans, ends included; else none."""
    names = "|".join(sorted((word for word, day in _CANON.items() if day in _DAYS), key=len, reverse=True))
    found = re.search(rf"\b({names})\b\s*(?:to|till|until|through|-|–|—)\s*\b({names})\b", text.casefold())
    if found is None:
        return frozenset()
    first, last = _DAYS.index(_CANON[found[1]]), _DAYS.index(_CANON[found[2]])
    return frozenset(_DAYS[at % 7] for at in range(first, last + 1 if last >= first else last + 8))


def joined_terms(texts: Iterable[str]) -> frozenset[str]:
    """Every term of several texts, with the weekdays that their spans name."""
    kept = list(texts)
    return term_set(*kept).union(*(days_between(text) for text in kept))
