"""A battle's page and frames over HTTP: as recorded for its submitter, masked for a judge of the pool."""

import re

import pytest
from django.urls import reverse

from battles.lanes.events import Action, ActionResult
from battles.lanes.frame_store import frame_name, frame_storage
from battles.models import Frame, Step
from tests.battles.factories import ended, make_battle, make_task, race, started, step
from tests.battles.imagery.conftest import MAIL, frame_folder, picture, shot, shows_ink  # noqa: F401  # a fixture
from tests.judging.handing import hand_to, offer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("a_named_operator", "nothing_comes_back")]

SAID = "inga.holm@example.org"
SECRET = "sunshine"


@pytest.fixture
def battle():
    typed = {
        "action": Action("type", {"text": SECRET, "ref": "ref_1"}),
        "target": {"role": "textbox", "name": "Password", "x": 1, "y": 2},
        "result": ActionResult(ok=True, message=f"Typed 8 characters. The field holds {SECRET!r} now."),
        "reasoning": f"I sign in as {SAID} with {SECRET}.",
        "url_after": f"https://shop.example/?user={SAID}",
    }
    task = make_task(instruction=f"Sign in and say which mail comes first; write to {SAID} then.")
    events = [started("A"), started("B"), step("A", verb="type", frame=shot(MAIL), **typed)]
    events += [ended("A", answer=f"{SAID} wrote first."), ended("B")]
    return race(make_battle(task=task), events=events)


def _frame(battle) -> str:
    taken = Step.objects.get(lane__attempt__battle=battle, lane__slot="A", number=1)
    return reverse("frame", kwargs={"battle_id": battle.pk, "frame_id": taken.frame_id})


def test_the_submitter_sees_what_was_recorded(as_judge, battle):
    browser = as_judge(battle.task.judge)
    page = browser.get(f"/battles/{battle.pk}").content.decode()
    assert SAID in page
    assert SECRET in page
    assert browser.get(_frame(battle)).content == picture()


def test_a_judge_of_the_pool_sees_masks_everywhere(as_judge, ready, battle):
    offer(battle)
    hand_to(battle, ready)
    browser = as_judge(ready)
    page = browser.get(f"/battles/{battle.pk}").content.decode()
    assert "A wrote" not in page
    for said in (SAID, "inga", SECRET):
        assert said not in page, re.findall(f".{{60}}{said}.{{60}}", page)
    assert "[e-mail]" in page
    assert "[password]" in page
    response = browser.get(_frame(battle))
    assert response.status_code == 200
    assert not shows_ink(response.content)
    assert response["Content-Type"] == "image/png"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"


def test_a_frame_that_cannot_be_masked_is_not_shown(as_judge, ready, battle):
    offer(battle)
    hand_to(battle, ready)
    Frame.objects.update(text_boxes=[[0, 0, 10, 10, "card"]])
    start = Frame.objects.filter(lane__attempt__battle=battle, mime="image/webp").first()
    url = reverse("frame", kwargs={"battle_id": battle.pk, "frame_id": start.pk})
    with frame_storage().open(frame_name(start.sha256, start.mime), "wb") as file:
        file.write(b"no picture")
    assert as_judge(ready).get(url).status_code == 404
