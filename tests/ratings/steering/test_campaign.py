"""The simulated arena does what the arena does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judging.pool import GOLD_SHARE as POOL_GOLD_SHARE
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import TIE, Comparisons, tabulate
from ratings.steering.campaign import GOLD_SHARE, HONEST_CALLS, Arena, Mode, Votes, run_campaign

SMALL = Arena(agents=6, target=3, honest_votes=900, honest_judges=60, rigged_votes=80, colluders=8)


def of_colluders(votes: Votes) -> Comparisons:
    return votes.comparisons.take(votes.comparisons.judge >= votes.honest)


def wins(votes: Comparisons, agent: int) -> np.ndarray:
    return np.where(votes.a == agent, votes.outcome == 2, votes.outcome == 0)


def with_target(votes: Comparisons, agent: int) -> np.ndarray:
    return (votes.a == agent) | (votes.b == agent)


def test_the_pool_hands_out_as_much_gold() -> None:
    assert GOLD_SHARE == POOL_GOLD_SHARE


def test_everybody_casts_what_was_asked_for() -> None:
    votes = run_campaign(SMALL, Mode.EVERYWHERE, seed=1)
    number = np.bincount(votes.comparisons.judge, minlength=68)
    assert number[:60].sum() == 900
    assert number[:60].min() >= 1
    assert number[60:].tolist() == [10] * 8
    assert len(votes.calls) == 68


def test_the_same_seed_is_the_same_arena() -> None:
    one, two, other = (run_campaign(SMALL, Mode.TARGET_ONLY, seed=seed) for seed in (5, 5, 6))
    for name in ("judge", "a", "b", "outcome", "battle"):
        assert getattr(one.comparisons, name).tolist() == getattr(two.comparisons, name).tolist()
    assert one.calls == two.calls
    assert one.comparisons.a.tolist() != other.comparisons.a.tolist()


def test_a_tenth_of_battles_has_three_judges_and_no_judge_twice() -> None:
    votes = run_campaign(Arena(), Mode.CAMOUFLAGED, seed=2).comparisons
    assert votes.battle is not None
    sizes = np.bincount(votes.battle)
    assert set(sizes) <= {1, 2, 3}
    assert (sizes == 3).mean() == pytest.approx(0.1, abs=0.025)
    assert len(set(zip(votes.battle.tolist(), votes.judge.tolist(), strict=True))) == len(votes)
    assert votes.weight is not None
    assert votes.weight.sum() == pytest.approx(len(sizes))


def test_honest_votes_lead_back_to_the_truth() -> None:
    votes = run_campaign(replace(SMALL, honest_votes=12_000), Mode.EVERYWHERE, seed=3)
    honest = votes.comparisons.take(votes.comparisons.judge < votes.honest)
    assert (honest.outcome == TIE).mean() == pytest.approx(SMALL.ties, abs=0.02)
    found = fit_bradley_terry(tabulate(honest)).strengths
    truth = SMALL.strengths()
    # Ties pull strengths together, by their share and by little more.
    assert found / (1 - SMALL.ties) == pytest.approx(truth - truth.mean(), abs=0.15)


def test_honest_calls_are_mostly_right() -> None:
    votes = run_campaign(Arena(honest_votes=12_000), Mode.CAMOUFLAGED, seed=4)
    calls = [call for judge in votes.calls[: votes.honest] for call in judge]
    assert HONEST_CALLS - 0.35 < np.mean(calls) < HONEST_CALLS


@pytest.mark.parametrize("mode", list(Mode))
def test_colluders_always_vote_for_their_agent(mode: Mode) -> None:
    own = of_colluders(run_campaign(SMALL, mode, seed=7))
    target = with_target(own, SMALL.target)
    assert target.any()
    assert wins(own.take(target), SMALL.target).all()


def test_elsewhere_each_mode_does_as_its_words_say() -> None:
    only = of_colluders(run_campaign(SMALL, Mode.TARGET_ONLY, seed=8))
    assert with_target(only, SMALL.target).all()
    many = replace(SMALL, rigged_votes=1600)
    coins = of_colluders(run_campaign(many, Mode.EVERYWHERE, seed=8))
    elsewhere = coins.take(~with_target(coins, SMALL.target))
    assert (elsewhere.outcome == TIE).mean() == pytest.approx(SMALL.ties, abs=0.04)
    better = elsewhere.take(elsewhere.outcome != TIE)
    assert wins(better, 0)[with_target(better, 0)].mean() == pytest.approx(0.5, abs=0.1)
    honest = of_colluders(run_campaign(many, Mode.CAMOUFLAGED, seed=8))
    best = honest.take(with_target(honest, 0) & ~with_target(honest, SMALL.target) & (honest.outcome != TIE))
    assert wins(best, 0).mean() > 0.55
    against = of_colluders(run_campaign(many, Mode.AGAINST_RIVALS, seed=8))
    rivals = against.take(~with_target(against, SMALL.target) & (np.minimum(against.a, against.b) < SMALL.target))
    low, high = np.minimum(rivals.a, rivals.b), np.maximum(rivals.a, rivals.b)
    nearest = np.where(high < SMALL.target, high, low)
    assert not np.where(rivals.a == nearest, rivals.outcome != 0, rivals.outcome != 2).any()


def test_a_setting_that_makes_no_sense_is_refused() -> None:
    for wrong in ({"target": 12}, {"agents": 1, "target": 0}, {"honest_judges": 5000}, {"colluders": 0}, {"ties": 1.0}):
        with pytest.raises(ValueError, match=r"target|at least one vote|below one"):
            replace(Arena(), **wrong)
