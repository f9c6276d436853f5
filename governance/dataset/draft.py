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

from governance.dataset.parts import Part, write_json
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
    """What a restart continues from. ``terms`` are everything that must be the same for that."""

    id: str
    as_of: str
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
    for path in sorted((home / DRAFTS).glob("*.json")):
        try:
            state: State = json.loads(path.read_text(encoding="utf-8"))
            draft = Draft(home, state)
            good = state["terms"] == terms and now - draft.as_of < STALE_AFTER and found is None
        except (ValueError, KeyError, TypeError):
            path.unlink()
            continue
        if entered(draft.state["id"]):
            draft.forget()
            continue
        if draft.final.exists() and not draft.folder.exists():
            # Killed after the move and before the commit: nobody knows of this snapshot yet.
            os.replace(draft.final, draft.folder)
        if good:
            found = draft
        elif state["terms"].get("replaces") == terms["replaces"]:
            draft.discard()
    return found


def new_draft(home: Path, *, as_of: datetime, terms: dict[str, Any], facts: dict[str, Any]) -> Draft:
    state = State(
        id=str(time_ordered_id()),
        as_of=as_of.isoformat(),
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
