"""Style held equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators import style
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, Comparisons, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT, to_points
from ratings.estimators.style import fit_style, normalized_difference, scaled
from tests.ratings.boards import ballots, centred, head_to_head, simulate
from tests.ratings.crowd_votes import crowd_style, crowd_votes, reference


def verbose_board(seed: int, votes: int = 12_000) -> tuple[Comparisons, np.ndarray, np.ndarray]:
    """Six models, the one in the middle twice as verbose, and judges who like length."""
    rng = np.random.default_rng(seed)
    truth = np.array([140.0, 95.0, 52.0, -20.0, -90.0, -150.0])
    words = np.array([200.0, 200.0, 400.0, 200.0, 200.0, 200.0])
    a = rng.integers(0, 6, votes)
    b = (a + rng.integers(1, 6, votes)) % 6
    length = normalized_difference(words[a] * rng.lognormal(0, 0.25, votes), words[b] * rng.lognormal(0, 0.25, votes))
    covariate = scaled(length[None])
    log_odds = (truth[a] - truth[b]) / POINTS_PER_NAT + 0.8 * covariate[0]
    outcome = np.where(rng.random(votes) < 1 / (1 + np.exp(-log_odds)), A_WINS, B_WINS)
    return Comparisons(6, rng.integers(0, 200, votes), a, b, outcome), covariate, truth


@pytest.mark.parametrize(("a", "b", "difference"), [(500, 520, -0.02), (20, 40, -0.33), (0, 0, 0.0), (3, 0, 1.0)])
def test_normalized_differences(a: float, b: float, difference: float) -> None:
    assert normalized_difference(np.array([a]), np.array([b]))[0] == pytest.approx(difference, abs=0.005)


@pytest.mark.parametrize("value", [-1.0, np.inf, np.nan])
def test_what_is_no_quantity_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        normalized_difference(np.array([value]), np.array([1.0]))


def test_scaling_does_not_centre() -> None:
    covariates = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    found = scaled(covariates)
    assert np.square(found[0]).mean() == pytest.approx(1)
    assert np.allclose(found[0] / covariates[0], found[0, 0])
    assert not found[1].any()


def test_control_undoes_what_verbosity_bought() -> None:
    votes, covariate, truth = verbose_board(seed=4)
    raw = to_points(fit_bradley_terry(tabulate(votes)).strengths, centred(6))
    estimate = fit_style(votes, covariate, ["length"])
    controlled = to_points(estimate.strengths, centred(6)) - ANCHOR
    error = np.sqrt(judge_covariance(votes, estimate).matrix[-1, -1])
    assert np.argmax(raw) == 2, "raw votes put the verbose model first"
    assert np.argmax(controlled) == 0
    assert controlled[2] == pytest.approx(truth[2] - truth.mean(), abs=15)
    assert abs(estimate.extra("length") - 0.8) < 3 * error


def test_swapping_slots_turns_covariates_and_changes_nothing() -> None:
    votes, covariate, _ = verbose_board(seed=1, votes=800)
    swapped = Comparisons(6, votes.judge, votes.b, votes.a, 2 - votes.outcome)
    one, other = fit_style(votes, covariate, ["x"]), fit_style(swapped, -covariate, ["x"])
    assert np.allclose(one.strengths, other.strengths, atol=1e-9)
    assert one.extras[0] == pytest.approx(other.extras[0], abs=1e-9)


@given(st.permutations(range(300)))
def test_the_order_of_the_votes_does_not_matter(order: list[int]) -> None:
    votes, covariate, _ = verbose_board(seed=1, votes=300)
    rows = np.array(order)
    one, other = fit_style(votes, covariate, ["x"]), fit_style(votes.take(rows), covariate[:, rows], ["x"])
    assert np.allclose(one.strengths, other.strengths, atol=1e-9)


def test_a_covariate_without_effect_leaves_the_ratings_near_the_plain_ones() -> None:
    votes = simulate([1080, 1000, 920], 4000, seed=2)
    noise = np.random.default_rng(1).normal(size=(1, 4000))
    estimate = fit_style(votes, noise, ["noise"])
    assert abs(estimate.extra("noise")) < 0.12
    assert np.allclose(estimate.strengths, fit_bradley_terry(tabulate(votes)).strengths, atol=0.02)


@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_a_generalized_linear_model(weighted: bool) -> None:
    votes, covariate, _ = verbose_board(seed=2, votes=3000)
    rng = np.random.default_rng(3)
    covariates = np.vstack([covariate, rng.normal(size=(1, 3000))])
    weight = rng.uniform(0.5, 2, 3000) if weighted else None
    votes = replace(votes, weight=weight)
    design = np.zeros((3000, 6))
    design[np.arange(3000), votes.a] += 1
    design[np.arange(3000), votes.b] -= 1
    columns = np.hstack([design[:, 1:], covariates.T])
    model = sm.GLM(votes.outcome / 2, columns, family=sm.families.Binomial(), var_weights=weight)
    theirs = model.fit(tol=1e-13, cov_type="cluster", cov_kwds={"groups": votes.judge, "use_correction": False})
    ours = fit_style(votes, covariates, ["length", "noise"])
    covariance = judge_covariance(votes, ours)
    assert np.allclose(ours.extras, theirs.params[5:], atol=1e-9)
    assert np.allclose(ours.strengths[1:] - ours.strengths[0], theirs.params[:5], atol=1e-9)
    errors = np.sqrt(np.diag(covariance.matrix)[6:] / covariance.factor)
    assert np.allclose(errors, theirs.bse[5:], rtol=1e-6)


def test_a_search_that_begins_on_part_of_the_votes_ends_in_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    votes, covariate, _ = verbose_board(seed=2, votes=5000)
    whole = fit_style(votes, covariate, ["length"])
    monkeypatch.setattr(style, "STRIDE_FROM", 1000)
    monkeypatch.setattr(style, "BLOCK", 64)
    strided = fit_style(votes, covariate, ["length"])
    assert np.allclose(whole.strengths, strided.strengths, atol=1e-9)
    assert np.allclose(whole.bread, strided.bread, rtol=1e-6)
    assert strided.steps < whole.steps


def test_a_covariate_that_never_varies_is_refused() -> None:
    votes, _, _ = verbose_board(seed=1, votes=300)
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_style(votes, np.zeros((1, 300)), ["nothing"])
    assert refusal.value.reason == "no_variation"


def test_a_covariate_that_is_a_property_of_the_agents_is_refused() -> None:
    votes, _, _ = verbose_board(seed=1, votes=300)
    height = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_style(votes, (height[votes.a] - height[votes.b])[None], ["height"])
    assert refusal.value.reason == "not_identified"


def test_a_covariate_that_decides_every_vote_is_refused() -> None:
    votes = ballots(head_to_head(30, 30))
    with pytest.raises(NoFiniteMaximum) as refusal:
        fit_style(votes, (votes.outcome - 1.0)[None], ["oracle"])
    assert refusal.value.reason == "unbounded"


def test_shapes_and_names_must_match() -> None:
    votes, covariate, _ = verbose_board(seed=1, votes=300)
    with pytest.raises(ValueError, match="2 covariates of 300 votes"):
        fit_style(votes, covariate, ["one", "two"])


def test_agrees_with_other_programs_on_real_votes() -> None:
    votes, known = crowd_votes(), reference()["style"]
    estimate = fit_style(votes, crowd_style(), known["features"])
    assert np.allclose(estimate.extras, known["coefficients"], atol=1e-10)
    assert np.abs(to_points(estimate.strengths, centred(59)) - ANCHOR - known["ratings"]).max() < 1e-8
    covariance = judge_covariance(votes, estimate)
    errors = np.sqrt(np.diag(covariance.matrix)[59:] / covariance.factor)
    assert np.allclose(errors, known["errors_judge_without_factor"], rtol=1e-7)
    rating_errors = np.sqrt(np.diag(covariance.points(centred(59))) / covariance.factor)
    assert np.allclose(rating_errors, known["rating_errors_judge_without_factor"], rtol=1e-7)
