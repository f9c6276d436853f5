"""evalica in ``bench.ratings``, run by the Python of ``.arena/bench-venv``: ``ratings_evalica.py CASE FOLDER``.

Its usual input is a collection of names for either side and one of winners. Lists, made ready before the clock starts,
are the quickest of those.
"""

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import evalica
import numpy as np
from ratings_turn import Found, take_turns

POINTS_PER_NAT = 400 / np.log(10)
WINNERS = [evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X]
RESAMPLES = 2


def strengths(folder: Path) -> Callable[[], Found]:
    xs, ys, winners = lists(folder)

    def work() -> Found:
        scores = evalica.bradley_terry(xs, ys, winners).scores.sort_index()
        points = POINTS_PER_NAT * np.log(scores.to_numpy())
        return {"points": (points - points.mean()).tolist()}

    return work


def bootstrap(folder: Path) -> Callable[[], Found]:
    """Of votes, since it knows no judges."""
    xs, ys, winners = lists(folder)

    def work() -> Found:
        evalica.bootstrap(
            evalica.bradley_terry,
            xs,
            ys,
            winners,
            n_resamples=RESAMPLES,
            bootstrap_method="percentile",
            random_state=1,
        )
        return {}

    return work


def lists(folder: Path) -> tuple[list[str], list[str], list[evalica.Winner]]:
    a, b, outcome = (np.load(folder / f"{name}.npy") for name in ("a", "b", "outcome"))
    names = [f"model-{agent:04d}" for agent in range(int(max(a.max(), b.max())) + 1)]
    return [names[x] for x in a.tolist()], [names[y] for y in b.tolist()], [WINNERS[o] for o in outcome.tolist()]


#: The bootstrap fits the votes as they are before it resamples them, which counts as one of its fits.
CASES: dict[str, tuple[Callable[[Path], Callable[[], Found]], int]] = {
    "evalica": (strengths, 1),
    "evalica, bootstrap": (bootstrap, RESAMPLES + 1),
}

if __name__ == "__main__":
    make, fits = CASES[sys.argv[1]]
    take_turns({name: version(name) for name in ("evalica", "numpy", "pandas")}, make(Path(sys.argv[2])), fits)
