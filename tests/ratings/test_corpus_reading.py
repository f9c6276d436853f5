"""The corpus is the same whether a lane's facts were counted before or not, and rows come in the order of the votes."""

import pytest
from django.db import connection
from django.utils import timezone

from battles.lane_facts import complete_lane_facts
from battles.models import Agent, Battle, Lane, LaneFacts
from judging.models import Vote
from ratings.corpus import label_ids, labels_statement, read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import ended, make_agent, make_battle, make_judge, race, started, step

pytestmark = [pytest.mark.django_db, pytest.mark.production]

ANSWER = "# Two\n- of __these__\n- and **that**\n"


@pytest.fixture
def board():
    """Three battles, one of them with a lane that never ran, and four votes."""
    pair = make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)
    never = [started("A"), ended("A"), started("B"), step("B"), ended("B")]
    battles = [
        race(make_battle(kind=Battle.Kind.PRACTICE, agents=pair), events=events) for events in (None, never, None)
    ]
    Lane.objects.filter(attempt__battle=battles[2], slot="B").update(answer=ANSWER)
    for number in (2, 0, 1, 0):
        judge = make_judge()
        Vote.objects.create(
            battle=battles[number],
            judge=judge,
            receipt=judge.receipts.get(),
            choice="tie",
            by_submitter=False,
            locked_at=timezone.now(),
        )
    return battles


def test_facts_that_are_missing_or_of_another_definition_are_counted_while_reading(board):
    complete_lane_facts()
    assert LaneFacts.objects.count() == 6
    counted = read_corpus(Board.DEMO)
    assert [Reason(reason) for reason in counted.reason] == [
        Reason.RATED,
        Reason.RATED,
        Reason.NO_TRAJECTORY,
        Reason.RATED,
    ]
    looks = {name: int(counted.integers(f"{name}_b")[0]) for name in ("length", "headers", "lists", "bold")}
    assert looks == {"length": len(ANSWER), "headers": 1, "lists": 2, "bold": 2}
    LaneFacts.objects.update(definition="another", steps=9, answer_bold=99)
    assert read_corpus(Board.DEMO).digest == counted.digest
    LaneFacts.objects.all().delete()
    assert read_corpus(Board.DEMO).digest == counted.digest


def test_a_battle_without_a_finished_race_rates_nobody(board):
    board[0].attempts.update(outcome="broken")
    reasons = read_corpus(Board.DEMO).reason.tolist()
    assert reasons == [Reason.RATED, *[Reason.NO_TRAJECTORY] * 3]


def test_battles_are_numbered_by_their_identifiers_and_labels_ordered_by_theirs(board):
    corpus = read_corpus(Board.DEMO)
    assert corpus.battle.tolist() == [2, 0, 1, 0]
    votes = list(Vote.objects.order_by("pk").values_list("pk", flat=True))
    assert label_ids(Board.DEMO, timezone.now()) == votes


def test_the_statement_of_labels_gives_the_reasons_of_the_corpus(board):
    with connection.cursor() as cursor:
        statement, values = labels_statement(cursor, Board.DEMO, timezone.now())
        cursor.execute(f"SELECT outcome, reason FROM ({statement}) label ORDER BY id", values)
        rows = cursor.fetchall()
    corpus = read_corpus(Board.DEMO)
    assert rows == list(zip(corpus.outcome.tolist(), corpus.reason.tolist(), strict=True))
