"""Where the files of finished snapshots are kept: in the folder that their drafts are in, or in object storage.

Drafts are made in the data folder of the host that makes them in both cases. Nothing here decides who may have a file.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection

from governance.dataset.draft import DRAFTS, Draft, SnapshotInProgress
from governance.dataset.home import snapshots_home
from governance.dataset.parts import whole_file
from governance.errors import ArenaError
from governance.object_storage import PIECE, ObjectBody, ObjectStore

logger = logging.getLogger(__name__)

#: Advisory lock of PostgreSQL: one host at a time makes a snapshot that goes into object storage.
LOCK = 6_965


#: Beside the snapshots, under their names: what a replacement of one is held to. Nobody outside gets it.
HELD = "held"


class SnapshotsAway(ArenaError):
    """The object storage of snapshots does not answer, or refuses."""

    code = "snapshots_away"
    status = 503


class SnapshotObjects(ObjectStore):
    """Nobody races meanwhile, and a part has up to 256 MB: the server may think about it for longer."""

    read_seconds = 20


class KeptFile(NamedTuple):
    """A file to be passed on, which whoever asked for it closes, and its bytes."""

    file: BinaryIO | ObjectBody
    size: int


class Folder:
    """Snapshots lie beside their drafts; hosts that make and serve them share that folder."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Whoever makes one has the turn by the lock in the folder already."""
        yield

    def put_up(self, draft: Draft, paths: Collection[str]) -> None:
        """Nothing to do yet: the draft is moved when it is entered."""

    def hold(self, name: str, content: bytes) -> None:
        """Keep what a replacement of a snapshot is held to."""
        with whole_file(snapshots_home() / HELD / name) as file:
            file.write(content)

    def held(self, name: str) -> bytes | None:
        """What a replacement of a snapshot is held to; None where nothing was kept."""
        path = snapshots_home() / HELD / name
        return path.read_bytes() if path.is_file() else None

    def enter(self, draft: Draft) -> None:
        """Last before the commit; a kill in between leaves the draft's state, which says where the folder went."""
        os.replace(draft.folder, draft.final)

    def open(self, name: str, path: str) -> KeptFile:
        file = (snapshots_home() / name / path).open("rb")
        return KeptFile(file, os.fstat(file.fileno()).st_size)

    def names(self) -> set[str]:
        home = snapshots_home()
        return {entry.name for entry in home.iterdir() if entry.name not in {DRAFTS, HELD}} if home.is_dir() else set()

    def delete(self, name: str) -> None:
        folder = snapshots_home() / name
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise OSError(None, "the disk refused it")

    def sweep(self, entered: Callable[[str], bool]) -> None:
        """What a killed build moved here is moved back when the next one begins."""

    def probe(self) -> None:
        """Nothing to ask: where there is no folder yet, no snapshot was made."""

    @contextmanager
    def folder_of(self, name: str) -> Iterator[Path]:
        """A folder with the files of a snapshot."""
        yield snapshots_home() / name


class Objects:
    """Snapshots are put up under their identifiers before anybody knows of them, and their drafts go after that.

    Raises, unless it says otherwise:
        SnapshotsAway: the storage refused or did not answer; nothing that was there is lost.
    """

    def __init__(self, objects: SnapshotObjects) -> None:
        self._objects = objects

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the place of whoever makes a snapshot, among all hosts; it ends with the connection of a killed process.

        Raises:
            SnapshotInProgress: somebody else has it.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            if not cursor.fetchone()[0]:
                raise SnapshotInProgress
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])

    def put_up(self, draft: Draft, paths: Collection[str]) -> None:
        """Write every file of a draft, and delete what an earlier try wrote besides."""
        name = draft.state["id"]
        try:
            for path in paths:
                with (draft.folder / path).open("rb") as file:
                    self._objects.save(f"{name}/{path}", File(file))
            for path in set(self._paths(name)) - set(paths):
                self._objects.delete(f"{name}/{path}")
        except OSError as problem:
            raise SnapshotsAway(
                f"The snapshot is written and could not be put up: {problem.strerror}. Its files are kept here; make "
                "one again when that is mended, and it is gone on with."
            ) from problem

    def hold(self, name: str, content: bytes) -> None:
        """Keep what a replacement of a snapshot is held to."""
        with _as_refusal("What replacements are held to cannot be kept right now: the log says why."):
            self._objects.save(f"{HELD}/{name}", ContentFile(content))

    def held(self, name: str) -> bytes | None:
        """What a replacement of a snapshot is held to; None where nothing was kept."""
        with _as_refusal("What the replaced snapshot had cannot be read right now: the log says why."):
            try:
                with closing(self._objects.body(f"{HELD}/{name}")) as body:
                    return body.read()
            except FileNotFoundError:
                return None

    def enter(self, draft: Draft) -> None:
        """Everything is there."""

    def open(self, name: str, path: str) -> KeptFile:
        """A file as it arrives.

        Raises:
            FileNotFoundError: there is none.
        """
        with _as_refusal("The files of snapshots cannot be reached right now. Nothing is lost; please try again soon."):
            body = self._objects.body(f"{name}/{path}")
        return KeptFile(body, body.size)

    def names(self) -> set[str]:
        """Identifiers under which anything lies.

        Raises:
            OSError: the storage refused or did not answer.
        """
        return {name for name in (file.partition("/")[0] for file, _ in self._objects.files()) if _is_identifier(name)}

    def delete(self, name: str) -> None:
        """Delete all files of a snapshot.

        Raises:
            OSError: the storage refused or did not answer.
        """
        for path in self._paths(name):
            self._objects.delete(f"{name}/{path}")

    def sweep(self, entered: Callable[[str], bool]) -> None:
        """Delete what builds put up that were killed before anybody knew of it; not while one is being made.

        Raises:
            OSError: the storage refused or did not answer.
        """
        try:
            with self.turn():
                for name in sorted(self.names()):
                    if not entered(name):
                        self.delete(name)
        except SnapshotInProgress:
            return

    def probe(self) -> None:
        """Find out whether the bucket is there and may be used.

        Raises:
            OSError: it is not, or may not.
        """
        self._objects.probe()

    @contextmanager
    def folder_of(self, name: str) -> Iterator[Path]:
        """A folder with the files of a snapshot, fetched for the time being."""
        with tempfile.TemporaryDirectory(prefix="ringside-snapshot-") as folder:
            with _as_refusal("The files of the snapshot cannot be fetched right now: the log says why."):
                for path in self._paths(name):
                    self._fetch(f"{name}/{path}", Path(folder, path))
            yield Path(folder)

    def _fetch(self, name: str, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._objects.body(name)) as body, target.open("xb") as file:
            shutil.copyfileobj(cast("BinaryIO", body), file, PIECE)

    def _paths(self, name: str) -> list[str]:
        return [file.removeprefix(f"{name}/") for file, _ in self._objects.files(f"{name}/")]


def snapshot_store() -> Folder | Objects:
    """Where they are kept by the settings of now."""
    if "snapshots" in settings.STORAGES:
        return Objects(cast("SnapshotObjects", storages["snapshots"]))
    return Folder()


@contextmanager
def _as_refusal(words: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as problem:
        logger.warning("snapshots cannot be read: %s", problem.strerror)
        raise SnapshotsAway(words) from problem


def _is_identifier(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False
