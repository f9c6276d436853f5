"""How far judges agree: Krippendorff's alpha, percent agreement, and Cohen's kappa for each pair. Pure arithmetic.

Where nothing was judged twice, or everybody said the same, these are undefined: the value is None and the reason says
why. It is never 0 and never 1 instead.

Sources: Krippendorff 2011, Computing Krippendorff's alpha-reliability (coincidence matrices, the ordinal metric);
Cohen 1960, A coefficient of agreement for nominal scales; Hayes and Krippendorff 2007 (bootstrap over units).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_PAIRS = "no pairable items"
NO_VARIATION = "no variation"

#: Resamples of the bootstrap: the ends of a 95% interval then move by about a hundredth between seeds.
RESAMPLES = 2_000
#: The interval leaves out this share, half at each end.
LEFT_OUT = 0.05
#: Fewer resamples with a value than this share say nothing about the others.
RESAMPLES_NEEDED = 0.5

Level = Literal["nominal", "ordinal"]
Floats = NDArray[np.float64]


class Label(NamedTuple):
    """One judge's value for one item. A missing value is a label that is not there."""

    item: Hashable
    judge: Hashable
    value: Hashable


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient, or the reason why it is undefined.

    Attributes:
        value: at most 1; None when undefined.
        lower, upper: 95% bootstrap interval over items; None when it is undefined or was not asked for.
        reason: why ``value`` or, where that exists, the interval is None; empty when nothing is.
        pairable: items with at least two values.
    """

    value: float | None
    lower: float | None
    upper: float | None
    reason: str
    pairable: int


@dataclass(frozen=True, slots=True)
class PairKappa:
    """Cohen's kappa of two judges over the items both judged."""

    judge: Hashable
    other: Hashable
    common: int
    value: float | None
    reason: str


def krippendorff_alpha(
    labels: Iterable[Label],
    *,
    level: Level = "nominal",
    order: Sequence[Hashable] = (),
    seed: int | None = None,
    resamples: int = RESAMPLES,
) -> Coefficient:
    """Krippendorff's alpha, 1 - observed over expected disagreement.

    Args:
        labels: in any order; values of one judge on one item come once.
        level: ``nominal``, or ``ordinal`` with the values of ``order`` from low to high.
        order: for ``ordinal``, every value that can occur; nominal values need none.
        seed: of the bootstrap over items; without one there is no interval.

    Raises:
        ValueError: a judge labelled an item twice, or an ordinal value is not in ``order``.
    """
    counts = _counts(labels, level, order)
    if counts.shape[0] == 0:
        return Coefficient(None, None, None, NO_PAIRS, 0)
    matrices = _coincidences(counts)
    value = _alpha(matrices.sum(axis=0), level)
    if value is None:
        return Coefficient(None, None, None, NO_VARIATION, len(counts))
    if seed is None:
        return Coefficient(value, None, None, "", len(counts))
    lower, upper = _bootstrap(matrices, level, seed, resamples)
    return Coefficient(value, lower, upper, "" if lower is not None else NO_VARIATION, len(counts))


def percent_agreement(labels: Iterable[Label]) -> Coefficient:
    """Share of pairs of values on one item that are equal; each item weighs by its number of values, as in alpha."""
    counts = _counts(labels, "nominal", ())
    if counts.shape[0] == 0:
        return Coefficient(None, None, None, NO_PAIRS, 0)
    total = _coincidences(counts).sum(axis=0)
    return Coefficient(float(np.trace(total) / total.sum()), None, None, "", len(counts))


def cohen_kappas(labels: Iterable[Label]) -> list[PairKappa]:
    """Kappa for every two judges with a common item, sorted by their names.

    Two without one have no kappa: there are as many of those as the square of the judges.
    """
    said: dict[Hashable, dict[Hashable, Hashable]] = defaultdict(dict)
    judges_of: dict[Hashable, set[Hashable]] = defaultdict(set)
    for label in labels:
        said[label.judge][label.item] = label.value
        judges_of[label.item].add(label.judge)
    pairs = {pair for judges in judges_of.values() for pair in itertools.combinations(sorted(judges, key=str), 2)}
    return [_kappa(one, other, said[one], said[other]) for one, other in sorted(pairs, key=str)]


def _kappa(
    one: Hashable, other: Hashable, first: Mapping[Hashable, Hashable], second: Mapping[Hashable, Hashable]
) -> PairKappa:
    common = [item for item in first if item in second]
    size = len(common)
    observed = sum(first[item] == second[item] for item in common) / size
    values = {first[item] for item in common} | {second[item] for item in common}
    share = {
        value: sum(first[item] == value for item in common) * sum(second[item] == value for item in common)
        for value in values
    }
    expected = sum(share.values()) / size**2
    if len(values) == 1:
        return PairKappa(one, other, size, None, NO_VARIATION)
    return PairKappa(one, other, size, (observed - expected) / (1 - expected), "")


def _counts(labels: Iterable[Label], level: Level, order: Sequence[Hashable]) -> Floats:
    """(pairable items, values) how often each value was given to each item judged at least twice."""
    by_item: dict[Hashable, dict[Hashable, Hashable]] = defaultdict(dict)
    for label in labels:
        if label.judge in by_item[label.item]:
            raise ValueError(f"{label.judge} labelled {label.item} twice")
        by_item[label.item][label.judge] = label.value
    given = {value for values in by_item.values() for value in values.values()}
    if level == "ordinal" and not given <= set(order):
        raise ValueError(f"not in the order of values: {sorted(map(str, given - set(order)))}")
    columns = list(order) if level == "ordinal" else sorted(given, key=str)
    place = {value: column for column, value in enumerate(columns)}
    pairable = [list(values.values()) for values in by_item.values() if len(values) > 1]
    counts = np.zeros((len(pairable), len(columns)))
    for row, values in enumerate(pairable):
        for value in values:
            counts[row, place[value]] += 1
    return counts


def _coincidences(counts: Floats) -> Floats:
    """(items, values, values) each item's part of the coincidence matrix: its ordered pairs over (values - 1)."""
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return np.asarray(pairs / (counts.sum(axis=1) - 1)[:, None, None])


def _distances(margins: Floats, level: Level) -> Floats:
    """(values, values) squared distances: 1 for different nominal values, else what lies between two ranks."""
    size = len(margins)
    if level == "nominal":
        return np.ones((size, size)) - np.eye(size)
    # Half of each end counts, as in Krippendorff's formula for ranks with ties.
    middle = np.cumsum(margins) - margins / 2
    return np.square(middle[:, None] - middle[None, :])


def _alpha(matrix: Floats, level: Level) -> float | None:
    """Alpha of a coincidence matrix; None where all values are equal."""
    margins = matrix.sum(axis=1)
    total = margins.sum()
    distances = _distances(margins, level)
    expected = float((np.outer(margins, margins) * distances).sum() / (total - 1))
    if np.count_nonzero(margins > 1e-9) < 2 or expected <= 0:
        return None
    return 1.0 - float((matrix * distances).sum()) / expected


def _bootstrap(matrices: Floats, level: Level, seed: int, resamples: int) -> tuple[float | None, float | None]:
    items = len(matrices)
    rng = np.random.default_rng(seed)
    flat = matrices.reshape(items, -1)
    drawn = rng.multinomial(items, np.full(items, 1 / items), size=resamples) @ flat
    values = [_alpha(row.reshape(matrices.shape[1:]), level) for row in drawn]
    defined = [value for value in values if value is not None]
    if len(defined) < RESAMPLES_NEEDED * resamples:
        return None, None
    lower, upper = np.quantile(defined, [LEFT_OUT / 2, 1 - LEFT_OUT / 2])
    return float(lower), float(upper)
