"""The one function behind every published rating."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.component_fits import ComponentFit, CoreFit
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.estimators.scale import ANCHOR
from ratings.headline import HeadlineFit, fit_headline
from ratings.inference.anytime import FIRST_LOOK_VOTES, anytime_factor
from ratings.inference.intervals import t_quantile
from ratings.inference.status import Status
from ratings.likelihoods import DAVIDSON, POSITION, RAO_KUPPER, Likelihood, styled
from tests.ratings.boards import ballots, boards, head_to_head, judged_apart, simulate
from tests.ratings.crowd_votes import crowd_votes, reference

NUMBERS = ("rating", "se", "lower", "upper", "simultaneous_lower", "simultaneous_upper", "rank_best", "place")


def names(votes: Comparisons) -> list[str]:
    return [f"a{index + 1}" for index in range(votes.agents)]


def fit(votes: Comparisons, seed: int = 0) -> HeadlineFit:
    return fit_headline(votes, names(votes), seed=seed)


def core(component: ComponentFit) -> CoreFit:
    assert component.core is not None
    return component.core


def point_digest(found: HeadlineFit) -> str:
    """As a publication would write the point estimates."""
    block = {row.agent: None if row.rating is None else f"{row.rating:.2f}" for row in found.agents}
    return hashlib.sha256(json.dumps(block, sort_keys=True).encode()).hexdigest()


def test_c22_two_groups_that_never_met_are_rated_apart() -> None:
    found = fit(ballots(head_to_head(3, 1) + head_to_head(1, 1, a=2, b=3)))
    assert len(found.components) == 2
    assert found.gap("a1", "a2").gap == pytest.approx(190.85, abs=0.005)
    assert found.gap("a3", "a4").gap == pytest.approx(0)
    across = found.gap("a1", "a3")
    assert (across.gap, across.win_chance, across.reason) == (None, None, "not_connected")
    assert {row.rank_worst for row in found.agents} == {2}, "places are given inside a component only"
    for component in (("a1", "a2"), ("a3", "a4")):
        assert sum(found[agent].rating or 0 for agent in component) / 2 == pytest.approx(ANCHOR)


def test_c23_only_ties_have_a_gap_and_no_interval() -> None:
    found = fit(ballots([(judge, 0, 1, TIE) for judge in range(4)]))
    for row in found.agents:
        assert (row.rating, row.lower, row.upper, row.se) == (ANCHOR, None, None, None)
        assert (row.reason, row.place, row.rank_best, row.rank_worst) == ("degenerate_interval", 1, 1, 2)
    gap = found.gap("a1", "a2")
    assert (gap.gap, gap.se, gap.lower, gap.reason) == (0, None, None, "degenerate_interval")


def test_c24_the_same_votes_of_fewer_judges() -> None:
    rows = head_to_head(6, 4)
    two = fit(ballots([(judge, *row[1:]) for judge, row in zip([1] * 6 + [2] * 4, rows, strict=True)]))
    ten = fit(ballots(rows))
    for found, error in ((ten, 118.20), (two, 347.44)):
        gap = found.gap("a1", "a2")
        assert gap.gap == pytest.approx(70.44, abs=0.005)
        assert gap.se == pytest.approx(error, abs=0.005)
        assert gap.upper is not None
        reach = t_quantile(found.effective_judges - 1) * error
        assert gap.upper == pytest.approx(70.44 + reach, rel=1e-4)
    assert core(two.components[0]).covariance.factor == 2
    assert core(ten.components[0]).covariance.factor == pytest.approx(10 / 9)


def test_c25_order_slots_and_seed_leave_the_point_estimates_alone() -> None:
    votes = simulate([1080, 1040, 1000, 960, 920], 50, seed=8, judges=12, tie_share=0.3)
    order = np.random.default_rng(1).permutation(50)
    shuffled = votes.take(order)
    swapped = Comparisons(5, votes.judge, votes.b, votes.a, 2 - votes.outcome)
    digests = {point_digest(fit(board, seed)) for board in (votes, shuffled, swapped) for seed in (1, 2)}
    assert len(digests) == 1
    one, other = (np.array([row.rating for row in fit(board).agents], float) for board in (votes, swapped))
    assert np.abs(one - other).max() < 1e-9


def test_an_agent_that_never_lost_gets_a_bound_and_no_number() -> None:
    rows = judged_apart(head_to_head(8, 8) + head_to_head(5, 0, a=2, b=0))
    found = fit(ballots(rows))
    row = found["a3"]
    assert (row.rating, row.se, row.lower, row.place, row.rank_best) == (None, None, None, None, None)
    assert row.reason == "unbounded"
    assert row.bound is not None
    assert row.bound.side == "lower"
    assert ANCHOR < row.bound.points < 1500
    assert found.gap("a3", "a1").reason == "unbounded"
    assert [found[agent].rating for agent in ("a1", "a2")] == [pytest.approx(ANCHOR)] * 2
    assert {found[agent].rank_worst for agent in ("a1", "a2")} == {3}, "the newcomer may be above both"


def test_who_only_beat_each_other_down_a_ladder_is_unbounded_at_both_ends() -> None:
    found = fit(ballots(judged_apart(head_to_head(5, 0) + head_to_head(5, 0, a=1, b=2))))
    assert [row.reason for row in found.agents] == ["unbounded"] * 3
    assert [row.bound and row.bound.side for row in found.agents] == ["lower", None, "upper"]


@pytest.mark.parametrize("judge", [0, None])
def test_no_bound_from_a_single_judge(judge: int | None) -> None:
    rows = judged_apart(head_to_head(8, 8))
    fans = [(100 + index if judge is None else judge, 2, 0, A_WINS) for index in range(5)]
    assert (fit(ballots([*rows, *fans]))["a3"].bound is None) == (judge is not None)


def test_no_bound_where_the_covariance_is_not_identified() -> None:
    rows = [(judge % 2, a, b, outcome) for judge, a, b, outcome in head_to_head(8, 8) + head_to_head(8, 8, a=1, b=2)]
    found = fit(ballots(rows + [(judge, 3, 0, A_WINS) for judge in range(2)]))
    assert found["a4"].bound is None
    assert found["a1"].reason == "not_identified"
    assert found["a1"].rating is not None
    assert (found["a1"].place, found["a1"].rank_best, found["a1"].rank_worst) == (1, 1, 4)


def test_a_bound_grows_more_careful_with_dependent_judges() -> None:
    base = simulate([1040, 1000, 960], 600, seed=2, judges=30)
    clustered = simulate([1040, 1000, 960], 600, seed=2, judges=30, taste=1.5)
    bounds = []
    for board in (base, clustered):
        rows = [*zip(board.judge, board.a, board.b, board.outcome, strict=True)]
        bound = fit(ballots(rows + [(judge, 3, 0, A_WINS) for judge in range(8)]))["a4"].bound
        assert bound is not None
        bounds.append(bound.points)
    assert bounds[1] < bounds[0]


def test_an_agent_without_votes_has_no_data() -> None:
    found = fit(ballots(head_to_head(3, 1), agents=3))
    assert (found["a3"].reason, found["a3"].component, found["a3"].battles) == ("no_data", None, 0)
    assert found.gap("a3", "a1").reason == "no_data"


def test_no_votes_at_all() -> None:
    empty = np.array([], dtype=np.int64)
    found = fit_headline(Comparisons(2, empty, empty, empty, empty), ["x", "y"])
    assert {row.reason for row in found.agents} == {"no_data"}
    assert (found.components, found.judges, found.effective_judges) == ((), 0, 0)


def test_names_must_fit_the_agents() -> None:
    votes = ballots(head_to_head(1, 1))
    for wrong in (["x"], ["x", "x"]):
        with pytest.raises(ValueError, match="different names"):
            fit_headline(votes, wrong)


def test_the_anchor_is_the_mean_of_the_ranked_agents() -> None:
    votes = simulate([1100, 1040, 1000, 960, 900], 3000, seed=1)
    ranked = np.array([True, False, True, True, False])
    found = fit_headline(votes, names(votes), ranked=ranked)
    ratings = np.array([row.rating for row in found.agents], float)
    assert ratings[ranked].mean() == pytest.approx(ANCHOR)
    plain = fit(votes)
    assert found.gap("a1", "a5").se == pytest.approx(plain.gap("a1", "a5").se)
    assert found["a1"].rank_best == plain["a1"].rank_best


def test_the_only_ranked_agent_is_the_anchor_and_has_no_interval() -> None:
    votes = simulate([1100, 1000, 900], 600, seed=1)
    found = fit_headline(votes, names(votes), ranked=np.array([False, True, False]))
    assert (found["a2"].rating, found["a2"].se, found["a2"].lower) == (ANCHOR, None, None)
    assert found.gap("a1", "a2").se is not None


def test_intervals_nest_and_ranks_follow_the_gaps() -> None:
    votes = simulate(np.linspace(850, 1150, 7).tolist(), 6000, seed=5, judges=80, taste=0.4, unequal=0.4)
    found = fit(votes)
    for row in found.agents:
        assert row.simultaneous_lower < row.lower < row.rating < row.upper < row.simultaneous_upper
        assert row.anytime_lower < row.lower
        assert 1 <= row.rank_best <= row.rank_worst <= 7
        reach = t_quantile(found.effective_judges - 1) * row.se
        assert row.upper - row.rating == pytest.approx(reach)
        assert row.anytime_upper - row.rating == pytest.approx(anytime_factor(found.judges) * row.se)
    ordered = sorted(found.agents, key=lambda row: -row.rating)
    assert [row.agent for row in ordered] == ["a7", "a6", "a5", "a4", "a3", "a2", "a1"]
    assert (ordered[0].rank_best, ordered[-1].rank_worst) == (1, 7)
    assert ordered[0].rank_worst < 7


def test_no_sequence_before_its_first_look() -> None:
    early = simulate([1040, 1000, 960], FIRST_LOOK_VOTES - 1, seed=1)
    due = simulate([1040, 1000, 960], FIRST_LOOK_VOTES, seed=1)
    assert fit(early)["a1"].anytime_lower is None
    assert fit(due)["a1"].anytime_lower is not None


def test_status_counts_battles_and_heeds_drift() -> None:
    votes = simulate([1040, 1000, 960], 2000, seed=1)
    found = fit(votes).with_drift({"a2"})
    assert [row.status for row in found.agents] == [Status.STABLE, Status.SETTLING, Status.STABLE]
    # Ten battles of every pair, each judged by very many.
    pair = np.minimum(votes.a, votes.b) * 3 + np.maximum(votes.a, votes.b)
    shared = replace(votes, battle=pair * 10 + np.arange(2000) % 10)
    assert {row.battles for row in fit(shared).agents} == {20}
    assert {row.status for row in fit(shared).agents} == {Status.PROVISIONAL}


def test_a_variant_is_published_by_the_same_code() -> None:
    votes = simulate([1060, 1000, 940], 4000, seed=1, position=0.5)
    found = fit_headline(votes, names(votes), likelihood=POSITION)
    estimate = core(found.components[0]).estimate
    assert estimate.extra("position") == pytest.approx(0.5, abs=0.12)
    assert found["a1"].se is not None


def test_a_variant_that_cannot_be_fitted_says_why_in_every_row() -> None:
    votes = ballots(head_to_head(6, 4))
    found = fit_headline(votes, names(votes), likelihood=POSITION)
    assert {row.reason for row in found.agents} == {"not_identified"}
    assert {row.rating for row in found.agents} == {None}


@given(boards(), st.data())
def test_numbering_the_agents_anew_changes_no_row(votes: Comparisons, data: st.DataObject) -> None:
    place = np.array(data.draw(st.permutations(range(votes.agents))))
    renamed = Comparisons(votes.agents, votes.judge, place[votes.a], place[votes.b], votes.outcome)
    new_names = [""] * votes.agents
    for old, new in enumerate(place):
        new_names[new] = f"a{old + 1}"
    one, other = fit(votes), fit_headline(renamed, new_names)
    for row in one.agents:
        mine, theirs = asdict(row), asdict(other[row.agent])
        for key in ("rating", "se", "lower", "upper"):
            assert (mine[key] is None) == (theirs[key] is None), key
            assert mine[key] is None or mine[key] == pytest.approx(theirs[key], rel=1e-6, abs=1e-6), key
        assert (row.reason, row.status, row.battles) == (other[row.agent].reason, other[row.agent].status, row.battles)


def test_real_votes_reproduce_the_reference() -> None:
    known = reference()
    found = fit_headline(crowd_votes(), known["models"])
    for row, rating, error in zip(found.agents, known["ratings"], known["errors"]["judge"], strict=True):
        assert row.rating == pytest.approx(ANCHOR + rating, abs=1e-8)
        assert row.se == pytest.approx(error, rel=1e-7)
    assert found.judges == 124
    assert found.effective_judges == pytest.approx(39.6, abs=0.05)
    first = max(found.agents, key=lambda row: row.rating or 0)
    assert (first.agent, first.rank_best) == ("GPT 4", 1)


def true_ranks_are_covered(found: HeadlineFit, truth: np.ndarray) -> bool:
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    return all(row.rank_best <= rank <= row.rank_worst for row, rank in zip(found.agents, ranks, strict=True))


def test_intervals_and_rank_ranges_cover_with_forty_unequal_judges() -> None:
    """A small simulation; a larger one is in the benchmarks."""
    truth = np.linspace(950, 1050, 5)
    boards_run, covered, ranked_right = 120, 0, 0
    for seed in range(boards_run):
        # Judges' tastes shrink gaps between agents towards zero; equal spacing keeps the middle agent's truth exact.
        votes = simulate(truth.tolist(), 1500, seed=seed, judges=40, unequal=0.5, taste=0.5, tie_share=0.2)
        found = fit(votes)
        covered += found["a3"].lower <= ANCHOR <= found["a3"].upper
        ranked_right += true_ranks_are_covered(found, truth)
    # 95% give or take three standard errors of 120 boards.
    assert 0.89 * boards_run <= covered
    assert ranked_right >= 0.95 * boards_run


@pytest.mark.parametrize("outcome", [A_WINS, B_WINS])
def test_one_vote_is_a_board_too(outcome: int) -> None:
    found = fit(ballots([(0, 0, 1, outcome)]))
    for name in NUMBERS:
        assert {getattr(row, name) for row in found.agents} == {None}
    assert {row.reason for row in found.agents} == {"unbounded"}
    assert {row.bound for row in found.agents} == {None}, "one judge bounds nothing"


def test_wild_intervals_stand_beside_those_of_few_judges_only() -> None:
    few, many = (simulate([1040, 1000, 960], 900, seed=1, judges=judges) for judges in (30, 60))
    row = fit(few)["a1"]
    assert row.wild_lower < row.rating < row.wild_upper
    assert (fit(many)["a1"].wild_lower, fit(many)["a1"].wild_upper) == (None, None)


@pytest.mark.parametrize("likelihood", [DAVIDSON, RAO_KUPPER])
def test_models_of_ties_are_variants_too(likelihood: Likelihood) -> None:
    votes = simulate([1060, 1000, 940], 3000, seed=1, tie_share=0.25, judges=60)
    found = fit_headline(votes, names(votes), likelihood=likelihood)
    (extra,) = core(found.components[0]).parameters
    assert extra.se is not None
    assert found["a1"].rating > found["a2"].rating > found["a3"].rating
    without_ties = simulate([1060, 1000, 940], 300, seed=1)
    assert {row.reason for row in fit_headline(without_ties, names(votes), likelihood=likelihood).agents} == {
        "no_variation"
    }


def test_style_control_is_a_variant_and_follows_the_votes_of_each_component() -> None:
    one, other = simulate([1060, 1000, 940], 1500, seed=1, judges=60), simulate([1020, 980], 500, seed=2, judges=60)
    joined = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in ("judge", "outcome")}
    a, b = np.concatenate([one.a, other.a + 3]), np.concatenate([one.b, other.b + 3])
    order = np.random.default_rng(1).permutation(2000)
    votes = Comparisons(5, joined["judge"], a, b, joined["outcome"]).take(order)
    covariates = np.random.default_rng(2).normal(size=(1, 2000))
    found = fit_headline(votes, names(votes), likelihood=styled("style-controlled", covariates, ["noise"]))
    alone = fit_headline(
        one, ["x", "y", "z"], likelihood=styled("s", covariates[:, np.argsort(order)[:1500]], ["noise"])
    )
    assert len(found.components) == 2
    assert found.gap("a1", "a2").gap == pytest.approx(alone.gap("x", "y").gap, abs=1e-6)
    assert found.gap("a1", "a2").se == pytest.approx(alone.gap("x", "y").se, rel=1e-6)


def test_an_agent_outside_the_core_of_another_scale_gets_no_bound() -> None:
    rows = judged_apart(head_to_head(8, 8, 4) + head_to_head(5, 0, a=2, b=0))
    found = fit_headline(ballots(rows), ["a1", "a2", "a3"], likelihood=DAVIDSON)
    assert (found["a3"].bound, found["a3"].reason) == (None, "unbounded")
