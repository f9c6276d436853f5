"""Entering journal rows into the ledger, and reading its tree.

Appends take turns by a lock that is held until the caller's transaction ends, so that an entry and what it records
are kept together or not at all, and the order of entries is the order of commits. Take it late: whoever holds it keeps
every other append waiting, and asking for row locks afterwards may stop two transactions at each other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, QuerySet

from governance.errors import ArenaError, NotFound
from governance.ledger.kinds import LedgerKind, ledger_kinds
from governance.ledger.merkle import (
    Span,
    Subtree,
    consistency_spans,
    filled_by,
    hashes_of,
    inclusion_spans,
    joined,
    leaf_hash,
    subtrees_of,
)
from governance.models import JournalEntry, LedgerEntry

#: Advisory lock of PostgreSQL that makes appends take turns.
LOCK = 6_962


class NoSuchEntry(NotFound):
    code = "no_such_entry"


class LedgerDamaged(ArenaError):
    """A row of the ledger is missing or is not what this code writes, so that nothing can be proved from it."""

    code = "ledger_damaged"
    status = 503

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} cannot be read as this ledger writes it. manage.py verify_ledger says what differs.")


class NoSuchSize(ArenaError):
    """A proof was asked for that no tree of this ledger has."""

    code = "no_such_size"
    status = 404


@dataclass(frozen=True, slots=True)
class Inclusion:
    """What shows that an entry is in the tree of a size: ``hashes`` from the leaf up, 32 bytes each."""

    index: int
    size: int
    leaf: bytes
    hashes: tuple[bytes, ...]


def canonical(document: dict[str, Any]) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def journal_digest(journal: JournalEntry) -> str:
    """SHA-256 over everything that a journal row says, as the database has it.

    The row's identifier has 74 random bits, so that nobody can find out by trying what a row says.
    """
    told = {
        "id": str(journal.pk),
        "at": journal.at.astimezone(UTC).isoformat(),
        "actor": journal.actor,
        "action": journal.action,
        "subject": journal.subject,
        "reason": journal.reason,
        "detail": journal.detail,
    }
    return digest_of(canonical(told).encode())


def entry_text(journal: JournalEntry, kind: LedgerKind, *, late: bool = False) -> str:
    """What the ledger says of a journal row: canonical JSON, which is what is hashed.

    Args:
        journal: as read from the database.
        late: the row is older than its entry: it was written before the ledger, or before its kind was registered.
    """
    told = {
        "at": journal.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "detail": kind.public_detail(journal) | ({"entered_late": True} if late else {}),
        "kind": kind.action,
        "record": journal_digest(journal),
        "subject": kind.subject(journal),
    }
    return canonical(told)


def enter(journal: JournalEntry) -> LedgerEntry | None:
    """Append a journal row, in the caller's transaction; None if rows of its action do not enter.

    Raises:
        NotPublic: its detail has something that nobody has decided to publish.
    """
    kind = ledger_kinds().get(journal.action)
    if kind is None:
        return None
    with transaction.atomic(savepoint=False):
        # As the database has it, which is how it is checked later: numbers and keys of JSON may change on their way.
        stored = JournalEntry.objects.get(pk=journal.pk)
        return _append(stored, kind, late=False)


def enter_missing() -> list[LedgerEntry]:
    """Append the journal rows of registered actions that have no entry yet, the oldest first, marked as late."""
    kinds = ledger_kinds()
    with transaction.atomic():
        missing = missing_rows().order_by("at", "pk")
        if not missing.exists():
            return []
        _take_turn()
        return [_append(journal, kinds[journal.action], late=True) for journal in missing.iterator()]


def missing_rows() -> QuerySet[JournalEntry]:
    """Journal rows of registered actions without an entry."""
    return JournalEntry.objects.filter(action__in=list(ledger_kinds()), ledger_entry__isnull=True)


def _append(journal: JournalEntry, kind: LedgerKind, *, late: bool) -> LedgerEntry:
    text = entry_text(journal, kind, late=late)
    leaf = leaf_hash(text.encode())
    _take_turn()
    index = tree_size()
    before = subtrees_of(Span(0, index))
    known = stored_hashes(before)
    filled = filled_by(index, leaf, [known[subtree] for subtree in before])
    return LedgerEntry.objects.create(
        index=index,
        kind=kind.action,
        text=text,
        leaf_hash=leaf.hex(),
        subtrees=[value.hex() for value in filled],
        journal=journal,
    )


def _take_turn() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def tree_size() -> int:
    """How many entries there are."""
    last = LedgerEntry.objects.aggregate(last=Max("index"))["last"]
    return 0 if last is None else last + 1


def stored_hashes(subtrees: Iterable[Subtree]) -> dict[Subtree, bytes]:
    """The hashes of full subtrees, in one read.

    Raises:
        LedgerDamaged: an entry is missing, or its hashes are none.
    """
    wanted = set(subtrees)
    rows = LedgerEntry.objects.filter(index__in={subtree.last_leaf for subtree in wanted})
    by_index = {index: (leaf, filled) for index, leaf, filled in rows.values_list("index", "leaf_hash", "subtrees")}
    found = {}
    for subtree in wanted:
        try:
            found[subtree] = bytes.fromhex(_pick(by_index[subtree.last_leaf], subtree.level))
        except (LookupError, ValueError) as problem:
            raise LedgerDamaged(f"Entry {subtree.last_leaf}") from problem
    return found


def _pick(row: tuple[str, list[str]], level: int) -> str:
    leaf, filled = row
    return filled[level - 1] if level else leaf


def tree_root(size: int) -> bytes:
    """The root over the first ``size`` entries.

    Raises:
        NoSuchSize: there are fewer.
    """
    _require_size(size)
    known = stored_hashes(subtrees := subtrees_of(Span(0, size)))
    return joined([known[subtree] for subtree in subtrees])


def inclusion_proof(*, index: int, size: int) -> Inclusion:
    """What shows that the entry at ``index`` is in the tree of ``size``.

    Raises:
        NoSuchSize: there are fewer entries.
        NoSuchEntry: that tree has no such entry.
    """
    _require_size(size)
    if not 0 <= index < size:
        raise NoSuchEntry(f"There is no entry {index} among the first {size}; they count from 0.", field="index")
    leaf = Subtree(0, index)
    hashes = hashes_of(inclusion_spans(index, size), stored_hashes)
    return Inclusion(index, size, stored_hashes([leaf])[leaf], tuple(hashes))


def consistency_proof(*, first: int, second: int) -> list[bytes]:
    """What shows that the tree of ``first`` entries is a prefix of that of ``second``; 32 bytes each.

    Raises:
        NoSuchSize: not ``1 <= first <= second``, or there are fewer entries.
    """
    _require_size(second, field="second")
    if not 1 <= first <= second:
        raise NoSuchSize(
            f"Sizes must be given from the smaller to the larger, from 1 on; these are {first} and {second}.",
            field="first",
        )
    return hashes_of(consistency_spans(first, second), stored_hashes)


def entry_of_leaf(leaf: bytes) -> int:
    """The index of an entry by the hash of its leaf.

    Raises:
        NoSuchEntry: there is none.
    """
    index = LedgerEntry.objects.filter(leaf_hash=leaf.hex()).values_list("index", flat=True).first()
    if index is None:
        raise NoSuchEntry("No entry has this leaf hash.", field="leaf")
    return index


def entries(start: int, end: int) -> Iterator[LedgerEntry]:
    """Entries from ``start`` up to, not including, ``end``."""
    return LedgerEntry.objects.filter(index__gte=start, index__lt=end).order_by("index").iterator()


def _require_size(size: int, *, field: str = "size") -> None:
    there_are = tree_size()
    if not 0 <= size <= there_are:
        raise NoSuchSize(f"The ledger has {there_are} entries, so there is no tree of {size}.", field=field)
