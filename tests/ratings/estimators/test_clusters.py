"""Summed scores by cluster must equal what a dense matrix would give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators import clusters
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster, meat, score_tiles
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.estimate import Estimate
from tests.ratings.boards import boards, score_matrix, simulate


def dense_sums(votes: Comparisons, ids: np.ndarray, residual: np.ndarray, extras: np.ndarray) -> np.ndarray:
    """(G, M + E) summed scores from dense rows, clusters ascending."""
    scores = np.hstack([score_matrix(votes, residual), extras.T * votes.weights()[:, None]])
    return np.array([scores[ids == one].sum(axis=0) for one in np.unique(ids)])


def seated_both_ways(votes: Comparisons) -> Comparisons:
    """The votes, and the same votes again with slots swapped."""
    rows = np.arange(len(votes))
    twice = votes.take(np.concatenate([rows, rows]))
    n = len(votes)
    a, b = np.concatenate([votes.a, votes.b]), np.concatenate([votes.b, votes.a])
    return replace(twice, a=a, b=b, outcome=np.concatenate([votes.outcome[:n], 2 - votes.outcome[:n]]))


def by_vote(votes: Comparisons, estimate: Estimate) -> Estimate:
    """The same estimate with its scores written out vote by vote."""
    return replace(
        estimate,
        residual=estimate.residual[votes.a, votes.b, votes.outcome],
        extra_scores=estimate.extra_scores[:, votes.a, votes.b, votes.outcome],
    )


@given(boards(most_votes=40), st.sampled_from((1, 2, 4)), st.booleans(), st.booleans(), st.data())
def test_the_meat_is_that_of_dense_scores(
    votes: Comparisons, agents_per_light_vote: int, weighted: bool, position: bool, data: st.DataObject
) -> None:
    if weighted:
        weight = np.array(
            data.draw(st.lists(st.sampled_from((0.25, 0.5, 1.0)), min_size=len(votes), max_size=len(votes)))
        )
        votes = replace(votes, weight=weight)
    # Both seatings of one pair let the position be told from the strengths.
    estimate = fit_bradley_terry(tabulate(seated_both_ways(votes)), position=position)
    written_out = by_vote(votes, estimate)
    sums = dense_sums(votes, votes.judge, written_out.residual, written_out.extra_scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters, "AGENTS_PER_LIGHT_VOTE", agents_per_light_vote)
        patch.setattr(clusters, "TILE_BYTES", 1)
        patch.setattr(clusters, "FEWEST_CLUSTERS_IN_A_TILE", 2)
        grouped = cluster(votes, votes.judge, ordered=True)
        assert np.allclose(meat(cluster(votes, votes.judge), estimate), sums.T @ sums, atol=1e-10)
        assert np.allclose(meat(grouped, written_out), sums.T @ sums, atol=1e-10)
        tiles = np.concatenate([tile for _, tile in score_tiles(grouped, estimate)])
    assert np.allclose(tiles, sums, atol=1e-12)


def test_clusters_know_their_shares() -> None:
    votes = simulate([1000, 1000], 100, seed=1, judges=3)
    grouped = cluster(votes, votes.judge)
    assert grouped.shares().tolist() == (np.bincount(votes.judge) / 100).tolist()
    weighted = replace(votes, weight=np.arange(1.0, 101))
    expected = np.bincount(votes.judge, weighted.weights()) / 5050
    assert np.allclose(cluster(weighted, votes.judge).shares(), expected)
    assert grouped.effective() == pytest.approx(1 / np.square(grouped.shares()).sum())


def test_clusters_with_numbers_too_large_to_pack_are_sorted_all_the_same() -> None:
    votes = simulate([1050, 1000, 950], 200, seed=1, judges=7)
    estimate = fit_bradley_terry(tabulate(votes))
    far = votes.judge * 2**50
    assert np.allclose(meat(cluster(votes, far), estimate), meat(cluster(votes, votes.judge), estimate), atol=1e-10)
    assert cluster(votes, far).ids.tolist() == (np.arange(7) * 2**50).tolist()


def test_scores_by_vote_need_the_order_of_the_votes() -> None:
    votes = simulate([1050, 1000, 950], 200, seed=1, judges=7)
    written_out = by_vote(votes, fit_bradley_terry(tabulate(votes)))
    with pytest.raises(ValueError, match="remember the order"):
        meat(cluster(votes, votes.judge), written_out)
