"""Making a snapshot: one reading of the database, files written whole, and a row that names them by their digest."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from governance.dataset import manifest as manifests
from governance.dataset.datasheet import datasheet
from governance.dataset.draft import Draft, begun_draft, new_draft, one_at_a_time
from governance.dataset.home import require_legal_name, snapshots_home, take_turn
from governance.dataset.parts import Part, file_digest, schema, whole_file, write_table, write_twin
from governance.dataset.recalls import done_withdrawals, is_entered
from governance.dataset.selection import (
    choose,
    chosen_digests,
    chosen_that_grows,
    consent_versions,
    hold_to,
    parameters,
    shares,
)
from governance.dataset.stores import Folder, Objects, snapshot_store
from governance.dataset.treatment import Treatment
from governance.dataset_models import Snapshot, SnapshotShare
from governance.errors import Conflict
from governance.exports import ExportTable, Form, Row, facts, tables
from governance.journal import record
from governance.ledger.checkpoints import checkpoint_in_force, signed_note
from governance.ledger.notes import read_checkpoint
from governance.ledger.signing_keys import KeyNotHere, KeyRefused
from governance.ledger_kinds import SNAPSHOT
from governance.models import ConsentText
from governance.redaction.posture import detector_digest

#: How often a snapshot is begun again because something was withdrawn while it was made.
TRIES = 3
#: Rows fetched at once by the server-side cursor.
FETCHED = 500

Say = Callable[[str], None]


class ChangedMeanwhile(Conflict):
    """Something in it was withdrawn while it was made."""

    code = "changed_meanwhile"

    def __init__(self) -> None:
        super().__init__("Something was withdrawn while the snapshot was made, again and again. Please try later.")


class AlreadyReplaced(Conflict):
    """Somebody else's build of the same replacement was first."""

    code = "already_replaced"

    def __init__(self) -> None:
        super().__init__("This snapshot is replaced already.")


def _quiet(words: str) -> None:
    """Nobody listens."""


def build_snapshot(
    *,
    actor: str,
    reason: str = "",
    replaces: Snapshot | None = None,
    processes: int = 1,
    say: Say = _quiet,
) -> Snapshot:
    """Make a snapshot of everything that may leave now, or what one that was touched by a withdrawal still may have.

    A build that was killed is gone on with: parts that were finished are kept if they would be made the same again.

    Args:
        replaces: the snapshot that this one is made instead of; it is read as of the same instant.
        processes: how many redact texts at once.
        say: told of progress, a line at a time.

    Raises:
        ExportRefused: no legal name is set.
        SnapshotInProgress: another one is being made.
        AlreadyReplaced: what it was to replace is replaced.
        ChangedMeanwhile: withdrawals kept coming while it was made.
        SnapshotsAway: object storage did not take the files; the draft stays.
    """
    require_legal_name()
    home, store = snapshots_home(), snapshot_store()
    with one_at_a_time(home), store.turn():
        if replaces is not None and Snapshot.objects.filter(replaces=replaces).exists():
            raise AlreadyReplaced
        draft = _draft(home, replaces)
        before = store.held(replaces.path) if replaces else None
        for _ in range(TRIES):
            read = _write(draft, processes, say, replaces, before)
            store.put_up(draft, _paths(draft))
            try:
                return _enter(draft, read, store, before, actor=actor, reason=reason, replaces=replaces)
            except ChangedMeanwhile:
                say("Something was withdrawn meanwhile; what it touches is written again.")
        draft.discard()
        raise ChangedMeanwhile


def _draft(home: Path, replaces: Snapshot | None) -> Draft:
    terms = {
        "format": manifests.FORMAT,
        "writing": manifests.WRITING,
        "detectors": detector_digest(),
        "licensor": settings.ARENA_LEGAL_NAME,
        "software": manifests.software(),
        "replaces": str(replaces.pk) if replaces else None,
        "columns": {table.name: [table.statement, str(schema(table))] for table in tables()},
    }
    now = timezone.now()
    begun = begun_draft(home, terms, now, entered=is_entered)
    if begun is not None:
        return begun
    as_of = replaces.as_of if replaces else now
    told = {fact.name: fact.read(as_of) for fact in facts()}
    return new_draft(home, as_of=as_of, now=now, terms=terms, facts={**told, "ledger": _ledger_head()})


def _choose(draft: Draft, before: bytes | None, *, prepare: bool = True) -> dict[str, dict[str, int]]:
    """Choose what leaves; where it is known what the replaced snapshot had of all that grows, no more of it."""
    if before is not None:
        hold_to(UUID(bytes=identifier) for (identifier,) in struct.iter_unpack("16s", before))
    return choose(draft.as_of, prepare=prepare, held=before is not None)


def _ledger_head() -> dict[str, Any] | None:
    """The signed head of the ledger; None on a host that has no key while nothing was signed yet."""
    try:
        checkpoint = checkpoint_in_force()
    except (KeyNotHere, KeyRefused):
        return None
    told = read_checkpoint(checkpoint.text)
    return {"size": told.size, "root": told.root.hex(), "checkpoint": str(signed_note(checkpoint))}


@dataclass(frozen=True, slots=True)
class Reading:
    """What the database said when the files were written: what was chosen, and which withdrawals were done by then."""

    chosen: dict[str, str]
    withdrawals: frozenset[UUID]


def _write(draft: Draft, processes: int, say: Say, replaces: Snapshot | None, before: bytes | None = None) -> Reading:
    """Write every file, from one reading of the database."""
    outermost = not connection.in_atomic_block
    secret = bytes.fromhex(draft.state["secret"])
    with transaction.atomic(), Treatment(secret=secret, processes=processes) as treatment:
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        say("Choosing what may leave.")
        withdrawals = frozenset(done_withdrawals())
        counts = _choose(draft, before)
        for table in tables():
            _write_table(draft, table, treatment, say)
        versions = consent_versions()
        chosen = chosen_digests()
    _write_manifest(draft, counts, versions, replaces)
    return Reading(chosen, withdrawals)


def _write_table(draft: Draft, table: ExportTable, treatment: Treatment, say: Say) -> None:
    rows = 0
    made: list[Part] = []
    written = write_table(
        draft.folder,
        table,
        lambda: _read(table, draft.as_of),
        lambda batches: treatment.batches(batches, table),
        draft.state["parts"].get(table.name, []),
    )
    with closing(written):
        for part in written:
            made.append(part)
            draft.keep(table.name, made)
            rows += part["rows"]
            say(f"{table.name}: {rows:,} rows, {part['path']}, {part['bytes'] / 1e6:.1f} MB")
    names = {Path(part["path"]).name for part in made}
    for path in (draft.folder / table.name).iterdir():
        if path.name not in names:
            path.unlink()


def _read(table: ExportTable, as_of: datetime) -> Generator[Row, None, None]:
    """Rows of a table by a server-side cursor: as many in memory as are fetched at once."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(table.statement, parameters(as_of, table.values))
        while rows := cursor.fetchmany(FETCHED):
            yield from rows


def _write_manifest(
    draft: Draft, counts: dict[str, dict[str, int]], versions: list[int], replaces: Snapshot | None
) -> None:
    parts = draft.state["parts"]
    told = manifests.table_documents(parts)
    document = {
        "format": manifests.FORMAT,
        "id": draft.state["id"],
        "as_of": draft.state["as_of"],
        "licensor": settings.ARENA_LEGAL_NAME,
        "software": manifests.software(),
        "notes": list(manifests.NOTES),
        "tables": told,
        "consent": _consent(versions),
        "redaction": manifests.redaction_posture(),
        "left_out": manifests.left_out(counts),
        "private": {of: found["private"] for of, found in counts.items() if "private" in found},
        "replaces": _replaced(replaces, told) if replaces else None,
        "files": [*manifests.file_documents(parts), *_twins(draft)],
        **draft.state["facts"],
    }
    sheet = draft.folder / manifests.DATASHEET
    with whole_file(sheet) as file:
        # From the manifest as it will be read: names in their order.
        file.write(datasheet(json.loads(manifests.canonical(document))).encode())
    document["files"].append(_beside(draft.folder, sheet))
    with whole_file(draft.folder / manifests.MANIFEST) as file:
        file.write(manifests.canonical(document).encode())


def _twins(draft: Draft) -> list[dict[str, Any]]:
    """Write what is in JSON lines as Parquet too."""
    of_lines = [table for table in tables() if table.form == Form.JSONL]
    return [
        _beside(draft.folder, write_twin(draft.folder, table, part["path"]))
        for table in of_lines
        for part in draft.state["parts"][table.name]
    ]


def _beside(folder: Path, file: Path) -> dict[str, Any]:
    """A file that has no rows but those of other files."""
    path = file.relative_to(folder).as_posix()
    return {"table": None, "rows": None, "path": path, "sha256": file_digest(file), "bytes": file.stat().st_size}


def _paths(draft: Draft) -> list[str]:
    """Every file of a draft that was written, the manifest last."""
    manifest = json.loads((draft.folder / manifests.MANIFEST).read_text(encoding="utf-8"))
    return [*(file["path"] for file in manifest["files"]), manifests.MANIFEST]


def _consent(versions: list[int]) -> list[dict[str, Any]]:
    return [
        {
            "version": text.version,
            "language": text.language,
            "grantee": text.grantee,
            "scope": text.scope,
            "sentence": text.sentence,
            "sha256": text.sha256,
            "effective_from": text.effective_from.isoformat(),
        }
        for text in ConsentText.objects.filter(version__in=versions).order_by("version")
    ]


def _replaced(replaced: Snapshot, told: list[dict[str, Any]]) -> dict[str, Any]:
    """Which snapshot this one is instead of, and how many rows fewer each table has."""
    before = {table["name"]: table["rows"] for table in json.loads(replaced.manifest)["tables"]}
    return {
        "id": str(replaced.pk),
        "digest": replaced.digest,
        "removed": {table["name"]: max(0, before.get(table["name"], 0) - table["rows"]) for table in told},
    }


@transaction.atomic
def _enter(
    draft: Draft,
    read: Reading,
    store: Folder | Objects,
    before: bytes | None,
    *,
    actor: str,
    reason: str,
    replaces: Snapshot | None,
) -> Snapshot:
    """Make the draft a snapshot, if all of it may still leave.

    Whoever is forgotten while their labels stay takes back words and no row, so that the choice alone does not tell.
    Givers are those of now: a device may have been bound to an account since it was read.

    Raises:
        ChangedMeanwhile: something of it was withdrawn since it was read.
    """
    take_turn()
    _choose(draft, before, prepare=False)
    shared = shares()
    since = {judge for pk, judge in done_withdrawals().items() if pk not in read.withdrawals}
    if chosen_digests() != read.chosen or since & {judge for judge, _, _ in shared}:
        raise ChangedMeanwhile
    text = (draft.folder / manifests.MANIFEST).read_text(encoding="utf-8")
    snapshot = Snapshot.objects.create(
        id=draft.state["id"],
        digest=manifests.digest_of(text),
        manifest=text,
        path=draft.state["id"],
        as_of=draft.as_of,
        replaces=replaces,
    )
    SnapshotShare.objects.bulk_create(
        SnapshotShare(snapshot=snapshot, judge_id=judge, kind=kind, labels=labels) for judge, kind, labels in shared
    )
    record(
        actor=actor,
        action=SNAPSHOT,
        subject=str(snapshot.pk),
        reason=reason,
        replaces=replaces.digest if replaces else None,
    )
    store.hold(draft.state["id"], chosen_that_grows())
    store.enter(draft)
    transaction.on_commit(draft.discard)
    return Snapshot.objects.get(pk=snapshot.pk)
