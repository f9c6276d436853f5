"""Models in which a tie is an outcome of its own."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, linprog

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, PairTable, tabulate
from ratings.estimators.connectivity import components
from ratings.estimators.covariance import judge_covariance, meat_by_vote
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.scale import ANCHOR, to_points
from ratings.estimators.tie_models import davidson_tie_chance, fit_davidson, fit_rao_kupper
from tests.ratings.boards import ballots, boards, centred, head_to_head, simulate
from tests.ratings.crowd_votes import crowd_votes, reference

Fit = Callable[[PairTable], Estimate]
MODELS = [fit_davidson, fit_rao_kupper]


def chances(model: Fit, gap: np.ndarray, extra: float) -> np.ndarray:
    """Chances of a loss, a tie and a win by the formulas of the papers."""
    if model is fit_davidson:
        one, other, nu = np.exp(gap / 2), np.exp(-gap / 2), np.exp(extra)
        return np.stack([other, nu + 0 * gap, one]) / (one + other + nu)
    win, loss = 1 / (1 + np.exp(extra - gap)), 1 / (1 + np.exp(extra + gap))
    return np.stack([loss, 1 - win - loss, win])


def log_likelihood(model: Fit, table: PairTable, parameters: np.ndarray) -> float:
    gap = parameters[:-1, None] - parameters[None, :-1]
    logs = np.log(chances(model, gap, parameters[-1]))
    return float((table.weight * np.moveaxis(logs, 0, 2)).sum())


@pytest.mark.parametrize("model", MODELS)
def test_the_estimate_is_the_maximum_of_the_papers_likelihood(model: Fit) -> None:
    table = tabulate(simulate([1080, 1010, 990, 920], 900, seed=3, tie_share=0.25))
    estimate = model(table)
    at = np.append(estimate.strengths, estimate.extras)
    assert estimate.log_likelihood == pytest.approx(log_likelihood(model, table, at), rel=1e-12)
    gradient = approx_fprime(at, lambda parameters: log_likelihood(model, table, parameters), 1e-6)
    assert np.abs(gradient).max() < 0.02
    hessian = np.array(
        [
            approx_fprime(at, lambda p, i=i: approx_fprime(p, lambda q: log_likelihood(model, table, q), 1e-4)[i], 1e-4)
            for i in range(5)
        ]
    )
    assert np.allclose(-hessian @ estimate.bread @ -hessian, -hessian, atol=2)


@pytest.mark.parametrize("model", MODELS)
def test_scores_are_the_gradient_of_each_votes_log_likelihood(model: Fit) -> None:
    votes = simulate([1080, 1010, 990], 300, seed=3, tie_share=0.25)
    estimate = model(tabulate(votes))
    gap = np.array(estimate.strengths[0] - estimate.strengths[1])
    extra, small = float(estimate.extras[0]), 1e-6
    for outcome in (A_WINS, TIE, B_WINS):

        def log_chance(d: np.ndarray, t: float, seen: int = outcome) -> float:
            return float(np.log(chances(model, d, t)[seen]))

        by_gap = (log_chance(gap + small, extra) - log_chance(gap - small, extra)) / (2 * small)
        by_extra = (log_chance(gap, extra + small) - log_chance(gap, extra - small)) / (2 * small)
        assert estimate.residual[0, 1, outcome] == pytest.approx(by_gap, abs=1e-8)
        assert estimate.extra_scores[0, 0, 1, outcome] == pytest.approx(by_extra, abs=1e-8)


def test_davidsons_ties_between_equals() -> None:
    assert davidson_tie_chance(0.0, 0.8) == pytest.approx(0.8 / 2.8)
    assert chances(fit_davidson, np.array(0.0), math.log(0.8)) == pytest.approx([0.3571, 0.2857, 0.3571], abs=5e-5)


@given(boards())
def test_at_davidsons_maximum_points_equal_expected_points(votes: Comparisons) -> None:
    table = tabulate(votes)
    assume(table.weight[:, :, TIE].sum() > 0)
    estimate = fit_davidson(table)
    gap = estimate.strengths[:, None] - estimate.strengths[None, :]
    _, tie, win = chances(fit_davidson, gap, estimate.extras[0])
    assert np.allclose((table.meetings() * (win + tie / 2)).sum(axis=1), table.points().sum(axis=1), atol=1e-6)
    assert (table.meetings() * tie).sum() / 2 == pytest.approx(table.weight[:, :, TIE].sum())


@pytest.mark.parametrize("model", MODELS)
def test_at_equal_strengths_the_tie_share_comes_back(model: Fit) -> None:
    estimate = model(tabulate(ballots(head_to_head(35, 35, 30))))
    assert np.abs(estimate.strengths).max() < 1e-9
    _, tie, _ = chances(model, np.array(0.0), float(estimate.extras[0]))
    assert tie == pytest.approx(0.3)


@pytest.mark.parametrize("model", MODELS)
def test_gaps_are_larger_than_where_a_tie_is_half_a_win(model: Fit) -> None:
    table = tabulate(simulate([1080, 1010, 990, 920], 4000, seed=3, tie_share=0.3))
    assert np.ptp(model(table).strengths) > 1.05 * np.ptp(fit_bradley_terry(table).strengths)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (head_to_head(3, 2), "no_variation"),
        (head_to_head(0, 0, 4), "no_variation"),
        (head_to_head(3, 0, 0) + head_to_head(1, 1, 1, a=1, b=2), "unbounded"),
        (head_to_head(1, 1, 1) + head_to_head(1, 1, 1, a=2, b=3), "not_connected"),
    ],
)
def test_no_estimate_where_there_is_no_maximum(model: Fit, rows: list[tuple[int, ...]], reason: str) -> None:
    with pytest.raises(NoFiniteMaximum) as refusal:
        model(tabulate(ballots(rows)))
    assert refusal.value.reason == reason


def test_ties_that_hold_up_a_never_beaten_agent_do_not_hold_it_in_davidsons_model() -> None:
    """Half wins keep this pair finite; with ties of their own, only wins against can."""
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_davidson(tabulate(ballots(head_to_head(3, 0, 1))))
    assert refusal.value.reason == "unbounded"


@pytest.mark.parametrize("model", MODELS)
def test_a_true_likelihood_has_a_sandwich_near_its_model_error(model: Fit) -> None:
    rng = np.random.default_rng(6)
    n, strengths = 20_000, np.array([0.4, 0.0, -0.4])
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(1, 3, n)) % 3
    cumulative = np.cumsum(chances(model, strengths[a] - strengths[b], 0.5), axis=0)
    outcome = (rng.random(n) > cumulative[:2]).sum(axis=0)
    votes = Comparisons(3, rng.integers(0, 500, n), a, b, outcome)
    estimate = model(tabulate(votes))
    filling = estimate.bread @ meat_by_vote(votes, estimate) @ estimate.bread
    assert np.allclose(np.diag(filling), np.diag(estimate.bread), rtol=0.06)
    assert np.abs(estimate.strengths - strengths).max() < 0.05
    assert judge_covariance(votes, estimate).usable.all()


@pytest.mark.parametrize(("model", "name"), [(fit_davidson, "davidson"), (fit_rao_kupper, "rao_kupper")])
def test_agrees_with_other_programs_on_real_votes(model: Fit, name: str) -> None:
    """To the digits of the others: their searches stopped just below the maximum that ours reaches."""
    estimate, known = model(tabulate(crowd_votes())), reference()[name]
    assert estimate.log_likelihood >= known["log_likelihood"]
    assert estimate.log_likelihood == pytest.approx(known["log_likelihood"], abs=1e-6)
    ratings = to_points(estimate.strengths, centred(59)) - ANCHOR
    assert np.abs(ratings - known["ratings"]).max() < 0.04
    if name == "davidson":
        assert math.exp(estimate.extra("log_nu")) == pytest.approx(known["nu"], abs=1e-6)
    else:
        assert estimate.extra("threshold") == pytest.approx(known["eta"], abs=1e-6)


@given(boards(most_agents=4, most_votes=8), st.data())
def test_no_maximum_where_gaps_and_ties_can_grow_together(votes: Comparisons, data: st.DataObject) -> None:
    """Against linear programming: strengths with winners at least 1 above losers and tied agents at most 1 apart."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(votes), max_size=len(votes)))
    votes = votes.take(np.array(kept, dtype=bool))
    tied = votes.outcome == TIE
    assume(tied.any() and not tied.all())
    table = tabulate(votes)
    parts = components(table)
    assume(len(parts) == 1 and parts[0].strongly_connected)
    gaps = np.eye(votes.agents)[votes.a] - np.eye(votes.agents)[votes.b]
    won = gaps[~tied] * (votes.outcome[~tied] - 1)[:, None]
    limits = np.append(np.ones(2 * tied.sum()), -np.ones(len(won)))
    found = linprog(
        np.zeros(votes.agents), np.concatenate([gaps[tied], -gaps[tied], -won]), limits, bounds=(None, None)
    )
    for fit in MODELS:
        if found.success:
            with pytest.raises(NoFiniteMaximum) as refusal:
                fit(table)
            assert refusal.value.reason == "unbounded"
        else:
            assert np.abs(fit(table).strengths).max() < 30


@pytest.mark.parametrize("fit", MODELS)
def test_who_never_lost_but_tied_has_no_finite_rating_in_a_model_of_ties(fit: Fit) -> None:
    table = tabulate(ballots(head_to_head(5, 0, 3)))
    assert fit_bradley_terry(table).converged
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit(table)
    assert refusal.value.reason == "unbounded"
