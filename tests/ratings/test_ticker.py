"""The ticker moves when nobody judges a battle blind any more, and by every final vote of it once."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from battles.models import Agent, Battle
from judging.accounts import bind_device
from judging.models import Offer
from judging.objections import skip
from judging.repeats import cast_repeat, lock_repeat
from judging.visibility import REPEAT_WITHIN, blindness_over, identity_visibility
from judging.votes import lock_overdue_votes
from ratings.models import Board, TickerPoint
from ratings.tasks import move_tickers
from ratings.ticker import move_ticker, points_of_vote, ticker_rows
from tests.battles.factories import make_agent, make_judge, make_votable
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def pair():
    return make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)


@pytest.fixture
def on_commit(django_capture_on_commit_callbacks):
    """Votes as they are cast on the site: what follows a commit follows."""

    def said(battle, judge, choice, **fields):
        with django_capture_on_commit_callbacks(execute=True):
            return say(battle, judge, choice, **fields)

    return said


def slot_of(battle, agent):
    return "A" if battle.agent_a_id == agent else "B"


def moved(vote):
    return bool(points_of_vote(vote.pk))


def test_each_final_vote_moves_it_once(pair):
    battle = make_votable(agents=pair, kind=Battle.Kind.PRACTICE)
    vote = say(battle, make_judge(), slot_of(battle, "ada"))
    assert len(move_ticker(vote_id=vote.pk)) == 2
    assert move_ticker(vote_id=vote.pk) == []
    points = points_of_vote(vote.pk)
    assert points["ada"] == (1000.0, 1024.0)
    assert points["bob"] == (1000.0, 976.0)
    assert [row[0] for row in ticker_rows(Board.DEMO)] == ["ada", "bob"]
    assert TickerPoint.objects.count() == 2


@pytest.mark.parametrize(
    ("kind", "models", "signed_in", "board"),
    [
        (Battle.Kind.LIVE, True, True, Board.HEADLINE),
        (Battle.Kind.LIVE, True, False, Board.DEMO),
        (Battle.Kind.LIVE, False, True, Board.DEMO),
        (Battle.Kind.PRACTICE, True, True, Board.DEMO),
    ],
)
def test_its_board_is_the_one_that_the_vote_rates_on(on_commit, kind, models, signed_in, board):
    agents = [make_agent(key, kind=Agent.Kind.MODEL if models else Agent.Kind.BASELINE) for key in ("ada", "bob")]
    battle = make_votable(agents=agents, kind=kind)
    judge = battle.task.judge or make_judge()
    if signed_in:
        bind_device(device=judge, account="account-1", actor="system:test")
    on_commit(battle, judge, "A")
    assert {point.board for point in TickerPoint.objects.all()} == {board}


def test_the_judges_of_the_other_seats_see_nothing_move_until_all_seats_are_locked(pair, on_commit):
    battle = make_votable(agents=pair, judges_needed=3)
    judges = [seated(battle) for _ in range(3)]
    for seat, judge in enumerate(judges, start=1):
        assert ticker_rows(Board.DEMO) == []
        assert [identity_visibility(battle, other).names for other in judges[seat - 1 :]] == [False] * (4 - seat)
        on_commit(battle, judge, "A")
        battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    assert {point.vote_id for point in TickerPoint.objects.all()} == set(battle.votes.values_list("pk", flat=True))
    assert all(identity_visibility(battle, judge).names for judge in judges)


def test_a_submitter_who_locks_early_does_not_move_it_for_the_judge_who_is_to_come(pair, on_commit):
    battle = offer(make_votable(agents=pair))
    vote = on_commit(battle, battle.task.judge, "A")
    assert not moved(vote)
    battle.refresh_from_db()
    independent = on_commit(battle, seated(battle), "B")
    assert moved(vote)
    assert moved(independent)


def test_a_submitter_who_has_not_locked_learns_from_it_no_more_than_the_closed_battle_tells(pair, on_commit):
    battle = offer(make_votable(agents=pair))
    submitter = battle.task.judge
    own = on_commit(battle, submitter, "A", lock=False)
    battle.refresh_from_db()
    independent = on_commit(battle, seated(battle), "B")
    battle.refresh_from_db()
    assert moved(independent)
    assert identity_visibility(battle, submitter).reason == "battle_closed"
    assert not moved(own)


def test_a_battle_that_was_never_offered_has_no_other_judge_to_keep_blind(pair, on_commit):
    battle = make_votable(agents=pair)
    assert moved(on_commit(battle, battle.task.judge, "A"))
    assert not Offer.objects.exists()


def test_a_judge_who_is_to_look_again_sees_nothing_move_before(pair, on_commit):
    battle = offer(make_votable(agents=pair))
    judge = make_signed_in()
    first = hand_to(battle, judge, comes_back=True)
    vote = on_commit(battle, judge, "A")
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    assert not moved(vote)
    hand_to(battle, judge, swapped=True, first=first)
    cast_repeat(battle=battle, judge=judge, ballot=ballot_for(battle, "B"))
    move_tickers()
    assert not moved(vote)
    lock_repeat(battle=battle, judge=judge)
    move_tickers()
    assert moved(vote)


@pytest.mark.parametrize("settled_by", ["skipping", "time"])
def test_a_second_look_that_never_comes_holds_it_back_no_longer_than_the_names(pair, on_commit, settled_by):
    battle = offer(make_votable(agents=pair))
    judge = make_signed_in()
    first = hand_to(battle, judge, comes_back=True)
    vote = on_commit(battle, judge, "A")
    battle.refresh_from_db()
    if settled_by == "skipping":
        hand_to(battle, judge, swapped=True, first=first)
        skip(battle=battle, judge=judge, reason="too_long")
    with time_machine.travel(timezone.now() + (REPEAT_WITHIN if settled_by == "time" else timedelta(minutes=1))):
        move_tickers()
        assert moved(vote)
        assert identity_visibility(battle, judge).names


def test_a_lock_whose_news_was_lost_moves_it_with_the_next_sweep(pair):
    vote = say(make_votable(agents=pair, kind=Battle.Kind.PRACTICE), make_judge(), "A")
    assert not moved(vote)
    move_tickers()
    assert moved(vote)


def test_votes_that_become_final_by_time_move_it_too(pair, django_capture_on_commit_callbacks):
    battle = make_votable(agents=pair, kind=Battle.Kind.PRACTICE)
    vote = say(battle, make_judge(), "A", lock=False)
    with time_machine.travel(vote.locks_at), django_capture_on_commit_callbacks(execute=True):
        lock_overdue_votes()
    assert moved(vote)


def test_void_battles_and_votes_that_were_taken_back_move_nothing(pair):
    battle = make_votable(agents=pair, kind=Battle.Kind.PRACTICE)
    vote = say(battle, make_judge(), "A")
    battle.votes.update(withdrawn_at=timezone.now())
    assert move_ticker(vote_id=vote.pk) == []
    battle.votes.update(withdrawn_at=None)
    Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
    battle.refresh_from_db()
    assert not blindness_over(battle)
    assert move_ticker(vote_id=vote.pk) == []
