"""Boards without a defect, and with one planted in each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.probes import Probe, run_probes

#: Eight agents far enough apart.
APART = (1245.0, 1175.0, 1105.0, 1035.0, 965.0, 895.0, 825.0, 755.0)
STYLES = ("length", "lists")


@dataclass(frozen=True)
class Recipe:
    """How a board comes about; the defaults are a clean one.

    Attributes:
        points: true ratings.
        votes, judges: how many.
        unequal: 0 for judges who vote equally often; larger for fewer who cast most.
        ties: share of votes that are ties whatever the strengths.
        tie_prone: (M,) the same by agent; a battle ties by the larger of its two.
        drawn: (M,) how often each agent is drawn, relative to each other.
        side: advantage of slot A, nats.
        always_a: agents that always sit in slot A where the other does not.
        taste: standard deviation of a judge's own liking of an agent, nats.
        cycle: three agents of whom each gets this share against the next.
        cycle_share: that share.
        style: nats for one unit of the first style.
        shift: points by which an agent changes half-way.
        shifting: that agent.
        fan_share: share of the votes that the first judge casts.
        idol: the agent that judge prefers whenever it takes part.
        islands: whether the first and the second half of the agents never meet.
    """

    points: tuple[float, ...] = APART
    votes: int = 16_000
    judges: int = 240
    unequal: float = 0.0
    ties: float = 0.2
    tie_prone: tuple[float, ...] = ()
    drawn: tuple[float, ...] = ()
    side: float = 0.0
    always_a: tuple[int, ...] = ()
    taste: float = 0.0
    cycle: tuple[int, ...] = ()
    cycle_share: float = 0.75
    style: float = 0.0
    shift: float = 0.0
    shifting: int = 0
    fan_share: float = 0.0
    idol: int = 4
    islands: bool = False


@dataclass(frozen=True)
class Simulated:
    """A board with everything that probes can be told."""

    votes: Comparisons
    names: tuple[str, ...]
    covariates: Floats
    times: Floats

    def probes(self, seed: int = 0) -> dict[str, Probe]:
        found = run_probes(
            self.votes,
            self.names,
            covariates=self.covariates,
            covariate_names=STYLES,
            times=self.times,
            seed=seed,
        )
        return {probe.key: probe for probe in found}

    def fired(self) -> set[str]:
        return {key for key, probe in self.probes().items() if probe.fired}


def grown(recipe: Recipe, seed: int) -> Simulated:
    """Simulate a board."""
    rng = np.random.default_rng(seed)
    size, count = len(recipe.points), recipe.votes
    strengths = np.asarray(recipe.points) / POINTS_PER_NAT
    a, b = _drawn(recipe, rng)
    swap = np.isin(b, recipe.always_a) & ~np.isin(a, recipe.always_a)
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    activity = 1 / (np.arange(recipe.judges) + 1.0) ** recipe.unequal
    judge = rng.choice(recipe.judges, count, p=activity / activity.sum())
    judge = np.where(rng.random(count) < recipe.fan_share, 0, judge)
    times = np.arange(count, dtype=np.float64)
    covariates = rng.normal(size=(len(STYLES), count))
    liking = strengths + recipe.taste * rng.normal(size=(recipe.judges, size))
    changed = np.where(times > count / 2, recipe.shift / POINTS_PER_NAT, 0.0)
    log_odds = liking[judge, a] - liking[judge, b] + recipe.side + recipe.style * covariates[0]
    log_odds += changed * ((a == recipe.shifting).astype(float) - (b == recipe.shifting))
    for one, other in zip(recipe.cycle, recipe.cycle[1:] + recipe.cycle[:1], strict=True):
        edge = np.log(recipe.cycle_share / (1 - recipe.cycle_share))
        log_odds = np.where((a == one) & (b == other), edge, np.where((a == other) & (b == one), -edge, log_odds))
    outcome = np.where(rng.random(count) < 1 / (1 + np.exp(-log_odds)), A_WINS, B_WINS)
    prone = np.asarray(recipe.tie_prone or (recipe.ties,) * size)
    outcome = np.where(rng.random(count) < np.maximum(prone[a], prone[b]), TIE, outcome)
    if recipe.fan_share:
        fan = judge == 0
        outcome = np.where(fan & (a == recipe.idol), A_WINS, np.where(fan & (b == recipe.idol), B_WINS, outcome))
    votes = Comparisons(size, judge, a, b, outcome)
    return Simulated(votes, tuple(f"agent-{place}" for place in range(size)), covariates, times)


def _drawn(recipe: Recipe, rng: np.random.Generator) -> tuple[Integers, Integers]:
    size = len(recipe.points)
    wanted = np.asarray(recipe.drawn or (1.0,) * size)
    chance = np.outer(wanted, wanted)
    np.fill_diagonal(chance, 0)
    if recipe.islands:
        half: Flags = np.arange(size) < size // 2
        chance[half[:, None] != half[None, :]] = 0
    cell = rng.choice(size * size, recipe.votes, p=(chance / chance.sum()).ravel())
    return cell // size, cell % size


CLEAN = Recipe()
#: Other boards without a defect: a young one whose judges are few and unequal, and a long one.
YOUNG = Recipe(points=(1300.0, 1150.0, 1000.0, 850.0, 700.0), votes=3_000, judges=40, unequal=0.7)
LONG = Recipe(points=tuple(1560.0 - 80 * place for place in range(15)), votes=60_000, judges=1_000)

#: One defect each, by the probe that must fire.
PLANTED: dict[str, Recipe] = {
    "separation": replace(CLEAN, points=(*APART[:4], APART[3], *APART[5:])),
    "rank_volatility": replace(CLEAN, points=(1008, 1006, 1004, 1002, 1000, 998, 996, 994)),
    "connectivity": replace(CLEAN, islands=True),
    "coverage_imbalance": replace(CLEAN, points=(*APART[:7], 600.0), drawn=(1.0,) * 7 + (0.08,)),
    "position_bias": replace(CLEAN, side=0.3),
    "position_reordering": replace(
        CLEAN, points=(1360.0, 1270.0, 1180.0, 1060.0, 1000.0, 820.0, 730.0, 640.0), side=0.7, always_a=(4,)
    ),
    "tie_convention": replace(
        CLEAN,
        points=(1300.0, 1450.0, 820.0, 760.0, 700.0, 640.0, 580.0, 520.0),
        tie_prone=(0.05, 0.6) + (0.05,) * 6,
    ),
    "intransitivity": replace(CLEAN, points=tuple(1350.0 - 100 * place for place in range(8)), cycle=(2, 4, 3)),
    "judge_clustering": replace(CLEAN, taste=0.8, votes=72_000, judges=600),
    "judge_influence": replace(CLEAN, fan_share=0.2),
    "drop_to_flip": replace(CLEAN, points=(1179.0, *APART[1:]), votes=1_200_000, ties=0.1, judges=20_000),
    "drift": replace(CLEAN, shift=150.0),
    "style": replace(CLEAN, style=0.5),
}

#: What else may fire with a defect, since it follows from it.
FOLLOWS: dict[str, frozenset[str]] = {
    # Nobody is told from a neighbour where all are equal, and a few votes decide the top.
    "rank_volatility": frozenset({"separation", "drop_to_flip"}),
    # Only judges who go by the side can make it reorder anybody.
    "position_reordering": frozenset({"position_bias"}),
    # Who leads by a handful of votes leads by next to nothing, which a million votes may not tell.
    "drop_to_flip": frozenset({"separation"}),
    # Errors by judges grow with the judge who pushes.
    "judge_influence": frozenset({"separation"}),
}
