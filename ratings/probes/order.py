"""Whether the order of the agents is worth anything."""

from __future__ import annotations

import math

import numpy as np

from ratings.estimators.arrays import Floats, Integers
from ratings.inference.intervals import t_quantile
from ratings.inference.robustness import Removals
from ratings.inference.simultaneous import t_draws
from ratings.probes.board import Board, CannotAnswer
from ratings.probes.probe import Probe

#: A gap whose interval reaches down to this many points may be none.
NO_GAP = 0.0
#: An order in which agents move by half a rank on average is no order to quote.
RANKS_MOVED = 0.5
#: Panels of judges that are simulated.
PANELS = 500
#: Votes that decide the top, as a share of all: two in a thousand can be bought, or withdrawn.
DECISIVE_SHARE = 0.002


def separation(board: Board) -> Probe:
    """The two neighbours that are told apart worst: whose gap reaches lowest, with intervals for all gaps at once."""
    upper, lower = board.neighbours()
    gap, error = board.tests.gap[upper, lower], board.tests.error[upper, lower]
    size = len(board.names)
    reach = board.reach(size * (size - 1) // 2) * error
    if not np.isfinite(error).any():
        raise CannotAnswer("No two neighbours have an error.")
    worst = int(np.nanargmin(gap - reach))
    low, high = float(gap[worst] - reach[worst]), float(gap[worst] + reach[worst])
    about = board.names[upper[worst]], board.names[lower[worst]]
    return Probe("separation", low <= NO_GAP, float(gap[worst]), low, high, NO_GAP, None, about)


def rank_volatility(board: Board) -> Probe:
    """How far agents move on average when other judges vote, who are drawn from the covariance of the fit.

    The interval is that of the simulation.
    """
    board.require_judges()
    strengths = board.estimate.strengths
    drawn = strengths + t_draws(board.covariance, seed=board.seed, draws=PANELS).error
    moved = np.abs(_ranks(drawn) - _ranks(strengths[None])).mean(axis=1)
    value, reach = float(moved.mean()), t_quantile(PANELS - 1) * float(moved.std()) / math.sqrt(PANELS)
    low, high = max(0.0, value - reach), value + reach
    return Probe("rank_volatility", low > RANKS_MOVED, value, low, high, RANKS_MOVED, None)


def drop_to_flip(board: Board) -> Probe:
    """The smallest share of votes found whose removal puts the second above the first; counted, and tried."""
    first, second = (int(agent) for agent in board.order[:2])
    flip = Removals(board.votes, board.estimate, [(first, second)]).votes_to_flip(first, second)
    if flip.share is None:
        raise CannotAnswer("No votes were found whose removal gives another first.")
    about = board.names[first], board.names[second]
    return Probe("drop_to_flip", flip.share < DECISIVE_SHARE, flip.share, None, None, DECISIVE_SHARE, None, about)


def _ranks(strengths: Floats) -> Integers:
    """(B, C) ranks of the agents in every row, the best 0."""
    return np.argsort(np.argsort(-strengths, axis=1, kind="stable"), axis=1, kind="stable")
