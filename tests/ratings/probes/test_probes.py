"""A clean board fires nothing, and each planted defect fires its own probe."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.estimators.comparisons import A_WINS, B_WINS, Comparisons
from ratings.probes import THRESHOLDS, WORDS, run_probes
from ratings.probes.schedule import smallest_cut
from tests.ratings.boards import ballots, boards, head_to_head
from tests.ratings.probes.planted import CLEAN, FOLLOWS, LONG, PLANTED, YOUNG, Recipe, grown

SEEDS = range(4)
#: The largest one takes a second to simulate.
FEW_SEEDS = range(2)


def seeds_for(recipe: Recipe) -> range:
    return SEEDS if recipe.votes < 100_000 else FEW_SEEDS


@pytest.mark.parametrize("recipe", [CLEAN, YOUNG, LONG], ids=["clean", "young", "long"])
def test_a_clean_board_fires_nothing(recipe: Recipe) -> None:
    fired = Counter(key for seed in range(40) for key in grown(recipe, 500 + seed).fired())
    # Each probe may be wrong on one board in twenty; of forty boards, more than four are too many (p < 0.05).
    assert all(boards_fired <= 4 for boards_fired in fired.values()), fired
    assert fired.total() <= 6


@pytest.mark.parametrize("key", list(PLANTED))
def test_a_planted_defect_fires_its_own_probe(key: str) -> None:
    recipe = PLANTED[key]
    for seed in seeds_for(recipe):
        fired = grown(recipe, seed).fired()
        assert key in fired, f"seed {seed} fired {fired}"


@pytest.mark.parametrize("key", list(PLANTED))
def test_a_planted_defect_fires_little_else(key: str) -> None:
    recipe = PLANTED[key]
    others = Counter(name for seed in seeds_for(recipe) for name in grown(recipe, seed).fired() - {key})
    strangers = {name: number for name, number in others.items() if name not in FOLLOWS.get(key, ())}
    assert all(number <= 1 for number in strangers.values()), strangers


def test_every_probe_has_a_defect_words_and_a_threshold() -> None:
    found = run_probes(ballots(head_to_head(6, 5)), ("one", "other"))
    assert [probe.key for probe in found] == list(WORDS) == list(THRESHOLDS)
    assert set(PLANTED) == set(WORDS)
    assert {probe.key: probe.threshold for probe in found} == dict(THRESHOLDS)


def test_c29_two_of_eleven_votes_flip_the_top() -> None:
    found = {probe.key: probe for probe in run_probes(ballots(head_to_head(6, 5)), ("one", "other"))}
    top = found["drop_to_flip"]
    assert top.value == pytest.approx(2 / 11)
    assert (top.fired, top.about) == (False, ("one", "other"))
    assert found["separation"].fired is True


def test_what_votes_cannot_answer_is_said() -> None:
    found = {probe.key: probe for probe in run_probes(ballots(head_to_head(6, 5)), ("one", "other"))}
    assert (found["drift"].fired, found["drift"].reason) == (None, "Nothing says when the votes were cast.")
    assert (found["style"].fired, found["style"].reason) == (None, "No style was measured.")
    one_judge = ballots([(0, *row[1:]) for row in head_to_head(30, 10)])
    alone = {probe.key: probe for probe in run_probes(one_judge, ("one", "other"))}
    for key in ("separation", "rank_volatility", "position_bias", "judge_clustering", "judge_influence"):
        assert alone[key].fired is None
        assert alone[key].reason
        assert alone[key].value is None


def test_no_votes_answer_nothing_but_that_nothing_is_connected() -> None:
    none = np.empty(0, np.int64)
    found = run_probes(Comparisons(3, none, none, none, none), ("a", "b", "c"))
    assert {probe.key for probe in found if probe.fired is not None} == {"connectivity"}
    assert {probe.key for probe in found if probe.fired} == {"connectivity"}


def test_an_agent_that_never_lost_hangs_by_nothing() -> None:
    rows = head_to_head(20, 15) + [(judge, 2, judge % 2, A_WINS) for judge in range(30)]
    found = {probe.key: probe for probe in run_probes(ballots(rows), ("a", "b", "best"))}
    assert (found["connectivity"].value, found["connectivity"].about) == (0.0, ("best",))
    assert found["connectivity"].fired is True


def test_ties_that_never_happened_change_no_order() -> None:
    probe = grown(replace(CLEAN, ties=0.0), 1).probes()["tie_convention"]
    assert (probe.fired, probe.value, probe.reason) == (False, 0.0, None)


def test_agents_that_never_change_slots_leave_the_side_open() -> None:
    rows = [(judge, 0, 1, A_WINS if judge % 3 else B_WINS) for judge in range(60)]
    found = {probe.key: probe for probe in run_probes(ballots(rows), ("a", "b"))}
    for key in ("position_bias", "position_reordering"):
        assert found[key].fired is None
        assert "side" in (found[key].reason or "")


def test_the_worst_judge_is_the_one_who_is_named_by_the_gap_that_goes() -> None:
    board = grown(PLANTED["judge_influence"], 1)
    probe = board.probes()["judge_influence"]
    assert "agent-4" in probe.about
    honest = board.votes.take(board.votes.judge != 0)
    assert run_probes(honest, board.names)[list(WORDS).index("judge_influence")].fired is False


def test_two_votes_on_a_battle_count_half_each() -> None:
    board = grown(replace(CLEAN, votes=3000), 3)
    twice = board.votes.take(np.repeat(np.arange(3000), 2))
    halves = replace(twice, weight=np.full(6000, 0.5), battle=np.repeat(np.arange(3000), 2))
    one, other = ({probe.key: probe for probe in run_probes(votes, board.names)} for votes in (board.votes, halves))
    for key in ("connectivity", "coverage_imbalance", "drop_to_flip", "judge_influence", "intransitivity"):
        # Half a vote can be left out where a whole one would be too much.
        assert other[key].value == pytest.approx(one[key].value, rel=1e-9, abs=1 / 3000), key


@settings(max_examples=60, deadline=None)
@given(boards(), st.randoms(use_true_random=False))
def test_names_and_order_of_agents_do_not_matter(votes: Comparisons, chance: object) -> None:
    names = [f"agent-{place}" for place in range(votes.agents)]
    order = np.array(chance.sample(range(votes.agents), votes.agents))
    moved = replace(votes, a=order[votes.a], b=order[votes.b])
    moved_names = [names[place] for place in np.argsort(order)]
    for key in ("connectivity", "coverage_imbalance", "position_bias", "judge_clustering", "intransitivity"):
        place = list(WORDS).index(key)
        one, other = run_probes(votes, names)[place], run_probes(moved, moved_names)[place]
        assert one.fired == other.fired
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert other.value == pytest.approx(one.value, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(boards())
def test_everything_is_a_number_json_knows(votes: Comparisons) -> None:
    times = np.arange(len(votes), dtype=np.float64)
    covariates = np.where(votes.outcome == A_WINS, 0.5, -0.25)[None]
    found = run_probes(
        votes, [str(place) for place in range(votes.agents)], covariates=covariates, covariate_names=("x",), times=times
    )
    json.dumps([asdict(probe) for probe in found], allow_nan=False)
    for probe in found:
        assert (probe.fired is None) == (probe.value is None) == (probe.reason is not None)
        if probe.value is not None and probe.lower is not None and probe.upper is not None:
            assert probe.lower - 1e-9 <= probe.value <= probe.upper + 1e-9


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.integers(0, 4), min_size=n * n, max_size=n * n)))
def test_the_smallest_cut_is_the_smallest_of_all(weights: list[int]) -> None:
    size = round(len(weights) ** 0.5)
    graph = np.array(weights, dtype=float).reshape(size, size)
    graph = graph + graph.T
    np.fill_diagonal(graph, 0)

    def cut(part: np.ndarray) -> float:
        return float(graph[part][:, ~part].sum())

    parts = [np.array([number >> place & 1 for place in range(size)], bool) for number in range(1, 2**size - 1)]
    weight, smaller = smallest_cut(graph)
    assert weight == min(cut(part) for part in parts)
    assert cut(np.isin(np.arange(size), smaller)) == weight
    assert 0 < len(smaller) <= size - len(smaller)


def test_arguments_that_do_not_fit_are_refused() -> None:
    votes = ballots(head_to_head(6, 5))
    with pytest.raises(ValueError, match="2 agents need as many names"):
        run_probes(votes, ("one",))
    with pytest.raises(ValueError, match="1 covariates of 11 votes"):
        run_probes(votes, ("one", "other"), covariates=np.zeros((2, 11)), covariate_names=("x",))
    with pytest.raises(ValueError, match="one time a vote"):
        run_probes(votes, ("one", "other"), times=np.zeros(3))


@pytest.mark.soak
@pytest.mark.parametrize("recipe", [CLEAN, YOUNG, LONG], ids=["clean", "young", "long"])
def test_false_alarms_are_as_rare_as_documented(recipe: Recipe) -> None:
    fired = Counter(key for seed in range(1000) for key in grown(recipe, 10_000 + seed).fired())
    assert all(number <= 25 for number in fired.values()), fired
