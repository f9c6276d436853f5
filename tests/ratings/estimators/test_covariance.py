"""Four covariances, what each allows, and when none may be published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.covariance import (
    Covariance,
    judge_covariance,
    meat_by_vote,
    model_covariance,
    nearest_psd,
    sandwich_covariance,
)
from ratings.estimators.estimate import Estimate
from ratings.estimators.scale import POINTS_PER_NAT
from tests.ratings.boards import ballots, boards, centred, gap_error, head_to_head, score_matrix, simulate
from tests.ratings.crowd_votes import crowd_votes, reference


def fitted(votes: Comparisons) -> Estimate:
    return fit_bradley_terry(tabulate(votes))


def first_gap_error(covariance: Covariance) -> float:
    m = len(covariance.reasons)
    return gap_error(covariance.points(centred(m)), 0, 1)


@pytest.mark.parametrize(
    ("judges", "with_factor", "without"), [(range(10), 118.20, 112.13), ([1] * 6 + [2] * 4, 347.44, 245.67)]
)
def test_c24_the_same_votes_of_fewer_judges_say_less(judges: list[int], with_factor: float, without: float) -> None:
    votes = ballots([(judge, *row[1:]) for judge, row in zip(judges, head_to_head(6, 4), strict=True)])
    covariance = judge_covariance(votes, fitted(votes))
    assert first_gap_error(covariance) == pytest.approx(with_factor, abs=0.005)
    assert first_gap_error(covariance) / np.sqrt(covariance.factor) == pytest.approx(without, abs=0.005)
    assert covariance.factor == pytest.approx(covariance.clusters / (covariance.clusters - 1))
    assert covariance.usable.all()


def test_degrees_of_freedom_are_effective_judges_less_one() -> None:
    votes = ballots([(judge, *row[1:]) for judge, row in zip([1] * 6 + [2] * 4, head_to_head(6, 4), strict=True)])
    assert judge_covariance(votes, fitted(votes)).degrees_of_freedom == pytest.approx(1 / (0.36 + 0.16) - 1)
    assert model_covariance(fitted(votes)).degrees_of_freedom == np.inf


def test_c23_scores_all_alike_have_no_interval() -> None:
    ties = ballots([(judge, 0, 1, TIE) for judge in range(4)])
    assert judge_covariance(ties, fitted(ties)).reasons == ("degenerate_interval",) * 2
    each_judge_split = ballots([(judge, 0, 1, outcome) for judge in range(4) for outcome in (A_WINS, B_WINS)])
    assert judge_covariance(each_judge_split, fitted(each_judge_split)).reasons == ("degenerate_interval",) * 2


def test_one_agent_with_scores_alike_does_not_cost_the_others_their_interval() -> None:
    votes = simulate([1050, 1000, 950], 300, seed=4, judges=20)
    rows = [*zip(votes.judge, votes.a, votes.b, votes.outcome, strict=True)]
    tied = ballots(rows + [(judge, 3, 4, TIE) for judge in range(20)] + [(judge, 3, 0, TIE) for judge in range(20)])
    assert judge_covariance(tied, fitted(tied)).reasons[4] == "degenerate_interval"
    assert judge_covariance(tied, fitted(tied)).reasons[:3] == (None,) * 3


def test_an_agent_seen_by_one_judge_only_is_not_identified() -> None:
    votes = simulate([1050, 1000, 950], 300, seed=4, judges=20)
    rows = [*zip(votes.judge, votes.a, votes.b, votes.outcome, strict=True)]
    one_fan = ballots([*rows, (3, 3, 0, A_WINS), (3, 3, 1, A_WINS), (3, 3, 2, B_WINS)])
    assert judge_covariance(one_fan, fitted(one_fan)).reasons == (None, None, None, "not_identified")


def test_not_more_judges_than_parameters_is_not_identified() -> None:
    votes = simulate([1050, 1020, 980, 950], 400, seed=4, judges=3)
    assert judge_covariance(votes, fitted(votes)).reasons == ("not_identified",) * 4
    one_more = replace(votes, judge=np.where(np.arange(400) % 9 == 0, 3, votes.judge))
    assert judge_covariance(one_more, fitted(one_more)).usable.all()
    with_position = fit_bradley_terry(tabulate(one_more), position=True)
    assert not judge_covariance(one_more, with_position).usable.any()


@given(st.integers(1, 40), st.integers(1, 40))
def test_the_gap_of_two_has_the_error_of_a_log_odds(wins: int, losses: int) -> None:
    votes = ballots(head_to_head(wins, losses))
    expected = POINTS_PER_NAT * np.sqrt(1 / wins + 1 / losses)
    assert first_gap_error(model_covariance(fitted(votes))) == pytest.approx(expected)
    assert first_gap_error(sandwich_covariance(votes, fitted(votes))) == pytest.approx(expected)


@pytest.mark.parametrize("games", [100, 4637])
def test_n_even_games_leave_an_error_of_347_over_root_n(games: int) -> None:
    votes = ballots(head_to_head(games, games))
    assert first_gap_error(model_covariance(fitted(votes))) == pytest.approx(347.4 / np.sqrt(2 * games), rel=1e-3)


def test_ties_make_the_sandwich_smaller_than_the_model() -> None:
    chance, games = 1 / (1 + np.exp(-0.5)), 100_000
    wins, losses, ties = (round(games * share) for share in (0.7 * chance, 0.7 * (1 - chance), 0.3))
    votes = ballots(head_to_head(wins, losses, ties))
    estimate = fitted(votes)
    ratio = first_gap_error(sandwich_covariance(votes, estimate)) / first_gap_error(model_covariance(estimate))
    assert ratio == pytest.approx(0.831, abs=5e-4)
    even = ballots(head_to_head(35, 35, 30))
    limit = first_gap_error(sandwich_covariance(even, fitted(even))) / first_gap_error(model_covariance(fitted(even)))
    assert limit == pytest.approx(np.sqrt(0.7))


@given(boards(most_votes=30), st.booleans())
def test_a_judge_per_vote_is_the_sandwich_with_the_small_sample_factor(votes: Comparisons, weighted: bool) -> None:
    weight = np.where(np.arange(len(votes)) % 2, 0.5, 1.0) if weighted else None
    apart = replace(votes, judge=np.arange(len(votes)), weight=weight)
    estimate = fitted(apart)
    factor = len(votes) / (len(votes) - 1)
    assert np.allclose(
        judge_covariance(apart, estimate).matrix, factor * sandwich_covariance(apart, estimate).matrix, atol=1e-9
    )


@given(boards(most_votes=40), st.integers(2, 3))
def test_splitting_a_vote_among_rows_of_one_judge_changes_no_clustered_error(votes: Comparisons, parts: int) -> None:
    split = votes.take(np.repeat(np.arange(len(votes)), parts))
    split = replace(split, weight=np.full(len(split), 1 / parts))
    one, other = (judge_covariance(board, fitted(board)) for board in (votes, split))
    assert np.allclose(one.matrix, other.matrix, atol=1e-8)
    assert one.effective_clusters == pytest.approx(other.effective_clusters)


def brute_force_meat(votes: Comparisons, ids: np.ndarray, residual: np.ndarray) -> np.ndarray:
    scores = score_matrix(votes, residual)
    sums = np.array([scores[ids == one].sum(axis=0) for one in np.unique(ids)])
    return sums.T @ sums * len(sums) / (len(sums) - 1)


@pytest.mark.parametrize("repeats", [False, True])
def test_two_way_clustering_is_judges_plus_battles_less_both(repeats: bool) -> None:
    votes = simulate([1080, 1020, 980, 920], 400, seed=7, judges=30, tie_share=0.2, taste=0.7)
    rng = np.random.default_rng(1)
    battle = np.sort(rng.integers(0, 250, 400))
    judge = np.where(rng.random(400) < 0.3, 5, votes.judge) if repeats else votes.judge
    shared = replace(votes, battle=battle, judge=judge, weight=1 / np.bincount(battle)[battle])
    estimate = fitted(shared)
    residual = estimate.residual[shared.a, shared.b, shared.outcome]
    both = shared.judge * 1000 + battle
    filling = (
        brute_force_meat(shared, shared.judge, residual)
        + brute_force_meat(shared, battle, residual)
        - brute_force_meat(shared, both, residual)
    )
    expected = nearest_psd(estimate.bread @ filling @ estimate.bread)
    covariance = judge_covariance(shared, estimate)
    assert covariance.kind == "judge_battle"
    assert np.allclose(covariance.matrix, expected, atol=1e-12)
    written_out = replace(
        estimate, residual=residual, extra_scores=np.empty((0, len(votes))), extras=np.empty(0), extra_names=()
    )
    assert np.allclose(judge_covariance(shared, written_out).matrix, expected, atol=1e-12)


def test_battles_with_one_vote_each_are_clustered_on_the_judge_alone() -> None:
    votes = simulate([1050, 1000, 950], 200, seed=1, judges=20)
    numbered = replace(votes, battle=np.arange(200))
    assert judge_covariance(numbered, fitted(numbered)).kind == "judge"


def test_a_two_way_covariance_is_positive_semidefinite() -> None:
    # Every judge votes both ways on one battle: judges and battles coincide, and their difference is negative.
    rows = [(judge, 0, 1, outcome) for judge in range(6) for outcome in (A_WINS, A_WINS, B_WINS)]
    votes = ballots(rows, battle=np.arange(18) % 6)
    values = np.linalg.eigvalsh(judge_covariance(votes, fitted(votes)).matrix)
    assert values.min() > -1e-12


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4))
def test_the_nearest_psd_matrix_keeps_what_is_not_negative(values: list[float]) -> None:
    basis, _ = np.linalg.qr(np.arange(16.0).reshape(4, 4) ** 1.5 + np.eye(4))
    matrix = (basis * values) @ basis.T
    expected = (basis * np.maximum(values, 0)) @ basis.T
    assert np.allclose(nearest_psd(matrix), expected, atol=1e-10)


def test_the_sandwich_over_battles_adds_up_the_votes_of_a_battle() -> None:
    votes = simulate([1080, 1000, 920], 120, seed=3)
    battle = np.arange(120) // 2
    shared = replace(votes, battle=battle, weight=np.full(120, 0.5))
    estimate = fitted(shared)
    residual = estimate.residual[shared.a, shared.b, shared.outcome]
    filling = brute_force_meat(shared, battle, residual) * 59 / 60
    assert np.allclose(sandwich_covariance(shared, estimate).matrix, estimate.bread @ filling @ estimate.bread)


def test_meat_by_vote_agrees_between_cells_and_rows() -> None:
    votes = simulate([1080, 1000, 920], 150, seed=3, tie_share=0.3)
    weighted = replace(votes, weight=np.linspace(0.5, 2, 150))
    estimate = fit_bradley_terry(tabulate(weighted), position=True)
    cell = (weighted.a, weighted.b, weighted.outcome)
    rows = replace(estimate, residual=estimate.residual[cell], extra_scores=estimate.extra_scores[:, *cell])
    assert np.allclose(meat_by_vote(weighted, estimate), meat_by_vote(weighted, rows), atol=1e-10)
    scores = np.hstack([score_matrix(weighted, rows.residual), (rows.extra_scores * weighted.weights()).T])
    assert np.allclose(meat_by_vote(weighted, estimate), scores.T @ scores, atol=1e-10)


def test_agrees_with_a_generalized_linear_model_clustered_on_the_judge() -> None:
    votes = simulate([1100, 1040, 1000, 960, 900], 3000, seed=11, judges=40, tie_share=0.3, taste=0.5, unequal=0.7)
    design = np.zeros((len(votes), 5))
    design[np.arange(len(votes)), votes.a] += 1
    design[np.arange(len(votes)), votes.b] -= 1
    model = sm.GLM(votes.outcome / 2, design[:, 1:], family=sm.families.Binomial())
    theirs = model.fit(tol=1e-13, cov_type="cluster", cov_kwds={"groups": votes.judge, "use_correction": False})
    full = np.zeros((5, 5))
    full[1:, 1:] = theirs.cov_params() * 40 / 39
    ours = judge_covariance(votes, fitted(votes)).points(centred(5))
    centring = np.eye(5) - 1 / 5
    assert np.allclose(ours, POINTS_PER_NAT**2 * centring @ full @ centring, rtol=1e-7, atol=1e-7)


def test_agrees_with_other_programs_on_real_votes() -> None:
    votes, known = crowd_votes(), reference()
    estimate = fitted(votes)
    for name, covariance in (
        ("model", model_covariance(estimate)),
        ("sandwich", sandwich_covariance(votes, estimate)),
        ("judge", judge_covariance(votes, estimate)),
    ):
        errors = np.sqrt(np.diag(covariance.points(centred(59))))
        assert np.abs(errors / known["errors"][name] - 1).max() < 1e-7, name
    seated = fit_bradley_terry(tabulate(votes), position=True)
    clustered = judge_covariance(votes, seated)
    error = POINTS_PER_NAT * np.sqrt(clustered.matrix[-1, -1] / clustered.factor)
    assert error == pytest.approx(known["position"]["error_judge_without_factor"], rel=1e-7)


def test_real_judges_make_errors_larger_than_the_model_or_the_sandwich_say() -> None:
    votes = crowd_votes()
    estimate = fitted(votes)
    assert sandwich_covariance(votes, estimate).design_effect < 1, "39% ties"
    assert judge_covariance(votes, estimate).design_effect > sandwich_covariance(votes, estimate).design_effect


def test_the_design_effect_is_the_ratio_of_variances_where_there_is_one_parameter() -> None:
    votes = ballots([(judge, *row[1:]) for judge, row in zip([1] * 6 + [2] * 4, head_to_head(6, 4), strict=True)])
    estimate = fitted(votes)
    covariance = judge_covariance(votes, estimate)
    ratio = first_gap_error(covariance) ** 2 / first_gap_error(model_covariance(estimate)) ** 2
    assert covariance.design_effect == pytest.approx(ratio)


def test_the_contrast_with_a_reference_has_no_error_in_that_reference() -> None:
    votes = simulate([1050, 1000, 950], 300, seed=4, judges=20)
    only_first = np.array([1.0, 0.0, 0.0])
    covariance = judge_covariance(votes, fitted(votes)).points(only_first)
    assert np.allclose(covariance[0], 0)
    assert gap_error(covariance, 0, 1) == pytest.approx(first_gap_error(judge_covariance(votes, fitted(votes))))
