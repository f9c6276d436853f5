"""Gold battles: a known outcome, never public again, and kept in stock out of what nobody wanted to practise on."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from battles import gold
from battles.checks import PracticeTask
from battles.gold import GOLD_AFTER, gold_candidates, keep_gold_stocked, known_winners, make_gold
from battles.models import Agent, Battle
from battles.practice import PRACTICE_STOCK, keep_practice_stocked
from governance.errors import Conflict
from judging.access import may_read
from judging.objections import report_problem, resolve_report
from tests.battles.factories import lane_of, make_agent, make_battle, make_judge, make_votable
from tests.judging.handing import checked_practice, hand_to, make_signed_in, say

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def promote(battle):
    return make_gold(battle_id=battle.pk, actor="operator:1", reason="A clear case.")


@pytest.mark.parametrize(("passed_in", "qualifies"), [("A", True), ("B", True), ("AB", False), ("", False)])
def test_the_check_must_have_passed_in_one_lane_and_failed_in_the_other(passed_in, qualifies):
    battle = checked_practice(passed_in)
    assert list(gold_candidates()) == ([battle] if qualifies else [])
    if qualifies:
        assert known_winners([battle.pk]) == {battle.pk: lane_of(battle, passed_in).pk}
        assert promote(battle).kind == Battle.Kind.GOLD
    else:
        assert known_winners([battle.pk]) == {}
        with pytest.raises(Conflict) as refusal:
            promote(battle)
        assert refusal.value.code == "not_gold"


def test_a_battle_without_a_check_is_not_gold():
    with pytest.raises(Conflict):
        promote(make_votable(kind=Battle.Kind.PRACTICE))
    with pytest.raises(Conflict):
        promote(make_votable())
    with pytest.raises(Conflict):
        promote(make_battle(kind=Battle.Kind.PRACTICE))


def test_what_somebody_judged_or_what_named_an_agent_is_not_gold():
    judged, leaked = checked_practice("A"), checked_practice("A")
    say(judged, make_judge(), "A", lock=False)
    Battle.objects.filter(pk=leaked.pk).update(leak_scan="leaked")
    for battle in (judged, leaked):
        with pytest.raises(Conflict):
            promote(battle)


def test_gold_is_no_public_page_and_opens_by_assignment_alone():
    battle = promote(checked_practice("A"))
    judge = make_signed_in()
    assert not may_read(battle, None)
    assert not may_read(battle, judge)
    hand_to(battle, judge)
    assert may_read(battle, judge)


def test_a_practice_battle_nobody_wanted_for_a_day_becomes_gold(monkeypatch):
    first, _ = checked_practice("A"), checked_practice("B")
    assert keep_gold_stocked() is None
    with time_machine.travel(timezone.now() + GOLD_AFTER + timedelta(seconds=1)):
        assert keep_gold_stocked() == first.pk
        monkeypatch.setattr(gold, "GOLD_STOCK", 1)
        assert keep_gold_stocked() is None


def test_keeping_practice_in_stock_keeps_gold_in_stock_too():
    for key in ("one", "two"):
        make_agent(key, kind=Agent.Kind.BASELINE)
    battle = checked_practice("A")
    with time_machine.travel(timezone.now() + GOLD_AFTER + timedelta(seconds=1)):
        keep_practice_stocked()
    battle.refresh_from_db()
    assert battle.kind == Battle.Kind.GOLD


def test_a_reported_practice_battle_is_no_stock_and_never_becomes_gold(monkeypatch):
    for number in range(2):
        make_agent(f"baseline-{number}", kind=Agent.Kind.BASELINE)
    site = PracticeTask(
        key="shop-kettle",
        instruction="Put the kettle in the basket.",
        host="shop.practice.test",
        path="/",
        kind="action",
        check=lambda site, answer: True,
    )
    monkeypatch.setattr("battles.practice.practice_tasks", lambda: {site.key: site})
    monkeypatch.setattr("battles.practice.practice_task", lambda key: site)
    stock = [checked_practice("A") for _ in range(PRACTICE_STOCK)]
    assert keep_practice_stocked() == []
    report = report_problem(battle=stock[0], judge=make_judge(), kind="broken")
    assert stock[0] not in gold_candidates()
    with pytest.raises(Conflict):
        promote(stock[0])
    resolve_report(report_id=report.pk, resolution="restored", actor="operator:1", reason="Nothing is wrong.")
    assert stock[0] in gold_candidates()
    assert keep_practice_stocked() == []
    report_problem(battle=stock[0], judge=make_judge(), kind="broken")
    assert len(keep_practice_stocked()) == 1
