"""The reading of stylometry: what judges saw, and nothing else; kept, printed and published."""

import json
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.models import Battle, Step, Task
from judging.models import StylometryReading
from judging.site_visits import PLAIN_FILES
from judging.stylometry import BATTLES_NEEDED, BATTLES_PER_AGENT
from judging.stylometry_reading import latest_reading, read_styles, what_it_means
from judging.tasks import read_stylometry
from tests.battles.factories import ended, make_agent, make_battle, race, started, step

pytestmark = pytest.mark.django_db

HABITS = {"A": "I look for the hours, then I answer.", "B": "Let's see... scrolling! Perhaps the hours are here?"}


def raced(agents, number):
    """A battle in which the first agent has the habits of A, in whichever slot it is."""
    slots = "AB" if number % 2 else "BA"
    events = [
        event
        for slot, habit in zip(slots, "AB", strict=True)
        for event in (
            started(slot),
            step(slot, reasoning=HABITS[habit], clock=2.0),
            step(slot, 2, verb="scroll" if habit == "B" else "click", clock=5.0),
            ended(slot, steps=2, answer="At nine."),
        )
    ]
    pair = agents if slots == "AB" else agents[::-1]
    return race(make_battle(agents=pair), events=events)


@pytest.fixture
def agents():
    return make_agent("plain-speaker"), make_agent("loud-thinker")


@pytest.fixture
def page(client, settings):
    """The methods page as anybody gets it, in a checkout that never ran."""
    settings.STORAGES = settings.STORAGES | {"staticfiles": PLAIN_FILES}

    def read():
        return client.get("/methods").content.decode()

    return read


def printed(capsys, *options):
    call_command("verify_blindness", "--stylometry", *options)
    return capsys.readouterr().out


def test_habits_are_found_kept_and_published(agents, capsys, page):
    for number in range(BATTLES_NEEDED):
        raced(agents, number)
    figures = json.loads(printed(capsys, "--json"))
    assert list(figures) == ["accuracy", "chance", "lower", "upper", "battles", "agents", "by_feature", "reason"]
    assert (figures["chance"], figures["battles"], figures["agents"], figures["reason"]) == (0.5, 20, 2, None)
    assert figures["accuracy"] > 0.95
    assert "of lanes told" in printed(capsys)
    assert latest_reading() is None
    read_stylometry()
    assert latest_reading().accuracy == figures["accuracy"]
    assert "it was right for <b>100%</b> of the lanes" in page()
    assert "guessing is right for 50%" in page()


def test_too_little_is_said_to_operators_with_how_little_and_to_everybody_without(agents, capsys, page):
    assert "no night has passed yet" in page()
    for number in range(BATTLES_PER_AGENT):
        raced(agents, number)
    figures = json.loads(printed(capsys, "--json"))
    assert (figures["accuracy"], figures["chance"]) == (None, None)
    assert figures["reason"] == f"{BATTLES_PER_AGENT} of the {BATTLES_NEEDED} battles needed have been raced"
    read_stylometry()
    assert "too few agents have been in battles enough" in page()
    assert figures["reason"] not in page()


def test_what_is_read_is_what_judges_saw(agents):
    shown = raced(agents, 1)
    Battle.objects.filter(pk=raced(agents, 1).pk).update(state="void", voided_at=timezone.now())
    withdrawn = raced(agents, 1)
    Task.objects.filter(pk=withdrawn.task_id).update(withdrawn_at=timezone.now())
    make_battle(agents=agents)
    Step.objects.filter(lane__attempt__battle=shown).update(page_text="what a page said")
    one, other = sorted(read_styles(), key=lambda lane: lane.agent)
    assert {one.battle, other.battle} == {shown.pk}
    assert (one.agent, one.verbs, one.seconds) == ("loud-thinker", ["click", "scroll"], [2.0, 3.0])
    assert other.text == f"{HABITS['A']}\nAt nine."


def test_a_night_has_one_reading_however_often_it_is_asked_for():
    for _ in range(2):
        read_stylometry()
    first = StylometryReading.objects.get()
    with time_machine.travel(first.at + timedelta(days=1)):
        read_stylometry()
    assert StylometryReading.objects.count() == 2


def test_a_reading_is_kept_as_it_was():
    read_stylometry()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        StylometryReading.objects.update(at=timezone.now() - timedelta(days=1))
    with pytest.raises(IntegrityError), transaction.atomic():
        StylometryReading.objects.create(battles=0, agents=0, effective=0, accuracy=0.5, chance=0.5, reason="none")


@pytest.mark.parametrize(
    ("accuracy", "lower", "words"),
    [(0.6, 0.45, "could not be shown"), (0.6, 0.55, "often wrongly"), (0.9, 0.8, "most of the time")],
)
def test_the_sentence_follows_the_figure(accuracy, lower, words):
    assert words in what_it_means(accuracy, 0.5, lower)
