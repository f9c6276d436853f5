"""Everything the ledger says, computed again: entries, tree, checkpoints, signatures, and what the entries speak of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from governance.ledger.checkpoints import signature_lines, verifier_key
from governance.ledger.entries import LedgerDamaged, canonical, entry_text, journal_digest, missing_rows
from governance.ledger.kinds import LedgerKind, NotPublic, ledger_kinds
from governance.ledger.merkle import EMPTY_ROOT, filled_by, joined, leaf_hash
from governance.ledger.notes import NoteRefused, VerifierKey, read_checkpoint, read_note, verify
from governance.ledger_kinds import LEDGER_KEY
from governance.models import JournalEntry, LedgerCheckpoint, LedgerEntry, LedgerKey

#: Rows read at once.
CHUNK = 500
#: The names in an entry's text, sorted.
NAMES = ["at", "detail", "kind", "record", "subject"]


@dataclass
class Report:
    """What was looked at and what differs; ``problems`` has one sentence for each difference."""

    entries: int = 0
    root: str = EMPTY_ROOT.hex()
    checkpoints: int = 0
    signatures: int = 0
    contents: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return not self.problems


def verify_ledger(*, notes: Iterable[str] = ()) -> Report:
    """Recompute the ledger from its rows, at one moment.

    Args:
        notes: checkpoints kept elsewhere, such as by a witness or with yesterday's publication; each must be signed by
            a key of ours and be a prefix of today's tree.
    """
    report = Report()
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        kept = list(_kept_elsewhere(notes, report))
        checkpoints = list(LedgerCheckpoint.objects.order_by("size"))
        sizes = {_size(checkpoint) for checkpoint in checkpoints} | {size for size, _ in kept}
        roots = _walk(report, sizes)
        for checkpoint in checkpoints:
            _check_checkpoint(checkpoint, roots, report)
        for size, root in kept:
            if roots.get(size) != root:
                report.problems.append(f"The checkpoint at {size} that was kept elsewhere is no prefix of this ledger.")
        _check_keys(report)
        _check_journal(report)
        _check_contents(report)
    return report


def _walk(report: Report, sizes: set[int]) -> dict[int, bytes]:
    """Check each entry in turn while growing the tree again; returns the roots at the sizes asked for."""
    kinds = ledger_kinds()
    peaks: list[bytes] = []
    roots = {0: EMPTY_ROOT} if 0 in sizes else {}
    rows = LedgerEntry.objects.order_by("index").prefetch_related("journal")
    for index, entry in enumerate(rows.iterator(chunk_size=CHUNK)):
        if entry.index != index:
            report.problems.append(f"Entry {index} is missing; what follows cannot be checked.")
            break
        leaf = leaf_hash(entry.text.encode())
        filled = filled_by(index, leaf, peaks)
        if entry.leaf_hash != leaf.hex():
            report.problems.append(f"Entry {index}: its text is not the one whose hash is stored.")
        if entry.subtrees != [value.hex() for value in filled]:
            report.problems.append(f"Entry {index}: the stored subtrees are not those that the entries give.")
        report.problems += (f"Entry {index}: {problem}" for problem in _entry_problems(entry, kinds))
        peaks = [*peaks[: len(peaks) - len(filled)], filled[-1] if filled else leaf]
        report.entries += 1
        if report.entries in sizes:
            roots[report.entries] = joined(peaks)
    report.root = joined(peaks).hex()
    return roots


def _entry_problems(entry: LedgerEntry, kinds: dict[str, LedgerKind]) -> Iterator[str]:
    told = _read(entry.text)
    if told is None:
        yield "its text is not canonical JSON with the five names of an entry."
        return
    kind = kinds.get(entry.kind)
    if told["kind"] != entry.kind or kind is None:
        yield f"its kind is {entry.kind!r} in the row and {told['kind']!r} in the text, and must be a known one."
        return
    try:
        if told["record"] != journal_digest(entry.journal):
            yield f"journal row {entry.journal_id} is not what was entered."
        expected = entry_text(entry.journal, kind, late="entered_late" in told["detail"])
    except JournalEntry.DoesNotExist:
        yield f"journal row {entry.journal_id} is not there any more."
        return
    except NotPublic:
        yield f"journal row {entry.journal_id} has a detail that is not public."
        return
    if entry.text != expected:
        different = [name for name in NAMES if told[name] != json.loads(expected)[name]]
        yield f"what it says of {' and '.join(different)} is not what is stored."


def _read(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or sorted(told) != NAMES or not isinstance(told["detail"], dict):
        return None
    return told if canonical(told) == text else None


def _size(checkpoint: LedgerCheckpoint) -> int:
    return int(checkpoint.pk)


def _check_checkpoint(checkpoint: LedgerCheckpoint, roots: dict[int, bytes], report: Report) -> None:
    report.checkpoints += 1
    where = f"Checkpoint {checkpoint.size}"
    try:
        told = read_checkpoint(checkpoint.text)
    except NoteRefused as problem:
        report.problems.append(f"{where}: {problem.message}")
        return
    if told.size != checkpoint.size or roots.get(checkpoint.size) != told.root:
        report.problems.append(f"{where} is no prefix of the ledger: the entries before it give another root.")
    by_us = False
    try:
        signed = [(line, key, verifier_key(key)) for line, key in signature_lines(checkpoint)]
    except LedgerDamaged as problem:
        report.problems.append(f"{where}: {problem.message}")
        return
    for line, key, verifier in signed:
        report.signatures += 1
        if not verify(checkpoint.text, line, verifier):
            report.problems.append(f"{where}: the signature of {key} does not hold.")
        elif key.role == LedgerKey.Role.LOG:
            by_us = True
            if key.name != told.origin:
                report.problems.append(f"{where} is signed under the name {key.name} and says it is of {told.origin}.")
    if not by_us:
        report.problems.append(f"{where} has no signature of the ledger's own.")


def _check_keys(report: Report) -> None:
    """Every key belongs to its name, and every one of ours was entered."""
    entered = {
        (journal.subject, str(journal.detail.get("key_id")))
        for journal in JournalEntry.objects.filter(action=LEDGER_KEY, ledger_entry__isnull=False)
    }
    for key in LedgerKey.objects.order_by("id"):
        verifier = _readable(key)
        if verifier is None or verifier.key_id.hex() != key.key_id:
            report.problems.append(f"Key {key} is not the one that its identifier names.")
        if key.role == LedgerKey.Role.LOG and (str(key.pk), key.key_id) not in entered:
            report.problems.append(f"Key {key} was never entered into the ledger.")
    known = {str(pk) for pk in LedgerKey.objects.filter(role=LedgerKey.Role.LOG).values_list("pk", flat=True)}
    for subject, key_id in sorted(entered):
        if subject not in known:
            report.problems.append(f"Key {key_id} was entered into the ledger and is not there any more.")


def _readable(key: LedgerKey) -> VerifierKey | None:
    """The key; None where its row is damaged."""
    try:
        return verifier_key(key)
    except LedgerDamaged:
        return None


def _check_journal(report: Report) -> None:
    for journal in missing_rows().order_by("at", "pk").iterator():
        report.problems.append(f"Journal row {journal.pk} ({journal.action}) has no entry.")


def _check_contents(report: Report) -> None:
    """Each stored content has its entry under its digest, and each entry has its content."""
    for kind in ledger_kinds().values():
        if kind.contents is None:
            continue
        rows = LedgerEntry.objects.filter(kind=kind.action).values_list("journal__subject", "index", "text")
        entered = {row: (index, (_read(text) or {}).get("subject")) for row, index, text in rows.iterator()}
        for content in kind.contents(None):
            report.contents += 1
            index, subject = entered.pop(content.row, (None, None))
            name = f"{kind.action} {content.row}"
            if content.problem:
                report.problems.append(f"{name}: {content.problem}.")
            if index is None:
                report.problems.append(f"{name} has no entry.")
            elif subject != content.digest:
                report.problems.append(f"{name} is not what entry {index} names.")
        for row, (index, _) in sorted(entered.items()):
            report.problems.append(f"Entry {index} speaks of {kind.action} {row}, which is not there.")


def _kept_elsewhere(notes: Iterable[str], report: Report) -> Iterator[tuple[int, bytes]]:
    keys = [_readable(key) for key in LedgerKey.objects.filter(role=LedgerKey.Role.LOG)]
    ours = [key for key in keys if key is not None]
    for text in notes:
        note = read_note(text)
        told = read_checkpoint(note.text)
        if not any(verify(note.text, line, key) for line in note.lines for key in ours):
            report.problems.append(f"The checkpoint at {told.size} that was kept elsewhere has no signature of ours.")
            continue
        yield told.size, told.root
