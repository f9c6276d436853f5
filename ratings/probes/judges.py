"""Whether the judges are many independent voices, or a few loud ones."""

from __future__ import annotations

import math

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import score_tiles
from ratings.estimators.comparisons import PairTable, tabulate
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.threads import one_blas_thread
from ratings.inference.gaps import gap_tests
from ratings.inference.robustness import LEVEL
from ratings.probes.board import Board, CannotAnswer
from ratings.probes.probe import Probe

#: Intervals that ignore judges would be a quarter too narrow.
ERROR_RATIO = 1.25
#: One judge carries a whole gap: without that judge the two change places.
WHOLE_GAP = 1.0
#: Two agents look apart at this level if votes are taken for independent.
LOOKS_APART = 0.05
#: How many judges are tried for each of the two first-order measures.
TRIED = 3


def judge_clustering(board: Board) -> Probe:
    """Root of the mean ratio of the variances by judges and by single votes, over the whole board.

    Both sides are sums over judges, so that their ratio has the ordinary error of a ratio of means.
    """
    board.require_judges()
    together, alone = _own_parts(board)
    ratio = float(together.sum() / alone.sum())
    judges = len(together)
    spread = judges / (judges - 1) * float(np.square(together - ratio * alone).sum())
    reach = board.reach() * math.sqrt(spread) / float(alone.sum())
    low, high = math.sqrt(max(0.0, ratio - reach)), math.sqrt(ratio + reach)
    return Probe("judge_clustering", low > ERROR_RATIO, math.sqrt(ratio), low, high, ERROR_RATIO, None)


def judge_influence(board: Board) -> Probe:
    """The largest part of a gap that goes with one judge; counted, and tried.

    Only pairs are asked about that look apart while votes are taken for independent: that those who do not look apart
    hang by a judge is no news. Judges are tried who, to first order, move a gap of neighbours or the whole board most.
    """
    if len(board.judges) < 2:
        raise CannotAnswer("There is only one judge.")
    size = len(board.names)
    plain = gap_tests(board.ratings, POINTS_PER_NAT**2 * board.plain.matrix[:size, :size], math.inf)
    with np.errstate(invalid="ignore"):
        upper, lower = np.nonzero((plain.gap > 0) & (plain.p_value < LOOKS_APART))
    if not len(upper):
        raise CannotAnswer("No two agents look apart to begin with.")
    gap = board.estimate.strengths[upper] - board.estimate.strengths[lower]
    value, pair = -np.inf, 0
    for judge in _loudest(board):
        without = _without(board, judge)
        # Without this judge not all agents can be rated on one scale.
        carried = np.ones(len(gap)) if without is None else 1 - (without[upper] - without[lower]) / gap
        if carried.max() > value:
            value, pair = float(carried.max()), int(carried.argmax())
    about = board.names[upper[pair]], board.names[lower[pair]]
    return Probe("judge_influence", value >= WHOLE_GAP, value, None, None, WHOLE_GAP, None, about)


def _own_parts(board: Board) -> tuple[Floats, Floats]:
    """(G,) of every judge: squared score, and the sum of the squared scores of the judge's votes, each in the metric
    of the information.
    """
    bread = board.estimate.bread
    with one_blas_thread():
        together = np.concatenate(
            [((scores @ bread) * scores).sum(axis=1) for _, scores in score_tiles(board.judges, board.estimate)]
        )
    own = np.diag(bread)
    spread = own[:, None] + own[None, :] - 2 * bread
    residual = board.judges.residual(board.estimate)
    by_vote = np.square(residual) * spread[board.judges.agent_a(), board.judges.agent_b()]
    return together, np.add.reduceat(by_vote, board.judges.starts[:-1])


def _loudest(board: Board) -> list[int]:
    """The judges to try: those who carry most of the gaps of neighbours, and those with the largest scores."""
    upper, lower = board.neighbours()
    contrast = board.estimate.bread[:, upper] - board.estimate.bread[:, lower]
    gap = np.maximum(board.estimate.strengths[upper] - board.estimate.strengths[lower], LEVEL)
    with one_blas_thread():
        carried = np.concatenate(
            [(scores @ contrast / gap).max(axis=1) for _, scores in score_tiles(board.judges, board.estimate)]
        )
    together, _ = _own_parts(board)
    places = [np.argsort(-measure, kind="stable")[:TRIED] for measure in (carried, together)]
    return [int(judge) for judge in np.unique(board.judges.ids[np.concatenate(places)])]


def _without(board: Board, judge: int) -> Floats | None:
    """(C,) strengths fitted without a judge; None where some are unbounded then."""
    gone = tabulate(board.votes.take(board.votes.judge == judge)).weight
    left = board.table.weight - gone
    # Sums of weights that are not whole leave rounding where nothing is left.
    left[left < LEVEL] = 0
    try:
        return fit_bradley_terry(PairTable(left), start=board.estimate.strengths).strengths
    except NoFiniteMaximum:
        return None
