"""Checking a delivered snapshot: every digest, every count, and what must hold between its tables.

Needs the folder and nothing else: no database, no network, no Django.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from governance.dataset.datasheet import datasheet
from governance.dataset.manifest import DATASHEET, FORMAT, MANIFEST, WRITING, WRITTEN_BY, canonical, digest_of
from governance.dataset.parts import file_digest, plain, twin_path
from governance.errors import ArenaError
from governance.exports import Form

#: What a column refers to: (table, column) to (table, column). Nulls refer to nothing.
REFERENCES = {
    ("battles", "task"): ("tasks", "task"),
    ("battles", "agent_a"): ("agents", "agent"),
    ("battles", "agent_b"): ("agents", "agent"),
    ("lanes", "battle"): ("battles", "battle"),
    ("steps", "lane"): ("lanes", "lane"),
    ("frames", "lane"): ("lanes", "lane"),
    ("frames", "image"): ("images", "image"),
    ("votes", "battle"): ("battles", "battle"),
    ("votes", "judge"): ("judges", "judge"),
    ("votes", "winner"): ("lanes", "lane"),
    ("completions", "vote"): ("votes", "vote"),
    ("completions", "lane"): ("lanes", "lane"),
    ("exclusions", "vote"): ("votes", "vote"),
    ("step_verdicts", "judge"): ("judges", "judge"),
    ("annotations", "frame"): ("frames", "frame"),
    ("clicks", "frame"): ("frames", "frame"),
}
#: What a frame must be, by both detectors, for its image to be here.
MAY_LEAVE = frozenset({"masked", "clean"})
FRAME_FACTS = ("image", "text_redaction", "picture_redaction")


class NoSnapshotThere(ArenaError):
    """The folder has no manifest that can be read."""

    code = "no_snapshot"


@dataclass
class FolderReport:
    """What was looked at and what differs; ``problems`` has one sentence for each difference."""

    digest: str = ""
    files: int = 0
    bytes: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return not self.problems


def verify_folder(folder: Path, *, digest: str = "") -> FolderReport:
    """Compute everything again that the manifest of a folder says.

    Args:
        digest: what the snapshot's digest must be, as the ledger or a notice gives it.

    Raises:
        NoSnapshotThere: there is no manifest, or it is of another format.
    """
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        manifest = json.loads(text)
    except (OSError, ValueError) as problem:
        raise NoSnapshotThere(f"There is no manifest that can be read in {folder}.") from problem
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise NoSnapshotThere(f"The manifest in {folder} is of another format than {FORMAT}.")
    report = FolderReport(digest=digest_of(text))
    if digest and digest != report.digest:
        report.problems.append(f"Its digest is {report.digest}, which is not the one expected.")
    if text != canonical(manifest):
        report.problems.append("The manifest is not in its canonical form.")
    if not _files(folder, manifest, report):
        return report
    report.problems += _tables(folder, manifest, report)
    # Others were written in another way, and by their digests are what they were.
    if manifest.get("software", {}).get(WRITTEN_BY) == str(WRITING):
        report.problems += _sheet(folder, manifest)
        report.problems += _twins(folder, manifest)
    return report


def _files(folder: Path, manifest: Mapping[str, Any], report: FolderReport) -> bool:
    """Every file is there as it is named, and no other; returns whether the tables can be read."""
    named = {file["path"]: file for file in manifest["files"]}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or path.is_symlink()}
    for path in sorted(there - set(named) - {MANIFEST}):
        report.problems.append(f"{path} is not in the manifest.")
    for path, file in sorted(named.items()):
        place = folder / path
        if path not in there or not place.resolve().is_relative_to(folder.resolve()):
            report.problems.append(f"{path} is missing.")
        elif place.stat().st_size != file["bytes"] or file_digest(place) != file["sha256"]:
            report.problems.append(f"{path} is not the file whose digest is in the manifest.")
        else:
            report.files += 1
            report.bytes += file["bytes"]
    return report.files == len(named)


class _References:
    """Names that tables give, and names that columns point to."""

    def __init__(self) -> None:
        self._targets = set(REFERENCES.values())
        self._given: dict[tuple[str, str], set[str]] = {}
        self._pointed: dict[tuple[str, str], set[str]] = {}

    def columns(self, table: str, columns: list[str]) -> list[str]:
        """Columns of a table that have to be read."""
        return [name for name in columns if (table, name) in self._targets or (table, name) in REFERENCES]

    def see(self, table: str, batch: pa.RecordBatch, columns: list[str]) -> None:
        for name in columns:
            values = {value for value in batch.column(name).to_pylist() if value is not None}
            for seen, wanted in ((self._given, self._targets), (self._pointed, REFERENCES)):
                if (table, name) in wanted:
                    seen.setdefault((table, name), set()).update(values)

    def problems(self) -> Iterator[str]:
        for key, target in REFERENCES.items():
            lost = self._pointed.get(key, set()) - self._given.get(target, set())
            if lost:
                yield f"{key[0]}.{key[1]} has {len(lost)} values that {target[0]}.{target[1]} does not have."


def _tables(folder: Path, manifest: Mapping[str, Any], report: FolderReport) -> Iterator[str]:
    references = _References()
    for table in manifest["tables"]:
        files = [file for file in manifest["files"] if file["table"] == table["name"]]
        rows = 0
        for file in files:
            held = yield from _table_file(folder, table, file["path"], references)
            if held != file["rows"]:
                yield f"{file['path']} has {held} rows, and the manifest says {file['rows']}."
            rows += held
        if rows != table["rows"]:
            yield f"{table['name']} has {rows} rows, and the manifest says {table['rows']}."
        report.rows += rows
    yield from references.problems()


def _table_file(
    folder: Path, table: Mapping[str, Any], path: str, references: _References
) -> Generator[str, None, int]:
    """What is wrong with one file; returns how many rows it has."""
    name = table["name"]
    columns = [column["name"] for column in table["columns"]]
    pointing = references.columns(name, columns)
    wanted = sorted({*pointing, *(FRAME_FACTS if name == "frames" else ())}) or columns[:1]
    rows = 0
    try:
        for batch in _read(folder / path, columns, wanted):
            rows += batch.num_rows
            references.see(name, batch, pointing)
            if name == "frames":
                yield from _images_that_may_not_leave(batch, path)
    except (ValueError, KeyError, pa.ArrowException) as problem:
        yield f"{path} cannot be read as its table: {problem}."
    return rows


def _read(path: Path, columns: list[str], wanted: list[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a file, a row group at a time.

    Raises:
        ValueError: it has other columns.
    """
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            if file.schema_arrow.names != columns:
                raise ValueError("it has other columns")
            yield from file.iter_batches(columns=wanted)
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if list(row) != columns:
                raise ValueError("it has other columns")
            yield pa.RecordBatch.from_pylist([{name: row[name] for name in wanted}])


def _images_that_may_not_leave(batch: pa.RecordBatch, path: str) -> Iterator[str]:
    facts = [batch.column(name).to_pylist() for name in FRAME_FACTS]
    if any(image is not None and not {text, picture} <= MAY_LEAVE for image, text, picture in zip(*facts, strict=True)):
        yield f"{path} has the image of a frame that was not examined, or whose examination failed."


def _twins(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What is in JSON lines is in the Parquet file beside them, row by row."""
    for file in manifest["files"]:
        if not file["path"].endswith(f".{Form.JSONL}"):
            continue
        twin = twin_path(file["path"])
        try:
            with (folder / file["path"]).open(encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            held = pq.read_table(folder / twin).to_pylist()
        except (OSError, ValueError, pa.ArrowException) as problem:
            yield f"{twin} cannot be read beside {file['path']}: {problem}."
            continue
        if rows != [{name: plain(value) for name, value in row.items()} for row in held]:
            yield f"{twin} has other rows than {file['path']}."


def _sheet(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    """The datasheet says what the manifest says."""
    before = {**manifest, "files": [file for file in manifest["files"] if file["path"] != DATASHEET]}
    if (folder / DATASHEET).read_text(encoding="utf-8") != datasheet(before):
        yield f"{DATASHEET} is not the datasheet of this manifest."
