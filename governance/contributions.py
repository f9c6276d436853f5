"""The kinds of label there are, as the apps that store them declare in their own ``contributions.py``."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from governance.models import Judge


def _nothing(judge: Judge, since: datetime) -> list[datetime]:
    return []


@dataclass(frozen=True, slots=True)
class Contribution:
    """One kind of label.

    Args:
        kind: one of the five words: task, vote, annotation, step verdict, click.
        instants: times of one judge's labels of this kind, at or after an instant.
        besides: times of what one judge did about labels of this kind without giving one, at or after an instant:
            changing one, saying something instead of one. It costs what a label costs, and counts in the limits alone.
        withdraw: take all of one judge's labels of this kind out and erase what they say; returns how many.
    """

    kind: str
    instants: Callable[[Judge, datetime], list[datetime]]
    withdraw: Callable[[Judge], int]
    besides: Callable[[Judge, datetime], list[datetime]] = _nothing


_contributions: dict[str, Contribution] = {}


def register_contribution(contribution: Contribution) -> None:
    """Make a kind of label count towards its judge's limits and follow its judge's withdrawal."""
    _contributions[contribution.kind] = contribution


def contributions() -> tuple[Contribution, ...]:
    """Every kind, sorted by its name."""
    return tuple(_contributions[kind] for kind in sorted(_contributions))
