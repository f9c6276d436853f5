"""Whole corpora with a known truth, made without a database."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from battles.matchmaking import Standing, pair_probabilities
from ratings.corpus_file import COLUMNS
from ratings.eligibility import Reason
from ratings.estimators.comparisons import Comparisons
from ratings.rated_corpus import BOTH_BAD, TIE, Corpus, EndedBattles, make_corpus
from tests.ratings.boards import simulate

CATEGORIES = ("forms", "shopping")
RATED = int(Reason.RATED)


def corpus_of(
    votes: Comparisons,
    *,
    agents: Sequence[str] = (),
    probability: np.ndarray | None = None,
    draws: int = 500,
    ended: Sequence[tuple[int, int, int, int]] = (),
    **columns: np.ndarray,
) -> Corpus:
    """The corpus of votes, each on a battle of its own unless ``battle`` says otherwise."""
    n, m = len(votes), votes.agents
    own: dict[str, np.ndarray] = {name: np.zeros(n, dtype=kind) for name, kind in COLUMNS}
    own |= {
        "battle": np.arange(n),
        "judge": votes.judge,
        "agent_a": votes.a,
        "agent_b": votes.b,
        "outcome": votes.outcome,
        "rubric": np.ones(n),
        "pairs": np.full(n, m * (m - 1) // 2),
        "probability": np.full(n, 2 / (m * (m - 1))) if probability is None else probability,
    }
    own |= columns
    rows = np.array(list(ended), dtype=np.int64).reshape(-1, 4)
    return make_corpus(
        agents=tuple(agents or (f"agent-{number}" for number in range(m))),
        categories=CATEGORIES,
        columns=own,
        draws=(np.full((m, m), draws) - draws * np.eye(m)).astype(np.int64),
        ended=EndedBattles(*rows.T),
    )


def looks(n: int, seed: int) -> dict[str, np.ndarray]:
    """What judges see of each lane, drawn without regard to who ran."""
    rng = np.random.default_rng(seed)
    found: dict[str, np.ndarray] = {}
    for side in "ab":
        found[f"length_{side}"] = rng.integers(20, 800, n)
        for mark in ("headers", "lists", "bold"):
            found[f"{mark}_{side}"] = rng.poisson(1.5, n)
        found[f"steps_{side}"] = rng.integers(3, 30, n)
        found[f"seconds_{side}"] = rng.uniform(5, 90, n).round(2)
    return found


def lively_corpus(
    points: Sequence[float] = (1150, 1050, 1000, 950, 850), labels: int = 900, seed: int = 7, judges: int = 41
) -> Corpus:
    """A corpus with a bit of everything: ties, both bad, two categories, excluded and withdrawn labels, styles."""
    votes = simulate(points, labels, seed, judges=judges, tie_share=0.2)
    rng = np.random.default_rng(seed + 1)
    outcome = np.where((votes.outcome == TIE) & (rng.random(labels) < 0.4), BOTH_BAD, votes.outcome)
    reason = rng.choice(
        [RATED, Reason.NO_TRAJECTORY, Reason.IDENTITY_LEAKED, Reason.JUDGE_NOT_ADMISSIBLE, Reason.WITHDRAWN],
        labels,
        p=[0.88, 0.03, 0.03, 0.03, 0.03],
    )
    m = votes.agents
    ended = [(a, b, int(why), 3) for a in range(m) for b in range(a) for why in (RATED, *range(4, 7))]
    return corpus_of(
        votes,
        outcome=outcome,
        reason=reason,
        category=rng.choice(2, labels, p=[0.95, 0.05]),
        by_submitter=rng.random(labels) < 0.1,
        ended=ended,
        **looks(labels, seed + 2),
    )


def drawn_votes(points: Sequence[float], labels: int, seed: int) -> tuple[Comparisons, np.ndarray]:
    """Votes on pairs drawn as the arena draws them, with each pair's probability."""
    m = len(points)
    keys = [f"{number:03d}" for number in range(m)]
    ratings = dict(zip(keys, points, strict=True))
    battles = {key: 400 if number < m // 2 else 4 for number, key in enumerate(keys)}
    table = pair_probabilities(Standing(keys, battles, {}, ratings))
    pairs, chances = list(table), np.array(list(table.values()))
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(pairs), labels, p=chances / chances.sum())
    a, b = (np.array([int(pairs[pair][side]) for pair in drawn]) for side in (0, 1))
    plain = simulate(points, labels, seed, judges=60)
    strengths = np.array(points) / 173.7178
    won = rng.random(labels) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
    return Comparisons(m, plain.judge, a, b, np.where(won, 2, 0)), chances[drawn]
