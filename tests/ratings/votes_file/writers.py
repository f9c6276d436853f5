"""Files of votes in every format, written the way other programs write them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

Rows = Sequence[Mapping[str, Any]]


def delimited(rows: Rows, delimiter: str = ",", *, quoting: int = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    """A table with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def json_lines(rows: Rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def json_array(rows: Rows) -> str:
    return json.dumps(list(rows), indent=2)


def every_format(rows: Rows, folder: Path) -> dict[str, Path]:
    """The same rows in every format, by the format's name; Parquet where the library for it is installed."""
    texts = {
        "comma": delimited(rows),
        "semicolon": delimited(rows, ";"),
        "tab": delimited(rows, "\t"),
        "quoted": delimited(rows, quoting=csv.QUOTE_ALL),
        "crlf": delimited(rows, end="\r\n"),
        "cr": delimited(rows, end="\r"),
        "blank_lines": "\n \n" + delimited(rows, end="\n\n"),
        "lines": json_lines(rows),
        "array": json_array(rows),
        "minified": json.dumps(list(rows), separators=(",", ":")),
    }
    contents = {name: text.encode() for name, text in texts.items()}
    contents["bom"] = b"\xef\xbb\xbf" + texts["comma"].encode()
    contents["utf16"] = texts["tab"].encode("utf-16")
    contents["utf16_lines"] = texts["lines"].encode("utf-16")
    contents |= {f"{name}_gz": gzip.compress(contents[name]) for name in ("comma", "lines", "array")}
    paths = {name: folder / name for name in contents}
    for name, path in paths.items():
        path.write_bytes(contents[name])
    paths["parquet"] = folder / "parquet"
    write_parquet(rows, paths["parquet"])
    paths["parquet_gz"] = folder / "parquet_gz"
    paths["parquet_gz"].write_bytes(gzip.compress(paths["parquet"].read_bytes()))
    return paths


def write_parquet(rows: Rows, path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), path)


def vote(a: str, b: str, winner: str, judge: str = "j1", **more: Any) -> dict[str, Any]:
    """One row."""
    return {"model_a": a, "model_b": b, "winner": winner, "judge": judge, **more}


def duel(wins: int, losses: int, ties: int = 0, a: str = "a1", b: str = "a2", judge: str = "") -> list[dict[str, Any]]:
    """Rows of one agent against another, by one judge or, without a name, by one each."""
    outcomes = ["model_a"] * wins + ["model_b"] * losses + ["tie"] * ties
    return [vote(a, b, outcome, judge or f"{a}-{b}-{number}") for number, outcome in enumerate(outcomes)]
