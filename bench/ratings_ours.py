"""Our side of ``bench.ratings``: ``python -m bench.ratings_ours CASE FOLDER``.

From integer columns to the result, the checks of the columns included, with one BLAS thread as in the arena itself.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy

from bench.ratings_turn import Found, take_turns
from bench.simulated_votes import STYLE
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.covariance import Covariance, judge_covariance, sandwich_covariance
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.style import fit_style
from ratings.estimators.threads import one_blas_thread
from ratings.headline import fit_headline
from ratings.inference.bootstrap import DEFAULT_REPLICATES, bootstrap


def points(estimate: Estimate, covariance: Covariance | None = None) -> Found:
    found = {"points": (POINTS_PER_NAT * estimate.strengths).tolist()}
    if covariance is not None:
        m = len(estimate.strengths)
        found["errors"] = (POINTS_PER_NAT * np.sqrt(np.diag(covariance.matrix)[:m])).tolist()
    return found


def strengths(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    return lambda: points(fit_bradley_terry(tabulate(again(votes))))


def unclustered(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    def work() -> Found:
        board = again(votes)
        estimate = fit_bradley_terry(tabulate(board))
        return points(estimate, sandwich_covariance(board, estimate))

    return work


def clustered(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    def work() -> Found:
        board = again(votes)
        estimate = fit_bradley_terry(tabulate(board))
        return points(estimate, judge_covariance(board, estimate))

    return work


def two_way(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    """A quarter of the votes on battles with three judges each."""
    rows = np.arange(len(votes))
    shared = len(votes) // 12 * 3
    battle = np.where(rows < shared, rows // 3, rows)
    first = np.where(rows < shared, rows // 3 * 3, rows)
    weight = np.where(rows < shared, 1 / 3, 1.0)
    return clustered(replace(votes, a=votes.a[first], b=votes.b[first], battle=battle, weight=weight), folder)


def headline(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    names = [str(agent) for agent in range(votes.agents)]

    def work() -> Found:
        fit_headline(again(votes), names)
        return {}

    return work


def style(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    covariates = np.load(folder / "covariates.npy")

    def work() -> Found:
        board = again(votes)
        estimate = fit_style(board, covariates, tuple(STYLE))
        return points(estimate, judge_covariance(board, estimate))

    return work


def resampled(votes: Comparisons, folder: Path) -> Callable[[], Found]:
    """Of judges, as often as by default, from the votes as they are; sorting them is divided among the refits."""
    estimate = fit_bradley_terry(tabulate(votes))

    def work() -> Found:
        bootstrap(votes, estimate, votes.judge, seed=1)
        return {}

    return work


def again(votes: Comparisons) -> Comparisons:
    """The same columns, checked as those of a new caller are."""
    return replace(votes)


CASES: dict[str, tuple[Callable[[Comparisons, Path], Callable[[], Found]], int]] = {
    "ours, strengths alone": (strengths, 1),
    "ours, unclustered": (unclustered, 1),
    "ours, clustered": (clustered, 1),
    "ours, judge and battle": (two_way, 1),
    "ours, whole headline": (headline, 1),
    "ours, style": (style, 1),
    "ours, bootstrap": (resampled, DEFAULT_REPLICATES),
}


def main(case: str, folder: Path) -> None:
    judge, a, b, outcome = (np.load(folder / f"{name}.npy") for name in ("judge", "a", "b", "outcome"))
    votes = Comparisons(int(max(a.max(), b.max())) + 1, judge, a, b, outcome)
    make, fits = CASES[case]
    with one_blas_thread():
        take_turns(
            {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__},
            make(votes, folder),
            fits,
        )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
