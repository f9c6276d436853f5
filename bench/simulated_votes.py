"""Large simulated vote files: uneven exposure of agents, few judges with many votes and many with few, ties.

``python -m bench.simulated_votes VOTES AGENTS JUDGES FOLDER`` writes the columns as ``.npy`` files, which every tool of
``bench.ratings`` reads, whatever Python it runs on.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons

TIE_SHARE = 0.30
#: Covariates of style, and what one standard deviation of each adds to the log-odds.
STYLE = {"length": 0.25, "headers": 0.08, "lists": -0.05, "bold": 0.03}


def simulated_votes(votes: int, agents: int, judges: int, seed: int = 1) -> tuple[Comparisons, Floats]:
    """Votes of a board, and (4, votes) style covariates that move them a little.

    Args:
        votes: how many.
        agents: how many agents, with strengths of standard deviation 0.6 nats.
        judges: how many judges may vote; some of them do not.
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
    covariates = rng.normal(size=(len(STYLE), votes))
    effect = np.array(list(STYLE.values())) @ covariates
    chance = 1 / (1 + np.exp(strengths[b] - strengths[a] - effect))
    outcome = np.where(rng.random(votes) < chance, A_WINS, B_WINS)
    outcome = np.where(rng.random(votes) < TIE_SHARE, TIE, outcome).astype(np.int8)
    return Comparisons(agents, judge, a, b, outcome), covariates


def save(votes: int, agents: int, judges: int, folder: Path) -> None:
    """One file a column; the covariates lie apart, since most cases do not read them."""
    board, covariates = simulated_votes(votes, agents, judges)
    for name in ("judge", "a", "b", "outcome"):
        np.save(folder / f"{name}.npy", getattr(board, name))
    np.save(folder / "covariates.npy", covariates)


if __name__ == "__main__":
    save(*(int(size) for size in sys.argv[1:4]), Path(sys.argv[4]))
