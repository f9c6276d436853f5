"""What can be compared, and when a finite maximum exists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.comparisons import A_WINS, TIE, Comparisons, tabulate
from ratings.estimators.connectivity import components, never_lost, never_won, strongly_connected
from tests.ratings.boards import ballots, head_to_head


def test_c22_two_groups_that_never_met_are_two_components() -> None:
    table = tabulate(ballots(head_to_head(3, 1) + head_to_head(1, 1, a=2, b=3)))
    assert [part.members.tolist() for part in components(table)] == [[0, 1], [2, 3]]


def test_an_agent_without_votes_is_a_component_without_a_core() -> None:
    alone = components(tabulate(ballots(head_to_head(1, 1), agents=3)))[1]
    assert alone.members.tolist() == [2]
    assert alone.core is None


def test_fords_condition_fails_for_an_agent_that_never_lost() -> None:
    rows = head_to_head(1, 1) + head_to_head(2, 0, a=2, b=0)
    table = tabulate(ballots(rows))
    (part,) = components(table)
    assert not part.strongly_connected
    assert part.core is not None
    assert part.core.tolist() == [0, 1]
    assert part.outside.tolist() == [2]
    assert [group.tolist() for group in never_lost(table, part)] == [[2]]
    assert [group.tolist() for group in never_won(table, part)] == [[0, 1]]


def test_one_tie_is_enough_for_a_finite_maximum() -> None:
    rows = [*head_to_head(1, 1), (5, 2, 0, A_WINS), (6, 2, 0, TIE)]
    table = tabulate(ballots(rows))
    (part,) = components(table)
    assert part.strongly_connected
    assert never_lost(table, part) == ()


def test_a_group_that_never_lost_to_the_rest_is_found() -> None:
    rows = head_to_head(1, 1) + head_to_head(1, 1, a=2, b=3) + head_to_head(4, 0, a=2, b=0)
    table = tabulate(ballots(rows))
    (part,) = components(table)
    assert [group.tolist() for group in never_lost(table, part)] == [[2, 3]]
    assert part.core is None, "two groups of equal size and equal votes: neither carries the scale"


def test_the_larger_group_carries_the_scale_and_the_busier_of_two_equal_ones() -> None:
    pairs = head_to_head(1, 1) + head_to_head(1, 1, a=2, b=3) + head_to_head(1, 0, a=2, b=0)
    (busier,) = components(tabulate(ballots(pairs + head_to_head(1, 1, a=2, b=3))))
    assert busier.core is not None
    assert busier.core.tolist() == [2, 3]
    (larger,) = components(tabulate(ballots(pairs + head_to_head(9, 9, a=2, b=3) + head_to_head(1, 1, a=0, b=4))))
    assert larger.core is not None
    assert larger.core.tolist() == [0, 1, 4]


@given(
    st.lists(st.tuples(st.just(0), st.integers(0, 6), st.integers(1, 6), st.integers(0, 2)), min_size=1, max_size=25),
    st.permutations(range(7)),
)
def test_numbering_the_agents_anew_changes_no_component(rows: list[tuple[int, ...]], names: list[int]) -> None:
    votes = ballots([(judge, a, (a + shift) % 7, outcome) for judge, a, shift, outcome in rows], 7)
    place = np.array(names)
    renamed = Comparisons(7, votes.judge, place[votes.a], place[votes.b], votes.outcome)

    def described(board: Comparisons, back: dict[int, int]) -> set[tuple[frozenset[int], frozenset[int] | None]]:
        def names_of(members: np.ndarray) -> frozenset[int]:
            return frozenset(back[int(member)] for member in members)

        parts = components(tabulate(board))
        return {(names_of(part.members), None if part.core is None else names_of(part.core)) for part in parts}

    same = {agent: agent for agent in range(7)}
    assert described(votes, same) == described(renamed, {new: old for old, new in enumerate(names)})


@given(st.integers(1, 7).flatmap(lambda m: st.lists(st.booleans(), min_size=m * m, max_size=m * m)))
def test_agents_are_strongly_connected_when_a_walk_leads_from_each_to_each(flags: list[bool]) -> None:
    m = int(len(flags) ** 0.5)
    edges = np.array(flags).reshape(m, m)
    walks = np.linalg.matrix_power((edges | np.eye(m, dtype=bool)).astype(float), m)
    assert strongly_connected(edges) == bool((walks > 0).all())
