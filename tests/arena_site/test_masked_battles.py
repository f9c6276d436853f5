"""A battle's page and frames over HTTP: as recorded for its submitter, masked for a judge of the pool."""

import re

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from battles.lanes.events import Action, ActionResult
from battles.lanes.frame_store import frame_name, frame_storage
from battles.models import Battle, Frame, Step
from battles.presentation import battle_view
from battles.shown_words import shown_remark
from judging.labels import judge_step
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import ended, make_battle, make_task, race, set_on, started, step
from tests.battles.imagery.conftest import MAIL, frame_folder, picture, shot, shows_ink  # noqa: F401  # a fixture
from tests.judging.handing import hand_to, make_signed_in, offer, say

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
    assert response["Cache-Control"] == "private, max-age=600"
    assert "Cookie" in response["Vary"]


def test_a_picture_that_is_shown_as_before_is_not_read_again(as_judge, ready, battle, monkeypatch):
    """304, with the same headers, from the rows alone: whether a store is away makes no difference."""
    offer(battle)
    hand_to(battle, ready)
    url = _frame(battle)
    viewers = (as_judge(ready), as_judge(battle.task.judge))
    seen = [viewer.get(url) for viewer in viewers]
    tags = [answer["ETag"] for answer in seen]
    assert len({*tags, seen[0].content, seen[1].content}) == 4

    def away(*_):
        raise OSError("The store is away.")

    monkeypatch.setattr("battles.imagery.masks.read_frame", away)
    for viewer, tag, other in zip(viewers, tags, reversed(tags), strict=True):
        again = viewer.get(url, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
        assert (again["Cache-Control"], "Cookie" in again["Vary"]) == ("private, max-age=600", True)
        assert viewer.get(url, headers={"If-None-Match": other}).status_code == 503
    # What may not be seen any more is not confirmed either.
    Frame.objects.update(sha256="")
    assert viewers[0].get(url, headers={"If-None-Match": tags[0]}).status_code == 404
    assert as_judge(make_signed_in()).get(url, headers={"If-None-Match": tags[0]}).status_code == 404


def test_a_picture_is_sent_anew_once_its_mask_changes(as_judge, ready, battle):
    """In coarse squares, with what the page said, with what was read in it too, and as it is kept after 30 days."""
    offer(battle)
    hand_to(battle, ready)
    url, browser = _frame(battle), as_judge(ready)
    states = (
        {"text_redaction": "detector_failed", "picture_redaction": "not_examined"},
        {"text_redaction": "masked"},
        {"picture_redaction": "masked", "picture_boxes": [[0, 200, 50, 20, "card"]]},
        {"original_deleted_at": timezone.now()},
    )
    tags, pictures = [], []
    for changes in states:
        Frame.objects.update(**changes)
        answer = browser.get(url, headers={"If-None-Match": ", ".join(tags)} if tags else {})
        assert answer.status_code == 200, changes
        tags.append(answer["ETag"])
        pictures.append(answer.content)
    assert len(set(tags)) == len(set(pictures)) == len(states)
    frame = Frame.objects.exclude(text_boxes=[]).first()
    assert all(frame.sha256[:16] not in tag for tag in tags)


def test_a_frame_that_cannot_be_masked_is_not_shown(as_judge, ready, battle):
    offer(battle)
    hand_to(battle, ready)
    Frame.objects.update(text_boxes=[[0, 0, 10, 10, "card"]])
    start = Frame.objects.filter(lane__attempt__battle=battle, mime="image/webp").first()
    url = reverse("frame", kwargs={"battle_id": battle.pk, "frame_id": start.pk})
    with frame_storage().open(frame_name(start.sha256, start.mime), "wb") as file:
        file.write(b"no picture")
    assert as_judge(ready).get(url).status_code == 404


def _everything_of(battle, ready):
    """The battle after one of the pool has voted on it and marked a step; it is void by now, with a reason."""
    offer(battle)
    hand_to(battle, ready)
    judge_step(
        battle=battle, judge=ready, step_id=Step.objects.get(lane__attempt__battle=battle, number=1).pk, verdict="wrong"
    )
    say(battle, ready, "A")
    said = {"state": "void", "voided_at": timezone.now(), "void_reason": f"It wrote to {SAID}."}
    set_on(Battle.objects.filter(pk=battle.pk), **said, leak_scan=Battle.Leak.LEAKED)
    battle.refresh_from_db()
    return battle


def test_every_page_that_names_a_task_names_it_masked_to_whoever_judged_it(as_judge, ready, battle):
    _everything_of(battle, ready)
    browser = as_judge(ready)
    told = {path: browser.get(path).content.decode() for path in ("/withdraw", "/judge/me", f"/battles/{battle.pk}")}
    for path, page in told.items():
        assert SAID not in page, path
        assert SECRET not in page, path
    assert "Sign in and say which mail comes first; write to [e-mail] then." in told["/withdraw"]
    assert SAID in as_judge(battle.task.judge).get("/withdraw").content.decode()


def test_why_a_battle_is_void_quotes_its_task_to_its_poster_alone(ready, battle):
    battle = _everything_of(battle, ready)
    assert battle_view(battle, original=True).void_reason == f"It wrote to {SAID}."
    assert battle_view(battle).void_reason == "It wrote to [e-mail]."


def test_no_page_of_the_operators_shows_what_only_the_poster_sees(client, ready, battle):
    """Every list, and every row's page with what it works out when asked, of every role."""
    battle = _everything_of(battle, ready)
    sign_in_operator(client, "administrator")
    shown = ""
    for model, page in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        paths = [reverse(f"{name}_changelist")]
        paths += [page.row_url(row) + "?places=1&calls=1" for row in model._default_manager.all()[:20]]
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 200, path
            text = answer.content.decode()
            for said in (SAID, SECRET):
                assert said not in text, (path, re.findall(f".{{60}}{said}.{{60}}", text))
            shown += text
    assert "write to [e-mail] then." in shown
    assert "It wrote to [e-mail]." in shown


def test_a_piece_of_a_recording_is_masked_by_what_was_typed_anywhere_in_it(battle):
    steps = list(Step.objects.filter(lane__attempt__battle=battle))
    said = f"I typed {SECRET} where my makers would."
    assert shown_remark(battle.task, said, original=False, steps=steps) == "I typed [password] where my makers would."
    assert shown_remark(battle.task, said, original=True, steps=steps) == said
