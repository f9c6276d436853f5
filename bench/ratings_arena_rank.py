"""arena-rank in ``bench.ratings``, run by the Python of ``.arena/bench-venv``: ``ratings_arena_rank.py CASE FOLDER``.

Fed as fast as we know to: a data frame that is made ready before the clock starts. Settings differ from its defaults
only where these would compute something else than we do: the contextual model is fitted without the ridge, which would
switch style control off, and without weights by pair.
"""

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from arena_rank.models import bradley_terry
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
from arena_rank.utils.data_utils import ContextualPairDataset, PairDataset
from ratings_turn import Found, take_turns

STYLE = ["length", "headers", "lists", "bold"]
POINTS = {0: 0.0, 1: 0.5, 2: 1.0}
WINNERS = np.array(["model_b", "tie", "model_a"])
REFITS = 2


def integers(folder: Path) -> Callable[[], Found]:
    a, b, outcome = columns(folder)
    return fit(pd.DataFrame({"model_a": a, "model_b": b, "winner": outcome}), outcome_map=POINTS)


def strings(folder: Path) -> Callable[[], Found]:
    a, b, outcome = columns(folder)
    names = np.array([f"model-{agent:04d}" for agent in range(int(max(a.max(), b.max())) + 1)])
    return fit(pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": WINNERS[outcome]}))


def fit(table: pd.DataFrame, **options: Any) -> Callable[[], Found]:
    def work() -> Found:
        dataset = PairDataset.from_pandas(table, **options)
        return results(BradleyTerry(len(dataset.competitors)).compute_ratings_and_cis(dataset))

    return work


def style(folder: Path) -> Callable[[], Found]:
    a, b, outcome = columns(folder)
    covariates = dict(zip(STYLE, np.load(folder / "covariates.npy"), strict=True))
    table = pd.DataFrame({"model_a": a, "model_b": b, "winner": outcome, **covariates})

    def work() -> Found:
        dataset = ContextualPairDataset.from_pandas(table, STYLE, outcome_map=POINTS, reweighted=False)
        model = ContextualBradleyTerry(len(dataset.competitors), len(STYLE), reg=0.0)
        return results(model.compute_ratings_and_cis(dataset))

    return work


class OneAfterTheOther:
    """In the place of its pool of processes, which hangs after a fork of JAX."""

    def __init__(self, processes: int) -> None:
        self.processes = processes

    def __enter__(self) -> "OneAfterTheOther":
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def starmap(self, work: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        return [work(*each) for each in arguments]


def bootstrap(folder: Path) -> Callable[[], Found]:
    """Of votes, since it knows no judges; from the prepared and fitted votes on."""
    a, b, outcome = columns(folder)
    table = pd.DataFrame({"model_a": a, "model_b": b, "winner": outcome})
    dataset = PairDataset.from_pandas(table, outcome_map=POINTS)
    model = BradleyTerry(len(dataset.competitors)).fit(dataset)
    bradley_terry.mp.Pool = OneAfterTheOther

    def work() -> Found:
        found = model.compute_ratings_and_cis(dataset, ci_method="bootstrap", num_bootstrap=REFITS, n_jobs=1)
        np.asarray(found["variances"])
        return {}

    return work


def columns(folder: Path) -> tuple[np.ndarray, ...]:
    return tuple(np.load(folder / f"{name}.npy") for name in ("a", "b", "outcome"))


def results(found: dict[str, Any]) -> Found:
    """Points in the order of the agents, about their mean, and their errors."""
    ratings, variances = np.asarray(found["ratings"]), np.asarray(found["variances"])
    return {"points": (ratings - ratings.mean()).tolist(), "errors": np.sqrt(variances).tolist()}


CASES: dict[str, tuple[Callable[[Path], Callable[[], Found]], int]] = {
    "arena-rank": (integers, 1),
    "arena-rank, strings": (strings, 1),
    "arena-rank, style": (style, 1),
    "arena-rank, bootstrap": (bootstrap, REFITS),
}

if __name__ == "__main__":
    make, refits = CASES[sys.argv[1]]
    libraries = ("arena-rank", "jax", "numpy", "pandas")
    take_turns({name: version(name) for name in libraries}, make(Path(sys.argv[2])), refits)
