"""Reading task texts out of the files in which public benchmarks are published.

Benchmarks share no format, but nearly all are JSON Lines, JSON, CSV or one text file a task, gzipped or not, and call
the text and its id by one of a few names. Those names are listed here, most telling first; a file that uses others can
be read by naming them.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from battles.screening.canonical_wording import plain_text
from battles.screening.overlap_index import ItemName
from governance.errors import ArenaError

# Who uses which: text (our own export), intent (WebArena and its kin, Agent-E), confirmed_task (Mind2Web and
# Online-Mind2Web), ques (WebVoyager), instruction (OSWorld, Windows Agent Arena, Spider2-V, WebShop goals as
# instruction_text), goal (REAL), task (WebBench, OfficeBench, AssistantBench, Mind2Web-Live), task_template
# (AndroidWorld), question (GAIA, WebWalkerQA), problem (BrowseComp, once deciphered), description (CRAB, WebGames).
TEXT_FIELDS = (
    "text",
    "intent",
    "confirmed_task",
    "ques",
    "instruction",
    "instruction_text",
    "goal",
    "task",
    "task_template",
    "question",
    "problem",
    "query",
    "utterance",
    "prompt",
    "description",
)
ID_FIELDS = ("id", "task_id", "annotation_id", "uuid", "uid", "task_name", "index", "asin")
BENCHMARK_FIELD = "benchmark"

LONGEST_WORD = 200
"""A longer run without a space in an ASCII text is no task: ciphered sets (BrowseComp) look like this."""


class BenchmarkFileUnreadable(ArenaError):
    """A benchmark file is missing, of an unknown format, ciphered, or has no field that holds a task's text."""

    code = "benchmark_file_unreadable"


@dataclass(frozen=True, slots=True)
class BenchmarkItem:
    name: ItemName
    text: str


def read_items(path: Path, *, benchmark: str = "", text_field: str = "", id_field: str = "") -> Iterator[BenchmarkItem]:
    """The tasks of one file, in its order.

    Args:
        path: ``.jsonl``, ``.json``, ``.csv``, ``.tsv``, ``.md`` or ``.txt`` (one task), each also with ``.gz``.
        benchmark: name for rows that do not carry one; the file's name without its endings when empty.
        text_field: the field that holds the text, when it is none of :data:`TEXT_FIELDS`.
        id_field: the field that holds the id, when it is none of :data:`ID_FIELDS`; rows without one are numbered.

    Raises:
        BenchmarkFileUnreadable: what is wrong and, where there is one, the row.
    """
    bare = path.name.removesuffix(".gz")
    stem, _, kind = bare.rpartition(".")
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
        rows = list(_rows(text, kind, stem))
    except (OSError, EOFError, ValueError, csv.Error) as error:
        raise BenchmarkFileUnreadable(f"{path} cannot be read as {kind or 'a benchmark'}: {error}") from error
    for number, row in enumerate(rows):
        found = _first(row, (text_field,) if text_field else TEXT_FIELDS)
        if found is None:
            wanted = text_field or ", ".join(TEXT_FIELDS)
            raise BenchmarkFileUnreadable(
                f"Row {number} of {path} has no task text under {wanted}; its fields are {', '.join(map(str, row))}. "
                "Name the right one with --text-field."
            )
        if found.isascii() and max(map(len, plain_text(found).split()), default=0) > LONGEST_WORD:
            raise BenchmarkFileUnreadable(f"Row {number} of {path} looks ciphered; decipher the file first.")
        item_id = _first(row, (id_field,) if id_field else ID_FIELDS) or str(number)
        yield BenchmarkItem(ItemName(str(row.get(BENCHMARK_FIELD) or benchmark or stem), item_id), found)


def _rows(text: str, kind: str, stem: str) -> Iterator[Mapping[str, object]]:
    if kind in {"jsonl", "ndjson"}:
        for line in text.splitlines():
            if line.strip():
                yield from _objects(json.loads(line))
    elif kind == "json":
        yield from _objects(json.loads(text))
    elif kind in {"csv", "tsv"}:
        for row in csv.DictReader(io.StringIO(text), delimiter="\t" if kind == "tsv" else ","):
            yield {str(key).strip().casefold(): value for key, value in row.items()}
    elif kind in {"md", "txt"}:
        yield {"id": stem, "text": text}
    else:
        raise ValueError("unknown ending; use .jsonl, .json, .csv, .tsv, .md or .txt")


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    """The tasks in a JSON value: one object, a list of objects or texts, or an object of objects by id."""
    if isinstance(value, str):
        yield {"text": value}
    elif isinstance(value, list):
        for one in value:
            yield from _objects(one)
    elif isinstance(value, dict):
        row = {str(key).casefold(): held for key, held in value.items()}
        nested = [held for held in value.values() if isinstance(held, dict | list)]
        if _first(row, TEXT_FIELDS) is None and len(nested) == len(value):
            for key, held in value.items():
                for inner in _objects(held):
                    yield inner if isinstance(held, list) else {"id": key, **inner}
        else:
            yield row
    else:
        raise ValueError(f"expected tasks, found {type(value).__name__}")


def _first(row: Mapping[str, object], fields: tuple[str, ...]) -> str | None:
    """The first of ``fields`` that holds a text or a number, as text."""
    for field in fields:
        value = row.get(field.casefold())
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None
