"""Whether results change over time."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.inference.drift import FEWEST_VOTES, DriftTests, drift_tests
from tests.ratings.boards import simulate

BEFORE = [1050.0, 1020.0, 980.0, 950.0, 1000.0]


def checked(votes: Comparisons) -> DriftTests:
    return drift_tests(votes, fit_bradley_terry(tabulate(votes)))


def changed_at_half(shift: float, seed: int, taste: float = 0.0) -> Comparisons:
    """The third agent becomes ``shift`` points better in the middle of 4,000 votes."""
    after = [*BEFORE]
    after[2] += shift
    one, other = (
        simulate(points, 2000, seed=seed + half, judges=60, taste=taste) for half, points in enumerate((BEFORE, after))
    )
    columns = (np.concatenate([getattr(one, name), getattr(other, name)]) for name in ("judge", "a", "b", "outcome"))
    return Comparisons(5, *columns)


def test_an_agent_that_became_better_is_flagged_at_the_right_time() -> None:
    found = checked(changed_at_half(180, seed=3))
    assert 2 in found.flagged()
    assert np.argmin(found.p_holm) == 2
    assert found.turn[2] == pytest.approx(2000, abs=250)
    assert found.shift[2] == pytest.approx(180, rel=0.5)
    assert checked(changed_at_half(-180, seed=3)).shift[2] < -80


def test_a_steady_board_raises_no_flag() -> None:
    flags = [len(checked(simulate(BEFORE, 3000, seed=seed, judges=60)).flagged()) for seed in range(60)]
    assert np.count_nonzero(flags) <= 3


def test_judges_with_tastes_raise_no_flag() -> None:
    flags = 0
    for seed in range(40):
        votes = simulate(BEFORE, 3000, seed=seed, judges=60, taste=0.8)
        # Judges come one after the other, so that each leaves a run of leaning votes.
        flags += len(checked(votes.take(np.argsort(votes.judge, kind="stable"))).flagged()) > 0
    assert flags <= 3


def test_few_votes_are_not_tested() -> None:
    found = checked(simulate(BEFORE, FEWEST_VOTES, seed=1))
    assert np.isnan(found.p_holm).all()
    assert (found.turn == -1).all()
    assert len(found.flagged()) == 0
