"""How little decides each pair of neighbours: the fewest votes, and the fewest judges, whose removal turns them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.canonical import published
from ratings.component_fits import CoreFit
from ratings.estimators.comparisons import Comparisons
from ratings.headline import HeadlineFit
from ratings.inference.robustness import Flip, Removals

#: The share of votes is written as 18.2%; that of judges, who are fewer, is not to be traced back to how many they are.
VOTE_DECIMALS, JUDGE_DECIMALS = 3, 2
#: Votes that staff can look through one by one; of more than these only the number is kept.
MOST_LISTED = 50


def robustness_document(
    fit: HeadlineFit, votes: Comparisons, agents: tuple[str, ...], rows: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Every two neighbours by rating, in each component.

    Args:
        fit: the half-win fit.
        votes: n votes it was made from.
        agents: names by index.
        rows: (n,) which labels of the corpus they are, so that they can be looked up.
    """
    found = []
    for component in fit.components:
        if component.core is None:
            continue
        own, kept = votes.between(component.core.members)
        own_rows = rows if kept is None else rows[kept]
        neighbours = _neighbours(component.core)
        removals = Removals(own, component.core.estimate, neighbours)
        found += [_pair(component.core, removals, own_rows, agents, pair) for pair in neighbours]
    return found


def _neighbours(core: CoreFit) -> list[tuple[int, int]]:
    order = np.argsort(-core.ratings, kind="stable").tolist()
    return list(itertools.pairwise(order))


def _pair(
    core: CoreFit, removals: Removals, rows: NDArray[np.int64], agents: tuple[str, ...], pair: tuple[int, int]
) -> dict[str, Any]:
    upper, lower = pair
    by_vote = removals.votes_to_flip(upper, lower)
    by_judge = removals.judges_to_flip(upper, lower)
    listed = sorted(rows[by_vote.removed].tolist()) if len(by_vote.removed) <= MOST_LISTED else []
    return {
        "upper": agents[int(core.members[upper])],
        "lower": agents[int(core.members[lower])],
        "votes": {**_flip(by_vote, VOTE_DECIMALS), "labels": listed},
        "judges": _flip(by_judge, JUDGE_DECIMALS),
    }


def _flip(flip: Flip, decimals: int) -> dict[str, Any]:
    return {
        "to_tie": flip.to_tie,
        "to_flip": flip.to_flip,
        "of": flip.of,
        "share": None if flip.share is None else published(flip.share, decimals),
    }
