"""Theses: beliefs of this arena, each paired with the mechanism that enforces it.

An app declares its own in a module named ``theses.py``, beside the mechanisms, and registers each with :func:`thesis`.
They are found when they are first asked for: their predicates import what they look at, and no worker needs that.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.utils.module_loading import autodiscover_modules

#: The checkout: files are cited from here.
ROOT = Path(__file__).resolve().parents[1]


class Section(StrEnum):
    """Chapters of the mission, in order."""

    LIVE_TASKS = "Live tasks"
    BLINDNESS = "Blindness"
    MATCHMAKING = "Matchmaking"
    RATINGS = "Ratings"
    MEASURES = "Measures"
    PEOPLE = "People"
    CONFLICT_OF_INTEREST = "Conflict of interest"
    CLAIMS = "Claims"


class Standing(StrEnum):
    """How far a belief is backed: by a predicate that held just now, or by a place to look at."""

    PROVEN = "proven"
    STATED = "stated"


class BadThesis(Exception):
    """A thesis breaks the rules of the registry."""


class CitationMissing(Exception):
    """A cited file or symbol is not there."""


@dataclass(frozen=True, slots=True)
class CodeMutation:
    """How a mechanism is removed from its file, to see who notices.

    Attributes:
        removes: what is gone then, in words.
        path: of the file, from the checkout.
        old: text that stands there exactly once.
        new: what stands there instead.
        red: commands that must fail then, each with its arguments.
    """

    removes: str
    path: str
    old: str
    new: str
    red: tuple[str, ...] = ("verify_claims",)


@dataclass(frozen=True, slots=True)
class DatabaseMutation:
    """How a mechanism is removed from the database, to see who notices. ``statements`` are run one by one."""

    removes: str
    statements: tuple[str, ...]
    red: tuple[str, ...] = ("verify_claims",)


Mutation = CodeMutation | DatabaseMutation


@dataclass(frozen=True, slots=True)
class Cited:
    """A symbol of a module, such as ``battles.matchmaking`` and ``UNIFORM_FLOOR`` or ``Battle.Kind``."""

    module: str
    symbol: str

    @property
    def file(self) -> str:
        """The module's file, from the checkout."""
        stem = self.module.replace(".", "/")
        return f"{stem}/__init__.py" if (ROOT / stem).is_dir() else f"{stem}.py"

    def resolve(self) -> Any:
        """The object itself.

        Raises:
            CitationMissing: the file or the symbol is not there.
        """
        if not (ROOT / self.file).is_file():
            raise CitationMissing(f"{self.file} is not there")
        found: Any = importlib.import_module(self.module)
        for name in self.symbol.split("."):
            if not hasattr(found, name):
                raise CitationMissing(f"{self.file} has no {self.symbol}")
            found = getattr(found, name)
        return found


@dataclass(frozen=True, slots=True)
class Thesis:
    """A belief, why it is held, and what enforces it.

    Numbers in the three texts are fields that name a figure, such as ``{floor:.0%}``; typed ones are refused.

    Attributes:
        section: its chapter.
        key: stable name, in small letters with hyphens; a gap is told by it.
        belief: one sentence.
        why: what would be lost without it.
        mechanism: what enforces it, in words.
        cites: the symbol that does.
        figures: by the name of the field, the constant it shows.
        predicate: asks of the cited object whether it still does; None where there is only the citation.
        broken: an object in its place that does not; the predicate must be false of it.
        mutations: ways to remove the mechanism, each of which somebody must notice.
    """

    section: Section
    key: str
    belief: str
    why: str
    mechanism: str
    cites: Cited
    figures: Mapping[str, Cited] = field(default_factory=dict)
    predicate: Callable[[Any], bool] | None = None
    broken: Any = None
    mutations: tuple[Mutation, ...] = ()

    @property
    def standing(self) -> Standing:
        return Standing.STATED if self.predicate is None else Standing.PROVEN

    def values(self) -> dict[str, Any]:
        """The figures as the code has them now.

        Raises:
            CitationMissing: a constant is not there.
        """
        return {name: cited.resolve() for name, cited in self.figures.items()}


_KEY = re.compile(r"[a-z]+(?:-[a-z]+)*")
_FIELD = re.compile(r"\{(\w+)[^{}]*\}")
#: A number that somebody typed, as digits or as a word that counts more than a pair.
_TYPED = re.compile(
    r"\d|\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|half"
    r"|third|quarter|percent)\b",
    re.IGNORECASE,
)

_theses: dict[str, Thesis] = {}


def thesis(one: Thesis) -> Thesis:
    """Register a thesis.

    Raises:
        BadThesis: it breaks a rule of the registry; the message says which.
    """
    problem = _problem(one)
    if problem:
        raise BadThesis(f"{one.key}: {problem}")
    _theses[one.key] = one
    return one


def theses() -> tuple[Thesis, ...]:
    """Every thesis of every app, by chapter, and in a chapter as they were registered."""
    _discover()
    order = list(Section)
    return tuple(sorted(_theses.values(), key=lambda one: order.index(one.section)))


@functools.cache
def _discover() -> None:
    # This module has the name under which the others are found.
    importlib.import_module("governance.own_theses")
    autodiscover_modules("theses")


def _problem(one: Thesis) -> str:
    return next(_problems(one), "")


def _problems(one: Thesis) -> Iterator[str]:
    texts = (one.belief, one.why, one.mechanism)
    if not _KEY.fullmatch(one.key):
        yield "a key has small letters and hyphens only"
    if one.key in _theses:
        yield "there is a thesis of this key already"
    for text in texts:
        if not text.endswith("."):
            yield f"a text ends with a full stop: {text!r}"
        typed = _TYPED.search(_FIELD.sub("", text))
        if typed:
            yield f"a number is typed where the constant should be shown: {typed[0]!r}"
    shown = {name for text in texts for name in _FIELD.findall(text)}
    if shown != set(one.figures):
        yield f"figures and fields differ: {', '.join(sorted(shown ^ set(one.figures)))}"
    if one.predicate is not None and one.broken is None:
        yield "a predicate needs a broken stand-in of which it is false"
    if one.predicate is None and any("verify_claims" in mutation.red for mutation in one.mutations):
        yield "without a predicate verify_claims cannot notice a mutation"
