"""Redacting structured data: the steps of a lane, JSON payloads, headers, addresses of pages.

Every text in a value is redacted, keys included. Beyond what a text says by itself, a name says what its value is: the
key of a JSON object, a parameter of an address, the label of the element that a step typed into.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import unquote, unquote_plus, urlsplit

from governance.redaction.credentials import is_ordinary_word
from governance.redaction.form_fields import kind_of_field
from governance.redaction.spans import EVERY_KIND, Kind, Redacted, Span, replace
from governance.redaction.text import find_details, redact
from governance.remembering import remembered

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None

NEVER_KEPT = frozenset({"authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2"})
"""Headers that are left out altogether: there is nothing in them but what lets somebody in."""

SMALLEST_NUMBER = 100_000
"""Shorter numbers are counts, pixels and times; nothing personal has fewer than six digits."""

# An address of the same site with parameters: where to go next.
_RELATIVE = re.compile(r"[^\s?:]*\?[^\s?=]+=")
_WHOLE_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+")
_SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:token|key|apikey|sig|signature|secret|auth|authorization|session|sessionid|sid|sess|code|otp|"
    r"phpsessid|jsessionid|ticket|jwt|assertion|credential|password|passwd|pwd|pass|state|nonce|samlresponse|hmac)$"
    r"|(?<=[a-z])(?:Token|Key|Secret|Signature|Password|Session|Code)$",
    re.I,
)
# Keys under which a payload says what field a text went into, and keys of such a text.
_LABEL_KEYS = (
    "label",
    "field",
    "into",
    "selector",
    "element",
    "placeholder",
    "aria_label",
    "autocomplete",
    "type",
    "name",
    "id",
)
_TYPED_KEYS = frozenset({"text", "value", "content", "typed", "input"})
_DEEPEST_LABEL = 3
_ASKED_FOR = frozenset({Kind.PASSWORD, Kind.SECRET})

# A value of an address that is short and made of letters alone is a word that pages have too.
_WORD = re.compile(r"[^\W\d_]+(?:[ '\u2019-][^\W\d_]+)*")
_LONGEST_WORD = 7
# What no name vouches for has to be as long, and to change as often between capitals, small letters and digits, as what
# was drawn at random; names of products and dates do not.
_DRAWN_LENGTH, _DRAWN_RUN, _DRAWN_CHANGES = 12, 20, 4
_HEXADECIMAL = re.compile(r"(?=[\d-]*[A-Fa-f])(?=[A-Fa-f-]*\d)[0-9A-Fa-f-]{24,}")
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Za-z])|(?<=[A-Z])(?=\d)")


@dataclass(frozen=True, slots=True)
class RedactedValue:
    """A value with its details replaced, and how many of each kind there were."""

    value: JSON
    counts: Mapping[Kind, int] = field(default_factory=dict)


def field_kind_of(element: Mapping[str, JSON]) -> Kind | None:
    """What a described element (label, name, type, placeholder, state) asks for; None when nothing personal."""
    label = _label(element)
    return kind_of_field(label) if label else None


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass over a value: the kinds that are looked for, how many of each were found, and the details themselves."""

    kinds: frozenset[Kind]
    counts: Counter[Kind] = field(default_factory=Counter)
    details: dict[str, Kind] = field(default_factory=dict)

    def found(self, text: str, spans: Sequence[Span]) -> None:
        self.counts.update(span.kind for span in spans)
        self.details.update((text[span.start : span.end], span.kind) for span in spans)

    def found_whole(self, text: str, kind: Kind, *, named: bool = True) -> str:
        """What stands in place of a text that is one detail.

        It is known for elsewhere where what it is called leaves no doubt (``named``) and it is no plain word, or where
        it looks drawn at random.
        """
        self.counts[kind] += 1
        if not _is_word(text) if named else _looks_drawn(text):
            self.details[text.strip()] = kind
        return kind.placeholder


def redact_value(value: JSON, kinds: frozenset[Kind] = EVERY_KIND) -> RedactedValue:
    """``value`` with each detail of ``kinds`` replaced; its shape stays, but for headers that are never kept."""
    run = _Pass(kinds)
    return RedactedValue(_value(value, "", "", run), dict(run.counts))


def redact_address(address: str, kinds: frozenset[Kind] = EVERY_KIND) -> str:
    """An address of a page with its user, path, parameters and fragment redacted; the host stays."""
    return _address(address, _Pass(kinds))


def address_details(address: str, kinds: frozenset[Kind] = EVERY_KIND) -> dict[str, Kind]:
    """What :func:`redact_address` replaces, as a reader would write it: decoded, without the names of parameters.

    Left out is what pages say too: secrets that are short words (``?password=open``) or that the host says, and what
    only a name with many uses calls secret and looks like none (``?code=RTX4090``, ``?state=california``).
    """
    run = _Pass(kinds)
    _address(address, run)
    host = address.partition("://")[2].partition("/")[0].rpartition("@")[2].casefold()
    return {
        detail: kind
        for detail, kind in run.details.items()
        if detail
        and kind in kinds
        and not (kind in _ASKED_FOR and (_is_word(detail) or detail.casefold() in host.partition("?")[0]))
    }


def _is_word(text: str) -> bool:
    word = text.strip().rstrip(".,!?:;")
    return is_ordinary_word(text) or (len(word) <= _LONGEST_WORD and bool(_WORD.fullmatch(word)))


def _looks_drawn(text: str) -> bool:
    """Whether a value looks drawn at random: long, letters and digits mixed all along."""
    if _HEXADECIMAL.fullmatch(text):
        return True
    changes = len(_CHANGE.findall(text))
    runs = max(map(len, re.split(r"[^A-Za-z0-9]", text)))
    return (
        len(text) >= _DRAWN_LENGTH
        and changes >= _DRAWN_CHANGES
        and (changes * 4 >= len(text) or runs >= _DRAWN_RUN)
        and bool(re.search(r"\d", text))
    )


def _value(value: JSON, key: str, label: str, run: _Pass) -> JSON:
    if isinstance(value, str):
        return _text(value, key, label, run)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        written = str(value)
        if abs(value) < SMALLEST_NUMBER:
            return value
        found = _in_context(written, key, run) if kind_of_field(key) is not None else find_details(written, run.kinds)
        run.counts.update(span.kind for span in found)
        return replace(written, found) if found else value
    if isinstance(value, Mapping):
        return _mapping(value, label, run)
    return [_value(item, key, label, run) for item in value if not _is_header(item)]


def _mapping(value: Mapping[str, JSON], label: str, run: _Pass) -> JSON:
    label = _label(value) or label
    redacted: dict[str, JSON] = {}
    for key, held in value.items():
        if key.casefold() in NEVER_KEPT and isinstance(held, str | list | tuple):
            continue
        shown = _key(key, run.kinds)
        run.counts.update(span.kind for span in shown.spans)
        redacted[shown.text] = _value(held, key, label, run)
    return redacted


@remembered(most=4096)
def _key(key: str, kinds: frozenset[Kind]) -> Redacted:
    """A key as it leaves: most come again in every step."""
    return redact(key, kinds)


def _is_header(item: JSON) -> bool:
    """A header that is never kept, as a pair or as an object with a name."""
    if isinstance(item, Mapping):
        name = item.get("name")
        return isinstance(name, str) and name.casefold() in NEVER_KEPT and "value" in item
    if isinstance(item, list | tuple) and len(item) == 2:
        return isinstance(item[0], str) and item[0].casefold() in NEVER_KEPT
    return False


def _label(value: Mapping[str, JSON], depth: int = 0) -> str:
    """What a step or an element says of the field it speaks of: its label, name, type or placeholder."""
    said = [text for key in _LABEL_KEYS if isinstance(text := value.get(key), str)]
    for key in ("target", "element", "state", "attributes", "field"):
        inner = value.get(key)
        if isinstance(inner, Mapping) and depth < _DEEPEST_LABEL:
            said.append(_label(inner, depth + 1))
    return " ".join(text for text in said if text and kind_of_field(text) is not None)


def _text(text: str, key: str, label: str, run: _Pass) -> str:
    if _WHOLE_ADDRESS.fullmatch(text):
        return _address(text, run)
    named = label if key in _TYPED_KEYS and label else key
    kind = kind_of_field(named)
    asked_for = kind in _ASKED_FOR and not _is_said(text, named)
    if text.strip() and (asked_for or (key not in _TYPED_KEYS and _is_secret(named, text))):
        return run.found_whole(text, kind or Kind.SECRET)
    spans = _in_context(text, named, run) if kind is not None else find_details(text, run.kinds)
    run.found(text, spans)
    return replace(text, spans)


def _is_said(text: str, name: str) -> bool:
    """A sentence about a password is no password: ``{"message": "password required"}`` and the like."""
    return text.count(" ") >= 3 or text.casefold() == name.casefold()


def _is_secret(name: str, text: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and " " not in text and len(text) >= 12 and bool(re.search(r"\d", text))


def _in_context(text: str, name: str, run: _Pass) -> tuple[Span, ...]:
    """Details of a text read behind the name of its field: ``dob`` makes a date a date of birth."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_.-]+", " ", name).strip()
    lead = f"{words}: "
    shifted = [
        Span(max(0, span.start - len(lead)), span.end - len(lead), span.kind)
        for span in find_details(lead + text, run.kinds)
        if span.end > len(lead)
    ]
    plain = find_details(text, run.kinds)
    return plain if _covered(plain) > _covered(shifted) else tuple(shifted)


def _covered(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _address(address: str, run: _Pass) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return _plain(address, run)
    if not parts.netloc:
        return _plain(address, run)
    user, at, host = parts.netloc.rpartition("@")
    pieces = [f"{parts.scheme}://", f"{_user(user, run)}@" if at and user else "", _plain(host, run)]
    pieces.append("/".join(_path_part(part, run) for part in parts.path.split("/")))
    if parts.query:
        pieces.append("?" + _parameters(parts.query, run))
    if parts.fragment:
        pieces.append("#" + _fragment(parts.fragment, run))
    return "".join(pieces)


def _user(user: str, run: _Pass) -> str:
    """Who signs in, and with what: the one may be called anything, the other is a secret."""
    name, asks, secret = (unquote(part) for part in user.partition(":"))
    run.found(name, find_details(name, run.kinds))
    return run.found_whole(secret if asks else name, Kind.SECRET, named=bool(asks))


def _fragment(fragment: str, run: _Pass) -> str:
    """Parameters, or a route of a page that draws itself, with its own: ``#/reset?token=...``."""
    if "=" not in fragment:
        return _path_part(fragment, run)
    route, asks, query = fragment.partition("?")
    if "=" in route:
        return _parameters(fragment, run)
    return _path_part(route, run) + asks + _parameters(query, run)


def _path_part(part: str, run: _Pass) -> str:
    decoded = unquote(part)
    redacted = _plain(decoded, run)
    return part if redacted == decoded else redacted


def _parameters(query: str, run: _Pass) -> str:
    """Parameters one by one, each read behind its name; one that holds nothing personal stays as it was written."""
    shown: list[str] = []
    for pair in re.split(r"(?<=[&;])|(?=[&;])", query):
        name, equals, written = pair.partition("=")
        value = unquote_plus(written)
        if not value:
            shown.append(_path_part(name, run) + equals if len(name) > 1 else pair)
            continue
        said = re.sub(r"[\[\].]+", ".", unquote_plus(name)).strip(".")
        if _SECRET_NAME.search(said) and len(value) >= 6:
            named = kind_of_field(said) in _ASKED_FOR
            shown.append(f"{name}={run.found_whole(value, Kind.SECRET, named=named)}")
            continue
        inner = _RELATIVE.match(value) and kind_of_field(said) is None
        redacted = _fragment(value, run) if inner else _text(value, said, "", run)
        shown.append(pair if redacted == value else f"{name}={redacted}")
    return "".join(shown)


def _plain(text: str, run: _Pass) -> str:
    redacted = redact(text, run.kinds)
    run.found(text, redacted.spans)
    return redacted.text
