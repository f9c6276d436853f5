"""Votes that are improbable against everybody else's are put aside, once, and honest judges are rarely asked about."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone

from battles.models import Agent, Battle
from judging.models import HeldLabel, Vote
from judging.trust import decide_hold
from ratings.estimators.comparisons import A_WINS, B_WINS
from ratings.judge_flags import FALSE_ALARM, LOOKED_AT, CastVote, find_flags, hold_improbable_judges
from ratings.tasks import flag_judges
from tests.battles.factories import lane_of, make_agent, make_judge, make_votable

STRENGTH = {"ada": 1.5, "bob": 0.5, "cyd": -0.5, "dan": -1.5}
START = datetime(2026, 1, 1, tzinfo=UTC)


def crowd(seed, *, judges=30, votes=40, agents=tuple(STRENGTH)):
    """Honest judges, who prefer the stronger agent with Bradley and Terry's chance."""
    rng = np.random.default_rng(seed)
    return [
        honest(rng, f"honest-{number:03}", agents=agents, at=START + timedelta(minutes=turn))
        for turn in range(votes)
        for number in range(judges)
    ]


def honest(rng, judge, *, agents, at):
    a, b = rng.choice(agents, 2, replace=False)
    chance = 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a]))
    return vote(judge, a, b, A_WINS if rng.random() < chance else B_WINS, at)


def vote(judge, a, b, outcome, at=START):
    return CastVote(uuid.uuid4(), judge, str(a), str(b), outcome, at)


def flagged(cast, changes=()):
    return {(flag.judge, flag.agent) for flag in find_flags(cast, changes)}


def test_a_judge_who_says_the_opposite_is_found():
    rng = np.random.default_rng(1)
    contrary = []
    for _ in range(60):
        said = honest(rng, "contrary", agents=tuple(STRENGTH), at=START)
        contrary.append(vote("contrary", said.agent_a, said.agent_b, A_WINS + B_WINS - said.outcome))
    found = find_flags(crowd(2) + contrary, [])
    assert ("contrary", "") in {(flag.judge, flag.agent) for flag in found}
    assert any("after 60 votes, corrected for the looks" in flag.words for flag in found if flag.judge == "contrary")


def test_a_judge_who_votes_for_one_agent_is_found_with_the_agent():
    rng = np.random.default_rng(3)
    fan = []
    for _ in range(60):
        said = honest(rng, "fan", agents=tuple(STRENGTH), at=START)
        outcome = {said.agent_a: A_WINS, said.agent_b: B_WINS}.get("dan", said.outcome)
        fan.append(vote("fan", said.agent_a, said.agent_b, outcome))
    assert ("fan", "dan") in flagged(crowd(4) + fan)


def test_a_judge_who_chooses_an_agent_s_battles_is_found():
    rng = np.random.default_rng(5)
    others = ("ada", "bob", "cyd")
    chosen = [vote("chooser", "dan", rng.choice(others), B_WINS) for _ in range(25)]
    assert ("chooser", "dan") in flagged(crowd(6) + chosen)


def test_whoever_judges_while_an_agent_is_new_has_not_chosen_it():
    """All of a late judge's battles are among two agents, because the others had left by then."""
    rng = np.random.default_rng(7)
    change = START + timedelta(days=1)
    late = [
        honest(rng, f"late-{number:02}", agents=("cyd", "dan"), at=change + timedelta(minutes=1))
        for _ in range(25)
        for number in range(8)
    ]
    assert flagged(crowd(8) + late, [change]) == set()
    assert "late" in {judge[:4] for judge, _ in flagged(crowd(8) + late)}


def test_honest_judges_are_flagged_no_more_often_than_stated():
    judges = rounds = 0
    found: set[tuple[int, str]] = set()
    for seed in range(10):
        cast = crowd(100 + seed, judges=60, votes=60)
        judges += 60
        # Asked again and again as the votes come in, as every night does.
        for look in LOOKED_AT[:4]:
            rounds += 1
            found |= {(seed, judge) for judge, _ in flagged(cast[: look * 60])}
    assert (judges, rounds) == (600, 40)
    # 12 are expected at most; 26 are four standard errors above.
    assert len(found) <= FALSE_ALARM * judges + 14


def test_the_documentation_states_the_looks_and_the_chance():
    rules = " ".join((Path(__file__).parents[2] / "docs" / "judging.md").read_text().split())
    looks = [f"{look:,}" for look in LOOKED_AT]
    assert f"after {', '.join(looks[:-1])} and {looks[-1]} votes | {FALSE_ALARM:.1%} ever" in rules


def test_votes_beyond_the_last_look_wait_for_the_next():
    cast = crowd(9, judges=10, votes=10)
    few = find_flags(cast + [vote("few", "dan", "ada", A_WINS)] * 4, [])
    assert all("campaign" in flag.words for flag in few)
    before = find_flags(cast + [vote("fan", "dan", "ada", A_WINS)] * 10, [])
    after = find_flags(cast + [vote("fan", "dan", "ada", A_WINS)] * 24, [])
    assert before == after


def test_without_votes_there_is_nothing_to_say():
    assert find_flags([], []) == []


@pytest.fixture
def arena():
    """Twelve honest judges and a contrary one on thirty practice battles of two agents."""
    agents = tuple(make_agent(key, kind=Agent.Kind.BASELINE) for key in ("ada", "bob"))
    judges = [make_judge() for _ in range(13)]
    receipts = [judge.receipts.get() for judge in judges]
    rng = np.random.default_rng(11)
    now = timezone.now()
    votes = []
    for _ in range(30):
        battle = make_votable(agents=agents, kind=Battle.Kind.PRACTICE)
        lanes = {lane.agent_id: lane for lane in (lane_of(battle, "A"), lane_of(battle, "B"))}
        for number, (judge, receipt) in enumerate(zip(judges, receipts, strict=True)):
            usual = rng.random() < 0.9
            better = "ada" if usual == (number > 0) else "bob"
            votes.append(
                Vote(
                    battle=battle,
                    judge=judge,
                    receipt=receipt,
                    choice="lane",
                    winner=lanes[better],
                    by_submitter=False,
                    locked_at=now,
                )
            )
    Vote.objects.bulk_create(votes)
    return judges[0]


@pytest.mark.django_db
def test_a_contrary_judge_s_votes_are_put_aside_once_and_stay_released(arena):
    flag_judges()
    assert {held.vote.judge_id for held in HeldLabel.objects.select_related("vote")} == {arena.pk}
    assert {held.held_by for held in HeldLabel.objects.all()} == {"system:sequence"}
    assert HeldLabel.objects.count() == 30
    assert hold_improbable_judges() == []
    for held in HeldLabel.objects.all():
        decide_hold(held=held, decision="released", actor="operator:1", reason="Reads the rubric otherwise.")
    assert hold_improbable_judges() == []


@pytest.mark.django_db
def test_void_leaked_and_withdrawn_ones_are_no_evidence(arena):
    for change in (
        lambda: Battle.objects.update(leak_scan="leaked"),
        lambda: Battle.objects.update(leak_scan="clean", state="void", voided_at=timezone.now()),
        lambda: (Battle.objects.update(state="closed"), Vote.objects.update(withdrawn_at=timezone.now())),
    ):
        change()
        assert hold_improbable_judges() == []
