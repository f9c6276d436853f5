"""What the governance page discloses: parts that apps declare in a module named ``disclosures.py``, each by one call.

::

    register_disclosure(Disclosure("retirements", "Agents that were retired", place=50, read=retirements))

Everything in a sheet is public. So there are no sample sizes in it: no count of labels, battles or judges.
"""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.utils.module_loading import autodiscover_modules

logger = logging.getLogger(__name__)

#: Texts of so many characters stay on one line.
SHORT = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in a table; ``href`` makes it a link, ``code`` sets it as code."""

    text: str
    href: str = ""
    code: bool = False

    @property
    def short(self) -> bool:
        """Whether it is a date or a figure, which are not broken over lines."""
        return len(self.text) <= SHORT


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a part says today.

    Attributes:
        says: paragraphs.
        columns: heads of the table.
        rows: its rows, each as long as the columns; the first cell is the head of its row.
        none: what is said where the table would be empty.
        more: paragraphs behind the table.
    """

    says: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    none: str = ""
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One part of the page.

    Args:
        key: a word of its own, also its address on the page.
        title: for people.
        place: parts stand in ascending order of it.
        read: what it says now; reads only.
    """

    key: str
    title: str
    place: int
    read: Callable[[], Sheet]


_disclosures: dict[str, Disclosure] = {}


def register_disclosure(disclosure: Disclosure) -> None:
    """Put a part on the governance page. Registering a key again replaces it."""
    _disclosures[disclosure.key] = disclosure


def disclosures() -> tuple[Disclosure, ...]:
    """Every part, in order."""
    _discover()
    return tuple(sorted(_disclosures.values(), key=lambda one: (one.place, one.key)))


def read_disclosures() -> list[tuple[Disclosure, Sheet | None]]:
    """Every part with what it says; None where it could not be read, which the page says too."""
    return [(one, _read(one)) for one in disclosures()]


def _read(disclosure: Disclosure) -> Sheet | None:
    try:
        with transaction.atomic():
            return disclosure.read()
    except Exception:
        logger.exception("the disclosure %s could not be read", disclosure.key)
        return None


@functools.cache
def _discover() -> None:
    # This module has the name under which the others are found.
    importlib.import_module("governance.own_disclosures")
    autodiscover_modules("disclosures")
