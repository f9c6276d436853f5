"""How few votes or judges decide an order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster, table_of
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.connectivity import components
from ratings.inference.robustness import Flip, Removals, _pushing
from tests.ratings.boards import ballots, head_to_head, simulate


def flips(votes: Comparisons, upper: int, lower: int) -> Flip:
    return removals(votes, upper, lower).votes_to_flip(upper, lower)


def removals(votes: Comparisons, upper: int, lower: int) -> Removals:
    return Removals(votes, fit_bradley_terry(tabulate(votes)), [(upper, lower)])


def is_flipped(votes: Comparisons, upper: int, lower: int) -> bool:
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    return bool(strengths[lower] > strengths[upper] + 1e-9)


def test_c29_how_few_votes_decide_the_top() -> None:
    votes = ballots(head_to_head(6, 5))
    found = flips(votes, 0, 1)
    assert (found.to_tie, found.to_flip, found.of) == (1, 2, 11)
    assert found.share == pytest.approx(0.182, abs=5e-4)
    assert len(found.removed) == 2
    assert set(votes.outcome[found.removed]) == {A_WINS}


def test_what_is_named_does_flip_and_less_of_it_does_not() -> None:
    votes = simulate([1030, 1000, 970, 940], 800, seed=2, tie_share=0.2, judges=40)
    ratings = fit_bradley_terry(tabulate(votes)).strengths
    order = np.argsort(-ratings)
    for upper, lower in pairwise(order):
        found = flips(votes, int(upper), int(lower))
        assert found.to_flip is not None
        assert found.to_tie is not None
        assert found.to_tie <= found.to_flip
        left = np.setdiff1d(np.arange(800), found.removed)
        assert is_flipped(votes.take(left), upper, lower)
        fewer = np.setdiff1d(np.arange(800), found.removed[:-1])
        assert not is_flipped(votes.take(fewer), upper, lower)


def test_on_a_small_board_no_smaller_set_exists() -> None:
    votes = simulate([1080, 1000, 930], 36, seed=5)
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    upper, lower = (int(agent) for agent in np.argsort(-strengths)[:2])
    found = flips(votes, upper, lower)
    assert found.to_flip is not None
    for size in range(1, found.to_flip):
        for removed in combinations(range(36), size):
            left = votes.take(np.setdiff1d(np.arange(36), removed))
            (part,) = components(tabulate(left))
            assert not part.strongly_connected or not is_flipped(left, upper, lower)


def test_removing_the_last_win_of_the_upper_one_counts_as_a_flip() -> None:
    found = flips(ballots([(0, 0, 1, A_WINS), (1, 0, 1, B_WINS)]), 0, 1)
    assert (found.to_tie, found.to_flip) == (1, 1)


def test_ties_only_cannot_be_flipped() -> None:
    found = flips(ballots([(judge, 0, 1, TIE) for judge in range(4)]), 0, 1)
    assert (found.to_flip, found.share, len(found.removed)) == (None, None, 0)


def test_votes_of_little_weight_take_more_of_them() -> None:
    votes = ballots(head_to_head(6, 5))
    weight = np.where(votes.outcome == A_WINS, 0.5, 0.55)
    assert flips(replace(votes, weight=weight), 0, 1).to_flip == 1
    heavier = np.where(votes.outcome == A_WINS, 0.5, 0.25)
    assert flips(replace(votes, weight=heavier), 0, 1).to_flip == 4


def test_one_judge_may_hold_the_order() -> None:
    fans = [(0, 0, 1, A_WINS)] * 12
    others = [(1 + index, 0, 1, B_WINS if index % 2 else A_WINS) for index in range(20)]
    votes = ballots(fans + others)
    found = removals(votes, 0, 1).judges_to_flip(0, 1)
    assert (found.to_tie, found.of) == (1, 21)
    assert found.to_flip == 2
    assert found.removed[0] == 0


def test_judges_named_do_flip() -> None:
    votes = simulate([1030, 1000, 970], 900, seed=3, judges=30, taste=0.8)
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    upper, lower = (int(agent) for agent in np.argsort(-strengths)[:2])
    found = removals(votes, upper, lower).judges_to_flip(upper, lower)
    assert found.to_flip is not None
    assert is_flipped(votes.take(~np.isin(votes.judge, found.removed)), upper, lower)
    assert not is_flipped(votes.take(~np.isin(votes.judge, found.removed[:-1])), upper, lower)


def test_many_pairs_asked_about_together_say_what_each_says_alone() -> None:
    votes = simulate([1000 + 15 * agent for agent in range(40)], 3000, seed=4, judges=50, taste=0.4)
    votes = replace(votes, weight=np.where(np.arange(3000) % 3, 1.0, 0.5))
    estimate = fit_bradley_terry(tabulate(votes))
    pairs = [(int(upper), int(lower)) for upper, lower in pairwise(np.argsort(-estimate.strengths))]
    together = Removals(votes, estimate, pairs)
    for pair in (pairs[0], pairs[20], pairs[-1]):
        alone = Removals(votes, estimate, [pair])
        for one, other in (
            (together.votes_to_flip(*pair), alone.votes_to_flip(*pair)),
            (together.judges_to_flip(*pair), alone.judges_to_flip(*pair)),
        ):
            assert (one.to_tie, one.to_flip, one.removed.tolist()) == (
                other.to_tie,
                other.to_flip,
                other.removed.tolist(),
            )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_table_of_some_judges_is_that_of_their_votes(weighted: bool) -> None:
    votes = simulate([1050, 1000, 950, 900], 400, seed=6, judges=25)
    if weighted:
        votes = replace(votes, weight=np.linspace(0.5, 1.5, 400))
    judges = cluster(votes, votes.judge)
    for chosen in (np.array([3, 17, 4]), np.zeros(0, np.int64), np.arange(len(judges))):
        own = votes.take(np.isin(votes.judge, judges.ids[chosen]))
        assert np.allclose(table_of(judges, chosen), tabulate(own).weight)


def test_pushes_are_put_in_order_and_equal_ones_stay_in_theirs() -> None:
    push = np.random.default_rng(3).integers(-2, 3, 500).astype(float)
    assert _pushing(push).tolist() == [row for row in np.argsort(-push, kind="stable") if push[row] > 0]
    assert len(_pushing(np.zeros(4))) == 0


def test_the_votes_named_are_those_that_push_most() -> None:
    votes = simulate([1020, 1000, 990], 200, seed=4, judges=30, tie_share=0.2)
    votes = replace(votes, weight=1 / (1 + np.arange(200) % 2))
    order = np.argsort(-fit_bradley_terry(tabulate(votes)).strengths).tolist()
    found = flips(votes, order[0], order[1])
    assert len(set(found.removed.tolist())) == found.to_flip
    left = votes.take(np.setdiff1d(np.arange(200), found.removed))
    assert is_flipped(left, order[0], order[1])
