"""Battles as pages show them."""

import pytest

from battles.models import Battle
from battles.presentation import battle_view, clock, lane_views, live_version, shown_lanes, step_clock, step_summary
from battles.racing import BUDGET, start_attempt
from tests.battles.factories import make_battle, make_votable, minutes_ago


@pytest.mark.parametrize(
    ("seconds", "whole", "tenths"),
    [(0, "0:00", "0:00.0"), (0.96, "0:00", "0:00.9"), (59.99, "0:59", "0:59.9"), (61.25, "1:01", "1:01.2")],
)
def test_clocks_are_cut_and_never_rounded_up(seconds, whole, tenths):
    assert (clock(seconds), step_clock(seconds)) == (whole, tenths)


@pytest.mark.parametrize(
    ("verb", "arguments", "target", "words"),
    [
        ("click", {"ref": "e1"}, {"role": "button", "name": "Add to basket"}, "click “Add to basket”"),
        ("click", {"x": 10, "y": 20}, {"x": 10.4, "y": 20.6}, "click at 10, 20"),
        ("type", {"text": "kettle"}, {"name": "Search"}, "type “kettle” in “Search”"),
        ("select", {"option": "Millgate"}, {"name": "Branch"}, "select “Millgate” in “Branch”"),
        ("navigate", {"url": "http://example.org/"}, {}, "navigate http://example.org/"),
        ("wait", {"seconds": 2}, {}, "wait 2 s"),
        ("scroll", {"dy": 600}, {"name": "all the text of the page"}, "scroll down"),
        ("scroll", {"dy": -600}, {}, "scroll up"),
        ("scroll", {"dx": 200, "dy": 10}, {}, "scroll right"),
        ("give_up", {"reason": "No such book."}, {}, "give up “No such book.”"),
        ("answer", {"text": "not here: it has a place of its own"}, {}, "answer"),
    ],
)
def test_a_step_is_said_in_one_line(verb, arguments, target, words):
    assert step_summary(verb, arguments, target) == words


def test_long_texts_are_cut():
    summary = step_summary("type", {"text": "word " * 100}, {"name": "name " * 100})
    assert len(summary) < 160
    assert summary.count("…") == 2


@pytest.mark.django_db
def test_a_waiting_battle_has_two_empty_lanes_with_the_budget_of_all():
    battle = make_battle()
    lanes = lane_views(battle, shown_lanes(battle), {})
    assert [(lane.slot, lane.state, lane.id) for lane in lanes] == [("A", "waiting", ""), ("B", "waiting", "")]
    assert {lane.budget_steps for lane in lanes} == {BUDGET.steps}


@pytest.mark.django_db
def test_a_void_battle_that_never_raced_has_no_lanes():
    battle = make_battle()
    battle.state = Battle.State.VOID
    assert lane_views(battle, shown_lanes(battle), {}) == []


@pytest.mark.django_db
def test_the_live_version_changes_with_all_that_is_shown():
    battle = make_battle()
    versions = [live_version(battle, shown_lanes(battle))]
    battle.created_at = minutes_ago(10)
    assert battle_view(battle).waits_long
    versions.append(live_version(battle, shown_lanes(battle)))
    start_attempt(battle_id=battle.pk, worker="test:1")
    battle.refresh_from_db()
    versions.append(live_version(battle, shown_lanes(battle)))
    assert len(set(versions)) == 3
    assert live_version(battle, shown_lanes(battle)) == versions[-1]


@pytest.mark.django_db
def test_what_a_wheel_turned_over_is_not_framed():
    battle = make_votable()
    lane = shown_lanes(battle)[0]
    step = lane.steps.get(number=1)
    step.target = {"x": 5, "y": 6, "box": [1, 2, 3, 4]}
    for verb, box in (("click", (1, 2, 3, 4)), ("scroll", None)):
        step.verb = verb
        step.save()
        shown = lane_views(battle, [lane], {})[0].steps[0]
        assert (shown.point, shown.box) == ((5, 6), box)
