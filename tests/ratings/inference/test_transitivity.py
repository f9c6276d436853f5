"""Whether one number per agent describes the votes."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.covariance import judge_covariance
from ratings.inference.transitivity import FitTest, fit_test, triple_tests
from tests.ratings.boards import ballots, head_to_head, judged_apart, simulate


def fit_of(votes: Comparisons) -> FitTest | None:
    estimate = fit_bradley_terry(tabulate(votes))
    return fit_test(votes, estimate, judge_covariance(votes, estimate))


def cycle(share: float, games: int) -> Comparisons:
    """Three agents of whom each beats the next."""
    won = round(games * share)
    rows = [row for a, b in ((0, 1), (1, 2), (2, 0)) for row in head_to_head(won, games - won, a=a, b=b)]
    return ballots(judged_apart(rows))


def test_a_cycle_has_an_excess_of_three_log_odds() -> None:
    found = triple_tests(cycle(0.7, 100))
    assert found.agents.tolist() == [[0, 1, 2]]
    assert found.excess[0] == pytest.approx(3 * np.log(7 / 3))
    # Independent judges: the variance of a log-odds is 1/wins + 1/losses, up to the small-sample factor.
    assert found.error[0] == pytest.approx(np.sqrt(3 * (1 / 70 + 1 / 30)), rel=0.01)
    assert found.p_holm[0] < 1e-6
    assert found.cyclic[0]


def test_a_cycle_is_no_fit_and_an_order_is_one() -> None:
    broken, sound = fit_of(cycle(0.7, 100)), fit_of(simulate([1100, 1030, 970, 900], 3000, seed=2, judges=400))
    assert broken is not None
    assert sound is not None
    assert broken.degrees_of_freedom == 1
    assert broken.p_value is not None
    assert broken.p_value < 1e-6
    assert sound.p_value is not None
    assert sound.p_value > 0.01
    assert sound.degrees_of_freedom == 3


def test_the_deviance_of_one_vote_per_judge_without_ties_needs_no_scale() -> None:
    scales = [fit_of(simulate([1060, 1020, 980, 940], 2000, seed=seed, judges=10**6)) for seed in range(8)]
    assert np.mean([found.scale for found in scales if found]) == pytest.approx(1, abs=0.1)


def test_judges_who_repeat_themselves_scatter_pairs_and_the_scale_allows_for_it() -> None:
    plain = scaled = 0
    for seed in range(60):
        once = simulate([1060, 1020, 980, 940, 900], 800, seed=seed, judges=80)
        found = fit_of(once.take(np.repeat(np.arange(800), 3)))
        assert found is not None
        assert found.p_value is not None
        scaled += found.p_value < 0.05
        plain += found.deviance > 12.59  # 95% of chi-square with 6 degrees of freedom
    assert scaled <= 8, "a test at 5% fires in about 3 of 60 boards"
    assert plain > 30


def test_sound_triples_are_not_called_broken() -> None:
    broken = 0
    for seed in range(40):
        votes = simulate([1080, 1040, 1000, 960, 920], 2500, seed=seed, judges=80, taste=0.5)
        broken += (triple_tests(votes).p_holm < 0.05).any()
    assert broken <= 5


def test_a_triple_whose_pair_never_split_is_left_out() -> None:
    votes = ballots(judged_apart(head_to_head(5, 0) + head_to_head(3, 2, a=1, b=2) + head_to_head(3, 2, a=2, b=0)))
    assert len(triple_tests(votes).agents) == 0


def test_nothing_to_test_without_more_pairs_than_strengths() -> None:
    assert fit_of(ballots(head_to_head(6, 4))) is None


def test_no_p_value_where_judges_do_not_outnumber_what_is_fit_of() -> None:
    votes = simulate([1060, 1020, 980, 940, 900], 600, seed=1, judges=4)
    found = fit_of(votes)
    assert found is not None
    assert found.p_value is None


def test_slots_do_not_matter() -> None:
    votes = cycle(0.7, 50)
    rows = np.arange(len(votes)) % 2 == 0
    swapped = Comparisons(
        3,
        votes.judge,
        np.where(rows, votes.b, votes.a),
        np.where(rows, votes.a, votes.b),
        np.where(rows, 2 - votes.outcome, votes.outcome),
    )
    assert triple_tests(swapped).excess == pytest.approx(triple_tests(votes).excess)
    assert triple_tests(swapped).error == pytest.approx(triple_tests(votes).error)
