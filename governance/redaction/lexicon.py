"""The lists of names that the detector of names reads: given names, surnames, well-known names, ordinary words."""

from __future__ import annotations

import functools
from pathlib import Path

_DATA = Path(__file__).parent / "data"

# Endings that make a word a surname in one of the languages, with at least two letters before them.
SURNAME_ENDINGS = (
    "sson sen sohn son szky ski ska sky cki cka dzki dzka wicz czyk czak ková ova ovic ovich ović evic ević ic ić "
    "enko chuk shyn ov ev eva in ina "
    "ez es mann man berg burg stein feld bach bauer meier meyer maier mayer müller ström strøm gren qvist kvist "
    "lund dahl rud stad gaard gård "
    "nen oğlu oglu ian yan dze shvili idis opoulos akis ini etti elli ucci one aux eau eux ard escu eanu sma stra "
    "inga ink aert eker huis ing "
    "wala kar pillai swamy murthy datta rao yama moto mura kawa zaki saki shita moen haug vik nes lien bakk hus land"
).split()


@functools.cache
def given_names() -> frozenset[str]:
    """Case-folded given names."""
    return _words("given_names.txt") | ambiguous_names()


@functools.cache
def ambiguous_names() -> frozenset[str]:
    """Case-folded given names that are as often a word, a place or a brand."""
    return _words("ambiguous_names.txt")


@functools.cache
def certain_names() -> frozenset[str]:
    """Case-folded given names that are nothing else."""
    return given_names() - ambiguous_names()


@functools.cache
def surnames() -> frozenset[str]:
    """Case-folded surnames that no ending gives away."""
    return _words("surnames.txt")


@functools.cache
def plain_words() -> frozenset[str]:
    """Case-folded words that are no part of a name."""
    return _words("plain_words.txt")


@functools.cache
def public_names() -> frozenset[str]:
    """Case-folded names that everybody knows, whole."""
    lines = (_DATA / "public_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip().casefold() for line in lines if line.strip() and not line.startswith("#"))


def has_surname_ending(word: str) -> bool:
    """Whether a case-folded word ends as surnames do. Weak evidence: ``Boston`` does too."""
    return len(word) >= 5 and word.endswith(_ENDINGS) and word not in plain_words()


_ENDINGS = tuple(SURNAME_ENDINGS)


def _words(name: str) -> frozenset[str]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return frozenset(word.casefold() for line in lines if not line.startswith("#") for word in line.split())
