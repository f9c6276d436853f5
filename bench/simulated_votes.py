"""Large simulated vote files: uneven exposure of agents, few judges with many votes and many with few, ties."""

from __future__ import annotations

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons

TIE_SHARE = 0.30


def simulated_votes(votes: int, agents: int, judges: int, seed: int = 1) -> tuple[Comparisons, Floats]:
    """Votes of a board, and (4, votes) style covariates that move them a little.

    Args:
        votes: how many.
        agents: how many agents, with strengths of standard deviation 0.6 nats.
        judges: how many judges may vote; with few votes some of them do not.
        seed: of everything.
    """
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0, 0.6, agents)
    exposure = rng.gamma(1.0, 1.0, agents) + 0.15
    exposure /= exposure.sum()
    a = rng.choice(agents, votes, p=exposure).astype(np.int16)
    b = rng.choice(agents, votes, p=exposure).astype(np.int16)
    b = np.where(a == b, (b + 1) % agents, b).astype(np.int16)
    activity = 1 / (np.arange(judges) + 10.0) ** 0.9
    judge = rng.choice(judges, votes, p=activity / activity.sum()).astype(np.int32)
    covariates = rng.normal(size=(4, votes))
    effect = np.array([0.25, 0.08, -0.05, 0.03]) @ covariates
    chance = 1 / (1 + np.exp(strengths[b] - strengths[a] - effect))
    outcome = np.where(rng.random(votes) < chance, A_WINS, B_WINS)
    outcome = np.where(rng.random(votes) < TIE_SHARE, TIE, outcome).astype(np.int8)
    return Comparisons(agents, judge, a, b, outcome), covariates
