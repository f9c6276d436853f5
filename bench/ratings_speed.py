"""Seconds and memory of the fits: ``python -m bench.ratings_speed``.

Every case runs in a process of its own, whose peak memory is therefore its own; what the votes themselves take is
printed beside it. Times are the median of several runs after a first one, with the fastest and the slowest: on a
shared machine the fastest says most.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from bench.simulated_votes import simulated_votes
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.covariance import judge_covariance, sandwich_covariance
from ratings.estimators.style import fit_style
from ratings.headline import fit_headline
from ratings.inference.bootstrap import bootstrap

RUNS = 5
REPLICATES = 20
STYLE = ("length", "headers", "lists", "bold")


@dataclass(frozen=True)
class Result:
    case: str
    first: float
    median: float
    fastest: float
    slowest: float
    votes_megabytes: float
    peak_megabytes: float


def plain(votes: Comparisons, covariates: np.ndarray) -> None:
    fit_bradley_terry(tabulate(votes))


def sandwich(votes: Comparisons, covariates: np.ndarray) -> None:
    sandwich_covariance(votes, fit_bradley_terry(tabulate(votes)))


def clustered(votes: Comparisons, covariates: np.ndarray) -> None:
    judge_covariance(votes, fit_bradley_terry(tabulate(votes)))


def two_way(votes: Comparisons, covariates: np.ndarray) -> None:
    """A tenth of the battles with three judges each."""
    battle = np.arange(len(votes))
    shared = len(votes) // 4
    battle[:shared] = np.arange(shared) // 3
    copies = np.minimum(np.arange(len(votes)), np.where(battle < shared // 3, battle * 3, len(votes)))
    weight = 1 / np.bincount(battle)[battle]
    board = replace(votes, a=votes.a[copies], b=votes.b[copies], battle=battle, weight=weight)
    judge_covariance(board, fit_bradley_terry(tabulate(board)))


def headline(votes: Comparisons, covariates: np.ndarray) -> None:
    fit_headline(votes, [str(agent) for agent in range(votes.agents)])


def style(votes: Comparisons, covariates: np.ndarray) -> None:
    judge_covariance(votes, fit_style(votes, covariates, STYLE))


def bootstrapped(votes: Comparisons, covariates: np.ndarray) -> None:
    estimate = fit_bradley_terry(tabulate(votes))
    bootstrap(votes, estimate, votes.judge, seed=1, replicates=REPLICATES)


CASES: dict[str, Callable[[Comparisons, np.ndarray], None]] = {
    "strengths alone": plain,
    "with sandwich errors": sandwich,
    "with errors clustered on the judge": clustered,
    "with errors clustered on judge and battle": two_way,
    "headline: clustered, simultaneous, ranks, tests": headline,
    "style-controlled, four covariates, clustered": style,
    f"strengths and {REPLICATES} refits of resampled judges": bootstrapped,
}


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(case: str, size: tuple[int, int, int]) -> Result:
    votes, covariates = simulated_votes(*size)
    if case != "style-controlled, four covariates, clustered":
        covariates = covariates[:, :0]
    # Memory of the simulation is given back, but its peak stays on record: the case's own peak is what is above it.
    before = peak_megabytes()
    seconds = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        CASES[case](votes, covariates)
        seconds.append(time.perf_counter() - start)
    first, warm = seconds[0], seconds[1:]
    return Result(case, first, statistics.median(warm), min(warm), max(warm), before, peak_megabytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, default=1_000_000)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--judges", type=int, default=100_000)
    chosen = parser.parse_args()
    size = chosen.votes, chosen.agents, chosen.judges
    print(f"{size[0]:,} votes, {size[1]} agents, up to {size[2]:,} judges")
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}")
    print(f"{'':50} {'first':>8} {'median':>8} {'fastest':>8} {'slowest':>8} {'MB before':>10} {'MB peak':>8}")
    for case in CASES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply(measure, (case, size))
        times = f"{found.first:8.3f} {found.median:8.3f} {found.fastest:8.3f} {found.slowest:8.3f}"
        print(f"{case:50} {times} {found.votes_megabytes:10.0f} {found.peak_megabytes:8.0f}", flush=True)


if __name__ == "__main__":
    main()
