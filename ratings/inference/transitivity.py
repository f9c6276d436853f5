"""Whether one number per agent can describe the votes at all.

Two questions. Over the whole board: do shares of pairs scatter about the fit more than judges explain (deviance of
the model with a parameter for every pair against the fit)? And for three agents: do their three log-odds add up, or
is there a cycle among them that no rating can show?

Sources: Rao and Scott 1981 (deviances of clustered counts); Holm 1979.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats
from scipy.sparse import csr_array
from scipy.special import xlogy

from ratings.estimators.arrays import Floats, Integers
from ratings.estimators.comparisons import POINTS_OF_A, Comparisons, effective_number, tabulate
from ratings.estimators.covariance import Covariance
from ratings.estimators.estimate import Estimate
from ratings.inference.gaps import holm

#: Triples are formed among this many agents with most votes: beyond it they are hundreds of thousands.
MOST_AGENTS = 40


@dataclass(frozen=True, slots=True)
class FitTest:
    """Deviance of the fit against a parameter for every pair.

    Attributes:
        deviance: twice the difference of log-likelihoods.
        degrees_of_freedom: pairs that met, less free strengths.
        scale: what the deviance would be per degree of freedom if the fit were right, given the judges.
        p_value: of the scaled deviance by F; None where judges do not outnumber the degrees of freedom.
    """

    deviance: float
    degrees_of_freedom: int
    scale: float
    p_value: float | None


@dataclass(frozen=True, slots=True, eq=False)
class TripleTests:
    """Triples of agents i < j < k all of whose pairs split their votes; arrays over T triples.

    Attributes:
        agents: (T, 3) indices.
        excess: (T,) log-odds of i over j, plus j over k, less i over k: zero if one number each describes them.
        error: (T,) standard errors, clustered on the judge.
        p_holm: (T,) two-sided, adjusted over all triples.
        cyclic: (T,) whether each of the three beat one and lost to the other.
    """

    agents: Integers
    excess: Floats
    error: Floats
    p_holm: Floats
    cyclic: Integers


def fit_test(votes: Comparisons, estimate: Estimate, covariance: Covariance) -> FitTest | None:
    """Test the half-win fit, without further parameters, against a free share for every pair.

    Args:
        votes: n comparisons.
        estimate: their fit.
        covariance: of the fit, clustered on the judge.

    Returns:
        None where pairs leave nothing to test.
    """
    table = tabulate(votes)
    points, meetings = np.triu(table.points()), np.triu(table.meetings())
    met = meetings > 0
    free = int(met.sum()) - estimate.free_parameters
    if free < 1:
        return None
    gap = (estimate.strengths[:, None] - estimate.strengths[None, :])[met]
    chance, weight, share = 1 / (1 + np.exp(-gap)), meetings[met], points[met] / meetings[met]
    own = xlogy(share, share / chance) + xlogy(1 - share, (1 - share) / (1 - chance))
    deviance = 2 * float((weight * own).sum())
    expected = np.zeros((votes.agents, votes.agents))
    expected[met] = chance
    scores = _scores_by_judge_and_pair(votes, expected)
    spread = np.asarray(scores.power(2).sum(axis=0)).reshape(votes.agents, votes.agents)[met]
    judges = len(np.unique(votes.judge))
    factor = judges / (judges - 1) if judges > 1 else 1.0
    scatter = factor * float((spread / (weight * chance * (1 - chance))).sum())
    scale = (scatter - covariance.design_effect * estimate.free_parameters) / free
    freedom = covariance.degrees_of_freedom
    if judges <= free or scale <= 0 or freedom <= 0:
        return FitTest(deviance, free, scale, None)
    return FitTest(deviance, free, scale, float(stats.f.sf(deviance / (free * scale), free, freedom)))


def triple_tests(votes: Comparisons) -> TripleTests:
    """Test the triples among the agents with most votes."""
    table = tabulate(votes)
    points, meetings = table.points(), table.meetings()
    busiest = np.sort(np.argsort(-meetings.sum(axis=1), kind="stable")[:MOST_AGENTS])
    split = (points > 0) & (points.T > 0)
    triples = np.array(
        [(i, j, k) for i, j, k in combinations(busiest.tolist(), 3) if split[i, j] and split[j, k] and split[i, k]],
        dtype=np.int64,
    ).reshape(-1, 3)
    share = np.divide(points, meetings, out=np.full_like(points, 0.5), where=split)
    log_odds = np.log(share) - np.log1p(-share)
    i, j, k = triples.T
    excess = log_odds[i, j] + log_odds[j, k] - log_odds[i, k]
    error = _triple_errors(votes, share, meetings, triples)
    judged = np.bincount(votes.judge, votes.weight)
    statistic = np.abs(np.divide(excess, error, out=np.full(len(excess), np.nan), where=error > 0))
    freedom = max(effective_number(judged.astype(np.float64)) - 1, 0.0)
    p_value = 2 * stats.t.sf(statistic, freedom) if freedom > 0 else np.full(len(excess), np.nan)
    forward = np.sign(log_odds[i, j]) + np.sign(log_odds[j, k]) - np.sign(log_odds[i, k])
    return TripleTests(triples, excess, error, holm(np.asarray(p_value)), np.abs(forward) == 3)


def _scores_by_judge_and_pair(votes: Comparisons, expected: Floats) -> csr_array:
    """(J, M x M) sparse sums of weighted points less expectation, for the lower index of each pair."""
    m = votes.agents
    low, high = np.minimum(votes.a, votes.b).astype(np.int64), np.maximum(votes.a, votes.b)
    points = POINTS_OF_A[votes.outcome]
    points = np.where(votes.a < votes.b, points, 1 - points)
    score = votes.weights() * (points - expected[low, high])
    scores = csr_array(
        (score, (votes.judge.astype(np.int64), low * m + high)), shape=(int(votes.judge.max()) + 1, m * m)
    )
    scores.sum_duplicates()
    return scores


def _triple_errors(votes: Comparisons, share: Floats, meetings: Floats, triples: Integers) -> Floats:
    """(T,) clustered standard errors of the excesses, from the influence of every judge on every pair's log-odds."""
    m = votes.agents
    used = np.unique(np.concatenate([triples[:, [0, 1]], triples[:, [1, 2]], triples[:, [0, 2]]]), axis=0)
    place = np.full((m, m), -1)
    place[used[:, 0], used[:, 1]] = np.arange(len(used))
    scores = _scores_by_judge_and_pair(votes, share)[:, used[:, 0] * m + used[:, 1]]
    pair_share, pair_weight = share[used[:, 0], used[:, 1]], meetings[used[:, 0], used[:, 1]]
    influence = scores.multiply(1 / (pair_weight * pair_share * (1 - pair_share))).tocsr()
    judges = len(np.unique(votes.judge))
    common = (influence.T @ influence).toarray() * (judges / max(1, judges - 1))
    one, two, three = (place[triples[:, x], triples[:, y]] for x, y in ((0, 1), (1, 2), (0, 2)))
    variance = common[one, one] + common[two, two] + common[three, three]
    variance += 2 * (common[one, two] - common[one, three] - common[two, three])
    return np.asarray(np.sqrt(np.maximum(variance, 0)), dtype=np.float64)
