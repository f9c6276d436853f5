"""Attribution finds habits that are there, and none where there are none."""

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.stylometry import (
    BATTLES_NEEDED,
    BATTLES_PER_AGENT,
    NO_AGENTS,
    NO_BATTLES,
    LaneStyle,
    attribute,
)

TASKS = ["the opening hours", "a red kettle", "the next train", "a book on bees", "the price of a ticket"]
SEED = 7


def plain(chance, task):
    return f"I look for {task}. Then I read the page and answer.", ["click", "read", "answer"], 1.0


def chatty(chance, task):
    return f"Let's see: perhaps {task} is listed here... Next, scrolling!", ["scroll", "scroll", "click", "answer"], 1.0


def board(styles, battles, *, seed=1, pace=(1.0, 1.0)):
    """Battles of two agents, tasks at random."""
    chance = random.Random(seed)
    lanes = []
    for battle in range(battles):
        task = chance.choice(TASKS)
        for agent, style in enumerate(styles):
            text, verbs, _ = style(chance, task)
            noise = " ".join(chance.choice(["north", "south", "east", "west"]) for _ in range(4))
            seconds = [pace[agent] * chance.uniform(0.5, 2) for _ in verbs]
            lanes.append(LaneStyle(battle, f"agent-{agent}", f"{text} {noise}", verbs, seconds))
    return lanes


def shuffled(lanes, seed):
    """Whose lane is whose, at random within each battle."""
    chance = random.Random(seed)
    names = {battle: chance.sample(["agent-0", "agent-1"], 2) for battle in {lane.battle for lane in lanes}}
    return [dataclasses.replace(lane, agent=names[lane.battle][int(lane.agent[-1])]) for lane in lanes]


def test_planted_habits_are_found():
    found = attribute(board((plain, chatty), 60), seed=SEED)
    assert found.accuracy > 0.98
    assert found.lower > found.chance == 0.5
    assert (found.battles, found.agents, found.reason) == (60, 2, "")
    assert min(found.by_feature[name] for name in ("words", "characters", "verbs")) > 0.95


@pytest.mark.parametrize("battles", range(20, 50, 3))
def test_all_told_is_a_share_of_one_at_as_many_battles_as_there_were(battles):
    found = attribute(board((plain, chatty), battles), seed=SEED)
    assert (found.accuracy, found.upper) == (1.0, 1.0)
    assert found.effective == pytest.approx(battles)


def test_pace_alone_is_a_habit():
    found = attribute(board((plain, plain), 80, pace=(1.0, 6.0)), seed=SEED)
    assert found.by_feature["pace"] > 0.9
    assert found.by_feature["verbs"] < 0.7


def test_agents_alike_are_told_apart_as_often_as_by_chance():
    """Over many boards: one of them misses a 95% interval now and then."""
    looks = [attribute(board((plain, plain), 40, seed=seed), seed=SEED) for seed in range(30)]
    assert sum(found.lower <= found.chance <= found.upper for found in looks) >= 25
    assert abs(sum(found.accuracy for found in looks) / len(looks) - 0.5) < 0.05


def test_labels_at_random_are_told_as_often_as_by_chance():
    lanes = board((plain, chatty), 40)
    looks = [attribute(shuffled(lanes, seed), seed=SEED) for seed in range(30)]
    assert sum(found.lower <= found.chance <= found.upper for found in looks) >= 25


def test_a_battle_is_never_on_both_sides():
    """Each battle has a secret word of its own in both lanes, and nothing else: knowing it must not help."""
    chance = random.Random(5)
    lanes = [
        LaneStyle(battle, f"agent-{(battle + lane) % 2}", f"word{chance.random()}", ["click"], [1.0])
        for battle in range(60)
        for lane in (0, 0)
    ]
    assert attribute(lanes, seed=SEED).accuracy < 0.75


def test_more_agents_have_less_chance():
    lanes = board((plain, chatty, plain), 40, pace=(1.0, 1.0, 1.0))
    found = attribute(lanes, seed=SEED)
    assert found.chance == pytest.approx(1 / 3)
    assert 0.5 < found.accuracy < 0.9


def test_the_same_lanes_and_seed_give_the_same_figure_in_any_order():
    lanes = board((plain, chatty), 40)
    turned = random.Random(2).sample(lanes, len(lanes))
    assert attribute(lanes, seed=3) == attribute(turned, seed=3)


@pytest.mark.parametrize(
    ("lanes", "reason"),
    [
        ([], NO_AGENTS),
        (board((plain,), 40), NO_AGENTS),
        (board((plain, chatty), BATTLES_PER_AGENT - 1), NO_AGENTS),
        (board((plain, chatty), BATTLES_NEEDED - 1), NO_BATTLES),
    ],
)
def test_too_little_gives_no_figure_and_the_reason(lanes, reason):
    found = attribute(lanes, seed=SEED)
    assert (found.accuracy, found.lower, found.upper, found.reason) == (None, None, None, reason)
    assert found.by_feature == {}


texts = st.text(max_size=40)
lanes = st.builds(
    LaneStyle,
    battle=st.integers(0, 40),
    agent=st.sampled_from(["a", "b", "c"]),
    text=texts,
    verbs=st.lists(st.sampled_from(["click", "type", "read"]), max_size=5),
    seconds=st.lists(st.floats(0, 1e4), max_size=5),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(lanes, max_size=120), st.integers(0, 5))
def test_whatever_was_seen_gives_a_share_inside_its_interval_or_a_reason(lanes, seed):
    found = attribute(lanes, seed=seed)
    if found.reason:
        assert found.accuracy is None
        return
    assert 0 <= found.lower <= found.accuracy <= found.upper <= 1
    assert 1 <= found.effective <= found.battles + 1e-9
    assert all(0 <= share <= 1 for share in found.by_feature.values())
