"""A value recomputed from the files of a snapshot equals the value on the page.

What is recomputed here is written anew from the definitions, over the columns of the files alone.
"""

from collections import Counter, defaultdict
from statistics import median

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from governance.dataset.building import build_snapshot
from governance.dataset.home import snapshots_home
from metrics.catalog import BY_KEY
from metrics.measure import DECIMALS
from metrics.publishing import publish_measures
from ratings.models import Board
from tests.metrics.rows import baselines, practice_task, ran, step, steps, vote

pytestmark = pytest.mark.django_db

TABLES = ("battles", "lanes", "steps", "votes", "completions", "exclusions")


@pytest.fixture
def published(client, settings, tmp_path):
    """Values of the page by measure and agent, and the tables of a snapshot made of the same records."""
    settings.ARENA_LEGAL_NAME = "Example Arena Ltd"
    settings.ARENA_DATA_DIR = tmp_path
    pair, task = baselines(), practice_task()
    endings = ("answered", "gave_up", "step_budget")
    for number in range(32):
        battle = ran(
            pair,
            [*steps("click", 1 + number % 5), step("type", arguments={"text": "kettle"})],
            [step("scroll"), *steps("wait", number % 3)],
            lane_a={"seconds": 5 + number, "ended": endings[number % 3]},
            task=task,
        )
        marks = {"A": ("done", "not_done")[number % 2], "B": "done"}
        vote(battle, ("A", "B", "A", "tie")[number % 4], marks=marks)
        if number % 3 == 0:
            vote(battle, ("A", "tie")[number % 2], marks=marks)
    # One vote does not rate: its battle named an agent.
    vote(ran(pair, task=task, leak_scan="leaked"), "A")
    publish_measures(board=Board.DEMO, actor="system:test")
    document = client.get(reverse("api_metrics"), {"board": "demo"}, headers={"Accept": "application/json"}).json()
    shown = {
        (measure["key"], value["agent"]): value["value"]
        for measure in document["measures"]
        for value in measure["values"]
    }
    folder = snapshots_home() / build_snapshot(actor="operator:test").path
    return shown, {name: pq.read_table(folder / name).to_pylist() for name in TABLES}


def _lanes(tables):
    """Lanes that ran to their end, by identifier."""
    void = {row["battle"] for row in tables["battles"] if row["state"] == "void"}
    return {
        row["lane"]: row
        for row in tables["lanes"]
        if row["attempt_outcome"] == "finished" and row["battle"] not in void
    }


def _rated(tables):
    excluded = {row["vote"] for row in tables["exclusions"] if row["board"] == "demo"}
    return [row for row in tables["votes"] if row["vote"] not in excluded]


def _steps(tables, lanes):
    return [row for row in tables["steps"] if row["number"] > 0 and row["lane"] in lanes]


def click_share(tables, agent):
    lanes = _lanes(tables)
    verbs = [row["verb"] for row in _steps(tables, lanes) if lanes[row["lane"]]["agent"] == agent]
    return verbs.count("click") / len(verbs)


def steps_per_lane(tables, agent):
    lanes = _lanes(tables)
    counted = Counter(row["lane"] for row in _steps(tables, lanes))
    return median(counted[lane] for lane, row in lanes.items() if row["agent"] == agent)


def claimed_done_share(tables, agent):
    endings = [row["ended"] for row in _lanes(tables).values() if row["agent"] == agent]
    return endings.count("answered") / len(endings)


def lane_seconds(tables, agent):
    return median(row["seconds"] for row in _lanes(tables).values() if row["agent"] == agent)


def win_share(tables, agent):
    lanes = _lanes(tables)
    winners = [lanes[row["winner"]]["agent"] for row in _rated(tables) if row["winner"]]
    return winners.count(agent) / len(winners)


def judged_complete_share(tables, agent):
    rated = {row["vote"] for row in _rated(tables)}
    said = defaultdict(list)
    for row in tables["completions"]:
        if row["vote"] in rated and row["verdict"] != "cannot_tell":
            said[row["lane"]].append(row["verdict"] == "done")
    lanes = _lanes(tables)
    marks = [marks for lane, marks in said.items() if lanes[lane]["agent"] == agent]
    return sum(sum(one) * 2 > len(one) for one in marks) / len(marks)


def tie_share(tables, agent):
    choices = [row["choice"] for row in _rated(tables)]
    return choices.count("tie") / len(choices)


def a_side_win_share(tables, _):
    slots = [row["winner_slot"] for row in _rated(tables) if row["winner_slot"]]
    return slots.count("A") / len(slots)


def rated_share(tables, _):
    return len(_rated(tables)) / len(tables["votes"])


OF_AGENTS = (
    click_share,
    steps_per_lane,
    claimed_done_share,
    lane_seconds,
    win_share,
    judged_complete_share,
    tie_share,
)
OF_THE_ARENA = (a_side_win_share, rated_share)


def test_values_recomputed_from_a_snapshot_are_those_on_the_page(published):
    shown, tables = published
    compared = 0
    for recompute in (*OF_AGENTS, *OF_THE_ARENA):
        for agent in ("ada", "bob") if recompute in OF_AGENTS else (None,):
            value = shown[recompute.__name__, agent]
            decimals = DECIMALS[BY_KEY[recompute.__name__].unit]
            assert value is not None, recompute.__name__
            assert round(recompute(tables, agent), decimals) == value, (recompute.__name__, agent)
            compared += 1
    assert compared == 2 * len(OF_AGENTS) + len(OF_THE_ARENA)


def test_rated_and_excluded_add_up_to_what_was_cast(published):
    _, tables = published
    votes = {row["vote"] for row in tables["votes"]}
    excluded = {row["vote"] for row in tables["exclusions"] if row["board"] == "demo"}
    assert excluded < votes
    assert len(_rated(tables)) + len(excluded) == len(votes)
    assert {row["reason"] for row in tables["exclusions"] if row["board"] == "demo"} == {"identity_leaked"}
