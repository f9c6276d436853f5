"""Whether a text says a name: as a word in any spelling, or in one of the forms that programs turn words into. Pure."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from urllib.parse import unquote_plus

#: Shorter stretches of base64 stand by chance in the random words of a page.
SHORTEST_BASE64 = 10
#: So much of a digest is enough to know it by; addresses and tags are often cut.
DIGEST_CHARACTERS = 12
DIGESTS = ("md5", "sha1", "sha256")
#: A character as JSON and scripts write it.
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Any of the names as a word, whatever its case and whatever stands between its parts."""
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    if not longest_first:
        return re.compile(r"(?!)")
    words = "|".join(r"[\s_\-]*".join(map(re.escape, re.split(r"[\s_\-]+", name))) for name in longest_first)
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE)


def plain(text: str) -> str:
    """The text, and after it what it says without the escapes of HTML, JSON and addresses."""
    read = html.unescape(ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
    return f"{read}\n{unquote_plus(read)}"


class NameSearch:
    """Looks for names in texts; making one costs more than using it.

    Args:
        names: what must not be said. Blank ones are left out.
    """

    def __init__(self, names: Iterable[str]) -> None:
        wanted = sorted({name for name in names if name})
        self._words = pattern_of(wanted)
        self._coded = {form: name for name in wanted for form in _coded_forms(name)}
        forms = sorted(self._coded, key=len, reverse=True)
        self._forms = re.compile("|".join(map(re.escape, forms)) or r"(?!)")

    def found_in(self, text: str) -> list[str]:
        """Names that the text says, each once: words as they stand there, coded ones as they are on the roster."""
        words = {found.group(0) for found in self._words.finditer(plain(text))}
        coded = {self._coded[found.group(0)] for found in self._forms.finditer(text)}
        return sorted(words | coded)


def _coded_forms(name: str) -> set[str]:
    """Base64 at each of its three offsets, hexadecimal, and digests of a name, in its usual cases."""
    forms: set[str] = set()
    for spelled in {name, name.casefold(), name.upper()}:
        data = spelled.encode()
        forms |= {form for form in _base64_forms(data) if len(form) >= SHORTEST_BASE64}
        if len(data) * 2 >= DIGEST_CHARACTERS:
            forms.add(data.hex())
        for digest in DIGESTS:
            forms.add(hashlib.new(digest, data, usedforsecurity=False).hexdigest()[:DIGEST_CHARACTERS])
    return forms


def _base64_forms(data: bytes) -> set[str]:
    """What stands for these bytes in any base64 text that holds them, without the characters their neighbours share."""
    forms = set()
    for before in range(3):
        coded = base64.b64encode(bytes(before) + data).decode()
        first, whole = (8 * before + 5) // 6, (8 * (before + len(data))) // 6
        form = coded[first:whole]
        forms |= {form, form.replace("+", "-").replace("/", "_")}
    return forms
