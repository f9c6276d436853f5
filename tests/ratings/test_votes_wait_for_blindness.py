"""A final vote rates once nobody judges its battle blind any more: until then a refit would tell them the names."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from battles.models import Battle
from judging.models.votes import REVISABLE_FOR
from judging.objections import skip
from judging.repeats import cast_repeat, lock_repeat
from judging.visibility import REPEAT_WITHIN
from ratings.corpus import corpus_as_of, read_corpus
from ratings.models import Board
from tests.battles.factories import make_judge, make_votable
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def rated(at=None) -> int:
    """Labels that rate on the demo board, now or as of an instant."""
    corpus = read_corpus(Board.DEMO) if at is None else corpus_as_of(Board.DEMO, at)
    return int(corpus.rated.sum())


def test_a_battle_with_three_seats_rates_when_all_are_locked():
    battle = make_votable(judges_needed=3)
    judges = [seated(battle) for _ in range(3)]
    for judge, expected in zip(judges, (0, 0, 3), strict=True):
        say(battle, judge, "A")
        battle.refresh_from_db()
        assert rated() == expected


def test_a_submitters_vote_waits_for_the_judge_who_is_to_come():
    battle = offer(make_votable())
    say(battle, battle.task.judge, "A")
    assert rated() == 0
    battle.refresh_from_db()
    say(battle, seated(battle), "B")
    assert rated() == 1, "the independent judge's; the submitter's own is outranked"


@pytest.mark.parametrize("kind", [Battle.Kind.LIVE, Battle.Kind.PRACTICE])
def test_where_nobody_else_is_to_come_a_vote_rates_at_once(kind):
    battle = make_votable(kind=kind)
    say(battle, battle.task.judge or make_judge(), "A")
    assert rated() == 1


def test_no_vote_is_lost_to_a_seat_that_nobody_takes():
    battle = make_votable(judges_needed=3)
    say(battle, seated(battle), "A")
    now = timezone.now()
    with time_machine.travel(now + REPEAT_WITHIN - timedelta(minutes=1)):
        assert rated() == 0
    with time_machine.travel(now + REPEAT_WITHIN + timedelta(minutes=1)):
        assert rated() == 1


@pytest.mark.parametrize("settled_by", ["a second vote", "skipping", "time"])
def test_a_vote_that_comes_back_rates_after_the_second_look(settled_by):
    battle, judge = offer(make_votable()), make_signed_in()
    first = hand_to(battle, judge, comes_back=True)
    say(battle, judge, "A")
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    assert rated() == 0
    wait = REVISABLE_FOR
    if settled_by == "time":
        wait = REPEAT_WITHIN
    else:
        hand_to(battle, judge, swapped=True, first=first)
        assert rated() == 0, "the second look is under way"
        if settled_by == "skipping":
            skip(battle=battle, judge=judge, reason="too_long")
        else:
            cast_repeat(battle=battle, judge=judge, ballot=ballot_for(battle, "B"))
            lock_repeat(battle=battle, judge=judge)
    with time_machine.travel(timezone.now() + wait + timedelta(minutes=1)):
        assert rated() == 1


def test_an_earlier_corpus_is_the_one_of_its_time():
    battle = make_votable(judges_needed=3)
    for judge in [seated(battle) for _ in range(3)]:
        before = timezone.now()
        say(battle, judge, "A")
        battle.refresh_from_db()
    assert rated(before) == 0
    assert rated() == 3
