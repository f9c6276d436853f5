"""What a field takes and what a value is for: the roles that forms everywhere have, told by words and by shape."""

from __future__ import annotations

import re

from battles.agents.reference.givens import Given, is_description, is_made
from battles.agents.reference.wording import stem, stems, term_set, words
from battles.lanes.events import Element


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


#: Words by which labels and instructions name a role.
ROLE_TERMS: dict[str, frozenset[str]] = {
    "mail": _stems("mail email"),
    "phone": _stems("phone telephone mobile tel"),
    "given name": _stems("given forename"),
    "family name": _stems("family surname lastname"),
    "person": _stems("name nickname signature sign signed pseudonym contact applicant attendee holder username"),
    "author": _stems("author writer artist composer speaker"),
    "street": _stems("street address road"),
    "postcode": _stems("postcode zip postal"),
    "town": _stems("town city place village municipality"),
    "country": _stems("country nation"),
    "date": _stems("date day when arrival departure"),
    "time": _stems("time hour o'clock"),
    "count": _stems(
        "quantity number many adult child person passenger guest seat ticket copy night pitch tent room infant senior student"
    ),
    "message": _stems(
        "message text comment comments note notes reason why description describe details question review body remark "
        "remarks request feedback words say says write reads reply complaint story observation instructions"
    ),
    "title": _stems("title subject headline heading topic"),
    "code": _stems("code discount voucher coupon promo"),
    "reference": _stems(
        "reference booking card order membership customer account ticket patient number licence permit id"
    ),
    "year": _stems("year"),
    "origin": _stems("origin"),
    "destination": _stems("destination"),
}
#: Roles that leave no doubt where their words stand beside those of others: "email address", "phone number".
_FIRST = ("mail", "phone", "postcode", "family name", "given name", "code", "author")
_REFERENCE = re.compile(
    r"\b(?:reference|booking|card|order|member(?:ship)?|customer|account|ticket|patient|licen[cs]e|permit|confirmation|"
    r"reservation|case|parcel|tracking|loan|policy)\b.*\b(?:number|no|id|code|reference)\b|\breference\b|\bnumber\b|\bid\b"
)
_ORIGIN = re.compile(
    r"^(?:(?:leaving|travel\w*|depart\w*|going|start\w*|pick[- ]?up)\s+)?(?:from|origin|start)\b|^departure (?!date|time|day)",
    re.IGNORECASE,
)
_DESTINATION = re.compile(
    r"^(?:(?:going|travel\w*|arriv\w*)\s+)?(?:to|destination|where to)\b|^arrival (?!date|time|day)|^drop[- ]?off",
    re.IGNORECASE,
)
_BEGIN = re.compile(
    r"\b(?:from|arriv\w*|check[- ]?in|start\w*|begin\w*|pick[- ]?up|collect\w*|outward|outbound)\b", re.IGNORECASE
)
_FINISH = re.compile(
    r"\b(?:to|until|till|depart\w*|check[- ]?out|end\w*|return\w*|leav\w*|last|drop[- ]?off|inbound|bring back)\b",
    re.IGNORECASE,
)
_STREET = re.compile(
    r"\d+[a-z]?,? [A-ZÀ-Þ].*|[A-ZÀ-Þ][\w' -]+ \d+[a-z]?|.*\b(?:street|road|lane|avenue|way|row|close|drive|square|walk)\b.*",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[A-ZÀ-Þ][\w'’-]+(?: (?:van|de|von|der|la|[A-Z]\.?))*(?: [A-ZÀ-Þ][\w'’-]+){1,2}"
)


def field_words(element: Element) -> frozenset[str]:
    """Terms of everything a field is called."""
    return term_set(*_called(element)) - {"optional", "requir"}


def _called(element: Element) -> list[str]:
    return [element.name, str(element.state.get("label", "")), str(element.state.get("placeholder", ""))]


def field_roles(element: Element) -> frozenset[str]:
    """The roles that a field's type and words speak of."""
    label = re.sub(r"\(.*?\)", " ", element.name).strip(" *:")
    kind = str(element.state.get("type", ""))
    if kind in {"date", "datetime-local"} or element.role == "date":
        return frozenset({"date", *_ends_of(label)})
    typed = {"email": "mail", "tel": "phone", "time": "time"}.get(kind)
    if typed:
        return frozenset({typed})
    if _ORIGIN.search(label) or _DESTINATION.search(label):
        return frozenset({"origin" if _ORIGIN.search(label) else "destination"})
    return _roles_in(frozenset(stems(f"{label} {element.state.get('label', '')}")), label)


def _ends_of(label: str) -> set[str]:
    return {name for name, pattern in (("begin", _BEGIN), ("finish", _FINISH)) if pattern.search(label)}


def _roles_in(terms: frozenset[str], label: str) -> frozenset[str]:
    low = label.casefold()
    if re.search(r"\b(?:first|given|fore)[- ]?name", low):
        return frozenset({"given name"})
    if re.search(r"\b(?:last|family|sur)[- ]?name", low):
        return frozenset({"family name"})
    sure = [role for role in _FIRST if terms & ROLE_TERMS[role]]
    if sure:
        return frozenset(sure[:1])
    roles = {role for role, spoken in ROLE_TERMS.items() if terms & spoken}
    if (
        re.search(r"\bnames? (?:of|for) (?:the|your|this)\b|\b(?!your|full|contact)\w+ name$", low)
        and "person" in roles
    ):
        roles = (roles - {"person"}) | {"title"}
        if re.search(r"\b(?:family|last|contact|guest|customer|patient|visitor|child'?s?)\b", low):
            roles.add("person")
    if re.search(r"\b(?:number of|how many)\b", low):
        return frozenset({"count"})
    if "message" in roles or not _REFERENCE.search(low):
        roles.discard("reference")
    return frozenset(roles - {"count"} if "reference" in roles else roles)


def cue_roles(given: Given) -> frozenset[str]:
    """The roles that the words around a value speak of, the nearest words before all others."""
    if re.search(r"\b(?:family|last) name\b|\bsurnam\w*\b", " ".join(given.cue)):
        return frozenset({"family name", "person"})
    roles: set[str] = set()
    for said in (given.cue[-2:], given.cue[-4:], given.behind[:3]):
        roles = {role for role, spoken in ROLE_TERMS.items() if frozenset(said) & spoken}
        if roles:
            break
    if is_made(given):
        roles.add("title")
    if given.lead == "by" and given.cue[-1:] == ("by",) and given.kind in {"quoted", "name"}:
        roles.add("author")
    if given.kind == "date":
        roles |= {"begin"} if given.lead in {"from", "on", "between"} else set()
        roles |= {"finish"} if given.lead in {"to", "until", "till", "and", "after"} else set()
    sure = [role for role in _FIRST if role in roles and role != "author"]
    return frozenset(sure[:1] if sure and roles <= {*sure, "street", "reference", "count", "person"} else roles)


def shape_roles(given: Given) -> frozenset[str]:
    """The roles that a value's own look allows."""
    text = given.text
    if given.kind in {"mail", "date", "time"}:
        return frozenset({given.kind})
    if given.kind == "number":
        return frozenset({"count"})
    if given.kind == "code":
        digits = sum(character.isdigit() for character in text)
        roles = {"reference"} if digits >= 7 or re.search(r"[A-Z]", text) else set()
        if re.fullmatch(r"\d{4,6}|[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}", text):
            roles.add("postcode")
        if digits >= 6 and re.fullmatch(r"[+\d][\d ()/-]+", text):
            roles.add("phone")
        if re.fullmatch(r"(?:1[5-9]|20)\d\d", text):
            roles.add("year")
        return frozenset(roles or {"reference"})
    if is_description(text):
        return frozenset({"message"})
    if _STREET.fullmatch(text) and re.search(r"\d|\b(?:street|road|lane|avenue|drive|square)\b", text, re.IGNORECASE):
        return frozenset({"street"})
    if _PERSON.fullmatch(text):
        return frozenset({"person", "town", "author"} | ({"title"} if given.kind == "quoted" else set()))
    if len(words(text)) == 1:
        return frozenset({"town", "person", "family name"} | ({"title"} if given.kind == "quoted" else set()))
    return frozenset({"title", "message"})
