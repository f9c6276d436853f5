"""Taking blocks of delimited lines apart with array operations.

Where quotes stand only around whole fields, everything between an odd and an even quote is inside. A field is loaded as
64-bit words straight from the block, eight bytes a word. Short fields are their word; longer ones are told apart by a
hash of their words, which is then checked against the words themselves, so that no two different fields are ever taken
for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.estimators.arrays import Integers

NEWLINE, QUOTE = b'\n"'
WORD = 8
#: Longer fields than so many words are cut out one by one.
MOST_WORDS = 16
#: Low bytes of a word that belong to a field, by how many there are.
_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(WORD + 1)], dtype=np.uint64)
#: Odd multipliers with well-spread bits, from the fractional part of the golden ratio and of the root of three.
_MIX, _SPREAD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
#: Bits of the hash by which few different fields are told apart without sorting.
BUCKET_BITS = 16

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """A column of a block: its different values, and the (n,) index of every row's."""

    values: list[str]
    codes: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a block: the (n,) offset of the line each begins on, from the block's first, and the columns wanted."""

    lines: Integers
    columns: list[Fields]


def split_block(block: bytes, delimiter: str, fields: int, wanted: Sequence[int]) -> Rows | None:
    """The wanted columns of whole lines.

    Args:
        block: UTF-8 that ends in a line feed and has no zero bytes.
        delimiter: one ASCII character.
        fields: how many every row must have, two or more.
        wanted: positions of the columns.

    Returns:
        None where a row has more or fewer fields or is blank, or where quotes do more than enclose fields.
    """
    # A zero word at the end, so that the last fields can be loaded like any other.
    data = np.frombuffer(block + bytes(WORD), dtype=np.uint8)
    text = data[: len(block)]
    newline = text == NEWLINE
    parting = newline | (text == ord(delimiter))
    quote = text == QUOTE if b'"' in block else None
    if quote is not None:
        outside = np.bitwise_xor.accumulate(quote) == 0
        if not outside[-1]:
            return None
        parting &= outside
    ends = np.flatnonzero(parting)
    if len(ends) % fields or fields < 2:
        return None
    starts = np.concatenate(([0], ends[:-1] + 1))
    lines = np.arange(len(ends) // fields)
    last = newline[ends]
    if not last[fields - 1 :: fields].all() or np.count_nonzero(last) != len(lines):
        return None
    if quote is not None:
        quoted = quote[starts]
        # One quote on either side and none between: all quotes of the block are accounted for.
        if 2 * np.count_nonzero(quoted) != np.count_nonzero(quote) or not quote[ends[quoted] - 1].all():
            return None
        if np.count_nonzero(newline) != len(lines):
            lines = np.cumsum(newline)[starts[::fields]] - newline[starts[::fields]]
        starts += quoted
        ends -= quoted
    words = np.ndarray((len(block) + 1,), dtype="<u8", buffer=data.data, strides=(1,))
    columns = (_fields(block, words, starts[column::fields], ends[column::fields]) for column in wanted)
    return Rows(lines, list(columns))


def _fields(block: bytes, words: Words, starts: Integers, ends: Integers) -> Fields:
    sizes = ends - starts
    count = max(1, -(-int(sizes.max()) // WORD))
    found = _grouped(_loaded(words, starts, sizes, count)) if count <= MOST_WORDS else None
    if found is None:
        return Fields([block[a:b].decode() for a, b in zip(starts, ends, strict=True)], np.arange(len(starts)))
    first, codes = found
    return Fields([block[starts[row] : ends[row]].decode() for row in first], codes)


def _loaded(words: Words, starts: Integers, sizes: Integers, count: int) -> list[Words]:
    """Per word of the longest field, (n,) words of all fields, zero beyond a field's end."""
    last = len(words) - 1
    return [
        words[np.minimum(starts + WORD * number, last)] & _MASKS[np.clip(sizes - WORD * number, 0, WORD)]
        for number in range(count)
    ]


def _grouped(words: list[Words]) -> tuple[Integers, Integers] | None:
    """A row of every different field, and the (n,) index of each row's; None where the hash cannot tell."""
    key = words[0]
    for word in words[1:]:
        key = (key ^ (key >> np.uint64(29))) * _MIX ^ word * _SPREAD
    return _by_bucket(words, key) or _by_sorting(words, key)


def _by_bucket(words: list[Words], key: Words) -> tuple[Integers, Integers] | None:
    mixed = (key ^ (key >> np.uint64(32))) * _MIX
    bucket = (mixed >> np.uint64(64 - BUCKET_BITS)).astype(np.int64)
    row_of = np.full(1 << BUCKET_BITS, -1)
    row_of[bucket] = np.arange(len(bucket))
    if not _same(words, row_of[bucket]):
        return None
    used = np.flatnonzero(row_of >= 0)
    number = np.empty(1 << BUCKET_BITS, dtype=np.int32)
    number[used] = np.arange(len(used))
    return row_of[used], number[bucket]


def _by_sorting(words: list[Words], key: Words) -> tuple[Integers, Integers] | None:
    _, first, codes = np.unique(key, return_index=True, return_inverse=True)
    return (first, codes) if _same(words, first[codes]) else None


def _same(words: list[Words], row: Integers) -> bool:
    return all(np.array_equal(word, word[row]) for word in words)
