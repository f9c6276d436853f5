"""A start address as judges see it and agents are sent it: one spelling, in which nothing is unseen."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

from ada_url import URL, idna_to_unicode

from battles.seen_characters import BLANK, SOMETIMES, UNSEEN
from battles.seen_text import seen_text

#: Scripts of one language, as names of characters begin.
WRITTEN_TOGETHER = (
    frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}),
    frozenset({"CJK", "BOPOMOFO"}),
    frozenset({"CJK", "HANGUL"}),
)

_PARTS = re.compile(r"([a-z]+://)([^/?#]*?)(:[0-9]*)?([/?#].*)?", re.IGNORECASE)
_GAP_OR_SOMETIMES = re.compile(f"[ {SOMETIMES}]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


class UnseenInHost(ValueError):
    """The name of a site has characters that nobody can see, or the browser would ask for another name."""


def seen_address(url: str) -> str:
    """An address that the egress policy lets through, with what nobody sees percent-encoded as browsers send it.

    Behind the host every character goes that an instruction would lose, all that stand there only for others and all
    spaces; letters stay readable. A host of other letters is written as the browser reads it: in those letters, or in
    its ASCII form where they do not stand for themselves. The address leads where it led before.

    Raises:
        UnseenInHost: see there.
    """
    parts = _PARTS.fullmatch(url)
    assert parts is not None, "only what the egress policy lets through"
    scheme, host, port, rest = parts[1], parts[2], parts[3] or "", parts[4] or ""
    return f"{scheme}{host if host.isascii() else _seen_host(host)}{port}{_seen_rest(rest)}"


def _seen_host(host: str) -> str:
    if seen_text(host) != unicodedata.normalize("NFC", host):
        raise UnseenInHost
    asked_for = URL(f"https://{host}/").hostname
    shown = idna_to_unicode(asked_for)
    if seen_text(shown) != shown or any(map(_mixes_letters, shown.split("."))):
        return asked_for
    return shown


def _mixes_letters(label: str) -> bool:
    """Whether letters of several scripts stand together that are not written so; browsers show ASCII then."""
    scripts = {unicodedata.name(each, "").partition(" ")[0] for each in label if unicodedata.category(each)[0] == "L"}
    return len(scripts) > 1 and not any(scripts <= together for together in WRITTEN_TOGETHER)


def _seen_rest(rest: str) -> str:
    rest = "".join(quote(each, safe="") if _is_unseen(each) else each for each in rest)
    if seen_text(rest) == rest:
        return rest
    # Letters that another spelling shows too: whichever it is, it is written out.
    return _BEYOND_ASCII.sub(lambda run: quote(run[0], safe=""), rest)


def _is_unseen(character: str) -> bool:
    return any(kind.match(character) for kind in (UNSEEN, BLANK, _GAP_OR_SOMETIMES))
