"""A searchable index of task texts that holds no text: keyed hashes of word 1- and 2-grams, and who has which.

Items with the same fingerprint are kept once, with every name they go by. Weights are inverse document frequencies
(Spärck Jones 1972); the similarities are the cosine of the two weighted gram sets (Salton and Buckley 1988) and
containment, the weighted share of an item's 2-grams that the text holds (Broder 1997).

The hashes keep the texts out of the file and out of anybody's search engine. They are no secret: who has a dictionary
and the key, which is in the file, can guess single words.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battles.screening.canonical_wording import WORDING_VERSION, words
from governance.errors import ArenaError

INDEX_FORMAT = 1
INDEX_KEY = b"ringside overlap index"
"""Keys the hashes, so that fingerprints here match no table of plain word hashes made elsewhere."""

CONTAINMENT_MIN_WORDS = 8
"""Shorter items are phrases that any longer task may hold by chance; only cosine speaks about those."""

UNSEEN_COUNT = 0.5
"""Document frequency given to a gram that no item has: rarer than the rarest that one has."""

LONGEST_RUN_TOGETHER = 30
MOST_RUN_TOGETHER = 6
"""Bounds on :meth:`OverlapIndex.words_apart`: letters in a word, and unknown words tried, per look-up."""

_TWO_WORDS = np.uint32(1)
_Hashes = NDArray[np.uint32]


class OverlapIndexUnusable(ArenaError):
    """The index file is missing, damaged, or made by other rules than this code uses."""

    code = "overlap_index_unusable"
    status = 500


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of a text: its distinct gram hashes, sorted (lowest bit set on 2-grams), and its length in words."""

    grams: _Hashes
    words: int


@dataclass(frozen=True, slots=True)
class ItemName:
    """What a benchmark calls one of its tasks."""

    benchmark: str
    item_id: str


@dataclass(frozen=True, slots=True)
class Similarities:
    """Of one text to every item of the index, by position: arrays of floats in 0..1."""

    cosine: NDArray[np.float64]
    containment: NDArray[np.float64]


def _hashed(gram: str, *, two_words: bool) -> int:
    digest = hashlib.blake2b(gram.encode(), digest_size=4, key=INDEX_KEY).digest()
    return int.from_bytes(digest, "little") & ~1 | two_words


def fingerprint_of(spoken: Sequence[str]) -> Fingerprint:
    """The fingerprint of a text given as :func:`~battles.screening.canonical_wording.words`.

    32 bits a gram: with a quarter of a million grams indexed, one unknown gram in 17,000 looks known, which moves a
    cosine by less than its third digit.
    """
    pairs = {f"{left} {right}" for left, right in pairwise(spoken)}
    hashes = {_hashed(word, two_words=False) for word in set(spoken)} | {
        _hashed(pair, two_words=True) for pair in pairs
    }
    return Fingerprint(np.array(sorted(hashes), dtype=np.uint32), len(spoken))


class OverlapIndex:
    """Items by gram. Immutable; build one with :meth:`of_items` or :meth:`load`."""

    def __init__(
        self,
        *,
        grams: _Hashes,
        starts: NDArray[np.int64],
        postings: NDArray[np.int32],
        item_words: NDArray[np.int32],
        names: Sequence[tuple[ItemName, ...]],
    ) -> None:
        self._grams = grams
        self._starts = starts
        self._postings = postings
        self._item_words = item_words
        self._names = names
        counts = np.diff(starts)
        self._squared_weights = np.log1p(self.size / counts) ** 2
        self._unseen_squared_weight = float(np.log1p(self.size / UNSEEN_COUNT) ** 2)
        per_posting = np.repeat(self._squared_weights, counts)
        self._norms = np.sqrt(_sums(postings, per_posting, self.size))
        pairs = np.repeat((grams & _TWO_WORDS).astype(bool), counts)
        self._pair_mass = _sums(postings[pairs], per_posting[pairs], self.size)
        self._pair_mass[item_words < CONTAINMENT_MIN_WORDS] = np.inf

    @property
    def size(self) -> int:
        """Number of distinct fingerprints."""
        return len(self._names)

    @property
    def gram_count(self) -> int:
        return len(self._grams)

    def names(self, item: int) -> tuple[ItemName, ...]:
        """Every name under which the item at this position was read, first read first."""
        return self._names[item]

    def benchmarks(self) -> dict[str, int]:
        """How many names each benchmark has in the index."""
        counts: dict[str, int] = {}
        for names in self._names:
            for name in names:
                counts[name.benchmark] = counts.get(name.benchmark, 0) + 1
        return dict(sorted(counts.items()))

    def fingerprint(self, text: str) -> Fingerprint:
        """The fingerprint of a submitted text, its run-together words taken apart where the index knows the parts."""
        return fingerprint_of(self.words_apart(words(text)))

    def words_apart(self, spoken: list[str]) -> list[str]:
        """``spoken`` with words that no item has split where the parts stand side by side in some item.

        Stripping the punctuation of ``read-only`` or ``shop/basket`` glues words together; this finds the seam.
        """
        distinct = list(dict.fromkeys(spoken))
        parts: dict[str, tuple[str, ...]] = {}
        for word, is_known in zip(distinct, self._has_words(distinct), strict=True):
            if not is_known and len(parts) < MOST_RUN_TOGETHER and 2 < len(word) <= LONGEST_RUN_TOGETHER:
                parts[word] = self._parts(word)
        return [part for word in spoken for part in parts.get(word, (word,))]

    def _parts(self, word: str) -> tuple[str, ...]:
        """``word`` as known words, each beside the one before it in some item; ``(word,)`` when it has no such parts.

        Of several ways the one with the longest first part is taken, and so on through the rest.
        """
        pieces = list({word[start:end] for start in range(len(word)) for end in range(start + 1, len(word) + 1)})
        known = {piece for piece, held in zip(pieces, self._has_words(pieces), strict=True) if held}
        cut: dict[int, tuple[str, ...]] = {len(word): ()}
        for start in range(len(word) - 1, -1, -1):
            for end in range(len(word), start, -1):
                head, tail = word[start:end], cut.get(end)
                if head in known and tail is not None and (not tail or self._neighbours(head, tail[0])):
                    cut[start] = (head, *tail)
                    break
        return cut.get(0, (word,))

    def _neighbours(self, left: str, right: str) -> bool:
        return bool(self._has([_hashed(f"{left} {right}", two_words=True)])[0])

    def _has_words(self, spoken: Sequence[str]) -> list[bool]:
        return [bool(held) for held in self._has([_hashed(word, two_words=False) for word in spoken])]

    def _has(self, hashes: Sequence[int]) -> NDArray[np.bool_]:
        wanted = np.asarray(hashes, dtype=np.uint32)
        if not self.gram_count:
            return np.zeros(len(wanted), dtype=bool)
        at = np.searchsorted(self._grams, wanted)
        return np.asarray(self._grams[np.minimum(at, self.gram_count - 1)] == wanted)

    def similarities(self, text: Fingerprint) -> Similarities:
        """Cosine and containment of ``text`` to every item; containment is 0 for items too short for it."""
        if not self.gram_count or not len(text.grams):
            return Similarities(np.zeros(self.size), np.zeros(self.size))
        at = np.searchsorted(self._grams, text.grams)
        at[at == self.gram_count] = 0
        rows = at[self._grams[at] == text.grams]
        weights = self._squared_weights[rows]
        own_square = float(weights.sum()) + self._unseen_squared_weight * (len(text.grams) - len(rows))
        shared = self._shared_mass(rows, weights)
        pairs = (self._grams[rows] & _TWO_WORDS).astype(bool)
        shared_pairs = self._shared_mass(rows[pairs], weights[pairs])
        return Similarities(shared / (self._norms * np.sqrt(own_square)), shared_pairs / self._pair_mass)

    def _shared_mass(self, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every item the sum of the weights of those grams (given by row) that it has."""
        if not len(rows):
            return np.zeros(self.size)
        starts, ends = self._starts[rows], self._starts[rows + 1]
        spans = [self._postings[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        return _sums(np.concatenate(spans), np.repeat(weights, ends - starts), self.size)

    def items(self) -> Iterator[tuple[Fingerprint, tuple[ItemName, ...]]]:
        """Every item's fingerprint and names, which is all that :meth:`of_items` needs to build the index again."""
        grams = np.repeat(self._grams, np.diff(self._starts))
        by_item = np.argsort(self._postings, kind="stable")
        ends = np.searchsorted(self._postings[by_item], np.arange(self.size + 1))
        for item, names in enumerate(self._names):
            held = grams[by_item[ends[item] : ends[item + 1]]]
            yield Fingerprint(held, int(self._item_words[item])), names

    @classmethod
    def of_items(cls, items: Iterable[tuple[Fingerprint, tuple[ItemName, ...]]]) -> OverlapIndex:
        """Build from fingerprints and names; items without a word are left out, equal fingerprints become one."""
        names: dict[tuple[bytes, int], dict[ItemName, None]] = {}
        for text, item_names in items:
            if len(text.grams):
                names.setdefault((text.grams.tobytes(), text.words), {}).update(dict.fromkeys(item_names))
        held = [np.frombuffer(grams, dtype=np.uint32) for grams, _ in names]
        owners = np.repeat(np.arange(len(held), dtype=np.int32), [len(grams) for grams in held])
        every_gram = np.concatenate(held) if held else np.zeros(0, dtype=np.uint32)
        order = np.lexsort((owners, every_gram))
        grams, counts = np.unique(every_gram, return_counts=True)
        return cls(
            grams=grams,
            starts=np.concatenate(([0], np.cumsum(counts))),
            postings=owners[order],
            item_words=np.array([length for _, length in names], dtype=np.int32),
            names=[tuple(item_names) for item_names in names.values()],
        )

    def save(self, path: Path) -> None:
        """Write a compressed ``.npz``; the same items in the same order give the same bytes."""
        counts = np.diff(self._starts)
        benchmarks = list(self.benchmarks())
        labels = [(item, name) for item, names in enumerate(self._names) for name in names]
        head = {"format": INDEX_FORMAT, "wording": WORDING_VERSION, "key": INDEX_KEY.decode(), "benchmarks": benchmarks}
        np.savez_compressed(
            path,
            head=_packed(json.dumps(head)),
            gram_steps=np.diff(self._grams, prepend=np.uint32(0)),
            gram_counts=counts.astype(np.uint32),
            posting_steps=_smallest(
                np.where(_is_first(self._starts), self._postings, np.diff(self._postings, prepend=0))
            ),
            item_words=self._item_words.astype(np.uint16),
            label_items=np.diff([item for item, _ in labels], prepend=0).astype(np.uint16),
            label_benchmarks=np.array([benchmarks.index(name.benchmark) for _, name in labels], dtype=np.uint16),
            label_ids=_packed(json.dumps([name.item_id for _, name in labels], ensure_ascii=False)),
        )

    @classmethod
    def load(cls, path: Path) -> OverlapIndex:
        """Read what :meth:`save` wrote.

        Raises:
            OverlapIndexUnusable: no such file, not such a file, or fingerprints made by other rules.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            head = json.loads(_unpacked(arrays["head"]))
            made_by = (head["format"], head["wording"], head["key"])
            if made_by != (INDEX_FORMAT, WORDING_VERSION, INDEX_KEY.decode()):
                raise OverlapIndexUnusable(
                    f"{path.name} was made by other rules than this version uses; run manage.py build_overlap_index."
                )
            return cls._of_arrays(arrays, head["benchmarks"])
        except (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
            raise OverlapIndexUnusable(
                f"The overlap index {path} cannot be read ({error}); run manage.py build_overlap_index."
            ) from error

    @classmethod
    def _of_arrays(cls, arrays: dict[str, NDArray[Any]], benchmarks: list[str]) -> OverlapIndex:
        starts = np.concatenate(([0], np.cumsum(arrays["gram_counts"], dtype=np.int64)))
        running = np.cumsum(arrays["posting_steps"], dtype=np.int64)
        before_list = np.concatenate(([0], running))[starts[:-1]]
        item_words = arrays["item_words"].astype(np.int32)
        names: list[list[ItemName]] = [[] for _ in item_words]
        label_items = np.cumsum(arrays["label_items"], dtype=np.int64).tolist()
        label_ids = json.loads(_unpacked(arrays["label_ids"]))
        for item, benchmark, item_id in zip(label_items, arrays["label_benchmarks"].tolist(), label_ids, strict=True):
            names[item].append(ItemName(benchmarks[benchmark], item_id))
        return cls(
            grams=np.cumsum(arrays["gram_steps"], dtype=np.uint32),
            starts=starts,
            postings=(running - np.repeat(before_list, arrays["gram_counts"])).astype(np.int32),
            item_words=item_words,
            names=[tuple(item_names) for item_names in names],
        )


def _sums(places: NDArray[np.int32], weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    # bincount counts in integers when it is given nothing to count.
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def _packed(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _unpacked(stored: NDArray[np.uint8]) -> str:
    return stored.tobytes().decode()


def _is_first(starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of every posting, whether it opens its gram's list."""
    first = np.zeros(int(starts[-1]), dtype=bool)
    first[starts[:-1]] = True
    return first


def _smallest(values: NDArray[Any]) -> NDArray[Any]:
    """``values`` (none negative) in the narrowest unsigned type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
