"""What leaves in a dataset snapshot, as the apps that store it declare in their own ``exports.py``.

An app says which of its rows could leave (an :class:`ExportUniverse`), what keeps one of them back (an
:class:`ExportRule`), which columns are written (an :class:`ExportTable`) and what else a manifest has to say (an
:class:`ExportFact`). Consent and withdrawal are applied here to every universe, so that no app can forget them; a
column of text has no kind that is not redacted.

While a snapshot is made, the chosen rows of a universe are in the temporary table ``snapshot_<of>`` with the columns
``id``, ``judge``, ``receipt`` and ``private``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.utils.module_loading import autodiscover_modules

from governance.redaction import redact_value

Row = tuple[Any, ...]
#: Words by column, and details with their kinds that are personal wherever they stand, to words without those.
Hide = Callable[[Mapping[str, Any], Mapping[str, str]], Mapping[str, Any]]


class ColumnKind(StrEnum):
    """What a column holds, which is also how it is treated on its way out."""

    ID = "id"
    CODE = "code"
    CODES = "codes"
    WHOLE = "whole"
    NUMBER = "number"
    FLAG = "flag"
    INSTANT = "instant"
    #: Replaced by a key that is the same within one snapshot and nowhere else.
    JUDGE = "judge"
    #: Words: a text, the address of a page, JSON. Redacted, and withheld where a row is private.
    TEXT = "text"
    ADDRESS = "address"
    DATA = "data"
    BYTES = "bytes"


#: Kinds that hold what a person, a page or an agent wrote.
WORDS = frozenset({ColumnKind.TEXT, ColumnKind.ADDRESS, ColumnKind.DATA})


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, kind, the SQL expression it is read by, and what it says."""

    name: str
    kind: ColumnKind
    sql: str
    words: str


class Form(StrEnum):
    PARQUET = "parquet"
    JSONL = "jsonl"


def _as_read(row: Row) -> Row:
    return row


def redact_words(words: Mapping[str, Any]) -> Mapping[str, Any]:
    """Words of a row by column with every kind of personal detail replaced, by what they say themselves."""
    shown: Any = redact_value(words).value
    return dict(shown)


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table of a snapshot.

    Args:
        name: of the table and its folder.
        words: what a row is.
        columns: in order.
        source: what follows SELECT: FROM and WHERE.
        order: columns to order by; together unique, so that the same rows make the same file.
        private: SQL that says whether the words of a row are withheld.
        known: SQL for what is known to be personal in a row wherever it stands, JSON; NULL where nothing is.
        hide: replaces what is known; what words say themselves is replaced before.
        together: columns of words whose meaning depends on one another, and which are redacted as one.
        form: of the files.
        complete: fills in what is not in the database, row by row, before anything is redacted.
        values: parameters of the statement beside ``at`` and ``grantee``.
    """

    name: str
    words: str
    columns: tuple[Column, ...]
    source: str
    order: str
    private: str = "FALSE"
    known: str = "NULL"
    hide: Hide | None = None
    together: tuple[str, ...] = ()
    form: Form = Form.PARQUET
    complete: Callable[[Row], Row] = _as_read
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        """Its columns in order; after them what is known to be personal, and whether the row's words are withheld."""
        columns = ", ".join(f"{column.sql} AS {column.name}" for column in self.columns)
        return f"SELECT {columns}, {self.known} AS known, {self.private} AS private {self.source} ORDER BY {self.order}"


@dataclass(frozen=True, slots=True)
class ExportUniverse:
    """Rows of one kind that could leave.

    Args:
        of: what they are; the chosen ones are in ``snapshot_<of>``.
        words: the same for people.
        scope: the part of a consent sentence that has to cover them: tasks, judgments, or nothing where no person
            gave them.
        statement: selects ``id``, ``receipt``, ``judge`` and whether it is ``withdrawn``, of what there was at
            ``%(at)s``. Rows without a judge are the arena's own and need no consent.
        grows: what could leave as of an instant may be more at a later reading, as detectors read on. A replacement
            is held to what the replaced snapshot had.
        counts_for: the kind of label that a judge gives by such a row, for finding snapshots that a withdrawal touches.
        values: parameters beside ``at`` and ``grantee``.
    """

    of: str
    words: str
    scope: str
    statement: str
    counts_for: str = ""
    grows: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportRule:
    """What keeps rows of a universe back.

    Args:
        of: the universe.
        reason: a stable code, counted in the manifest.
        words: why.
        statement: selects the identifiers that it keeps back.
        only_texts: the row leaves without its texts and images; it is *private*.
        values: parameters beside ``at`` and ``grantee``.
    """

    of: str
    reason: str
    words: str
    statement: str
    only_texts: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportFact:
    """Something else that a manifest says: plain JSON values, read once when a snapshot is begun."""

    name: str
    read: Callable[[datetime], Any]


#: Reasons that apply to every universe.
WITHDRAWN = ("withdrawn", "It was taken back by the person who gave it.")
NOT_BEFORE = ("not_before", "The snapshot that this one replaces did not have it yet.")
NO_CONSENT = ("no_consent", "The sentence its giver agreed to does not cover it, or names somebody else.")

_universes: dict[str, ExportUniverse] = {}
_rules: dict[tuple[str, str], ExportRule] = {}
_tables: dict[str, ExportTable] = {}
_facts: dict[str, ExportFact] = {}
_preparations: dict[str, Callable[[datetime], None]] = {}


def register_universe(universe: ExportUniverse) -> None:
    """Make rows candidates for leaving, after those registered before, whose chosen rows its rules may read."""
    _universes[universe.of] = universe


def register_rule(rule: ExportRule) -> None:
    """Keep rows back from now on; the first rule that applies names the reason."""
    _rules[rule.of, rule.reason] = rule


def register_table(table: ExportTable) -> None:
    """Write a table with every snapshot from now on."""
    _tables[table.name] = table


def register_fact(fact: ExportFact) -> None:
    """Have every manifest say something more."""
    _facts[fact.name] = fact


def register_preparation(name: str, prepare: Callable[[datetime], None]) -> None:
    """Have something done once rows are chosen and before tables are read, such as filling a temporary table.

    It is done in the transaction that the snapshot is read in, with the instant that it is read as of.
    """
    _preparations[name] = prepare


@functools.cache
def _discover() -> None:
    """Have every app register, once somebody asks: nobody who only serves pages pays for it."""
    autodiscover_modules("exports")


def universes() -> tuple[ExportUniverse, ...]:
    _discover()
    return tuple(_universes.values())


def rules(of: str) -> tuple[ExportRule, ...]:
    _discover()
    return tuple(rule for rule in _rules.values() if rule.of == of)


def reasons() -> dict[str, dict[str, str]]:
    """Every reason for keeping something back, in words, by universe."""
    _discover()
    return {
        of: dict([WITHDRAWN, NO_CONSENT, NOT_BEFORE]) | {rule.reason: rule.words for rule in rules(of)}
        for of in _universes
    }


def tables() -> tuple[ExportTable, ...]:
    _discover()
    return tuple(_tables.values())


def facts() -> tuple[ExportFact, ...]:
    _discover()
    return tuple(_facts.values())


def preparations() -> tuple[Callable[[datetime], None], ...]:
    _discover()
    return tuple(_preparations.values())
