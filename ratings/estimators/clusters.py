"""Scores of votes, added up by judge, by battle or by both.

Never a dense matrix of clusters by parameters: votes are sorted by cluster once, and clusters are worked off in blocks
that fit into the processor's cache. Small clusters are not even laid out: their outer products are
expanded vote by vote, since a judge with three votes touches six of the M strengths at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by
from ratings.estimators.comparisons import OUTCOME_BITS, OUTCOMES, Comparisons, effective_number
from ratings.estimators.estimate import Estimate
from ratings.estimators.threads import one_blas_thread

#: Bytes of one block of cluster scores; half a megabyte stays in the second-level cache of current processors.
TILE_BYTES = 1 << 19
FEWEST_CLUSTERS_IN_A_TILE = 16
#: Clusters of up to one vote per this many agents are expanded vote by vote. Measured: the two ways break even near it.
AGENTS_PER_LIGHT_VOTE = 32
ROW_BITS = 32
KEY_BITS = 63


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Votes in the order of their cluster.

    Attributes:
        agents: number of agents M.
        ids: (G,) the clusters that have votes, ascending.
        starts: (G + 1,) where each cluster's votes begin, and n.
        code: (n,) position of each vote's (a, b, outcome) in a table of shape (2^k, 2^k, 4), flattened.
        agent_bits: k, the bits that hold an agent.
        order: (n,) the row of each vote in the original order; None where cells are all that is needed.
        weight: (n,) weights in cluster order; None where all are one.
    """

    agents: int
    ids: Integers
    starts: Integers
    code: Integers
    agent_bits: int
    order: Integers | None
    weight: Floats | None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> Integers:
        """(G,) votes of each cluster."""
        return np.diff(self.starts)

    def shares(self) -> Floats:
        """(G,) each cluster's share of the total weight."""
        weight = self.sizes.astype(np.float64)
        if self.weight is not None and len(self):
            weight = np.add.reduceat(self.weight, self.starts[:-1])
        return np.asarray(weight / weight.sum())

    def effective(self) -> float:
        """Effective number of clusters by their shares."""
        return effective_number(self.shares()) if len(self) else 0.0

    def agent_a(self) -> Integers:
        return self.code >> (self.agent_bits + OUTCOME_BITS)

    def agent_b(self) -> Integers:
        return (self.code >> OUTCOME_BITS) & ((1 << self.agent_bits) - 1)

    def look_up(self, table: Floats) -> Floats:
        """(n,) entries of an (M, M, 3) table for each vote, in cluster order."""
        width = 1 << self.agent_bits
        padded = np.zeros((width, width, 1 << OUTCOME_BITS))
        padded[: self.agents, : self.agents, :OUTCOMES] = table
        return padded.ravel()[self.code]

    def residual(self, estimate: Estimate) -> Floats:
        """(n,) weighted residual of each vote for its agent a, in cluster order."""
        return self._weighted(self._values(estimate.residual))

    def extras(self, estimate: Estimate) -> Floats:
        """(E, n) weighted scores of the further parameters, in cluster order."""
        rows = [self._weighted(self._values(scores)) for scores in estimate.extra_scores]
        return np.stack(rows) if rows else np.empty((0, len(self.code)))

    def _values(self, scores: Floats) -> Floats:
        if scores.ndim > 1:
            return self.look_up(scores)
        if self.order is None:
            raise ValueError("scores by vote need clusters that remember the order of the votes")
        return scores[self.order]

    def _weighted(self, values: Floats) -> Floats:
        if self.weight is not None:
            values *= self.weight
        return values


def cluster(votes: Comparisons, ids: Integers, *, ordered: bool = False) -> Clusters:
    """Sort votes by cluster.

    Args:
        votes: n comparisons.
        ids: (n,) cluster of each vote, from 0.
        ordered: keep the original row of each vote, needed where scores are given by vote.
    """
    bits = max(1, (int(votes.agents) - 1).bit_length())
    cell_bits = 2 * bits + OUTCOME_BITS
    highest = int(ids.max()).bit_length() if len(ids) else 0
    if not ordered and votes.weight is None and highest + cell_bits <= KEY_BITS:
        # Without weights the sorted key is the data: nothing has to be gathered through a permutation.
        key = _cells(votes, bits, ids)
        key.sort()
        code = key & ((1 << cell_bits) - 1)
        key >>= cell_bits
        return _clusters(votes.agents, key, code, bits, None, None)
    order, sorted_ids = _sorted_rows(ids.astype(np.int64), highest)
    weight = None if votes.weight is None else votes.weight[order]
    return _clusters(votes.agents, sorted_ids, _cells(votes, bits)[order], bits, order, weight)


def score_tiles(clusters: Clusters, estimate: Estimate) -> Iterator[tuple[slice, Floats]]:
    """Blocks of cluster scores: the clusters' slice, and their (J, M + E) sums of weighted scores."""
    m, width = clusters.agents, clusters.agents + len(estimate.extras)
    residual, extras = clusters.residual(estimate), clusters.extras(estimate)
    rows = np.repeat(np.arange(len(clusters)), clusters.sizes)
    a, b = clusters.agent_a(), clusters.agent_b()
    block = max(FEWEST_CLUSTERS_IN_A_TILE, TILE_BYTES // (8 * width))
    for first in range(0, len(clusters), block):
        last = min(first + block, len(clusters))
        votes = slice(int(clusters.starts[first]), int(clusters.starts[last]))
        base = (rows[votes] - first) * width
        cells = (last - first) * width
        tile = sums_by(base + a[votes], residual[votes], cells)
        tile -= sums_by(base + b[votes], residual[votes], cells)
        tile = tile.reshape(-1, width)
        for column, scores in enumerate(extras, start=m):
            tile[:, column] = np.add.reduceat(scores[votes], clusters.starts[first:last] - votes.start)
        yield slice(first, last), tile


def table_of(clusters: Clusters, chosen: Integers) -> Floats:
    """(M, M, 3) weight of the votes of some clusters by pair and outcome; ``chosen`` are positions in ``ids``."""
    sizes = clusters.sizes[chosen]
    ends = np.cumsum(sizes)
    votes = np.repeat(clusters.starts[chosen] - ends + sizes, sizes) + np.arange(int(ends[-1]) if len(ends) else 0)
    weight = np.ones(len(votes)) if clusters.weight is None else clusters.weight[votes]
    width = 1 << clusters.agent_bits
    table = sums_by(clusters.code[votes], weight, width * width << OUTCOME_BITS)
    table = table.reshape(width, width, 1 << OUTCOME_BITS)
    return np.ascontiguousarray(table[: clusters.agents, : clusters.agents, :OUTCOMES])


def meat(clusters: Clusters, estimate: Estimate) -> Floats:
    """(P, P) sum over clusters of the outer product of the cluster's score."""
    m, e = clusters.agents, len(estimate.extras)
    if not len(clusters):
        return np.zeros((m + e, m + e))
    limit = max(1, m // AGENTS_PER_LIGHT_VOTE)
    light = clusters.sizes <= limit
    residual = clusters.residual(estimate)
    total = np.zeros((m + e, m + e))
    if light.any():
        total[:m, :m] += _expanded(clusters, residual, light, limit)
    if not light.all():
        total[:m, :m] += _tiled(clusters, residual, ~light)
    if e:
        sums, cross = _by_vote(clusters, estimate) if estimate.by_vote else _by_cell(clusters, estimate, residual)
        total[:m, m:], total[m:, :m] = cross, cross.T
        total[m:, m:] = sums @ sums.T
    return total


def _by_cell(clusters: Clusters, estimate: Estimate, residual: Floats) -> tuple[Floats, Floats]:
    """(E, G) scores of the further parameters by cluster, and the (M, E) sums of their products with the strengths'."""
    m = clusters.agents
    sums = np.add.reduceat(clusters.extras(estimate), clusters.starts[:-1], axis=1)
    a, b = clusters.agent_a(), clusters.agent_b()
    cross = np.empty((m, len(sums)))
    for column, by_cluster in enumerate(sums):
        product = np.repeat(by_cluster, clusters.sizes) * residual
        cross[:, column] = sums_by(a, product, m) - sums_by(b, product, m)
    return sums, cross


def _by_vote(clusters: Clusters, estimate: Estimate) -> tuple[Floats, Floats]:
    """As :func:`_by_cell`, in the order in which the votes came.

    The sums of all clusters fit into the processor's cache, which the scores of all votes, fetched in another order, do
    not.
    """
    m, order = clusters.agents, clusters.order
    if order is None:
        raise ValueError("scores by vote need clusters that remember the order of the votes")
    owner, code = np.empty_like(order), np.empty_like(clusters.code)
    owner[order] = np.repeat(np.arange(len(clusters)), clusters.sizes)
    code[order] = clusters.code
    weight = None
    if clusters.weight is not None:
        weight = np.empty_like(clusters.weight)
        weight[order] = clusters.weight
    residual = estimate.residual if weight is None else estimate.residual * weight
    pair = code >> OUTCOME_BITS
    width = 1 << clusters.agent_bits
    sums, cross = np.empty((len(estimate.extras), len(clusters))), np.empty((m, len(estimate.extras)))
    product = np.empty(len(order))
    for column, scores in enumerate(estimate.extra_scores):
        sums[column] = sums_by(owner, scores if weight is None else scores * weight, len(clusters))
        np.take(sums[column], owner, out=product, mode="clip")
        product *= residual
        square = sums_by(pair, product, width * width).reshape(width, width)
        cross[:, column] = (square.sum(axis=1) - square.sum(axis=0))[:m]
    return sums, cross


def _cells(votes: Comparisons, bits: int, above: Integers | None = None) -> Integers:
    """(n,) agents and outcome in one number, below ``above`` if given; made in place, since memory is what is slow."""
    cell = votes.a.astype(np.int64) if above is None else above.astype(np.int64)
    columns = [(votes.a, bits)] if above is not None else []
    for column, width in (*columns, (votes.b, bits), (votes.outcome, OUTCOME_BITS)):
        cell <<= width
        cell |= column
    return cell


def _sorted_rows(ids: Integers, highest: int) -> tuple[Integers, Integers]:
    """(n,) rows in the order of their cluster, ties in the order of the rows, and (n,) the sorted clusters."""
    n = len(ids)
    if highest + ROW_BITS > KEY_BITS or n >= 1 << ROW_BITS:
        order = np.argsort(ids, kind="stable")
        return order, ids[order]
    # A packed key sorts an order of magnitude faster than an argsort.
    key = (ids << ROW_BITS) | np.arange(n)
    key.sort()
    return key & ((1 << ROW_BITS) - 1), key >> ROW_BITS


def _clusters(
    agents: int, sorted_ids: Integers, code: Integers, bits: int, order: Integers | None, weight: Floats | None
) -> Clusters:
    n = len(sorted_ids)
    new = np.flatnonzero(sorted_ids[1:] != sorted_ids[:-1]) + 1
    starts = np.concatenate(([0], new, [n])) if n else np.zeros(1, np.int64)
    return Clusters(agents, sorted_ids[starts[:-1]], starts, code, bits, order, weight)


def _expanded(clusters: Clusters, residual: Floats, light: Flags, limit: int) -> Floats:
    """(M, M) meat of clusters with at most ``limit`` votes: the products of every two votes of a cluster."""
    m = clusters.agents
    sizes = clusters.sizes
    kept = np.repeat(light, sizes)
    code, r = clusters.code[kept], residual[kept]
    a, b = code >> (clusters.agent_bits + OUTCOME_BITS), code >> OUTCOME_BITS & ((1 << clusters.agent_bits) - 1)
    owner = np.repeat(np.arange(int(light.sum())), sizes[light])
    total = _pair_outer(sums_by(a * m + b, r * r, m * m).reshape(m, m))
    first = np.arange(len(r))
    for distance in range(1, limit):
        first = first[first + distance < len(r)]
        first = first[owner[first] == owner[first + distance]]
        if not len(first):
            break
        second = first + distance
        product = r[first] * r[second]
        crossed = np.zeros(m * m)
        for one, other, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            crossed += sign * sums_by(one[first] * m + other[second], product, m * m)
        square = crossed.reshape(m, m)
        total += square + square.T
    return total


def _pair_outer(weight: Floats) -> Floats:
    """(M, M) sum over ordered pairs of weight_ab (e_a - e_b)(e_a - e_b)'."""
    both = weight + weight.T
    matrix = -both
    matrix.flat[:: len(both) + 1] = both.sum(axis=1)
    return matrix


def _tiled(clusters: Clusters, residual: Floats, heavy: Flags) -> Floats:
    """(M, M) meat of clusters with many votes, by blocks of dense scores."""
    m = clusters.agents
    chosen = np.flatnonzero(heavy)
    sizes = clusters.sizes
    block = max(FEWEST_CLUSTERS_IN_A_TILE, TILE_BYTES // (8 * m))
    a_shift, mask = clusters.agent_bits + OUTCOME_BITS, (1 << clusters.agent_bits) - 1
    total = np.zeros((m, m), order="F")
    with one_blas_thread():
        for first in range(0, len(chosen), block):
            own = chosen[first : first + block]
            # Light clusters that lie between heavy ones are skipped within the block.
            span = slice(int(clusters.starts[own[0]]), int(clusters.starts[own[-1] + 1]))
            code, r = clusters.code[span], residual[span]
            if own[-1] - own[0] >= len(own):
                kept = np.repeat(heavy[own[0] : own[-1] + 1], sizes[own[0] : own[-1] + 1])
                code, r = code[kept], r[kept]
            base = np.repeat(np.arange(0, len(own) * m, m), sizes[own])
            tile = sums_by(base + (code >> a_shift), r, len(own) * m)
            tile -= sums_by(base + (code >> OUTCOME_BITS & mask), r, len(own) * m)
            # One triangle, added where it is, is half of what a product and a sum come to.
            total = dsyrk(1.0, tile.reshape(-1, m).T, beta=1.0, c=total, overwrite_c=True)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)
