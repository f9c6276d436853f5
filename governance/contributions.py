"""The kinds of label there are, as the apps that store them declare in their own ``contributions.py``."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import QuerySet

from governance.models import Judge

#: Times of one judge's rows at or after an instant: queries of that one column each, not asked yet, so that whoever
#: wants several kinds asks once.
Instants: TypeAlias = Callable[[Judge, datetime], Sequence[QuerySet[Any, datetime]]]


@dataclass(frozen=True, slots=True)
class Part:
    """Which of a judge's labels a withdrawal is about: those on one task, those on one battle, or all of them."""

    task: uuid.UUID | None = None
    battle: uuid.UUID | None = None

    def columns(self, battle: str) -> dict[str, uuid.UUID]:
        """What a row must have to belong to it.

        Args:
            battle: the way from the row to its battle, in the words of a query: ``step__lane__attempt__battle``.
        """
        if self.task is not None:
            return {f"{battle}__task": self.task}
        return {} if self.battle is None else {battle: self.battle}


ALL = Part()


def _nothing(judge: Judge, since: datetime) -> Sequence[QuerySet[Any, datetime]]:
    return ()


def _no_words(judge: Judge) -> None:
    """Labels of most kinds have no words of their judge's own."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One kind of label.

    Args:
        kind: one of the five words: task, vote, annotation, step verdict, click.
        instants: times of one judge's labels of this kind.
        besides: times of what one judge did about labels of this kind without giving one: changing one, saying
            something instead of one. It costs what a label costs, and counts in the limits alone.
        held: how many labels of this kind a withdrawal of that part would take out.
        withdraw: take that part of one judge's labels of this kind out and erase what they say; returns how many.
        erase_words: erase remarks in a judge's own words, which may say who they are, and leave the labels.
    """

    kind: str
    instants: Instants
    held: Callable[[Judge, Part], int]
    withdraw: Callable[[Judge, Part], int]
    besides: Instants = _nothing
    erase_words: Callable[[Judge], None] = _no_words


_contributions: dict[str, Contribution] = {}


def register_contribution(contribution: Contribution) -> None:
    """Make a kind of label count towards its judge's limits and follow its judge's withdrawal."""
    _contributions[contribution.kind] = contribution


def contributions() -> tuple[Contribution, ...]:
    """Every kind, sorted by its name."""
    return tuple(_contributions[kind] for kind in sorted(_contributions))
