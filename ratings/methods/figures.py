"""What the pages about methods compute, by the same functions that make the ratings.

Every answer is a function of what the reader chose, seeds included, so that the page, the script on the page and
whoever calls these functions get the same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, Comparisons, tabulate
from ratings.estimators.covariance import model_covariance
from ratings.estimators.elo import elo_permuted
from ratings.estimators.scale import to_points
from ratings.estimators.schedule import FEWEST_DRAWS, adjust_for_schedule
from ratings.estimators.seeded import SeededDraws
from ratings.inference.gaps import gap_tests
from ratings.inference.intervals import intervals, t_quantile
from ratings.inference.planning import expected_maximum, selection_inflation

#: Four models 30 points apart in the middle, 2,000 votes, a hundred orders.
TRUE_RATINGS = (1060.0, 1015.0, 985.0, 940.0)
VOTES = 2000
ORDERS = 100
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
#: Seeds of votes are moved by this, out of the way of the seeds of orders: the same words must not make both.
VOTES_STREAM = 1_000_000
#: What people may choose as a seed.
HIGHEST_SEED = VOTES_STREAM - 1
#: Sizes that the page about the best of many lists beside the one that was chosen.
USUAL_TRIES = (1, 2, 5, 10, 27, 100)


def equal_shares(agents: int) -> Floats:
    """The reference of equal shares, whose mean rating is the anchor."""
    return np.full(agents, 1 / agents)


@dataclass(frozen=True, slots=True, eq=False)
class EloReplay:
    """The same votes in many orders; points.

    Attributes:
        finals: (orders, M) online Elo after the last vote of each order.
        fit: (M,) Bradley-Terry ratings of all votes at once.
        lower, upper: (M,) ends of their 95% intervals.
    """

    finals: Floats
    fit: Floats
    lower: Floats
    upper: Floats

    @property
    def mean(self) -> Floats:
        return np.asarray(self.finals.mean(axis=0))

    @property
    def spread(self) -> Floats:
        """(M,) standard deviation over orders."""
        return np.asarray(self.finals.std(axis=0, ddof=1))

    @property
    def in_true_order(self) -> int:
        """Orders after which Elo has all models in the order of the truth."""
        return int((np.diff(self.finals, axis=1) < 0).all(axis=1).sum())


@lru_cache(maxsize=64)
def simulated_votes(seed: int) -> Comparisons:
    """Votes between random pairs of the four models, each decided by their true ratings; no ties."""
    pair, luck = SeededDraws(VOTES_STREAM + seed).uniforms(2, VOTES)
    a, b = np.array(PAIRS)[(pair * len(PAIRS)).astype(np.int64)].T
    truth = np.array(TRUE_RATINGS)
    chance = 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))
    return Comparisons(len(truth), np.arange(VOTES), a, b, np.where(luck < chance, A_WINS, B_WINS))


@lru_cache(maxsize=64)
def replay_elo(k: int, *, votes_seed: int, orders_seed: int) -> EloReplay:
    """Replay simulated votes in a hundred orders, and fit them at once.

    The votes come from the model, so its own errors are right.
    """
    votes = simulated_votes(votes_seed)
    estimate = fit_bradley_terry(tabulate(votes))
    reference = equal_shares(votes.agents)
    fit = to_points(estimate.strengths, reference)
    errors = np.sqrt(np.diag(model_covariance(estimate).points(reference)))
    reach = intervals(fit, errors, t_quantile(math.inf))
    return EloReplay(elo_permuted(votes, k, seed=orders_seed, orders=ORDERS).ratings, fit, reach.lower, reach.upper)


@dataclass(frozen=True, slots=True, eq=False)
class BestOf:
    """Equal variants, each measured once.

    Attributes:
        in_errors: standard errors by which the best of them is expected to look better than it is.
        inflation: the same in points.
        measured: (k,) one draw of what is measured, in points above what all of them are worth.
        usual: number of variants, standard errors and points, for some usual numbers.
    """

    in_errors: float
    inflation: float
    measured: Floats
    usual: tuple[tuple[int, float, float], ...]

    @property
    def best(self) -> float:
        return float(self.measured.max())


def best_of(k: int, error: float, *, seed: int) -> BestOf:
    """What picking the best of ``k`` equal variants does, each measured with a standard error of ``error`` points."""
    return BestOf(
        in_errors=_expected_maximum(k),
        inflation=selection_inflation(k, error),
        measured=error * SeededDraws(seed).normals(k),
        usual=tuple((tries, _expected_maximum(tries), error * _expected_maximum(tries)) for tries in USUAL_TRIES),
    )


@lru_cache(maxsize=256)
def _expected_maximum(k: int) -> float:
    # Of one number it is 0, which the integral gives with rounding.
    return expected_maximum(k) if k > 1 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """Three agents of whom each beats the next equally often; points.

    Attributes:
        shares: of the battles, for A-B, B-C and C-A.
        fitted: (3,) ratings of A, B and C from battles as they were scheduled.
        adjusted: (3,) the same with every battle weighted by how unlikely it was.
    """

    shares: tuple[float, float, float]
    fitted: Floats
    adjusted: Floats

    @property
    def gap(self) -> float:
        """A above B, as fitted."""
        return float(self.fitted[0] - self.fitted[1])


def cycle(share: float, win: float) -> Cycle:
    """The fit of a cycle in which the schedule is all that differs.

    Args:
        share: of the battles that are between A and B; the other two pairs have half of the rest each.
        win: share that A wins against B, B against C, and C against A.
    """
    shares = (share, (1 - share) / 2, (1 - share) / 2)
    a, b = np.repeat([[0, 1], [1, 2], [2, 0]], 2, axis=0).T
    probability = np.repeat(shares, 2)
    votes = Comparisons(
        agents=3,
        judge=np.arange(6),
        a=a,
        b=b,
        outcome=np.tile([A_WINS, B_WINS], 3),
        weight=probability * np.tile([win, 1 - win], 3),
    )
    # All pairs were to be had in every draw; how many there were does not matter.
    adjusted = adjust_for_schedule(votes, probability, np.full((3, 3), float(FEWEST_DRAWS)))
    fitted, even = (
        to_points(fit_bradley_terry(tabulate(v)).strengths, equal_shares(3)) for v in (votes, adjusted.votes)
    )
    return Cycle(shares, fitted, even)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two ratings with their intervals against the test of their gap; points.

    Attributes:
        errors: standard errors, from the widths of the 95% intervals.
        gap, error: the gap and its standard error.
        statistic, p_value: of the two-sided z test.
        lower, upper: ends of the 95% interval of the gap.
        overlapping: whether the two intervals share a point.
    """

    errors: tuple[float, float]
    gap: float
    error: float
    statistic: float
    p_value: float
    lower: float
    upper: float
    overlapping: bool

    @property
    def settled(self) -> bool:
        return self.lower > 0 or self.upper < 0


def two_ratings(
    one: float, one_ends: tuple[float, float], other: float, other_ends: tuple[float, float], correlation: float
) -> Overlap:
    """Test the gap of two ratings.

    Args:
        one, other: ratings.
        one_ends, other_ends: ends of their 95% normal intervals.
        correlation: of their errors, above -1 and below 1.
    """
    reach = t_quantile(math.inf)
    errors = np.array([one_ends[1] - one_ends[0], other_ends[1] - other_ends[0]]) / (2 * reach)
    covariance = np.outer(errors, errors) * np.array([[1, correlation], [correlation, 1]])
    test = gap_tests(np.array([one, other]), covariance, math.inf)
    gap, error = float(test.gap[0, 1]), float(test.error[0, 1])
    return Overlap(
        errors=(float(errors[0]), float(errors[1])),
        gap=gap,
        error=error,
        statistic=gap / error,
        p_value=float(test.p_value[0, 1]),
        lower=gap - reach * error,
        upper=gap + reach * error,
        overlapping=one_ends[0] <= other_ends[1] and other_ends[0] <= one_ends[1],
    )


def centred_correlation(agents: int) -> float:
    """Correlation of two ratings from an even round robin of equals, whose mean is held at the anchor."""
    estimate = fit_bradley_terry(tabulate(_every_pair_once_each_way(agents)))
    covariance = model_covariance(estimate).points(equal_shares(agents))
    return float(covariance[0, 1] / covariance[0, 0])


def _every_pair_once_each_way(agents: int) -> Comparisons:
    a, b = np.array([(i, j) for i in range(agents) for j in range(agents) if i != j]).T
    return Comparisons(agents, np.arange(len(a)), a, b, np.full(len(a), A_WINS))
