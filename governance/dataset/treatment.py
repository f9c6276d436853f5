"""Rows on their way out: words redacted, judges under keys of this snapshot, values in the types that files have.

Redaction costs far more than everything else, and most words of a step were seen before. So what is the same in a batch
is redacted once, what is short is remembered, and the rest can be shared out among processes. Structured data is the
same where nothing but small numbers differ, such as places on a page: redaction leaves those alone. Knows no Django.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from governance.exports import WORDS, Column, ColumnKind, ExportTable, Redact, Row
from governance.redaction.values import SMALLEST_NUMBER

#: How many redacted texts are remembered, and how long they may be: at most some tens of megabytes.
REMEMBERED, LONGEST_REMEMBERED = 20_000, 400
#: Texts handed to a process at once.
SHARE = 32
#: Hexadecimal digits of a judge's key.
KEY_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Words:
    """What is redacted as one: columns that are read together, as the database has them.

    Attributes:
        redact: how.
        columns: names and kinds.
        texts: values in the same order; None where there is nothing.
        known: details known to be personal wherever they stand, JSON; None where there are none.
    """

    redact: Redact
    columns: tuple[tuple[str, ColumnKind], ...]
    texts: tuple[str | None, ...]
    known: str | None

    @property
    def length(self) -> int:
        return sum(len(text) for text in self.texts if text)


def redacted(words: Words) -> tuple[str | None, ...]:
    """The same texts with their personal details replaced."""
    read = {
        name: json.loads(text) if kind == ColumnKind.DATA else text
        for (name, kind), text in zip(words.columns, words.texts, strict=True)
        if text is not None
    }
    shown = words.redact(read, json.loads(words.known) if words.known else None)
    return tuple(
        json.dumps(shown[name], ensure_ascii=False, sort_keys=True)
        if kind == ColumnKind.DATA and name in shown
        else shown.get(name)
        for name, kind in words.columns
    )


class Treatment:
    """Treats rows of one snapshot.

    Args:
        secret: makes judges' keys; nobody keeps it once the snapshot is made.
        processes: how many redact at once; with 1 no other process is started.
    """

    def __init__(self, *, secret: bytes, processes: int = 1) -> None:
        self._secret = secret
        self._known: dict[Words, tuple[str | None, ...]] = {}
        self._pool: ProcessPoolExecutor | None = None
        if processes > 1:
            # Started afresh, not forked: a child must not hold the database's connection.
            self._pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def judge(self, identifier: str) -> str:
        """The key of a judge in this snapshot."""
        return hmac.digest(self._secret, identifier.encode(), hashlib.sha256).hex()[:KEY_DIGITS]

    def batch(self, rows: Sequence[Row], table: ExportTable) -> list[Row]:
        """Rows as they leave. Each comes with what is known to be personal and whether its words are withheld."""
        treated = [self._without_words(row, table.columns) for row in rows]
        together = _read_together(table)
        wanted = [
            (number, *each)
            for number, row in enumerate(rows)
            if not row[-1]
            for each in _words_of(row, table.redact, together)
        ]
        shown = self._redact(words for _, _, words, _ in wanted)
        for number, places, words, numbers in wanted:
            for place, text, taken in zip(places, shown[words], numbers, strict=True):
                treated[number][place] = _with_numbers(text, taken) if text and taken else text
        return [tuple(row) for row in treated]

    def _without_words(self, row: Row, columns: Sequence[Column]) -> list[Any]:
        """The row with nothing where words stand."""
        private = row[-1]
        return [self._plain(column.kind, value, private) for column, value in zip(columns, row[:-2], strict=True)]

    def _plain(self, kind: ColumnKind, value: Any, private: bool) -> Any:
        if value is None or kind in WORDS or (private and kind == ColumnKind.BYTES):
            return None
        if kind == ColumnKind.JUDGE:
            return self.judge(value)
        return str(value) if kind == ColumnKind.ID else value

    def _redact(self, wanted: Iterable[Words]) -> dict[Words, tuple[str | None, ...]]:
        distinct = dict.fromkeys(wanted)
        shown = {words: self._known[words] for words in distinct if words in self._known}
        new = [words for words in distinct if words not in shown]
        work: Callable[[Iterable[Words]], Iterator[tuple[str | None, ...]]] = self._shared if self._pool else _alone
        shown.update(zip(new, work(new), strict=True))
        for words in new:
            if words.length <= LONGEST_REMEMBERED:
                if len(self._known) >= REMEMBERED:
                    self._known.pop(next(iter(self._known)))
                self._known[words] = shown[words]
        return shown

    def _shared(self, wanted: Iterable[Words]) -> Iterator[tuple[str | None, ...]]:
        assert self._pool is not None
        return self._pool.map(redacted, wanted, chunksize=SHARE)


def _alone(wanted: Iterable[Words]) -> Iterator[tuple[str | None, ...]]:
    return map(redacted, wanted)


_Together = list[tuple[tuple[int, ...], tuple[tuple[str, ColumnKind], ...]]]


def _read_together(table: ExportTable) -> _Together:
    """Which columns of a table are redacted as one: their places, their names and kinds."""
    places = {column.name: place for place, column in enumerate(table.columns)}
    alone = [(column.name,) for column in table.columns if column.kind in WORDS and column.name not in table.together]
    found = []
    for names in [table.together, *alone] if table.together else alone:
        at = tuple(places[name] for name in names)
        found.append((at, tuple((name, table.columns[place].kind) for name, place in zip(names, at, strict=True))))
    return found


def _words_of(
    row: Row, redact: Redact, together: _Together
) -> Iterator[tuple[tuple[int, ...], Words, list[list[float]]]]:
    """What of a row is redacted as one, with the places it goes back to and the numbers that were taken out."""
    for at, kinds in together:
        if all(row[place] is None for place in at):
            continue
        numbers: list[list[float]] = [[] for _ in at]
        texts = tuple(
            _without_numbers(row[place], taken) if kind == ColumnKind.DATA and row[place] else row[place]
            for place, (_, kind), taken in zip(at, kinds, numbers, strict=True)
        )
        yield at, Words(redact, kinds, texts, row[-2] if any(texts) else None), numbers


def _without_numbers(text: str, taken: list[float]) -> str:
    """JSON whose small numbers are their places in ``taken``, which is filled."""

    def numbered(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: numbered(held) for key, held in value.items()}
        if isinstance(value, list):
            return [numbered(held) for held in value]
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= SMALLEST_NUMBER:
            return value
        taken.append(value)
        return len(taken) - 1

    return json.dumps(numbered(json.loads(text)), ensure_ascii=False)


def _with_numbers(text: str, taken: list[float]) -> str:
    """The same JSON with its small numbers in their places again."""

    def restored(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: restored(held) for key, held in value.items()}
        if isinstance(value, list):
            return [restored(held) for held in value]
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= SMALLEST_NUMBER:
            return value
        return taken[value]

    return json.dumps(restored(json.loads(text)), ensure_ascii=False, sort_keys=True)
