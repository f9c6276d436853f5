"""Votes to test with: written out, or simulated with a known truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.estimators.scale import POINTS_PER_NAT


def ballots(rows: Iterable[Sequence[int]], agents: int | None = None, **columns: object) -> Comparisons:
    """Votes written out as (judge, a, b, outcome)."""
    judge, a, b, outcome = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Comparisons(agents or int(max(a.max(), b.max())) + 1, judge, a, b, outcome, **columns)


def head_to_head(wins: int, losses: int, ties: int = 0, a: int = 0, b: int = 1) -> list[tuple[int, int, int, int]]:
    """Rows of a against b, every vote by a judge of its own."""
    outcomes = [A_WINS] * wins + [B_WINS] * losses + [TIE] * ties
    return [(judge, a, b, outcome) for judge, outcome in enumerate(outcomes)]


def judged_apart(rows: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """The same rows with a new judge for every one."""
    return [(judge, *row[1:]) for judge, row in enumerate(rows)]


def simulate(
    points: Sequence[float],
    votes: int,
    seed: int,
    *,
    judges: int = 50,
    tie_share: float = 0.0,
    taste: float = 0.0,
    unequal: float = 0.0,
    position: float = 0.0,
) -> Comparisons:
    """A round robin in random order with a known truth.

    Args:
        points: true ratings.
        votes: how many.
        seed: of everything.
        judges: how many judges.
        tie_share: share of votes that are ties whatever the strengths.
        taste: standard deviation, in nats, of a judge's own liking for an agent.
        unequal: 0 for judges who vote equally often; larger for fewer who cast most.
        position: advantage of slot A in nats.
    """
    rng = np.random.default_rng(seed)
    m = len(points)
    strengths = np.asarray(points) / POINTS_PER_NAT
    a = rng.integers(0, m, votes)
    b = (a + rng.integers(1, m, votes)) % m
    activity = 1 / (np.arange(judges) + 1.0) ** unequal
    judge = rng.choice(judges, votes, p=activity / activity.sum())
    liking = strengths + taste * rng.normal(size=(judges, m))
    chance = 1 / (1 + np.exp(-(liking[judge, a] - liking[judge, b] + position)))
    outcome = np.where(rng.random(votes) < chance, A_WINS, B_WINS)
    outcome = np.where(rng.random(votes) < tie_share, TIE, outcome)
    return Comparisons(m, judge, a, b, outcome)


def centred(agents: int) -> Floats:
    """The reference of equal shares."""
    return np.full(agents, 1 / agents)


def gap_error(covariance: Floats, i: int, j: int) -> float:
    """Standard error of the gap of two agents."""
    return float(np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))


def score_matrix(votes: Comparisons, residual: Floats) -> Floats:
    """(n, M) dense scores, the way no code outside tests may write them."""
    scores = np.zeros((len(votes), votes.agents))
    rows = np.arange(len(votes))
    scores[rows, votes.a] += residual
    scores[rows, votes.b] -= residual
    return scores * votes.weights()[:, None]


@st.composite
def boards(draw: st.DrawFn, most_agents: int = 5, most_votes: int = 60) -> Comparisons:
    """Small boards on which every pair has split its votes, so that a finite maximum exists."""
    agents = draw(st.integers(2, most_agents))
    rows = [(0, i, j, outcome) for i in range(agents) for j in range(i) for outcome in (A_WINS, B_WINS)]
    extra = st.tuples(
        st.integers(0, 5),
        st.integers(0, agents - 1),
        st.integers(1, agents - 1),
        st.sampled_from((A_WINS, TIE, B_WINS)),
    )
    for judge, a, shift, outcome in draw(st.lists(extra, max_size=most_votes)):
        rows.append((judge, a, (a + shift) % agents, outcome))
    judged = [(draw(st.integers(0, 7)) if not row[0] else row[0], *row[1:]) for row in rows]
    return ballots(judged, agents)
