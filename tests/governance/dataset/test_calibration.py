"""The calibration that leaves beside labels is the one that each judge's own page shows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.models import Battle
from judging.calibration import scored_calls
from judging.models import Vote
from judging.settled_calls import settled_calls
from tests.battles.factories import lane_of, make_votable
from tests.judging.handing import checked_practice, make_signed_in, say, seated

pytestmark = pytest.mark.django_db


def vote_on_gold(judge, side):
    gold = checked_practice("A", kind=Battle.Kind.GOLD)
    fields = {"receipt": judge.receipts.first(), "by_submitter": False, "locked_at": timezone.now()}
    said = {"choice": "lane", "winner": lane_of(gold, side)} if side else {"choice": "tie"}
    Vote.objects.create(battle=gold, judge=judge, **fields, **said)


def test_all_calls_at_once_are_those_of_each_judge():
    judge = make_signed_in()
    for side in ("A", "B", ""):
        vote_on_gold(judge, side)
    for choices in ("AAB", "AAA", "ABT"):
        battle = make_votable(judges_needed=3)
        for choice in choices:
            say(battle, seated(battle), {"T": "tie"}.get(choice, choice))
    now = timezone.now()
    found = settled_calls(now)
    each = {vote.judge_id: set(scored_calls(vote.judge)) for vote in Vote.objects.select_related("judge")}
    assert {judge: set(calls) for judge, calls in found.items()} == {
        judge: calls for judge, calls in each.items() if calls
    }
    assert sorted(call.right for calls in found.values() for call in calls) == [False] * 3 + [True] * 4
    assert settled_calls(now - timedelta(days=1)) == {}


def test_what_was_taken_back_or_voided_is_scored_no_more():
    judge = make_signed_in()
    vote_on_gold(judge, "A")
    vote_on_gold(judge, "A")
    first, second = Vote.objects.all()
    Vote.objects.filter(pk=first.pk).update(withdrawn_at=timezone.now())
    Battle.objects.filter(pk=second.battle_id).update(state=Battle.State.VOID, voided_at=timezone.now())
    assert settled_calls(timezone.now()) == {}
    assert scored_calls(judge) == []
