"""Agents' names: when two are one, and when a reader would only take them for one."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from battles.agent_names import normalise_name
from battles.blindness.normalise import folded

#: Categories of characters that draw nothing, or end a line; a terminal obeys some of them.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: Characters of the name that are spelled out in a warning.
MOST_CHARACTERS_NAMED = 4


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A name that passes for another. Both stay agents of their own."""

    agent: str
    other: str

    def __str__(self) -> str:
        named = _spelled_out([character for character in self.agent if character not in self.other])
        return f'"{self.agent}"{f" ({named})" if named else ""} looks like {self.other}: kept apart as two agents'


def agent_name(text: str | None) -> str | None:
    """A name as it is kept: NFC, without outer white space; None where nobody could see it."""
    if text is None:
        return None
    name = normalise_name(text)
    # Formats, controls and unassigned characters draw nothing, so a name of nothing else is blank too.
    return name if any(unicodedata.category(character)[0] not in "CZ" for character in name) else None


def unseen_characters(name: str) -> str:
    """The characters of a name that nobody sees, spelled out; nothing where it has none."""
    return _spelled_out([character for character in name if unicodedata.category(character) in UNSEEN])


def _spelled_out(characters: Sequence[str]) -> str:
    """The first of them by number and name."""
    return ", ".join(
        f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"
        for character in list(dict.fromkeys(characters))[:MOST_CHARACTERS_NAMED]
    )


def look_alikes(comparisons: Mapping[str, int]) -> list[LookAlike]:
    """Names that look like another one, by name.

    Args:
        comparisons: of each agent. Among names that look alike the others are measured against one in plain letters,
            and among several of those against the one with most comparisons.
    """
    groups: dict[str, list[str]] = {}
    for name in comparisons:
        groups.setdefault("".join(folded(name).casefold().split()), []).append(name)
    found = []
    for group in groups.values():
        if len(group) > 1:
            plain = min(group, key=lambda name: (not name.isascii(), -comparisons[name], name))
            found += [LookAlike(name, plain) for name in group if name != plain]
    return sorted(found, key=lambda pair: pair.agent)
