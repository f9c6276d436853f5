"""In how many draws each pair was available, whoever joined or left in between."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratings.draw_pool import Roster, draws_available, draws_of_rows, pairs_to_draw_from

NEVER = 2**63 - 1


def roster(*rows):
    """Agents as (model, joined, left)."""
    model, joined, left = zip(*rows, strict=True)
    return Roster(np.array(model), np.array(joined), np.array(left))


def available(agents, at, practice=None):
    times = np.array(at, dtype=np.int64)
    kinds = np.zeros(len(at), dtype=int) if practice is None else np.array(practice, dtype=int)
    stretches = np.searchsorted(agents.edges(), times, side="right")
    pairs = pairs_to_draw_from(agents)
    draws = np.zeros_like(pairs)
    np.add.at(draws, (stretches, kinds), 1)
    return draws_available(agents, draws), pairs[stretches, kinds]


def test_a_pair_is_available_while_both_are_rostered():
    agents = roster((True, 0, NEVER), (True, 0, 30), (True, 20, NEVER))
    draws, pairs = available(agents, [5, 15, 25, 35])
    assert draws.tolist() == [[0, 3, 2], [3, 0, 1], [2, 1, 0]]
    assert pairs.tolist() == [1, 1, 3, 1]


def test_models_draw_among_themselves_from_the_second_one_on():
    agents = roster((False, 0, NEVER), (False, 0, NEVER), (True, 10, NEVER), (True, 20, NEVER))
    draws, pairs = available(agents, [5, 15, 25])
    assert pairs.tolist() == [1, 3, 1]
    assert draws[2, 3] == 1
    assert draws[0, 1] == 2


def test_practice_is_drawn_among_baselines_and_who_left_when_it_joined_is_not_drawn_at_all():
    agents = roster((False, 0, NEVER), (False, 0, NEVER), (True, 0, NEVER), (True, 0, 0))
    draws, pairs = available(agents, [5], [True])
    assert pairs.tolist() == [1]
    assert draws.sum() == 2 * draws[0, 1] == 2
    draws, _ = available(agents, [5])
    assert draws[3].sum() == 0


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 10), st.booleans()), max_size=12),
)
def test_counting_by_stretches_is_counting_draw_by_draw(rows, draws):
    agents = roster(*[(model, joined, joined + stay) for model, joined, stay in rows])
    times, practice = [time for time, _ in draws], [kind for _, kind in draws]
    found, pairs = available(agents, times, practice)
    one_by_one = np.zeros_like(found)
    for number, (time, kind) in enumerate(draws):
        pool = agents.pool(time, practice=kind)
        one_by_one += np.outer(pool, pool)
        assert pairs[number] == pool.sum() * (pool.sum() - 1) // 2
    np.fill_diagonal(one_by_one, 0)
    assert (found == one_by_one).all()


def test_draws_of_joined_versions_add_up_and_those_between_them_are_no_draws_of_a_pair():
    agents = roster((True, 0, 30), (True, 0, NEVER), (True, 10, NEVER))
    draws, _ = available(agents, [5, 15, 25, 35])
    assert draws.tolist() == [[0, 3, 2], [3, 0, 3], [2, 3, 0]]
    assert draws_of_rows(draws, np.array([1, 0, 1])).tolist() == [[0, 6], [6, 0]]
    assert (draws_of_rows(draws, np.arange(3)) == draws).all()
