"""The draw as arithmetic: probabilities, floors, weights, slots."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.fairness import (
    check_every_pair_is_reached,
    check_newcomers_converge,
    check_slots_are_balanced,
    check_stored_probabilities,
    check_takes_nothing,
)
from battles.matchmaking import (
    INFO_FLOOR,
    UNIFORM_FLOOR,
    Match,
    Standing,
    TooFewAgents,
    anchor_weight,
    draw_judges_needed,
    information,
    pair_of,
    pair_probabilities,
    select_match,
)

keys = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=2, max_size=9, unique=True)


@st.composite
def standings(draw):
    agents = draw(keys)
    battles = {agent: draw(st.integers(0, 100_000)) for agent in agents}
    ratings = {agent: draw(st.floats(-3000, 5000)) for agent in agents if draw(st.booleans())}
    pairs = [pair_of(a, b) for i, a in enumerate(agents) for b in agents[i + 1 :]]
    meetings = {pair: draw(st.integers(0, 10_000)) for pair in pairs if draw(st.booleans())}
    return Standing(agents=agents, battles=battles, meetings=meetings, ratings=ratings)


@given(standings())
def test_pair_probabilities_are_a_distribution_and_none_falls_under_the_floor(standing):
    probabilities = pair_probabilities(standing)
    assert math.isclose(math.fsum(probabilities.values()), 1.0, abs_tol=1e-9)
    assert len(probabilities) == math.comb(len(standing.agents), 2)
    assert min(probabilities.values()) >= UNIFORM_FLOOR / len(probabilities) - 1e-12


@given(standings(), st.integers(0, 2**32))
def test_a_match_pairs_two_different_agents_with_the_probability_of_their_pair(standing, seed):
    match = select_match(standing, random.Random(seed))
    assert match.slot_a != match.slot_b
    assert {match.slot_a, match.slot_b} <= set(standing.agents)
    expected = pair_probabilities(standing)[pair_of(match.slot_a, match.slot_b)]
    assert match.pair_probability == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 2**32))
def test_two_agents_alone_meet_with_certainty(one, other, seed):
    standing = Standing(agents="ab", battles={"a": one, "b": other}, meetings={}, ratings={})
    assert 1 - 1e-12 <= select_match(standing, random.Random(seed)).pair_probability <= 1


@given(standings())
def test_the_order_of_the_roster_does_not_matter(standing):
    turned = Standing(
        agents=list(reversed(standing.agents)),
        battles=standing.battles,
        meetings=standing.meetings,
        ratings=standing.ratings,
    )
    assert pair_probabilities(turned) == pytest.approx(pair_probabilities(standing))


def test_weights_are_those_of_the_design():
    assert anchor_weight(0) == pytest.approx(0.5)
    assert anchor_weight(12) == pytest.approx(0.25)
    assert information(None, 1000.0) == 1.0
    assert information(1000.0, 1000.0) == pytest.approx(1.0)
    assert information(3000.0, 1000.0) == INFO_FLOOR


def test_a_pair_that_never_met_is_preferred_over_one_that_did():
    standing = Standing(agents="abc", battles=dict.fromkeys("abc", 50), meetings={("a", "b"): 50}, ratings={})
    probabilities = pair_probabilities(standing)
    assert probabilities["a", "c"] > probabilities["a", "b"]


@pytest.mark.parametrize("agents", [[], ["one"], ["one", "one"]])
def test_fewer_than_two_agents_refuse(agents):
    with pytest.raises(TooFewAgents):
        select_match(Standing(agents=agents, battles={}, meetings={}, ratings={}), random.Random(1))


def test_one_battle_in_ten_needs_three_judges():
    rng = random.Random(4)
    needed = [draw_judges_needed(rng) for _ in range(20_000)]
    assert set(needed) == {1, 3}
    assert 0.09 < needed.count(3) / len(needed) < 0.11


def test_the_draw_keeps_its_promises():
    for finding in (
        check_stored_probabilities(),
        check_every_pair_is_reached(),
        check_slots_are_balanced(),
        check_newcomers_converge(),
    ):
        assert finding.kept, finding


def _always_first_in_a(standing, rng):
    match = select_match(standing, rng)
    first, second = sorted((match.slot_a, match.slot_b))
    return Match(first, second, match.pair_probability)


def _uniform_but_says_weighted(standing, rng):
    pairs = list(pair_probabilities(standing).items())
    (one, other), probability = pairs[int(rng.random() * len(pairs))]
    return Match(one, other, probability)


def _never_the_newcomer(standing, rng):
    match = select_match(standing, rng)
    return match if "f" not in {match.slot_a, match.slot_b} else Match("a", "b", match.pair_probability)


def test_a_broken_draw_is_found():
    assert not check_slots_are_balanced(_always_first_in_a).kept
    assert not check_stored_probabilities(_uniform_but_says_weighted).kept
    assert not check_newcomers_converge(_never_the_newcomer).kept
    assert not check_takes_nothing(lambda agent: agent).kept
