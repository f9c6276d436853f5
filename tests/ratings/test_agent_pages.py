"""An agent's history and opponents, from stored publications."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from battles.models import Agent
from ratings.agent_pages import DRAWN_PUBLICATIONS, gap_axis, history_view, opponents_view
from ratings.models import Board, Publication
from ratings.publication_charts import chart_of
from tests.battles.factories import make_agent

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def agents():
    return [make_agent(key, kind=Agent.Kind.BASELINE) for key in ("ada", "bob", "cyd")]


def row(agent, rating, *, reach=None, reason=None):
    ends = {"lower": rating - reach, "upper": rating + reach} if reach else {"lower": None, "upper": None}
    return {
        "agent": agent,
        "rating": rating,
        **ends,
        "sim_lower": None,
        "sim_upper": None,
        "rank_best": 1,
        "rank_worst": 1,
        "component": 0,
        "status": "provisional",
        "bound": None,
        "reason": reason,
    }


def publish(*rows, number=1, ago=timedelta(0), previous=None, **document):
    text = json.dumps({"ratings": list(rows), "win_shares": {}, "gaps": {}} | document)
    return Publication.objects.create(
        digest=f"{number:064d}",
        public_digest=f"{number:064d}",
        board=Board.DEMO,
        number=number,
        previous=previous,
        corpus_digest="",
        labels_cast=1,
        document=text,
        public_document=text,
        published_at=NOW - ago,
    )


def test_an_agent_in_no_publication_has_no_history(agents):
    assert history_view("ada", None) is None
    assert history_view("ada", publish(row("bob", 1000.0))) is None
    assert opponents_view("ada", Publication.objects.get()) == []


def test_history_is_measured_from_agents_that_were_there_every_time(agents):
    """A newcomer at the top pushes the others down by a third of its lead; the line does not move."""
    first = publish(row("ada", 1050.0, reach=40), row("bob", 950.0, reach=40), ago=timedelta(days=4))
    last = publish(
        row("ada", 1000.0, reach=30),
        row("bob", 900.0, reach=30),
        row("cyd", 1100.0, reach=90),
        number=2,
        ago=timedelta(days=1),
        previous=first,
    )
    history = history_view("ada", last)
    assert history.reference == ("bob",)
    assert [point.value for point in history.points] == [100.0, 100.0]
    assert [point.rating for point in history.points] == [1050.0, 1000.0]
    assert (history.points[1].lower, history.points[1].upper) == (70.0, 130.0)
    newcomer = history_view("cyd", last)
    assert newcomer.reference == ("ada", "bob")
    assert [point.value for point in newcomer.points] == [150.0]


def test_without_anybody_there_every_time_the_rating_itself_is_shown(agents):
    first = publish(row("ada", 900.0), row("bob", 1100.0), ago=timedelta(hours=4))
    last = publish(row("ada", 950.0), row("cyd", 1050.0), number=2, ago=timedelta(hours=2), previous=first)
    history = history_view("ada", last)
    assert history.reference == ()
    assert [point.value for point in history.points] == [900.0, 950.0]


def test_another_component_is_no_reference(agents):
    other = row("bob", 1000.0) | {"component": 1}
    assert history_view("ada", publish(row("ada", 1000.0), other)).reference == ()


def test_the_line_is_broken_where_there_was_no_rating(agents):
    first = publish(row("ada", 900.0), row("bob", 1000.0), ago=timedelta(hours=4))
    gap = publish(row("ada", None, reason="unbounded"), number=2, ago=timedelta(hours=3), previous=first)
    last = publish(row("ada", 950.0), row("bob", 1000.0), number=3, ago=timedelta(hours=2), previous=gap)
    history = history_view("ada", last)
    assert [point.value for point in history.points] == [-100.0, None, -50.0]
    assert [point.reason is None for point in history.points] == [True, False, True]
    values = [row["value"] for row in chart_of(last, "history", "ada")["data"]["values"]]
    assert values == [-100.0, None, -50.0, -50.0], "the newest holds on"


def test_an_old_wide_interval_does_not_flatten_the_picture(agents):
    first = publish(row("ada", 900.0, reach=5000), ago=timedelta(days=4))
    last = publish(row("ada", 950.0, reach=30), number=2, previous=first)
    band = chart_of(last, "history", "ada")["layer"][0]["encoding"]["y"]
    low, high = band["scale"]["domain"]
    assert high - low < 300


def test_a_long_history_is_thinned_and_keeps_both_ends(agents):
    count = 3 * DRAWN_PUBLICATIONS
    latest = None
    for number in range(1, count + 1):
        latest = publish(
            row("ada", 900.0 + number), number=number, ago=timedelta(minutes=count - number), previous=latest
        )
    ratings = [point.rating for point in history_view("ada", latest).points]
    assert len(ratings) == DRAWN_PUBLICATIONS
    assert (ratings[0], ratings[-1]) == (901.0, 900.0 + count)


def test_a_gap_is_seen_from_both_sides(agents):
    gap = {"gap": 120.0, "lower": 20.0, "upper": 220.0, "reason": None}
    rows = [row("ada", 1060.0), row("bob", 940.0)]
    publication = publish(*rows, gaps={"ada": {"bob": gap}}, win_shares={"ada": {"bob": 0.7}, "bob": {"ada": 0.3}})
    [bob], [ada] = opponents_view("ada", publication), opponents_view("bob", publication)
    assert (bob.share, bob.gap, bob.gap_lower, bob.gap_upper) == (0.7, 120.0, 20.0, 220.0)
    assert (ada.share, ada.gap, ada.gap_lower, ada.gap_upper) == (0.3, -120.0, -220.0, -20.0)
    axis = gap_axis([bob])
    assert axis["min"] < 0
    assert axis["max"] > 220


def test_a_gap_without_a_number_says_why(agents):
    unknown = {"gap": None, "lower": None, "upper": None, "reason": "not_connected"}
    rows = [row("ada", 1000.0), row("bob", 1000.0), row("cyd", 1000.0)]
    publication = publish(*rows, gaps={"ada": {"cyd": unknown}})
    reasons = {opponent.name: opponent.reason for opponent in opponents_view("ada", publication)}
    assert reasons == {"Bob": "Not in this publication", "Cyd": "Never met, not even through others"}
    assert gap_axis(opponents_view("ada", publication)) is None
