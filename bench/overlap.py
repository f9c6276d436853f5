"""How fast a text is held against the overlap index: ``python -m bench.overlap``.

Rival: what one writes first, a loop over all items that intersects two Python sets of the same hashes and adds up the
same weights. Both see the same texts in turn, round by round, and must find the same best cosine and containment.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from battles.screening.overlap import SHIPPED_INDEX, load_index, screen_overlap
from battles.screening.overlap_index import CONTAINMENT_MIN_WORDS, UNSEEN_COUNT, OverlapIndex

SHORT = (
    "Find the cheapest overnight train from Vienna to Rome in the second week of January.",
    "Which of the three lighthouses on the island was built last, and who paid for its lamp?",
    "Add the blue kettle to the basket and tell me the total with shipping to Malta.",
    "Look up the tide table for Saturday and say when it is safe to walk to the island.",
)
LONG = (" ".join(SHORT) * 8)[:2000]
"""As long as an instruction may be."""

TARGET_MS = 5.0


class SetLoop:
    """The rival: every item as a set, compared one by one."""

    def __init__(self, index: OverlapIndex) -> None:
        self.items = [
            (frozenset(held.grams.tolist()), frozenset(gram for gram in held.grams.tolist() if gram & 1), held.words)
            for held, _ in index.items()
        ]
        counts = Counter(gram for grams, _, _ in self.items for gram in grams)
        size = len(self.items)
        self.weights = {gram: float(np.log1p(size / count) ** 2) for gram, count in counts.items()}
        self.unseen = float(np.log1p(size / UNSEEN_COUNT) ** 2)
        self.squares = [sum(self.weights[gram] for gram in grams) for grams, _, _ in self.items]
        self.pair_mass = [sum(self.weights[gram] for gram in pairs) for _, pairs, _ in self.items]

    def best(self, grams: frozenset[int]) -> tuple[float, float]:
        own = sum(self.weights.get(gram, self.unseen) for gram in grams)
        cosine = containment = 0.0
        for (held, pairs, length), square, mass in zip(self.items, self.squares, self.pair_mass, strict=True):
            shared = sum(self.weights[gram] for gram in held & grams)
            cosine = max(cosine, shared / (own * square) ** 0.5)
            if length >= CONTAINMENT_MIN_WORDS:
                containment = max(containment, sum(self.weights[gram] for gram in pairs & grams) / mass)
        return cosine, containment


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time that one call takes: on a shared machine a neighbour's work is not ours."""
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    loading = timed(load_index)
    index = load_index()
    rival = SetLoop(index)
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {index.size} items, {index.gram_count} grams")
    print(f"index file {SHIPPED_INDEX.stat().st_size / 1e6:.2f} MB, loaded once in {loading:.0f} ms")
    print(f"{'text':<24}{'ours ms':>9}{'p95':>7}{'rival ms':>10}{'p95':>7}{'ratio':>8}")
    for name, texts in (("a sentence", SHORT), ("2,000 characters", (LONG,))):
        ours: list[float] = []
        theirs: list[float] = []
        for text in texts:
            held = index.fingerprint(text)
            similar = index.similarities(held)
            found = (float(similar.cosine.max()), float(similar.containment.max()))
            if not np.allclose(found, rival.best(frozenset(held.grams.tolist()))):
                raise SystemExit("the two do not find the same: the comparison is void")
        for _ in range(rounds):
            for text in texts:
                ours.append(timed(lambda text=text: screen_overlap(text, index)))
                theirs.append(timed(lambda text=text: rival.best(frozenset(index.fingerprint(text).grams.tolist()))))
        middle, theirs_middle = statistics.median(ours), statistics.median(theirs)
        print(
            f"{name:<24}{middle:>9.2f}{np.quantile(ours, 0.95):>7.2f}{theirs_middle:>10.1f}"
            f"{np.quantile(theirs, 0.95):>7.1f}{theirs_middle / middle:>7.0f}x"
            f"  {'within' if middle <= TARGET_MS else 'above'} {TARGET_MS:.0f} ms"
        )


if __name__ == "__main__":
    main()
