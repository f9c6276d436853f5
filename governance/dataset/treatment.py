"""Rows on their way out: words redacted, judges under keys of this snapshot, values in the types that files have.

Redaction costs far more than everything else, and most words of a step were seen before. So what is the same is
redacted once: of words that hold nothing personal, which are nearly all, only a digest is remembered, and what a lane
is known to hold is replaced afterwards, since it differs from lane to lane. New words can be shared out among
processes, which work on the next rows while these are written. Structured data is the same where nothing but small
numbers differ, such as places on a page: redaction leaves those alone. Knows no Django.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from governance.dataset.small_numbers import with_numbers, without_numbers
from governance.exports import WORDS, ColumnKind, ExportTable, Row, redact_words

#: How many words are remembered as they leave, and how long those may be; and of how many only that nothing is in them.
#: Together at most some tens of megabytes.
REMEMBERED, LONGEST_REMEMBERED, REMEMBERED_CLEAN = 20_000, 400, 200_000
#: Words handed to a process at once.
SHARE = 32
#: Batches whose words are being redacted while an earlier one is written.
AHEAD = 1
#: Hexadecimal digits of a judge's key.
KEY_DIGITS = 32

Columns = tuple[tuple[str, ColumnKind], ...]
Texts = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """What is redacted as one: columns that are read together, as the database has them.

    Attributes:
        columns: names and kinds.
        texts: values in the same order; None where there is nothing.
    """

    columns: Columns
    texts: Texts

    @property
    def length(self) -> int:
        return sum(len(text) for text in self.texts if text)

    def digest(self) -> bytes:
        """What tells these words from all others; 16 bytes."""
        return hashlib.blake2b(
            repr((self.columns, self.texts)).encode("utf-8", "surrogatepass"), digest_size=16
        ).digest()


def redacted(words: Words) -> Texts | None:
    """The same texts with their personal details replaced; None if nothing personal is in them."""
    read = _read(words.columns, words.texts)
    shown = dict(redact_words(read))
    return None if shown == read else _written(words.columns, shown)


def redacted_share(share: Sequence[Words]) -> list[Texts | None]:
    """The same of several, for another process."""
    return [redacted(words) for words in share]


def end_with_parent() -> None:
    """Runs first in every process of a pool: when its parent is killed it would wait for words for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "only called in a pool"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="watch the parent", daemon=True).start()


def _read(columns: Columns, texts: Texts) -> dict[str, Any]:
    return {
        name: json.loads(text) if kind == ColumnKind.DATA else text
        for (name, kind), text in zip(columns, texts, strict=True)
        if text is not None
    }


def _written(columns: Columns, shown: dict[str, Any]) -> Texts:
    return tuple(
        json.dumps(shown[name], ensure_ascii=False, sort_keys=True)
        if kind == ColumnKind.DATA and name in shown
        else shown.get(name)
        for name, kind in columns
    )


@dataclass(slots=True)
class _Place:
    """Where some words of a batch stand, and what makes them this row's: small numbers, and what is known of it."""

    row: int
    columns: tuple[int, ...]
    words: Words
    key: bytes
    numbers: list[list[str]]
    known: str | None


@dataclass(slots=True)
class _Begun:
    """A batch whose new words are being redacted."""

    rows: Sequence[Row]
    places: list[_Place]
    shown: dict[bytes, Texts | None]
    shares: list[tuple[list[tuple[bytes, Words]], Future[list[Texts | None]]]]


class Treatment:
    """Treats rows of one snapshot.

    Args:
        secret: makes judges' keys; nobody keeps it once the snapshot is made.
        processes: how many redact at once; with 1 no other process is started.
    """

    def __init__(self, *, secret: bytes, processes: int = 1) -> None:
        self._secret = secret
        self._changed: dict[bytes, Texts] = {}
        self._clean: dict[bytes, None] = {}
        self._pool: ProcessPoolExecutor | None = None
        if processes > 1:
            # Started afresh, not forked: a child must not hold the database's connection.
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=end_with_parent)

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

    def batches(
        self, batches: Iterable[Sequence[Row]], table: ExportTable
    ) -> Iterator[tuple[Sequence[Row], list[Row]]]:
        """Batches of rows as the database has them, each with its rows as they leave.

        A row comes with what is known to be personal in it and whether its words are withheld.
        """
        begun: deque[tuple[Sequence[Row], _Begun]] = deque()
        for batch in batches:
            begun.append((batch, self._begin([table.complete(row) for row in batch], table)))
            if len(begun) > AHEAD:
                read, first = begun.popleft()
                yield read, self._finish(first, table)
        for read, last in begun:
            yield read, self._finish(last, table)

    def _begin(self, rows: Sequence[Row], table: ExportTable) -> _Begun:
        together = _read_together(table)
        places = [
            place for number, row in enumerate(rows) if not row[-1] for place in _places_of(number, row, together)
        ]
        shown: dict[bytes, Texts | None] = {}
        new: dict[bytes, Words] = {}
        for place in places:
            if place.key in self._clean:
                shown[place.key] = None
            elif place.key in self._changed:
                shown[place.key] = self._changed[place.key]
            else:
                new[place.key] = place.words
        begun = _Begun(rows, places, shown, [])
        if self._pool is None:
            for key, words in new.items():
                self._learn(begun, key, words, redacted(words))
        else:
            wanted = list(new.items())
            for start in range(0, len(wanted), SHARE):
                share = wanted[start : start + SHARE]
                begun.shares.append((share, self._pool.submit(redacted_share, [words for _, words in share])))
        return begun

    def _learn(self, begun: _Begun, key: bytes, words: Words, texts: Texts | None) -> None:
        begun.shown[key] = texts
        if texts is None:
            _remember(self._clean, key, None, REMEMBERED_CLEAN)
        elif words.length <= LONGEST_REMEMBERED:
            _remember(self._changed, key, texts, REMEMBERED)

    def _finish(self, begun: _Begun, table: ExportTable) -> list[Row]:
        for share, future in begun.shares:
            for (key, words), texts in zip(share, future.result(), strict=True):
                self._learn(begun, key, words, texts)
        treated = self._without_words(begun.rows, table)
        for place in begun.places:
            row, shown = begun.rows[place.row], begun.shown[place.key]
            texts = tuple(row[at] for at in place.columns)
            if shown is not None:
                texts = tuple(
                    with_numbers(text, taken) if text and taken else text
                    for text, taken in zip(shown, place.numbers, strict=True)
                )
            if place.known and table.hide is not None:
                texts = _hidden(table.hide, place.words.columns, texts, place.known)
            for at, text in zip(place.columns, texts, strict=True):
                treated[place.row][at] = text
        return [tuple(row) for row in treated]

    def _without_words(self, rows: Sequence[Row], table: ExportTable) -> list[list[Any]]:
        """Rows with nothing where words stand, and with keys for judges."""
        kinds = [column.kind for column in table.columns]
        empty = [at for at, kind in enumerate(kinds) if kind in WORDS]
        withheld = [at for at, kind in enumerate(kinds) if kind == ColumnKind.BYTES]
        judges = [at for at, kind in enumerate(kinds) if kind == ColumnKind.JUDGE]
        names = [at for at, kind in enumerate(kinds) if kind == ColumnKind.ID]
        treated = []
        for row in rows:
            plain = list(row[:-2])
            for at in (*empty, *withheld) if row[-1] else empty:
                plain[at] = None
            for at in judges:
                plain[at] = plain[at] and self.judge(plain[at])
            for at in names:
                plain[at] = None if plain[at] is None else str(plain[at])
            treated.append(plain)
        return treated


def _remember(memory: dict[bytes, Any], key: bytes, value: Any, most: int) -> None:
    if len(memory) >= most:
        memory.pop(next(iter(memory)))
    memory[key] = value


def _hidden(hide: Callable[[Any, Any], Any], columns: Columns, texts: Texts, known: str) -> Texts:
    """Texts without what is known to be personal in their row; those that hold nothing of it stay as they are."""
    read = _read(columns, texts)
    shown = dict(hide(read, json.loads(known)))
    return texts if shown == read else _written(columns, shown)


_Together = list[tuple[tuple[int, ...], Columns]]


def _read_together(table: ExportTable) -> _Together:
    """Which columns of a table are redacted as one: their places, their names and kinds."""
    places = {column.name: place for place, column in enumerate(table.columns)}
    alone = [(column.name,) for column in table.columns if column.kind in WORDS and column.name not in table.together]
    found = []
    for names in [table.together, *alone] if table.together else alone:
        at = tuple(places[name] for name in names)
        found.append((at, tuple((name, table.columns[place].kind) for name, place in zip(names, at, strict=True))))
    return found


def _places_of(number: int, row: Row, together: _Together) -> Iterator[_Place]:
    """What of a row is redacted as one."""
    for at, columns in together:
        if all(row[place] is None for place in at):
            continue
        numbers: list[list[str]] = [[] for _ in at]
        texts = tuple(
            without_numbers(row[place], taken) if kind == ColumnKind.DATA and row[place] else row[place]
            for place, (_, kind), taken in zip(at, columns, numbers, strict=True)
        )
        words = Words(columns, texts)
        yield _Place(number, at, words, words.digest(), numbers, row[-2] if any(texts) else None)
