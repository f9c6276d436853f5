"""Votes as columns, and their table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.comparisons import (
    A_WINS,
    B_WINS,
    MAX_AGENTS,
    MAX_JUDGES,
    TIE,
    Comparisons,
    effective_number,
    pack,
    tabulate,
    unpack,
)
from tests.ratings.boards import ballots, boards


def test_a_win_is_a_point_and_a_tie_half_a_point_for_each_side() -> None:
    table = tabulate(ballots([(0, 0, 1, A_WINS), (1, 0, 1, TIE), (2, 1, 0, A_WINS), (3, 1, 0, B_WINS)]))
    assert table.points().tolist() == [[0, 2.5], [1.5, 0]]
    assert table.meetings().tolist() == [[0, 4], [4, 0]]


@given(boards())
def test_points_add_up_to_the_votes(votes: Comparisons) -> None:
    table = tabulate(votes)
    assert table.points().sum() == len(votes)
    assert np.array_equal(table.points() + table.points().T, table.meetings())


def test_weights_are_added_in_place_of_votes() -> None:
    votes = ballots([(0, 0, 1, A_WINS), (1, 0, 1, B_WINS)], weight=np.array([0.5, 0.25]))
    assert tabulate(votes).points().tolist() == [[0, 0.5], [0.25, 0]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"a": [0, 1]}, "shape"),
        ({"a": [1]}, "compared with itself"),
        ({"b": [2]}, "b must lie between 0 and 1"),
        ({"judge": [-1]}, "judge must lie"),
        ({"outcome": [3]}, "outcome must lie"),
        ({"outcome": [0.5]}, "must hold integers"),
        ({"weight": [0.0]}, "positive and finite"),
        ({"weight": [float("nan")]}, "positive and finite"),
        ({"agents": 0}, "number of agents"),
    ],
)
def test_columns_that_are_not_votes_are_refused(change: dict[str, object], words: str) -> None:
    columns: dict[str, object] = {"agents": 2, "judge": [0], "a": [0], "b": [1], "outcome": [A_WINS]} | change
    arrays = {name: value if name == "agents" else np.array(value) for name, value in columns.items()}
    with pytest.raises(ValueError, match=words):
        Comparisons(**arrays)


def test_no_votes_are_votes_too() -> None:
    empty = np.array([], dtype=np.int64)
    assert tabulate(Comparisons(3, empty, empty, empty, empty)).meetings().sum() == 0


@given(
    st.integers(0, MAX_JUDGES - 1),
    st.integers(0, MAX_AGENTS - 1),
    st.integers(0, MAX_AGENTS - 1),
    st.sampled_from((A_WINS, TIE, B_WINS)),
)
def test_a_packed_vote_comes_back_and_is_never_negative(judge: int, a: int, b: int, outcome: int) -> None:
    b = b if a != b else (a + 1) % MAX_AGENTS
    packed = pack(*(np.array([value]) for value in (judge, a, b, outcome)))
    votes = unpack(packed, MAX_AGENTS)
    assert packed[0] >= 0
    assert [votes.judge[0], votes.a[0], votes.b[0], votes.outcome[0]] == [judge, a, b, outcome]


@pytest.mark.parametrize(("weights", "number"), [((7, 1, 1, 1), 1.92), ((1, 1, 1), 3), ((5,), 1), ((), 0)])
def test_effective_number(weights: tuple[float, ...], number: float) -> None:
    assert effective_number(np.array(weights, dtype=float)) == pytest.approx(number, abs=0.005)


def test_battles_are_counted_once_however_many_judged_them() -> None:
    rows = [(0, 0, 1, A_WINS), (1, 0, 1, A_WINS), (2, 0, 1, TIE), (0, 1, 2, A_WINS)]
    votes = ballots(rows, battle=np.array([9, 9, 9, 4]))
    assert votes.battles_per_agent().tolist() == [1, 2, 1]
    assert votes.has_shared_battles()
    assert ballots(rows).battles_per_agent().tolist() == [3, 4, 1]
    assert not ballots(rows).has_shared_battles()


def test_votes_between_some_agents_are_renumbered_in_the_order_asked_for() -> None:
    votes = ballots([(0, 0, 1, A_WINS), (1, 2, 1, B_WINS), (2, 0, 2, TIE)], weight=np.array([1.0, 2.0, 3.0]))
    part, kept = votes.between(np.array([2, 1]))
    assert kept is not None
    assert kept.tolist() == [False, True, False]
    assert (part.a.tolist(), part.b.tolist(), part.weights().tolist()) == ([0], [1], [2.0])
    everybody, kept = votes.between(np.arange(3))
    assert everybody is votes
    assert kept is None
