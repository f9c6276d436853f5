"""Improbable judges are found, and honest ones left alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster
from ratings.estimators.comparisons import A_WINS, B_WINS, OUTCOMES, POINTS_OF_A, TIE, Comparisons, tabulate
from ratings.inference.coalitions import LAPSE, MEMBER_LEVEL, MEMBERS, campaign_members, likely_members
from ratings.inference.judge_fits import Sequences, outcome_chances, own_influence
from ratings.inference.judge_likings import exact_tails
from ratings.inference.judge_sequences import (
    CHOICE_LEVEL,
    LIKING_LEVEL,
    SURPRISE_LEVEL,
    JudgeSequences,
    judge_sequences,
)
from tests.ratings.boards import ballots, boards, simulate

TWELVE = [1220.0 - 40 * place for place in range(12)]
#: The most honest judges who may be flagged.
TARGET = 0.02


def honest_board(seed: int, votes: int = 3000, **how: float) -> Comparisons:
    return simulate(TWELVE, votes, seed, **{"judges": 200, "tie_share": 0.2, "taste": 0.3, "unequal": 0.5, **how})


def joined(*parts: Comparisons, seed: int = 0) -> Comparisons:
    """The votes of several groups of judges, who are numbered one group after the other, mixed in time."""
    columns: dict[str, list[np.ndarray]] = {"judge": [], "a": [], "b": [], "outcome": []}
    judges = 0
    for part in parts:
        for name, column in columns.items():
            column.append(getattr(part, name) + (judges if name == "judge" else 0))
        judges += int(part.judge.max()) + 1
    order = np.random.default_rng(seed).permutation(sum(map(len, parts)))
    return Comparisons(parts[0].agents, *(np.concatenate(column)[order] for column in columns.values()))


def cast(judges: int, votes: int, seed: int, target: int | None = None) -> Comparisons:
    """Battles handed out by chance to judges with as many votes each; with a target only those it takes part in."""
    rng = np.random.default_rng(seed)
    count = judges * votes
    a = rng.integers(0, 12, count) if target is None else np.full(count, target)
    b = (a + rng.integers(1, 12, count)) % 12
    swap = rng.random(count) < 0.5
    outcome = np.where(rng.random(count) < 0.2, TIE, np.where(rng.random(count) < 0.5, A_WINS, B_WINS))
    return Comparisons(12, np.repeat(np.arange(judges), votes), np.where(swap, b, a), np.where(swap, a, b), outcome)


def voting_for(votes: Comparisons, agent: int) -> Comparisons:
    """The same battles, won by an agent wherever it takes part."""
    won = np.where(votes.a == agent, A_WINS, np.where(votes.b == agent, B_WINS, votes.outcome))
    return replace(votes, outcome=won)


def contrary(votes: Comparisons) -> Comparisons:
    """The same battles, won by whoever is weaker: agents are numbered from the best."""
    return replace(votes, outcome=np.where(votes.a > votes.b, A_WINS, B_WINS))


def share_found(found: JudgeSequences, first: int, last: int) -> float:
    return float(np.isin(np.arange(first, last), found.flagged()).mean())


@pytest.mark.parametrize(
    "how",
    [
        {"tie_share": 0.0, "taste": 0.0, "unequal": 0.0},
        {"tie_share": 0.35, "taste": 0.0},
        {"taste": 0.6},
        {"taste": 0.6, "votes": 12_000},
        {"unequal": 1.0},
    ],
    ids=["no ties", "many ties", "tastes", "tastes and many votes", "unequal judges"],
)
def test_honest_judges_are_hardly_ever_flagged(how: dict[str, float]) -> None:
    flagged = [judge_sequences(honest_board(seed, **how)).flags() for seed in range(12)]
    assert np.concatenate(flagged).mean() <= TARGET


def test_few_judges_of_few_agents_are_hardly_ever_flagged() -> None:
    boards_of_few = (
        simulate([1150, 1050, 950, 850], 1500, seed, judges=20, tie_share=0.2, taste=0.3) for seed in range(40)
    )
    assert np.concatenate([judge_sequences(votes).flags() for votes in boards_of_few]).mean() <= TARGET


def test_each_test_keeps_its_level() -> None:
    found = [judge_sequences(honest_board(seed, taste=0.0, unequal=0.0)) for seed in range(25)]
    for name, level in (("surprise", SURPRISE_LEVEL), ("liking", LIKING_LEVEL), ("choice", CHOICE_LEVEL)):
        below = np.concatenate([getattr(result, name) < level for result in found])
        # 5,000 judges: more than half as many again as the level allows would be no chance.
        assert below.mean() <= 1.5 * level, name
        below = np.concatenate([getattr(result, name) < 0.2 for result in found])
        assert below.mean() <= 0.22, name


def test_a_contrarian_is_found_by_surprise() -> None:
    for seed in range(3):
        found = judge_sequences(joined(honest_board(seed), contrary(cast(3, 60, seed)), seed=seed))
        assert (found.surprise[200:] < SURPRISE_LEVEL).all()
        assert share_found(found, 0, 200) <= TARGET


def test_a_coin_needs_many_votes_to_be_found() -> None:
    found = judge_sequences(joined(honest_board(1, votes=8000, taste=0.0), cast(4, 900, 1)))
    assert (found.surprise[200:] < SURPRISE_LEVEL).all()


def test_a_judge_who_votes_for_one_agent_is_found_by_liking() -> None:
    fan = voting_for(cast(2, 150, 4), 7)
    found = judge_sequences(joined(honest_board(4), fan))
    assert (found.liking[200:] < LIKING_LEVEL).all()
    assert found.liked[200:].tolist() == [7, 7]
    assert found.side[200:].tolist() == [1, 1]
    sinking = replace(fan, outcome=np.where((fan.a == 7) | (fan.b == 7), 2 - fan.outcome, fan.outcome))
    against = judge_sequences(joined(honest_board(4), sinking))
    assert (against.liking[200:] < LIKING_LEVEL).all()
    assert against.side[200:].tolist() == [-1, -1]


def test_a_judge_who_picks_battles_is_found_whatever_they_vote() -> None:
    found = judge_sequences(joined(honest_board(5), cast(5, 10, 5, target=3)))
    assert (found.choice[200:] < CHOICE_LEVEL).all()
    assert set(found.chosen[200:].tolist()) == {3}


def test_an_agent_that_joined_late_was_not_chosen() -> None:
    rng = np.random.default_rng(6)
    early = simulate(TWELVE[:11], 4000, 6, judges=150)
    early = Comparisons(12, early.judge, early.a, early.b, early.outcome)
    late = cast(150, 12, 6)
    # For a while the newcomer takes part in two of three battles.
    newcomer = (rng.random(len(late)) < 0.6) & (late.a != 11)
    late = replace(late, b=np.where(newcomer, 11, late.b))
    columns = [np.concatenate([getattr(early, name), getattr(late, name)]) for name in ("a", "b", "outcome")]
    judge = np.concatenate([early.judge, 150 + late.judge])
    votes = Comparisons(12, judge, *columns)
    period = np.repeat([0, 1], [len(early), len(late)])
    assert (judge_sequences(votes).choice < CHOICE_LEVEL).mean() > 0.2
    assert (judge_sequences(votes, period=period).choice < CHOICE_LEVEL).mean() <= 0.01


def test_thirty_accounts_each_too_short_alone_are_found_together() -> None:
    accounts = cast(30, 10, 8)
    votes = voting_for(accounts, 7)
    # Elsewhere against whoever is above it: agents are numbered from the best.
    without = (votes.a != 7) & (votes.b != 7)
    low, high = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
    rival = np.where(high < 7, high, low)
    wanted = np.where(rival == votes.a, B_WINS, A_WINS)
    votes = replace(votes, outcome=np.where(without & (rival < 7), wanted, votes.outcome))
    found = judge_sequences(joined(honest_board(8), votes))
    assert [(seen.agent, seen.side, seen.shape) for seen in found.campaigns] == [(7, 1, "against_those_above")]
    assert share_found(found, 200, 230) >= 0.8
    assert share_found(found, 0, 200) <= TARGET
    alone = (found.surprise < SURPRISE_LEVEL) | (found.liking < LIKING_LEVEL) | (found.choice < CHOICE_LEVEL)
    assert alone[200:].mean() <= 0.3


def test_no_campaign_is_seen_among_honest_judges() -> None:
    seen = [len(judge_sequences(honest_board(100 + seed)).campaigns) > 0 for seed in range(40)]
    assert sum(seen) <= 4


def test_accounts_do_not_become_the_standard_they_are_held_against() -> None:
    many = voting_for(cast(30, 10, 9, target=9), 9)
    found = judge_sequences(joined(honest_board(9), many))
    assert share_found(found, 200, 230) == 1
    assert share_found(found, 0, 200) <= TARGET
    assert found.rounds > 1


def test_a_few_likely_members_are_named_before_many_doubtful_ones() -> None:
    assert likely_members(np.array([0.999, 0.9, 0.75, 0.4, 0.0])).tolist() == [True, False, False, False, False]
    sure = np.concatenate([np.full(20, 0.98), np.full(80, 0.75)])
    flags = likely_members(sure)
    assert flags[:20].all()
    assert 0 < flags[20:].sum() < 10
    assert (1 - sure[flags]).sum() <= MEMBER_LEVEL * 100
    assert not likely_members(np.full(1000, 0.6)).any()


@pytest.mark.parametrize("taste", [0.0, 0.4])
def test_the_evidence_for_a_campaign_is_an_e_value(taste: float) -> None:
    """Its mean over honest boards is at most one, whatever the shape."""
    rng = np.random.default_rng(3)
    strengths = np.array([0.5, 0.0, -0.5])
    exceeded = 0
    for _ in range(200):
        judge = np.repeat(np.arange(40), 8)
        a = rng.integers(0, 3, len(judge))
        b = (a + rng.integers(1, 3, len(judge))) % 3
        gap = strengths[a] - strengths[b]
        chance = outcome_chances(gap, -0.5)
        outcome = (rng.random(len(judge))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
        clusters = cluster(Comparisons(3, judge, a, b, outcome), judge, ordered=True)
        known = Sequences(clusters, a, b, outcome, gap, -0.5, chance, strengths, np.arange(3))
        member, campaigns = campaign_members(known, taste)
        exceeded += bool(campaigns)
        assert campaigns or not member.any()
    # The chance is at most 5%; of 200 boards, 18 would be too many.
    assert exceeded <= 17
    assert all(0 < share < 1 for share in (*MEMBERS, LAPSE))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-3, 3), st.integers(0, 2)), min_size=1, max_size=5),
    st.floats(-2, 1),
    st.sampled_from((1, -1)),
)
def testexact_tails_add_up_all_outcomes(rows: list[tuple[float, int]], log_nu: float, side: int) -> None:
    gap = np.array([gap for gap, _ in rows])
    points = POINTS_OF_A[[outcome for _, outcome in rows]]
    chance = outcome_chances(gap, log_nu)
    expected = 0.0
    for outcomes in product(range(OUTCOMES), repeat=len(rows)):
        reached = float(POINTS_OF_A[list(outcomes)].sum())
        if side * reached >= side * float(points.sum()) - 1e-9:
            expected += float(np.prod(chance[np.arange(len(rows)), list(outcomes)]))
    found = exact_tails(gap, points, np.array([0]), np.array([len(rows)]), np.array([side]), log_nu, 0.0)
    assert found[0] == pytest.approx(expected, rel=1e-9)


def testexact_tails_average_over_tastes() -> None:
    gap, points = np.zeros(6), np.ones(6)
    cell = (np.array([0]), np.array([6]), np.array([1]), -np.inf)
    tastes = np.random.default_rng(0).normal(size=400_000) * 0.7
    expected = (1 / (1 + np.exp(-tastes))) ** 6
    assert exact_tails(gap, points, *cell, 0.7)[0] == pytest.approx(expected.mean(), rel=0.01)
    assert exact_tails(gap, points, *cell, 0.0)[0] == pytest.approx(0.5**6)


def test_a_judge_is_held_against_the_others() -> None:
    votes = honest_board(3, tie_share=0.0)
    estimate = fit_bradley_terry(tabulate(votes))
    ids, owner = np.unique(votes.judge, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    a, b = votes.a[order], votes.b[order]
    own = own_influence(votes, estimate, ids, owner[order], a, b)
    busiest = int(np.bincount(owner).argmax())
    without = fit_bradley_terry(tabulate(votes.take(owner != busiest))).strengths
    rows = owner[order] == busiest
    kept = estimate.strengths[a] - estimate.strengths[b] - own
    refitted = without[a] - without[b]
    before = np.abs(estimate.strengths[a] - estimate.strengths[b] - refitted)[rows].max()
    assert np.abs(kept - refitted)[rows].max() <= 0.25 * before


@settings(max_examples=60, deadline=None)
@given(boards())
def test_sides_do_not_matter_and_everything_is_a_chance(votes: Comparisons) -> None:
    found = judge_sequences(votes)
    swapped = judge_sequences(replace(votes, a=votes.b, b=votes.a, outcome=2 - votes.outcome))
    for name in ("surprise", "liking", "choice", "member"):
        values = getattr(found, name)
        assert ((values >= 0) & (values <= 1)).all()
        assert getattr(swapped, name) == pytest.approx(values, rel=1e-6, abs=1e-9)
    assert found.judge.tolist() == sorted(set(votes.judge.tolist()))
    assert found.votes.sum() <= len(votes)


def test_votes_that_rate_nobody_flag_nobody() -> None:
    none = np.empty(0, np.int64)
    assert len(judge_sequences(Comparisons(3, none, none, none, none)).flagged()) == 0
    one_way = ballots([(judge, 0, 1, A_WINS) for judge in range(8)])
    found = judge_sequences(one_way)
    assert (found.surprise == 1).all()
    assert len(found.flagged()) == 0


def test_periods_must_fit() -> None:
    with pytest.raises(ValueError, match="one period a vote"):
        judge_sequences(honest_board(1), period=np.zeros(3, np.int64))
