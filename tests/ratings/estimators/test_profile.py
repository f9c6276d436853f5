"""One-sided bounds for agents that the votes leave unbounded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import derivatives, fit_bradley_terry, unseated
from ratings.estimators.comparisons import A_WINS, PairTable, tabulate
from ratings.estimators.connectivity import components
from ratings.estimators.profile import Bound, ProfileBounds
from tests.ratings.boards import ballots, head_to_head, judged_apart, simulate

#: Half the square of the one-sided 95% normal quantile.
DROP = 1.6448536269514722**2 / 2


def bounds_of(table: PairTable) -> ProfileBounds:
    (component,) = components(table)
    members = component.members if component.core is None else component.core
    reference = np.zeros(table.agents)
    reference[members] = 1 / len(members)
    return ProfileBounds(table, component, reference)


@pytest.mark.parametrize("wins", [1, 5, 40])
def test_two_agents_have_the_bound_that_can_be_worked_out_by_hand(wins: int) -> None:
    bounds = bounds_of(tabulate(ballots(head_to_head(wins, 0))))
    # wins x log(1 + exp(-gap)) = drop, and each of the two is half the gap from their mean.
    gap = -math.log(math.expm1(DROP / wins))
    winner, loser = bounds.bound(0, DROP), bounds.bound(1, DROP)
    assert winner is not None
    assert loser is not None
    assert (winner.side, loser.side) == ("lower", "upper")
    assert winner.gap == pytest.approx(gap / 2, abs=1e-9)
    assert loser.gap == pytest.approx(-gap / 2, abs=1e-9)


def brute_force_profile(table: PairTable, contrast: Floats, value: float) -> float:
    """The largest log-likelihood with contrast' r = value, by a general optimiser."""
    points, weight = unseated(table)
    found = minimize(
        lambda r: -derivatives(points, weight, r).value,
        contrast * value / (contrast @ contrast),
        jac=lambda r: -derivatives(points, weight, r).gradient,
        constraints={"type": "eq", "fun": lambda r: contrast @ r - value},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return -float(found.fun)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_newcomer_that_only_won_or_only_lost_is_bounded_by_the_profile(sign: int) -> None:
    core = simulate([1050, 1000, 950], 300, seed=3)
    rows = list(zip(core.judge, core.a, core.b, core.outcome, strict=True))
    newcomer = [(0, 3, 0, 1 + sign)] * 2 + [(0, 3, 2, 1 + sign)] * 3
    table = tabulate(ballots(judged_apart([*rows, *newcomer])))
    bound = bounds_of(table).bound(3, DROP)
    assert bound is not None
    assert bound.side == ("lower" if sign > 0 else "upper")
    supremum = fit_bradley_terry(table.between(np.arange(3))).log_likelihood
    contrast = np.array([-1 / 3, -1 / 3, -1 / 3, 1.0])
    assert supremum - brute_force_profile(table, contrast, bound.gap) == pytest.approx(DROP, abs=1e-5)


def test_more_wins_bound_more_tightly_and_a_larger_drop_less() -> None:
    core = head_to_head(5, 5)
    few, many = (bounds_of(tabulate(ballots(core + head_to_head(n, 0, a=2, b=0)))) for n in (3, 30))
    lower = [bound.gap for bound in (few.bound(2, DROP), many.bound(2, DROP), many.bound(2, 4 * DROP)) if bound]
    assert len(lower) == 3
    assert lower[0] < lower[1]
    assert lower[2] < lower[1]


def test_an_agent_that_beat_one_who_beat_the_core_is_bounded_through_it() -> None:
    table = tabulate(ballots(head_to_head(5, 5) + head_to_head(4, 0, a=2, b=0) + head_to_head(4, 0, a=3, b=2)))
    bounds = bounds_of(table)
    first, second = bounds.bound(3, DROP), bounds.bound(2, DROP)
    assert first is not None
    assert second is not None
    assert first.side == second.side == "lower"
    # Its victim may itself be much stronger than the core, so the chain helps the better one.
    assert first.gap > second.gap


def test_others_without_a_limit_do_not_disturb_a_bound() -> None:
    core = head_to_head(5, 5) + head_to_head(4, 0, a=2, b=0)
    alone = bounds_of(tabulate(ballots(core))).bound(2, DROP)
    beaten_by_another = bounds_of(tabulate(ballots(core + head_to_head(3, 0, a=3, b=2)))).bound(2, DROP)
    beside_a_loser = bounds_of(tabulate(ballots(core + head_to_head(3, 0, a=2, b=3)))).bound(2, DROP)
    assert isinstance(alone, Bound)
    for other in (beaten_by_another, beside_a_loser):
        assert other is not None
        assert other.gap == pytest.approx(alone.gap, abs=1e-8)


def test_no_bound_where_the_votes_say_nothing() -> None:
    # Agent 3 beat agent 2, and so did the core: it may be anywhere.
    rows = [*head_to_head(5, 5), (0, 0, 2, A_WINS), (1, 3, 2, A_WINS)]
    assert bounds_of(tabulate(ballots(rows))).bound(3, DROP) is None


def test_without_a_core_the_reference_may_be_some_of_the_agents() -> None:
    table = tabulate(ballots(head_to_head(3, 0) + head_to_head(3, 0, a=1, b=2)))
    (component,) = components(table)
    bounds = ProfileBounds(table, component, np.array([0.0, 1.0, 0.0]))
    pair = -math.log(math.expm1(DROP / 3))
    top, middle, last = (bounds.bound(agent, DROP) for agent in range(3))
    assert top == Bound("lower", pytest.approx(pair, abs=1e-9))
    assert last == Bound("upper", pytest.approx(-pair, abs=1e-9))
    assert middle is None, "the reference itself"


def test_without_a_core_only_the_two_ends_are_bounded() -> None:
    bounds = bounds_of(tabulate(ballots(head_to_head(3, 0) + head_to_head(3, 0, a=1, b=2))))
    assert [None if bound is None else bound.side for bound in (bounds.bound(i, DROP) for i in range(3))] == [
        "lower",
        None,
        "upper",
    ]
