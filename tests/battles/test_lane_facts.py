"""The lane facts: what is stored of a lane is what its steps and its answer say, whatever happens to them later."""

import itertools
import random
from collections import Counter

import pytest
from django.db import connection

from battles.lane_facts import DEFINITION, FACTS, PARTS, complete_lane_facts
from battles.lanes.events import ActionResult, Usage
from battles.lanes.vocabulary import KINDS, kind_of
from battles.models import Attempt, LaneFacts, Step
from battles.withdrawals import withdraw_tasks
from governance.contributions import ALL
from tests.battles.factories import (
    ended,
    lane_of,
    make_battle,
    make_judge,
    make_task,
    make_votable,
    race,
    started,
    step,
)

pytestmark = pytest.mark.django_db

PAGE = "https://example.org/"
VERBS = ("click", "click", "type", "scroll", "read", "wait", "tab", "navigate", "hover")
LOOK = "# Hours\n\n- Monday **09:30**, says Maria Lindqvist\n- Sunday __closed__\n\n## Fee\n12.50, not 977."


def events_by_chance(chance, slot):
    """A lane in which anything may happen, and what must be counted of it."""
    count = chance.randint(1, 25)
    taken, expected = [], Counter()
    covered, walled = [False], [False]
    for number in range(1, count + 1):
        verb = chance.choice(VERBS)
        ok = chance.random() < 0.7
        used = chance.choice([None, Usage(*(chance.randint(0, 900) for _ in range(4)), None)])
        called = used is not None or chance.random() < 0.3
        covered.append(chance.random() < 0.3)
        walled.append(chance.random() < 0.2)
        times = [chance.randint(0, 5_000) for _ in range(3)]
        expected["steps"] += 1
        expected[f"{kind_of(verb)}_actions"] += 1
        expected["errors"] += not ok
        expected["model_ms"] += times[1]
        expected["calls"] += called
        expected["unknown_calls"] += called and used is None
        if used is not None:
            expected["input_plain"] += used.input_plain
            expected["input_cache_read"] += used.input_cache_read
            expected["input_cache_write"] += used.input_cache_write
            expected["output"] += used.output
        taken.append(
            step(
                slot,
                number,
                verb=verb,
                result=ActionResult(ok=ok, code="" if ok else "timed_out", message="So it went."),
                model_called=called,
                usage=used,
                overlay="dialog" if covered[-1] else "",
                wall="challenge" if walled[-1] else "",
                **dict(zip(("observe_ms", "model_ms", "act_ms"), times, strict=True)),
            )
        )
        expected["ms"] += sum(times)
    for name, signs in (("overlays", covered), ("walls", walled)):
        expected[name] = sum(now and not before for before, now in itertools.pairwise(signs))
    return [started(slot), *taken, ended(slot, answer=LOOK)], expected


def stored():
    """All facts by lane, in no order of their own."""
    return {row.pop("lane_id"): row | {"step_ms": sorted(row["step_ms"])} for row in LaneFacts.objects.values()}


def counted_now():
    """What every fact comes to when it is counted by itself, with no part joined that it does not name."""
    found = {lane: {"definition": DEFINITION} for lane in LaneFacts.objects.values_list("pk", flat=True)}
    for name, fact in FACTS.items():
        joins = " ".join(PARTS[part] for part in fact.parts)
        with connection.cursor() as cursor:
            cursor.execute(
                f"""WITH wanted AS (
                    SELECT lane.id AS lane_id, lane.answer, battle.task_id FROM battles_lane lane
                    JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
                    JOIN battles_battle battle ON battle.id = attempt.battle_id
                ) SELECT wanted.lane_id, {fact.expression} FROM wanted {joins}""",
                {},
            )
            for lane, value in cursor.fetchall():
                found[lane][name] = sorted(value) if name == "step_ms" else value
    return found


def test_facts_are_those_of_the_steps_whatever_happened_in_a_lane():
    chance, expected = random.Random(5), {}
    for _ in range(6):
        battle = make_battle()
        lanes = {slot: events_by_chance(chance, slot) for slot in "AB"}
        race(battle, events=[event for events, _ in lanes.values() for event in events])
        expected |= {lane_of(battle, slot).pk: counts for slot, (_, counts) in lanes.items()}
    facts = stored()
    assert set(facts) == set(expected)
    for lane, counts in expected.items():
        assert sum(facts[lane]["step_ms"]) == counts.pop("ms")
        assert {name: facts[lane][name] for name in counts} == counts
        assert sum(facts[lane][f"{kind}_actions"] for kind in KINDS) == facts[lane]["steps"]
    assert facts == counted_now()


def test_what_is_stored_when_a_race_finishes_is_what_a_recount_gives():
    chance = random.Random(8)
    for _ in range(3):
        race(make_battle(), events=[event for slot in "AB" for event in events_by_chance(chance, slot)[0]])
    at_the_finish = stored()
    assert complete_lane_facts() == 0
    LaneFacts.objects.all().delete()
    assert complete_lane_facts() == 6
    assert stored() == at_the_finish


def test_the_style_of_an_answer():
    battle = race(make_battle(), events=[started("A"), step("A"), ended("A", answer=LOOK), *_plain("B", " \n ")])
    facts = lane_of(battle, "A").facts
    assert (facts.answer_headers, facts.answer_lists, facts.answer_bold) == (2, 2, 2)
    assert facts.answer_characters == len(LOOK)
    blank = lane_of(battle, "B").facts
    assert (blank.answer_characters, blank.answer_words, blank.answer_values) == (3, 0, 0)


def _plain(slot, answer="Done."):
    return [started(slot), step(slot), ended(slot, answer=answer)]


def test_a_lane_that_did_nothing_has_facts_that_say_so():
    battle = race(make_battle(), events=[started("A"), ended("A"), *_plain("B")])
    facts = lane_of(battle, "A").facts
    assert (facts.steps, facts.loads, facts.calls, facts.step_ms) == (0, 1, 0, [])


@pytest.mark.parametrize(
    ("change", "goes"),
    [
        ("UPDATE battles_step SET ok = FALSE WHERE lane_id = %(lane)s AND number = 1", True),
        ("DELETE FROM battles_step WHERE lane_id = %(lane)s AND number = 1", True),
        (
            """INSERT INTO battles_step SELECT (jsonb_populate_record(step, jsonb_build_object('id', gen_random_uuid(),
                'number', 2))).* FROM battles_step step WHERE lane_id = %(lane)s AND number = 1""",
            True,
        ),
        ("UPDATE battles_task SET hosts = ARRAY['example.net']", True),
        ("UPDATE battles_task SET category = 'travel', hosts = hosts", False),
        ("UPDATE battles_lane SET passed = TRUE WHERE id = %(lane)s", False),
        ("UPDATE battles_battle SET state = 'closed', closed_at = now(), task_id = task_id", False),
        (
            """WITH other AS (INSERT INTO battles_task SELECT (jsonb_populate_record(task, jsonb_build_object(
                'id', gen_random_uuid(), 'hosts', '{}'::text[]))).* FROM battles_task task RETURNING id)
            UPDATE battles_battle SET task_id = (SELECT id FROM other)""",
            True,
        ),
    ],
    ids=[
        "a step",
        "one step less",
        "one step more",
        "the hosts",
        "the category",
        "the check",
        "the battle",
        "another task",
    ],
)
def test_facts_go_with_what_they_were_counted_from_and_with_nothing_else(change, goes):
    lane = lane_of(make_votable(), "A")
    with connection.cursor() as cursor:
        cursor.execute(change, {"lane": lane.pk})
    assert LaneFacts.objects.filter(pk=lane.pk).exists() is not goes
    complete_lane_facts()
    assert stored() == counted_now()


def test_another_answer_makes_the_facts_of_its_lane_go_and_of_no_other():
    battle = make_votable()
    lane = lane_of(battle, "A")
    lane.answer = "On Sundays."
    lane.save()
    assert [facts.lane_id for facts in LaneFacts.objects.all()] == [lane_of(battle, "B").pk]


def test_facts_of_another_definition_are_counted_anew():
    make_votable()
    LaneFacts.objects.update(definition="of last year", steps=99)
    assert complete_lane_facts() == 2
    assert {(facts.definition, facts.steps) for facts in LaneFacts.objects.all()} == {(DEFINITION, 1)}


def test_a_race_that_broke_is_not_counted():
    make_votable()
    LaneFacts.objects.all().delete()
    Attempt.objects.update(outcome=Attempt.Outcome.BROKEN)
    assert complete_lane_facts() == 0
    assert not LaneFacts.objects.exists()


def test_after_a_withdrawal_facts_say_nothing_of_what_was_erased():
    judge = make_judge()
    seen = step("A", result=ActionResult(ok=True, message="Read.", text="Open until 09:30. Fee: 12.50."))
    battle = race(
        make_battle(task=make_task(judge, hosts=["elsewhere.net"])),
        events=[started("A"), seen, ended("A", answer=LOOK), *_plain("B")],
    )
    facts = lane_of(battle, "A").facts
    assert (facts.answer_values_found, facts.off_site) == (2, 1)
    withdraw_tasks(judge, ALL)
    assert not LaneFacts.objects.exists()
    assert complete_lane_facts() == 2
    left = lane_of(battle, "A").facts
    assert {name: getattr(left, name) for name in FACTS if name.startswith("answer")} == dict.fromkeys(
        (name for name in FACTS if name.startswith("answer")), 0
    )
    assert (left.off_site, left.hosted_loads, left.steps) == (0, 0, 1)
    assert Step.objects.filter(lane=lane_of(battle, "A")).count() == 2
    assert stored() == counted_now()
