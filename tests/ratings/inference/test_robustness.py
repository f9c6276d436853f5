"""How few votes or judges decide an order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.connectivity import components
from ratings.inference.robustness import Flip, judges_to_flip, votes_to_flip
from tests.ratings.boards import ballots, head_to_head, simulate


def flips(votes: Comparisons, upper: int, lower: int) -> Flip:
    return votes_to_flip(votes, fit_bradley_terry(tabulate(votes)), upper, lower)


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
    estimate = fit_bradley_terry(tabulate(votes))
    found = judges_to_flip(votes, estimate, 0, 1)
    assert (found.to_tie, found.of) == (1, 21)
    assert found.to_flip == 2
    assert found.removed[0] == 0


def test_judges_named_do_flip() -> None:
    votes = simulate([1030, 1000, 970], 900, seed=3, judges=30, taste=0.8)
    strengths = fit_bradley_terry(tabulate(votes)).strengths
    upper, lower = (int(agent) for agent in np.argsort(-strengths)[:2])
    found = judges_to_flip(votes, fit_bradley_terry(tabulate(votes)), upper, lower)
    assert found.to_flip is not None
    assert is_flipped(votes.take(~np.isin(votes.judge, found.removed)), upper, lower)
    assert not is_flipped(votes.take(~np.isin(votes.judge, found.removed[:-1])), upper, lower)
