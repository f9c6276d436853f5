"""Names somebody hid on purpose: spaced out, torn, in leet, reversed, shifted, escaped, encoded.

Whoever writes "Cl4ud3" or "Q2xhdWRl" means to be recognised by those who look twice, so a hidden name gives its
writer away wherever it stands. Only names that are never said by accident are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product

from battles.blindness.codes import codes_in, escaped_letters
from battles.blindness.lexicon import KEPT_LEXICONS, Lexicon
from battles.blindness.normalise import Folded, folded

#: A run of single letters with something between them: "C l a u d e", "g_p_t".
_SPACED = re.compile(r"(?<![a-z0-9])(?:[a-z0-9][^a-z0-9]{1,3}){2,}[a-z0-9](?![a-z0-9])")
_SEPARATORS = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))
_ALNUM = re.compile("[a-z0-9]+")
#: G P T is the shortest name that is ever spaced out.
_SHORTEST_SPACED = 3
#: Names that may be torn in two at any place; splitting shorter ones makes words.
_TORN = (
    "claude anthropic openai chatgpt gemini deepseek deepmind mistral mixtral codestral llama qwen perplexity".split()
)
#: Pieces that are two things of their own ("GE Mini fridge"), or the usual spelling of the name.
_NOT_TORN = frozenset(
    {("ge", "mini"), ("open", "ai"), ("chat", "gpt"), ("deep", "seek"), ("deep", "mind"), ("c", "laude"), ("q", "wen")}
)

#: A one stands for an i or an l, so both are read as one letter.
_LEET = str.maketrans("0134578@$!|€6l", "oieastbasiiegi")
_LEET_TOKEN = re.compile(r"(?<![\w@$!|€])(?=[a-z]{0,23}[0134578@$!|€6])[a-z0-9@$!|€]{3,24}")
#: Pranks on the shortest name, which leet would otherwise find in units ("9pt").
_LEET_SHORT = frozenset({"gp7", "g9t", "6p7", "9p7", "g97"})

#: Below this many letters a reversed or shifted name is too often a word of some language.
_SHORTEST_REVERSED = 5
_SHORTEST_SHIFTED = 6
_SHORTEST_ROT13 = 4
_ROT13 = 13
_SHORTEST_SWAPPED = 5
#: Names have few of these letters; the bound keeps the table small whatever the roster says.
_MOST_SWAPS = 6
#: Things of their own that look like a name: a sound library.
_NOT_SWAPPED = frozenset({"openal"})
#: What a letter turned on its head passes for.
_UPSIDE_DOWN = str.maketrans("dpbqunwm", "pdqbnumw")
#: Reversed they are words, places or brands.
_NOT_REVERSED = frozenset({"haiku", "sonnet", "opus", "cohere", "alexa"})
#: Halves of reversed names that are no words.
_REVERSED_PIECES = frozenset({"tahc", "newq"})

Span = tuple[int, int]


class _Hidden:
    """What a lexicon's names look like in each disguise. Built once for a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        letters = {
            name.squashed
            for name in lexicon.names
            if name.entry.kind != "house"
            and not name.entry.common
            and name.squashed.isascii()
            and name.squashed.isalpha()
        }
        self.long = tuple(sorted((name for name in letters if len(name) >= 4), key=len, reverse=True))
        self.spaced = frozenset({*self.long, "gpt"})
        self.longest = max(map(len, self.long))
        self.leet: Mapping[str, str] = {name.translate(_LEET): name for name in self.long}
        reverse = {name[::-1] for name in letters if len(name) >= _SHORTEST_REVERSED and name not in _NOT_REVERSED}
        shifted = {
            _shift(name, by)
            for name in letters
            for by in range(1, 26)
            if len(name) >= _SHORTEST_SHIFTED or (by == _ROT13 and len(name) >= _SHORTEST_ROT13)
        }
        upside_down = {name[::-1].translate(_UPSIDE_DOWN) for name in letters if len(name) >= _SHORTEST_REVERSED}
        swapped = {look for name in letters if len(name) >= _SHORTEST_SWAPPED for look in _confused(name)}
        mirrored = {_mirror(name) for name in letters if len(name) >= _SHORTEST_SHIFTED}
        self.turned = (
            frozenset(reverse | shifted | mirrored | upside_down | swapped | _REVERSED_PIECES) - letters - _NOT_SWAPPED
        )
        self.torn: dict[str, list[tuple[str, ...]]] = {}
        for name in _TORN:
            for pieces in _pieces(name):
                self.torn.setdefault(pieces[-1], []).append(pieces)

    def holds(self, text: str) -> bool:
        """Whether decoded text contains a name."""
        squashed = "".join(_ALNUM.findall(folded(text)))
        return any(name in squashed for name in self.long) or re.search(r"gpt\d", squashed) is not None


@lru_cache(maxsize=KEPT_LEXICONS)
def _hidden(lexicon: Lexicon) -> _Hidden:
    return _Hidden(lexicon)


def _pieces(name: str) -> Iterator[tuple[str, ...]]:
    """Every way to tear a name in two, and in three that are no single letters."""
    for at in range(1, len(name)):
        if (name[:at], name[at:]) not in _NOT_TORN:
            yield name[:at], name[at:]
    for first in range(2, len(name) - 3):
        for second in range(first + 2, len(name) - 1):
            yield name[:first], name[first:second], name[second:]


def _confused(name: str) -> Iterator[str]:
    """Spellings that look the same in most typefaces: a capital I for an l, rn for m, vv for w."""
    places = [index for index, letter in enumerate(name) if letter in "il"][:_MOST_SWAPS]
    for choice in product("il", repeat=len(places)):
        letters = list(name)
        for index, letter in zip(places, choice, strict=True):
            letters[index] = letter
        yield "".join(letters)
    yield name.replace("m", "rn")
    yield name.replace("w", "vv")


def _shift(name: str, by: int) -> str:
    return "".join(chr((ord(letter) - 97 + by) % 26 + 97) for letter in name)


def _mirror(name: str) -> str:
    return "".join(chr(219 - ord(letter)) for letter in name)


def hidden_names(text: Folded, lexicon: Lexicon, runs: frozenset[str]) -> Iterator[Span]:
    """Start and end, in the original text, of everything that hides a name.

    ``runs`` are the runs of letters in the folded text.
    """
    hidden = _hidden(lexicon)
    for start, end in _in_letters(text.text, hidden, runs):
        yield text.span(start, end)
    yield from codes_in(text.original, hidden.holds)
    yield from _in_escapes(text.original, hidden)


def _in_letters(text: str, hidden: _Hidden, runs: frozenset[str]) -> Iterator[Span]:
    turned = hidden.turned & runs
    if turned:
        for run in re.finditer("[a-z]+", text):
            if run.group() in turned:
                yield run.span()
    if _holds_singles(text):
        for run in _SPACED.finditer(text):
            yield from _spaced_out(run, hidden)
    for last in hidden.torn.keys() & runs:
        for pieces in hidden.torn[last]:
            if runs.issuperset(pieces):
                for torn in re.finditer(rf"(?<![a-z0-9]){'[^a-z0-9]{1,3}'.join(pieces)}(?![a-z])", text):
                    yield torn.span()
    odd = " ".join(word for word in set(text.split()) if not word.isalpha())
    if any(_is_leet(token, hidden) for token in _LEET_TOKEN.findall(odd)):
        for token in _LEET_TOKEN.finditer(text):
            if _is_leet(token.group(), hidden):
                yield token.span()


def _holds_singles(text: str) -> bool:
    """Whether three single letters or digits follow each other: a cheap look before the costly one."""
    words = text.encode("ascii", "replace").translate(_SEPARATORS).split()
    lengths = bytes(min(len(word), 2) for word in words)
    return b"\1\1\1" in lengths


def _spaced_out(run: re.Match[str], hidden: _Hidden) -> Iterator[Span]:
    pieces = list(_ALNUM.finditer(run.group()))
    squashed = "".join(piece.group() for piece in pieces)
    for start, end in _substrings(len(squashed), hidden.longest):
        word = squashed[start:end]
        if word in hidden.spaced or (len(word) >= _SHORTEST_SWAPPED and word.translate(_LEET) in hidden.leet):
            yield run.start() + pieces[start].start(), run.start() + pieces[end - 1].end()


def _substrings(length: int, longest: int) -> Iterator[Span]:
    for start in range(length - _SHORTEST_SPACED + 1):
        for end in range(start + _SHORTEST_SPACED, min(start + longest, length) + 1):
            yield start, end


def _is_leet(token: str, hidden: _Hidden) -> bool:
    if token[:3] in _LEET_SHORT and not token[3:4].isalpha():
        return True
    for word in dict.fromkeys((token, token.rstrip("0123456789"), token.rstrip("!|"))):
        name = hidden.leet.get(word.translate(_LEET))
        if name is not None and word != name:
            return True
    return False


def _in_escapes(text: str, hidden: _Hidden) -> Iterator[Span]:
    resolved = escaped_letters(text)
    if resolved is None:
        return
    plain, origin = resolved
    for name in hidden.spaced:
        at = plain.find(name)
        while at >= 0:
            start, end = origin[at][0], origin[at + len(name) - 1][1]
            if end - start > len(name):
                yield start, end
            at = plain.find(name, at + 1)
