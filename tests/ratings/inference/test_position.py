"""Whether the slot matters."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.estimators.comparisons import A_WINS, B_WINS, TIE
from ratings.headline import fit_headline
from ratings.inference.position import slot_a_share
from ratings.inference.shares import wilson
from ratings.likelihoods import POSITION
from tests.ratings.boards import ballots, simulate


def test_52_of_100() -> None:
    rows = [(judge, judge % 2, 1 - judge % 2, A_WINS if judge < 52 else B_WINS) for judge in range(100)]
    share = slot_a_share(ballots([*rows, (100, 0, 1, TIE)]))
    assert share is not None
    assert share.value == 0.52
    assert (share.lower, share.upper) == pytest.approx((wilson(0.52, 100).lower, wilson(0.52, 100).upper), abs=0.004)


def test_no_share_of_ties_alone() -> None:
    assert slot_a_share(ballots([(0, 0, 1, TIE)])) is None


def test_the_advantage_is_published_with_its_interval() -> None:
    votes = simulate([1080, 1000, 920], 6000, seed=2, judges=60, position=0.3)
    fit = fit_headline(votes, ["x", "y", "z"], likelihood=POSITION)
    core = fit.components[0].core
    assert core is not None
    (position,) = core.parameters
    assert position.name == "position"
    assert position.lower is not None
    assert position.upper is not None
    assert position.lower < 0.3 < position.upper
    assert position.lower > 0
    few = simulate([1080, 1000, 920], 600, seed=2, judges=3)
    (unidentified,) = fit_headline(few, ["x", "y", "z"], likelihood=POSITION).components[0].core.parameters
    assert (unidentified.se, unidentified.lower, unidentified.reason) == (None, None, "not_identified")
    assert np.isfinite(unidentified.value)
