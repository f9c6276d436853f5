"""The tables that measures are summed from: the labels are those of the ratings, and no lane is left out in silence."""

import numpy as np
import pytest
from django.db import connection, transaction
from django.utils import timezone

from battles.lane_facts import complete_lane_facts
from battles.merges import merge_agents
from battles.models import LaneFacts
from metrics.catalog import BY_KEY
from metrics.computing import compute
from metrics.counted_lanes import FactsMissing, make_counted_lanes
from metrics.counted_votes import make_counted_votes
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import make_agent, make_judge
from tests.metrics.rows import baselines, ran, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def labels():
    """Labels that rate, and one for each of the reasons that a board of practice battles can have."""
    pair = baselines()
    twice = ran(pair)
    vote(twice, "A", by_submitter=True)
    for choice in ("B", "tie", "both_bad"):
        vote(twice, choice)
    vote(ran(pair[::-1]), "A", by_submitter=True)
    vote(ran(pair, leak_scan="leaked"), "A", by_submitter=True)
    vote(ran(pair, kind="gold"), "A")
    vote(ran(pair), "B", withdrawn_at=timezone.now())
    vote(ran(pair, lane_a={"budget_steps": 99}), "B")
    vote(ran(pair, lane_a={"ended": "lost"}), "B", judge=make_judge())
    vote(ran((pair[0], make_agent("own", kind="baseline", affiliated_from=timezone.now()))), "A")
    versions = [make_agent(key, kind="baseline") for key in ("older", "newer")]
    vote(ran(versions), "A")
    vote(ran((versions[0], pair[0])), "A")
    merge_agents(agent_key="older", into_key="newer", reason="Only the address changed.", actor="operator:1")


@pytest.mark.parametrize("board", Board)
def test_labels_are_those_of_the_rated_corpus(labels, board):
    at = timezone.now()
    corpus = read_corpus(board, at=at)
    complete_lane_facts()
    with transaction.atomic(), connection.cursor() as cursor:
        make_counted_votes(board, at)
        cursor.execute("SELECT reason, outcome, agent_a, agent_b, own, judge, battle FROM counted_votes ORDER BY id")
        reason, outcome, *agents, own, judge, battle = zip(*cursor.fetchall(), strict=True)
    assert list(reason) == corpus.reason.tolist()
    rated = corpus.rated
    assert np.array(outcome)[rated].tolist() == corpus.outcome[rated].tolist()
    assert np.array(own)[rated].tolist() == corpus.by_submitter[rated].tolist()
    for names, numbers in zip(agents, (corpus.agent_a, corpus.agent_b), strict=True):
        assert np.array(names)[rated].tolist() == [corpus.agents[number] for number in numbers[rated]]
    for names, numbers in ((judge, corpus.judge), (battle, corpus.battle)):
        assert len(set(np.array(names)[rated])) == len(set(numbers[rated]))
    if board == Board.DEMO:
        assert set(reason) == set(Reason) - {Reason.JUDGE_NOT_ADMISSIBLE}


JOINED = [BY_KEY[key] for key in ("steps_per_lane", "win_share", "pair_coverage", "offer_ratio")]
MAKE = {
    "lanes": lambda: make_counted_lanes(["steps"], Board.DEMO, timezone.now()),
    "votes": lambda: make_counted_votes(Board.DEMO, timezone.now()),
}


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_what_was_not_counted_is_refused_and_not_left_out(make):
    vote(ran(baselines()), "A")
    complete_lane_facts()
    LaneFacts.objects.filter(lane__slot="B").delete()
    with pytest.raises(FactsMissing):
        make()


@pytest.mark.parametrize("key", ["steps_per_lane", "judged_complete_share", "viewed_share", "one_sided_wall_share"])
def test_what_was_not_counted_is_counted_before_a_measure_is_computed(key):
    vote(ran(baselines()), "A", marks={"A": "done"})
    assert not LaneFacts.objects.exists()
    compute(Board.DEMO, [BY_KEY[key]])
    assert LaneFacts.objects.count() == 2


def test_versions_that_were_joined_are_measured_as_one_row():
    older, newer, other = (make_agent(key, kind="baseline") for key in ("older", "newer", "other"))
    for pair in ((older, other), (newer, other), (older, newer)):
        vote(ran(pair), "A")
    complete_lane_facts()

    before = compute(Board.DEMO, JOINED)
    assert {key: reading.size for key, reading in before["steps_per_lane"].items()} == {
        "older": 2,
        "newer": 2,
        "other": 2,
    }
    assert before["pair_coverage"][None].size == 3
    merge_agents(agent_key="older", into_key="newer", reason="Only the address changed.", actor="operator:1")
    now = compute(Board.DEMO, JOINED)
    assert {key: reading.size for key, reading in now["steps_per_lane"].items()} == {"newer": 4, "other": 2}
    # What one version did against the other says nothing of the row.
    assert {key: reading.over for key, reading in now["win_share"].items()} == {"newer": 2, "other": 2}
    assert now["pair_coverage"][None].size == 1
    # Each version is still drawn by itself.
    assert now["offer_ratio"][None] == before["offer_ratio"][None]
