"""What of the theses holds now: each belief with its mechanism, or the gap that is left where one was."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from governance.models import ConsentText, Judge
from governance.theses import CitationMissing, Cited, Section, Standing, Thesis, theses

logger = logging.getLogger(__name__)

#: Predicates ask the same code again and again: a process asks them once in so many seconds, however many visitors.
ASKED_EVERY = 60.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A belief that is held now, with its texts as they read with today's constants.

    Attributes:
        figures: the constants that the texts show: where each stands, and its value in words.
    """

    section: Section
    key: str
    standing: Standing
    belief: str
    why: str
    mechanism: str
    file: str
    symbol: str
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """What cannot be claimed at present: ``about`` is the subject, ``why`` what was found instead of the mechanism."""

    key: str
    section: str
    about: str
    why: str
    file: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    held: tuple[Claim, ...]
    gaps: tuple[Gap, ...]

    def count(self, standing: Standing) -> int:
        return sum(claim.standing is standing for claim in self.held)


def check(asked: Iterable[Thesis]) -> Claims:
    """Ask every thesis: the figures, the citation, and the predicate of the mechanism and of its stand-in."""
    asked = tuple(asked)
    if not finds_out(check_one):
        # No answer of a check that lets everything pass is worth anything, its answer about itself included.
        return Claims((), tuple(_gap(thesis, "The check itself is broken: it does not find out.") for thesis in asked))
    held: list[Claim] = []
    gaps: list[Gap] = []
    for thesis in asked:
        found = check_one(thesis)
        if isinstance(found, Claim):
            held.append(found)
        else:
            gaps.append(found)
    return Claims(tuple(held), tuple(gaps))


def check_one(thesis: Thesis) -> Claim | Gap:
    """The claim, or the gap where its mechanism was."""
    try:
        values = thesis.values()
        belief, why, how = (text.format(**values) for text in (thesis.belief, thesis.why, thesis.mechanism))
        mechanism = thesis.cites.resolve()
    except CitationMissing as missing:
        return _gap(thesis, f"{missing}.")
    except Exception as problem:
        return _gap(thesis, f"A figure could not be read ({type(problem).__name__}).", problem)
    if thesis.predicate is not None:
        wrong = _broken(thesis, mechanism)
        if wrong:
            return _gap(thesis, wrong)
    shown = tuple((f"{cited.module}.{cited.symbol}", in_words(values[name])) for name, cited in thesis.figures.items())
    return Claim(
        thesis.section,
        thesis.key,
        thesis.standing,
        belief,
        why,
        how,
        file=thesis.cites.file,
        symbol=thesis.cites.symbol,
        figures=shown,
    )


def trial(predicate: Callable[[Any], bool] | None, broken: Any, symbol: str = "Judge") -> Thesis:
    """A thesis to try a check with; nobody registers it."""
    cites, text = Cited("governance.models", symbol), "A trial."
    return Thesis(Section.CLAIMS, "trial", text, text, text, cites, predicate=predicate, broken=broken)


def finds_out(ask: Callable[[Thesis], Claim | Gap]) -> bool:
    """Whether a check makes a gap where mechanism, symbol or the worth of the predicate is gone, and only there."""
    gone = trial(lambda found: False, Judge)
    hollow = trial(lambda found: True, ConsentText)
    missing = trial(lambda found: found is Judge, ConsentText, "NobodyOfThatName")
    sound = trial(lambda found: found is Judge, ConsentText)
    return isinstance(ask(sound), Claim) and all(isinstance(ask(one), Gap) for one in (gone, hollow, missing))


def _broken(thesis: Thesis, mechanism: Any) -> str:
    """What is wrong with the mechanism or with its predicate; nothing if both are sound."""
    assert thesis.predicate is not None
    try:
        if _asked_of(thesis.predicate, mechanism) is not True:
            return "The mechanism is not there any more: what is asked of it is not true."
    except Exception as problem:
        logger.warning("the predicate of %s raised %r", thesis.key, problem)
        return f"The mechanism is not there any more: asking it failed ({type(problem).__name__})."
    try:
        if _asked_of(thesis.predicate, thesis.broken) is not False:
            return "What is asked of the mechanism is also true without it, so it shows nothing."
    except Exception as problem:
        logger.warning("the predicate of %s raised %r of its stand-in", thesis.key, problem)
        return f"What is asked of the mechanism could not be asked of a broken one ({type(problem).__name__})."
    return ""


def _asked_of(predicate: Callable[[Any], bool], mechanism: Any) -> bool:
    """What the predicate says. Asking changes nothing: the database refuses it whatever it would write."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL transaction_read_only = on")
        answer = predicate(mechanism)
        transaction.set_rollback(True)
    return answer


def _gap(thesis: Thesis, why: str, problem: Exception | None = None) -> Gap:
    if problem is not None:
        logger.warning("a figure of %s: %r", thesis.key, problem)
    about = thesis.key.replace("-", " ").capitalize()
    return Gap(thesis.key, thesis.section.value, about, why, thesis.cites.file, thesis.cites.symbol)


def in_words(value: Any) -> str:
    """A constant as a page shows it."""
    if isinstance(value, timedelta):
        days, seconds = value.days, value.seconds
        return f"{days} days" if days and not seconds else f"{value.total_seconds():,.0f} s"
    if isinstance(value, Enum) and isinstance(value.value, tuple):
        return ", ".join(map(in_words, value.value))
    if is_dataclass(value) and not isinstance(value, type):
        return ", ".join(f"{each.name} {in_words(getattr(value, each.name))}" for each in fields(value))
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int | str):
        return f"{value}"
    return type(value).__name__


_asked: tuple[float, Claims] | None = None


def claims_now() -> Claims:
    """What every process last found out, at most a minute ago, with what the operator still owes."""
    global _asked  # noqa: PLW0603  # one answer for each process
    if _asked is None or time.monotonic() - _asked[0] > ASKED_EVERY:
        _asked = time.monotonic(), check(theses())
    return Claims(_asked[1].held, (*operator_gaps(), *_asked[1].gaps))


def forget() -> None:
    """Ask again next time."""
    global _asked  # noqa: PLW0603  # one answer for each process
    _asked = None


def operator_gaps() -> tuple[Gap, ...]:
    """What nobody but the operator can fill in."""
    gaps = []
    if not settings.ARENA_LEGAL_NAME:
        gaps.append(
            Gap(
                "operator-has-no-name",
                Section.PEOPLE.value,
                "Who runs this arena",
                "The operator has set no legal name (ARENA_LEGAL_NAME). Until then consent covers this machine only, "
                "and nothing can be offered to other judges or leave.",
            )
        )
    if not settings.ARENA_WITHDRAWAL_ADDRESS:
        gaps.append(
            Gap(
                "operator-has-no-address",
                Section.PEOPLE.value,
                "Where to write to",
                "The operator has set no address for withdrawals (ARENA_WITHDRAWAL_ADDRESS). Until then they can be "
                "asked for on the site alone.",
            )
        )
    return tuple(gaps)
