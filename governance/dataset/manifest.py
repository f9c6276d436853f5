"""The manifest of a snapshot: everything that has to be known of its files, as one canonical document.

Its SHA-256 is the snapshot's digest, which the ledger names. Knows no Django.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from governance.exports import WORDS, ColumnKind, reasons, tables, universes
from governance.redaction.imagery_posture import IMAGERY_POSTURE, imagery_figures, imagery_state
from governance.redaction.posture import TEXT_POSTURE, measured_figures, posture_state

if TYPE_CHECKING:
    from governance.dataset.parts import Part

#: Changes with what readers rely on.
FORMAT = "ringside-snapshot/1"
#: Changes whenever the same records would give other files.
WRITING = 3
#: Among the versions of a manifest, which of these wrote it.
WRITTEN_BY = "writing"
MANIFEST, DATASHEET = "manifest.json", "README.md"

#: Types of columns, as Parquet's readers call them.
TYPES = {
    ColumnKind.WHOLE: "int64",
    ColumnKind.NUMBER: "double",
    ColumnKind.FLAG: "bool",
    ColumnKind.INSTANT: "timestamp[us, tz=UTC]",
    ColumnKind.CODES: "list<string>",
    ColumnKind.BYTES: "binary",
}
NOTES = (
    "Judges have keys that are good for this snapshot only: the same person has another one in the next.",
    "A battle that its submitter never offered to other judges leaves with its numbers and without its texts and "
    "images: only its submitter saw them. The columns are null there.",
    "Redaction replaces a detail by the name of its kind in brackets. What it misses is measured and said here.",
    "Battles that somebody may still judge blind are left out, and so are those that check or train judges.",
)


def canonical(document: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(manifest: str) -> str:
    """The snapshot's digest: SHA-256 of the manifest's bytes, in hexadecimal."""
    return hashlib.sha256(manifest.encode()).hexdigest()


def table_documents(parts: Mapping[str, Sequence[Part]]) -> list[dict[str, Any]]:
    """Tables with their columns and how many rows each has."""
    return [
        {
            "name": table.name,
            "words": table.words,
            "form": table.form.value,
            "rows": sum(part["rows"] for part in parts[table.name]),
            "columns": [
                {
                    "name": column.name,
                    "type": TYPES.get(column.kind, "string"),
                    "words": column.words,
                    "treatment": treatment(column.kind),
                }
                for column in table.columns
            ],
        }
        for table in tables()
    ]


def treatment(kind: ColumnKind) -> str:
    """What is done to a column on its way out, as a word of the code."""
    if kind in WORDS:
        return "redacted"
    return "key_of_this_snapshot" if kind == ColumnKind.JUDGE else "as_stored"


def redaction_posture() -> dict[str, Any]:
    """What redaction of texts and pictures finds and does not, and how well it was measured to do; no stale figures."""
    return {
        "text": {
            "state": posture_state().value,
            "measured": measured_figures(),
            "kinds": [
                {
                    "kind": posture.kind.value,
                    "detects": posture.detects,
                    "basis": [basis.value for basis in posture.basis],
                    "best_effort": posture.best_effort,
                }
                for posture in TEXT_POSTURE.kinds
            ],
            "out_of_scope": list(TEXT_POSTURE.out_of_scope),
        },
        "imagery": {
            "state": imagery_state().value,
            "measured": imagery_figures(),
            "detectors": [
                {"name": each.name, "when": each.when, "detects": list(each.detects)}
                for each in IMAGERY_POSTURE.detectors
            ],
            "out_of_scope": list(IMAGERY_POSTURE.out_of_scope),
        },
    }


def left_out(counts: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """What was held back: by kind of row and reason, with the reason in words and how many."""
    words = reasons()
    return [
        {"of": universe.of, "reason": reason, "words": words[universe.of][reason], "rows": count}
        for universe in universes()
        for reason, count in sorted(counts[universe.of].items())
        if reason != "private"
    ]


def file_documents(parts: Mapping[str, Sequence[Part]]) -> list[dict[str, Any]]:
    """Every file of the tables: path, digest, bytes and rows."""
    return [
        {"table": name, **{key: part[key] for key in ("path", "sha256", "bytes", "rows")}}
        for name in parts
        for part in parts[name]
    ]


def software() -> dict[str, str]:
    """Versions that decide on the bytes of files and on what redaction finds: of libraries, and of what writes them."""
    libraries = {name: version(name) for name in ("pyarrow", "phonenumbers", "python-stdnum")}
    return {**libraries, WRITTEN_BY: str(WRITING)}
