"""How often intervals and rank ranges are right: ``python -m bench.ratings_coverage``.

Boards are simulated with judges who have tastes of their own and vote unequally often. The truth is the fit to
infinitely many votes of infinitely many such judges. Targets: 95% intervals cover 93 to 97%; rank ranges hold all
true ranks in at least 95% of boards; confidence sequences fail in at most 5% of boards over 200 looks.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, PairTable, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.threads import one_blas_thread
from ratings.headline import HeadlineFit, fit_headline
from ratings.inference.anytime import FIRST_LOOK_VOTES, anytime_factor
from ratings.inference.gaps import gap_errors

LOOKS = 200
#: Nodes of the quadrature that averages over judges' tastes.
NODES = 60


@dataclass(frozen=True)
class World:
    """Agents, and judges who see them differently.

    Attributes:
        strengths: (M,) nats, as an average judge sees them.
        judges: number of judges.
        unequal: the j-th judge votes in proportion to j to the power of minus this.
        taste: standard deviation, in nats, of a judge's own liking for an agent.
        ties: share of ties.
    """

    strengths: Floats
    judges: int
    unequal: float
    taste: float
    ties: float

    def truth(self) -> Floats:
        """(M,) nats: the maximum of the expected likelihood under an equal schedule."""
        nodes, mass = np.polynomial.hermite_e.hermegauss(NODES)
        gap = self.strengths[:, None] - self.strengths[None, :]
        chance = 1 / (1 + np.exp(-(gap[:, :, None] + np.sqrt(2) * self.taste * nodes))) @ (mass / mass.sum())
        points = chance * (1 - self.ties) + self.ties / 2
        weight = np.zeros((*gap.shape, 3))
        weight[:, :, A_WINS], weight[:, :, B_WINS] = np.triu(points, 1), np.triu(1 - points, 1)
        return fit_bradley_terry(PairTable(weight)).strengths

    def votes(self, number: int, seed: int) -> Comparisons:
        """A board."""
        rng, m = np.random.default_rng(seed), len(self.strengths)
        a = rng.integers(0, m, number)
        b = (a + rng.integers(1, m, number)) % m
        activity = 1 / (np.arange(self.judges) + 1.0) ** self.unequal
        judge = rng.choice(self.judges, number, p=activity / activity.sum())
        liking = self.strengths + self.taste * rng.normal(size=(self.judges, m))
        chance = 1 / (1 + np.exp(liking[judge, b] - liking[judge, a]))
        outcome = np.where(rng.random(number) < chance, A_WINS, B_WINS)
        return Comparisons(m, judge, a, b, np.where(rng.random(number) < self.ties, TIE, outcome))


def covered(fit: HeadlineFit, truth: Floats) -> tuple[float, bool, bool, bool]:
    """Share of intervals that cover; whether all simultaneous ones do; all gaps; and all ranks."""
    points = 1000 + POINTS_PER_NAT * truth
    rows, core = fit.agents, fit.components[0].core
    if core is None:
        raise RuntimeError("a simulated board came out unconnected; simulate more votes")
    single = np.mean([row.lower <= point <= row.upper for row, point in zip(rows, points, strict=True)])
    every = all(row.simultaneous_lower <= p <= row.simultaneous_upper for row, p in zip(rows, points, strict=True))
    error = core.tests.gap - (points[:, None] - points[None, :])
    off_diagonal = ~np.eye(len(points), dtype=bool)
    gaps = bool((np.abs(error) <= core.critical.gaps * gap_errors(core.covariance_points))[off_diagonal].all())
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    ranked = all(row.rank_best <= rank <= row.rank_worst for row, rank in zip(rows, ranks, strict=True))
    return float(single), every, gaps, ranked


def intervals_cover(world: World, votes: int, boards: int) -> str:
    truth = world.truth()
    names = [str(agent) for agent in range(len(truth))]
    fits = [fit_headline(world.votes(votes, seed), names, seed=seed) for seed in range(boards)]
    found = np.mean([covered(fit, truth) for fit in fits], axis=0)
    effective = np.mean([fit.effective_judges for fit in fits])
    shares = " ".join(f"{share:10.3f}" for share in found)
    return f"{world.judges:7d} {effective:9.1f} {world.taste:6.1f} {votes:7d} {shares}"


def sequences_hold(world: World, votes: int, boards: int) -> str:
    """Share of boards in which the sequence of one gap fails at any look, and that of an ordinary interval."""
    truth = world.truth()
    looks = np.linspace(FIRST_LOOK_VOTES, votes, LOOKS).astype(int)
    failed = ordinary = 0
    for seed in range(boards):
        board = world.votes(votes, seed)
        statistics, factors = [], []
        for look in looks:
            part = board.take(slice(0, look))
            estimate = fit_bradley_terry(tabulate(part))
            covariance = judge_covariance(part, estimate)
            own = covariance.matrix
            error = np.sqrt(own[0, 0] + own[1, 1] - 2 * own[0, 1])
            off = (estimate.strengths[0] - truth[0]) - (estimate.strengths[1] - truth[1])
            statistics.append(abs(off) / error)
            factors.append(anytime_factor(covariance.clusters))
        failed += bool((np.array(statistics) > factors).any())
        ordinary += bool((np.array(statistics) > 1.96).any())
    return f"{world.judges:7d} {world.taste:6.1f} {votes:7d} {failed / boards:10.3f} {ordinary / boards:10.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--sequence-boards", type=int, default=100)
    chosen = parser.parse_args()
    eight = np.linspace(-0.5, 0.5, 8)
    print(f"{chosen.boards} boards of 8 agents")
    heads = " ".join(f"{head:>10}" for head in ("interval", "all", "gaps", "ranks"))
    print(f"{'judges':>7} {'effective':>9} {'taste':>6} {'votes':>7} {heads}")
    with one_blas_thread():
        for judges, unequal, taste, votes in (
            (40, 0.3, 0.5, 2000),
            (40, 0.5, 0.7, 2000),
            (40, 0.7, 0.7, 2000),
            (40, 1.0, 0.7, 2000),
            (200, 0.5, 0.7, 4000),
        ):
            world = World(eight, judges, unequal, taste, 0.2)
            print(intervals_cover(world, votes, chosen.boards), flush=True)
        print(f"{chosen.sequence_boards} boards of 6 agents over {LOOKS} looks: one gap fails at any look")
        print(f"{'judges':>7} {'taste':>6} {'votes':>7} {'sequence':>10} {'ordinary':>10}")
        for judges, unequal, taste, votes in ((60, 0.5, 0.5, 3000), (400, 0.5, 0.5, 4000)):
            world = World(np.linspace(-0.5, 0.5, 6), judges, unequal, taste, 0.2)
            print(sequences_hold(world, votes, chosen.sequence_boards), flush=True)


if __name__ == "__main__":
    main()
