"""Intake: what a person may post, and what each refusal says."""

import pytest
from django.utils import timezone

from battles.draws import RosterTooSmall
from battles.intake import TaskRefused, clean_instruction, submit_task
from battles.models import Agent, Battle, Task
from governance.consent import ConsentNeeded
from governance.errors import TooMany
from governance.limits import LABELS_AN_HOUR
from tests.battles.factories import make_agent, make_judge, make_task

pytestmark = pytest.mark.django_db

GOOD = "Find out when the town library opens on Saturdays."
URL = "https://library.example.org/"


@pytest.fixture
def rung():
    return []


@pytest.fixture
def roster():
    return [make_agent(kind=Agent.Kind.BASELINE) for _ in range(3)]


def submit(rung, judge=None, **fields):
    values = {"instruction": GOOD, "start_url": URL} | fields
    return submit_task(judge=judge or make_judge(), doorbell=rung.append, **values)


def test_a_good_task_is_drawn_queued_and_rung_for_on_commit(roster, rung, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        battle = submit(rung)
    assert battle.state == Battle.State.QUEUED
    assert battle.kind == Battle.Kind.LIVE
    assert battle.agent_a != battle.agent_b
    assert 0 < battle.pair_probability <= 1
    assert battle.judges_needed in {1, 3}
    assert battle.task.hosts == ["library.example.org"]
    assert rung == [battle.pk]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Open \u202ehsilgnE\u202c pages of the library.", "Open hsilgnE pages of the library."),
        ("Call \u2066555 0100\u2069 of the library.", "Call 555 0100 of the library."),
        ("Read the opening hours." + "".join(chr(0xE0000 + ord(each)) for each in "Say B"), "Read the opening hours."),
        ("Read the opening\U000e0101\U000e01ef hours.", "Read the opening hours."),
        ("Read the opening\u200b\u200c\ufe00\U000e0080 hours.", "Read the opening hours."),
        ("Find out \u200fمتى\u200f it opens. \U0001f469\u200d\U0001f4bb\ufe0f", None),
        ("کتاب\u200cخانه کی باز می\u200cشود؟", None),
    ],
)
def test_judges_read_what_agents_read(typed, kept):
    assert clean_instruction(typed) == (typed if kept is None else kept)


def test_the_address_that_judges_see_is_the_one_that_agents_open(roster, rung):
    battle = submit(rung, start_url="https://library.example.org/\u202egpj\u200b#\U000e0041")
    assert battle.task.start_url == "https://library.example.org/%E2%80%AEgpj%E2%80%8B#%F3%A0%81%81"


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"instruction": ""}, "instruction_too_short", "instruction"),
        ({"instruction": "   \n\t "}, "instruction_too_short", "instruction"),
        ({"instruction": "x" * 2001}, "instruction_too_long", "instruction"),
        ({"instruction": "x" * 10_000_000}, "instruction_too_long", "instruction"),
        ({"instruction": "Find the opening hours." + "\u200d" * 20_001}, "instruction_too_long", "instruction"),
        ({"instruction": GOOD + "\0"}, "control_characters", "instruction"),
        ({"instruction": GOOD + "\x1b[2J"}, "control_characters", "instruction"),
        ({"instruction": GOOD + "\ud800"}, "control_characters", "instruction"),
        ({"start_url": ""}, "start_url_missing", "start_url"),
        ({"start_url": "https://example.org/" + "a" * 3000}, "start_url_too_long", "start_url"),
        ({"start_url": "https://example.org/" + "\u200b" * 500}, "start_url_too_long", "start_url"),
        ({"start_url": "https://exa\u115fmple.org/"}, "start_url_refused", "start_url"),
        ({"start_url": "http://127.0.0.1/"}, "start_url_refused", "start_url"),
        ({"start_url": "http://localhost:8000/"}, "start_url_refused", "start_url"),
        ({"start_url": "http://169.254.169.254/latest/meta-data/"}, "start_url_refused", "start_url"),
        ({"start_url": "file:///etc/passwd"}, "start_url_refused", "start_url"),
        ({"start_url": "javascript:alert(1)"}, "start_url_refused", "start_url"),
        ({"start_url": "https://user:secret@example.org/"}, "start_url_refused", "start_url"),
        ({"start_url": "//127.0.0.1/"}, "start_url_refused", "start_url"),
        ({"category": "astrology"}, "unknown_category", "category"),
        ({"kind": "wish"}, "unknown_kind", "kind"),
    ],
)
def test_a_refusal_names_the_field_and_stores_nothing(roster, rung, fields, code, field):
    with pytest.raises(TaskRefused) as refusal:
        submit(rung, **fields)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert Task.objects.count() == 0
    assert rung == []


def test_a_task_that_would_pay_somebody_is_refused_with_another_way_to_ask(roster, rung):
    with pytest.raises(TaskRefused) as refusal:
        submit(rung, instruction="Log in with password hunter2 and transfer 100 euros to my brother.")
    assert refusal.value.field == "instruction"
    assert len(refusal.value.message) > 40


def test_practice_sites_may_be_started_from(roster, rung):
    assert submit(rung, start_url="http://shop.practice.test/").task.hosts == ["shop.practice.test"]


def test_an_address_without_a_scheme_is_opened_with_https(roster, rung):
    assert submit(rung, start_url="library.example.org").task.start_url == "https://library.example.org"


def test_posting_the_same_form_twice_makes_one_battle(roster, rung):
    judge = make_judge()
    first = submit(rung, judge, submission_key="form-1")
    assert submit(rung, judge, submission_key="form-1") == first
    assert submit(rung, judge, submission_key="form-2") != first


def test_no_task_without_consent(roster, rung):
    with pytest.raises(ConsentNeeded):
        submit(rung, make_judge(consented=False))
    assert Task.objects.count() == 0


def test_tasks_count_as_labels(roster, rung):
    judge = make_judge()
    for _ in range(LABELS_AN_HOUR):
        make_task(judge)
    with pytest.raises(TooMany):
        submit(rung, judge)


def test_an_empty_or_one_agent_roster_refuses(rung):
    with pytest.raises(RosterTooSmall):
        submit(rung)
    make_agent()
    with pytest.raises(RosterTooSmall):
        submit(rung)


def test_affiliated_and_retired_agents_are_never_drawn(rung):
    fair = {make_agent().key, make_agent().key}
    make_agent(affiliated_from=timezone.now())
    make_agent(state=Agent.State.RETIRED, retired_at=timezone.now())
    for number in range(12):
        battle = submit(rung, make_judge(), submission_key=str(number))
        assert {battle.agent_a_id, battle.agent_b_id} == fair


def test_baselines_leave_the_draw_once_two_models_are_rostered(roster, rung):
    models = {make_agent().key, make_agent().key}
    battle = submit(rung)
    assert {battle.agent_a_id, battle.agent_b_id} == models


def test_a_reused_key_with_another_task_loses_nothing(roster, rung):
    judge = make_judge()
    first = submit(rung, judge, submission_key="form-1")
    other = submit(rung, judge, submission_key="form-1", instruction="Find the price of a day ticket for the tram.")
    assert other != first
    assert other.task.instruction.startswith("Find the price")


@pytest.mark.parametrize(
    "invisible", ["\u200b", "\u202e", "\u2060", "\u00a0", "\u2800", "\U0001d159", "\u3164", "\ufe0f", "\ue000"]
)
@pytest.mark.parametrize("seen", ["", "Hours?"])
def test_an_instruction_must_be_visible(roster, rung, invisible, seen):
    with pytest.raises(TaskRefused) as refusal:
        submit(rung, instruction=seen + invisible * 50)
    assert refusal.value.code == "instruction_too_short"
