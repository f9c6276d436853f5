"""A snapshot that is being made: its folder, and what a restart has to know. Knows no Django.

The state holds the secret that judges' keys are made with, so it lies outside of the folder that leaves, readable by
its owner alone, and goes when the snapshot is done.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

from governance.dataset.parts import UNFINISHED, Part, write_json
from governance.errors import Conflict
from governance.identifiers import time_ordered_id

#: Under this name drafts lie beside the snapshots that are done.
DRAFTS = ".drafts"
#: A draft that nobody went on with for so long is made anew.
STALE_AFTER = timedelta(days=7)


class SnapshotInProgress(Conflict):
    """Another process makes one: they take turns."""

    code = "snapshot_in_progress"

    def __init__(self) -> None:
        super().__init__("Another snapshot is being made. Please wait until it is done.")


class State(TypedDict):
    """What a restart continues from. ``terms`` are everything that must be the same for that.

    ``as_of`` is what the database is read as of, which for a replacement lies long before it was begun.
    """

    id: str
    as_of: str
    begun_at: str
    secret: str
    terms: dict[str, Any]
    facts: dict[str, Any]
    parts: dict[str, list[Part]]


class Draft:
    """One draft below the folder of snapshots."""

    def __init__(self, home: Path, state: State) -> None:
        self.home = home
        self.state = state

    @property
    def folder(self) -> Path:
        return self.home / DRAFTS / self.state["id"]

    @property
    def final(self) -> Path:
        return self.home / self.state["id"]

    @property
    def as_of(self) -> datetime:
        return datetime.fromisoformat(self.state["as_of"])

    @property
    def begun_at(self) -> datetime:
        return datetime.fromisoformat(self.state["begun_at"])

    def save(self) -> None:
        write_json(_state_path(self.home, self.state["id"]), self.state)

    def keep(self, table: str, parts: list[Part]) -> None:
        """Remember which parts of a table are on disk."""
        self.state["parts"][table] = list(parts)
        self.save()

    def forget(self) -> None:
        """Delete the state, and with it the secret."""
        _state_path(self.home, self.state["id"]).unlink(missing_ok=True)

    def discard(self) -> None:
        """Delete the draft altogether."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.forget()


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """Hold the place of whoever makes a snapshot; a killed process leaves it free.

    Raises:
        SnapshotInProgress: somebody else has it.
    """
    drafts = home / DRAFTS
    drafts.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(drafts / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SnapshotInProgress from error
        yield
    finally:
        os.close(handle)


def begun_draft(home: Path, terms: dict[str, Any], now: datetime, *, entered: Callable[[str], bool]) -> Draft | None:
    """The draft of an earlier try on the same terms; drafts that cannot be gone on with are deleted.

    Args:
        entered: whether a snapshot of this identifier is known, so that its draft is done.
    """
    found = None
    for draft in _unfinished(home, entered):
        terms_then = draft.state["terms"]
        if terms_then == terms and now - draft.begun_at < STALE_AFTER and found is None:
            found = draft
        elif terms_then.get("replaces") == terms["replaces"]:
            draft.discard()
    return found


def discard_drafts(home: Path, *, before: datetime, entered: Callable[[str], bool]) -> int:
    """Delete drafts that were begun before something was withdrawn, which may be in their files; returns how many.

    One that is being made at this moment is left alone: what was withdrawn is written anew before it is a snapshot.
    """
    if not (home / DRAFTS).is_dir():
        return 0
    try:
        with one_at_a_time(home):
            old = [draft for draft in _unfinished(home, entered) if draft.begun_at <= before]
            for draft in old:
                draft.discard()
    except SnapshotInProgress:
        return 0
    return len(old)


def _unfinished(home: Path, entered: Callable[[str], bool]) -> list[Draft]:
    """Drafts that are no snapshots yet, their folders in their places; what cannot be read is deleted.

    So is what a killed process was in the middle of writing: a state has the secret in it, half of one too.
    """
    for torn in (home / DRAFTS).glob(f"**/{UNFINISHED}*"):
        torn.unlink(missing_ok=True)
    for folder in (home / DRAFTS).iterdir():
        if folder.is_dir() and not folder.with_suffix(".json").exists():
            shutil.rmtree(folder, ignore_errors=True)
    found = []
    for path in sorted((home / DRAFTS).glob("*.json")):
        try:
            draft = Draft(home, json.loads(path.read_text(encoding="utf-8")))
            whole = bool(draft.begun_at and draft.as_of and isinstance(draft.state["terms"], dict))
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)
            path.unlink()
            continue
        if entered(draft.state["id"]):
            draft.discard()
            continue
        if draft.final.exists() and not draft.folder.exists():
            # Killed after the move and before the commit: nobody knows of this snapshot yet.
            os.replace(draft.final, draft.folder)
        found.append(draft)
    return found


def new_draft(home: Path, *, as_of: datetime, now: datetime, terms: dict[str, Any], facts: dict[str, Any]) -> Draft:
    state = State(
        id=str(time_ordered_id()),
        as_of=as_of.isoformat(),
        begun_at=now.isoformat(),
        secret=secrets.token_hex(32),
        terms=terms,
        facts=facts,
        parts={},
    )
    draft = Draft(home, state)
    draft.folder.mkdir(mode=0o700, parents=True)
    draft.save()
    return draft


def _state_path(home: Path, identifier: str) -> Path:
    return home / DRAFTS / f"{identifier}.json"
