"""Whether one number that stays the same can describe each agent."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from ratings.estimators.arrays import Floats, Integers, sums_by
from ratings.estimators.comparisons import POINTS_OF_A, Comparisons
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.inference.drift import SIGNIFICANCE, drift_tests
from ratings.probes.board import Board, CannotAnswer
from ratings.probes.probe import Probe

#: In a cycle each of three agents gets more than half of the points against the next.
EVEN = 0.5
#: A pair that fewer effective judges compared has no error by judges worth the name.
FEWEST_JUDGES = 10
#: An agent that changed by fewer points may be left alone.
SHIFT = 10.0


def intransitivity(board: Board) -> Probe:
    """The strongest cycle of three agents, by the weakest of its three shares of points.

    Intervals hold for all pairs at once, so that a cycle whose three lower ends are above one half is there.
    """
    share, low, high = _pair_shares(board)
    cycle = _strongest_cycle(low)
    if cycle is None:
        raise CannotAnswer(f"No three agents were all compared by {FEWEST_JUDGES} judges.")
    steps = [(cycle[0], cycle[1]), (cycle[1], cycle[2]), (cycle[2], cycle[0])]
    value, lower, upper = (min(float(matrix[step]) for step in steps) for matrix in (share, low, high))
    about = tuple(board.names[agent] for agent in cycle)
    return Probe("intransitivity", lower > EVEN, value, lower, upper, EVEN, None, about)


def drift(board: Board, times: Floats | None) -> Probe:
    """The agent that changed most surely, and by how much.

    It fires where the running sum of an agent's residuals strays too far, over all agents at once, and the change is
    surely larger than what may be left alone.
    """
    if times is None:
        raise CannotAnswer("Nothing says when the votes were cast.")
    board.require_judges()
    own = times if board.rows is None else times[board.rows]
    votes = board.votes.take(np.argsort(own, kind="stable"))
    tests = drift_tests(votes, board.estimate)
    if np.isnan(tests.p_holm).all():
        raise CannotAnswer("No agent has votes enough.")
    agent = int(np.nanargmin(tests.p_holm))
    shift = abs(float(tests.shift[agent]))
    reach = board.reach() * _shift_error(board, votes, agent, int(tests.turn[agent]))
    low, high = max(0.0, shift - reach), shift + reach
    fired = bool(tests.p_holm[agent] < SIGNIFICANCE) and low > SHIFT
    return Probe("drift", fired, shift, low, high, SHIFT, None, (board.names[agent],))


def _pair_shares(board: Board) -> tuple[Floats, Floats, Floats]:
    """(C, C) shares of the points of the row agent against the column agent, with both ends of their intervals.

    Wilson's interval at the effective size, by the t quantile of the judges of the pair; -inf, which no cycle can
    use, where a pair did not meet or too few judges compared it.
    """
    votes, meetings = board.votes, board.table.meetings()
    share = np.divide(board.table.points(), meetings, out=np.full_like(meetings, np.nan), where=meetings > 0)
    spread, judges = _by_judge(votes, share)
    known = (judges >= FEWEST_JUDGES) & (meetings > 0)
    pairs = max(1, int(known.sum()) // 2)
    freedom = np.where(known, judges - 1, 1.0)
    z = stats.t.ppf(1 - 0.05 / (2 * pairs), freedom)
    variance = share * (1 - share)
    with np.errstate(invalid="ignore", divide="ignore"):
        items = np.where((spread > 0) & (variance > 0), np.minimum(meetings, variance / spread), judges)
        centre = (share + z**2 / (2 * items)) / (1 + z**2 / items)
        half = z * np.sqrt(variance / items + z**2 / (4 * items**2)) / (1 + z**2 / items)
    share, low, high = (np.where(known, matrix, -np.inf) for matrix in (share, centre - half, centre + half))
    return share, low, high


def _by_judge(votes: Comparisons, share: Floats) -> tuple[Floats, Floats]:
    """(C, C) variances of the shares of pairs, clustered on the judge, and effective numbers of judges of pairs."""
    size = votes.agents
    low, high = np.minimum(votes.a, votes.b).astype(np.int64), np.maximum(votes.a, votes.b)
    points = POINTS_OF_A[votes.outcome]
    points = np.where(votes.a < votes.b, points, 1 - points)
    pair, weight = low * size + high, votes.weights()
    key = pair * (int(votes.judge.max()) + 1) + votes.judge
    order = np.argsort(key, kind="stable")
    key, pair = key[order], pair[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    surplus = np.add.reduceat((weight * (points - share[low, high]))[order], starts)
    judged = np.add.reduceat(weight[order], starts)
    owner = pair[starts]
    number, total, square, scatter = (
        sums_by(owner, values, size * size) for values in (None, judged, np.square(judged), np.square(surplus))
    )
    met = total > 0
    spread, judges = np.zeros(size * size), np.zeros(size * size)
    spread[met] = scatter[met] / total[met] ** 2 * number[met] / np.maximum(1, number[met] - 1)
    judges[met] = total[met] ** 2 / square[met]
    upper = spread.reshape(size, size), judges.reshape(size, size)
    return upper[0] + upper[0].T, upper[1] + upper[1].T


def _strongest_cycle(low: Floats) -> tuple[int, int, int] | None:
    """Three agents whose least lower end, from each to the next and back to the first, is largest."""
    best, found = -np.inf, None
    for first in range(len(low)):
        weakest = np.minimum(np.minimum(low[first][:, None], low), low[:, first][None, :])
        at = int(np.argmax(weakest))
        second, third = divmod(at, len(low))
        if weakest[second, third] > best:
            best, found = float(weakest[second, third]), (first, second, third)
    return found


def _shift_error(board: Board, votes: Comparisons, agent: int, turn: int) -> float:
    """Standard error, in points, of the difference of an agent's mean results after and up to a row of the votes."""
    rows: Integers = np.flatnonzero((votes.a == agent) | (votes.b == agent))
    residual = votes.weights()[rows] * board.estimate.residual[votes.a[rows], votes.b[rows], votes.outcome[rows]]
    gap = board.estimate.strengths[votes.a[rows]] - board.estimate.strengths[votes.b[rows]]
    chance = 1 / (1 + np.exp(-gap))
    information = votes.weights()[rows] * chance * (1 - chance)
    after = rows > turn
    own = np.where(votes.a[rows] == agent, residual, -residual)
    influence = np.where(after, own / information[after].sum(), -own / information[~after].sum())
    by_judge = sums_by(votes.judge[rows], influence, 0)
    variance = max(float(np.square(by_judge).sum()), float(np.square(influence).sum()))
    return POINTS_PER_NAT * math.sqrt(variance)
