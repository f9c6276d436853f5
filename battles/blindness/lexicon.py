"""The lexicon: every name that may give an agent away, compiled for finding.

It is the maintained vocabulary plus the names on the roster. A :class:`Lexicon` never changes; a new agent makes
a new one (:func:`lexicon_with_roster`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from battles.blindness.normalise import folded
from battles.blindness.vocabulary import ENTRIES, EVERYDAY, Entry

#: What may stand between the parts of a name: "Chat GPT", "Chat-GPT", "chat_gpt", "ChatGPT".
SEPARATOR = r"[ _./\n-]?"
#: Glued to a name it is still the name: OpenAIError, ClaudeBot.
GLUED = "ai api bot gpt error exception sdk model chat code cli user agent client lm config vertex bedrock".split()
#: Shorter roster names are too often parts of other words to be searched for.
SHORTEST_ROSTER_NAME = 3
#: Everyday elsewhere, but nothing that our own messages would say.
BLUNT_THOUGH_COMMON = frozenset(
    "gpt o1 o3 o4 codex davinci cua bard glm ernie cohere perplexity jamba reka devin manus phi nova bedrock "
    "kimi".split()
)
#: Case endings of Finnish, Hungarian, Slavic and Romance languages, which follow a name without a separator.
ENDINGS = "n in ia lla lle lta ssa nak nek val vel tol bol ban ben u em om ie y ja".split()
#: Shorter names with an ending are other words.
SHORTEST_WITH_ENDING = 6
#: What must not stand before and after a name in our own messages. A house's name in a host name passes: a site's
#: address is what the task is about, not who runs the agent. PostgreSQL reads these, too.
FRAMES: dict[str, tuple[str, str]] = {
    "word": (r"(?<![a-z])", r"(?![a-z])"),
    "house": (r"(?<![a-z0-9./@-])", r"(?![a-z0-9]|-[a-z]|\.[a-z])"),
    "numbered": (r"(?<![a-z])", r"(?![a-z0-9])"),
    "number first": (r"(?<![a-z0-9])", r"(?![a-z0-9])"),
}

#: A process uses one lexicon at a time; a few more are kept for tests.
KEPT_LEXICONS = 8

_NAME_PART = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Name:
    """One spelling. Its expressions are compiled when a text first holds its first letters: all of them take seconds.

    Attributes:
        spelling: folded.
        entry: where it comes from.
        frame: which of :data:`FRAMES` it stands in.
    """

    spelling: str
    entry: Entry
    frame: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches in folded text at a position where its first letters stand."""
        core = core_pattern(self.spelling)
        if self.entry.common or not self.spelling.isascii() or not self.spelling[-1].isalpha():
            return re.compile(core + (r"(?![a-z0-9])" if self.spelling[-1].isdigit() else r"(?![a-z])"))
        glued = "|".join(_glued(self.entry, self.spelling))
        return re.compile(rf"{core}(?:(?:{glued})?(?![a-z]))")

    @cached_property
    def bounded(self) -> re.Pattern[str]:
        """The spelling in its frame without anything glued to it."""
        before, after = FRAMES[self.frame]
        return re.compile(f"{before}{core_pattern(self.spelling)}{after}")

    @property
    def blunt(self) -> bool:
        """Whether our own messages must never contain it."""
        return not self.entry.common or self.spelling in BLUNT_THOUGH_COMMON

    @property
    def squashed(self) -> str:
        """Letters and digits alone."""
        return "".join(character for character in self.spelling if character.isalnum())


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All names, indexed by the run of letters they begin with.

    ``foreign`` matches names that begin with no Latin letter, ``foreign_names`` says which is which and
    ``digit_first`` lists those that an ASCII text can hold. ``roster`` holds the roster names that joined.
    """

    names: tuple[Name, ...]
    heads: Mapping[str, tuple[Name, ...]] = field(repr=False)
    foreign: re.Pattern[str] = field(repr=False)
    foreign_names: Mapping[str, Name] = field(repr=False)
    digit_first: tuple[str, ...] = field(repr=False)
    roster: frozenset[str]

    def refused_names(self) -> Mapping[str, Name]:
        """By spelling, every name that the database refuses in our own messages."""
        return {name.spelling: name for name in self.names if name.blunt and name.spelling.isascii()}


def _frame(entry: Entry, spelling: str) -> str:
    if not spelling[0].isalpha():
        return "number first"
    if spelling[-1].isdigit():
        return "numbered"
    return "house" if entry.kind == "house" else "word"


def core_pattern(spelling: str) -> str:
    """The regular expression of a folded spelling, for Python and PostgreSQL; a space is an optional separator."""
    return SEPARATOR.join(re.escape(part) for part in spelling.split())


@lru_cache(maxsize=2048)
def _name(entry: Entry, spelling: str) -> Name:
    return Name(spelling=spelling, entry=entry, frame=_frame(entry, spelling))


def _glued(entry: Entry, spelling: str) -> list[str]:
    endings = ENDINGS if entry.kind != "word" and len(spelling) >= SHORTEST_WITH_ENDING else []
    return endings if entry.kind == "house" else [*GLUED, *endings]


def _heads_of(entry: Entry, spelling: str) -> Iterable[str]:
    """Every run of letters that can begin the name: with its separators, without some, with something glued."""
    parts = spelling.split()
    for count in range(1, len(parts) + 1):
        match = _NAME_PART.match("".join(parts[:count]))
        if match is None:
            return
        yield match.group()
        if match.end() < len("".join(parts[:count])):
            return
    for suffix in _glued(entry, spelling):
        yield "".join(parts) + suffix


def _compile(entries: Sequence[Entry], roster: frozenset[str]) -> Lexicon:
    names: list[Name] = []
    heads: dict[str, list[Name]] = {}
    foreign: dict[str, Name] = {}
    for entry in entries:
        for written in entry.spellings:
            spelling = " ".join(folded(written).split())
            name = _name(entry, spelling)
            names.append(name)
            if not spelling.isascii() or not spelling[0].isalpha():
                for form in {spelling, spelling.replace(" ", "")}:
                    foreign.setdefault(form, name)
                continue
            for head in dict.fromkeys(_heads_of(entry, spelling)):
                heads.setdefault(head, []).append(name)
    longest_first = sorted(foreign, key=len, reverse=True)
    return Lexicon(
        names=tuple(names),
        heads={head: tuple(sorted(ones, key=lambda name: -len(name.spelling))) for head, ones in heads.items()},
        foreign=re.compile("|".join(re.escape(form) for form in longest_first)),
        foreign_names=foreign,
        digit_first=tuple(form for form in foreign if form.isascii()),
        roster=roster,
    )


def roster_spelling(name: str) -> str | None:
    """How a roster name is searched for, or None when it is too everyday to be one.

    Separators become optional, so ``fast-clicker 2`` is found as ``fast_clicker2``.
    """
    parts = re.findall(r"[^\W_]+", folded(name))
    letters = sum(character.isalpha() for part in parts for character in part)
    if letters < SHORTEST_ROSTER_NAME or (len(parts) == 1 and parts[0] in EVERYDAY):
        return None
    return " ".join(parts)


@lru_cache(maxsize=KEPT_LEXICONS)
def _with_roster(spellings: frozenset[str]) -> Lexicon:
    known = {spelling for entry in ENTRIES for spelling in entry.spellings}
    added = [_roster_entry(spelling) for spelling in sorted(spellings - known)]
    return _compile([*ENTRIES, *added], spellings)


def _roster_entry(spelling: str) -> Entry:
    """A name of several parts names one agent and nothing else, unless all are everyday words; one word may be more."""
    parts = spelling.split()
    several = len(parts) > 1 or any(character.isdigit() for character in spelling)
    exact = several and not all(part in EVERYDAY or part.isdigit() for part in parts)
    return Entry(
        maker=f"roster:{spelling}",
        kind="family" if several else "word",
        spellings=(spelling,),
        whole=several,
        exact=exact,
    )


def lexicon_with_roster(names: Iterable[str]) -> Lexicon:
    """The maintained lexicon plus the names of rostered agents (names, keys, versions, providers)."""
    spellings = (roster_spelling(name) for name in names)
    return _with_roster(frozenset(spelling for spelling in spellings if spelling))


def maintained_lexicon() -> Lexicon:
    """The lexicon without any roster."""
    return lexicon_with_roster(())


#: Where the lexicon in force is read from; one entry, replaced as a whole.
_sources: list[Callable[[], Lexicon]] = [maintained_lexicon]


def read_lexicon_from(source: Callable[[], Lexicon]) -> None:
    """Make ``source`` say which lexicon is in force. The table of names registers itself here when it is loaded."""
    _sources[:] = [source]


def current_lexicon() -> Lexicon:
    """The lexicon in force: maintained names and the roster's."""
    return _sources[0]()
