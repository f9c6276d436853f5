"""Labels below the battle, final answers with their evidence, a judge's own page, the rubric and the agreement."""

import dataclasses
import re
import uuid

import pytest
from django.test import Client

from battles.models import Agent, Battle, Step
from judging.models import (
    Annotation,
    Assignment,
    Click,
    Rubric,
    StepVerdict,
    Vote,
)
from judging.rubric import current_rubric
from judging.votes import Ballot, cast_vote, lock_vote
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
    unknown_id,
)
from tests.judging.handing import checked_practice, hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("a_named_operator", "nothing_comes_back")]

JSON = {"Accept": "application/json"}


def page_of(battle) -> str:
    return f"/battles/{battle.pk}"


# ---- Labels below the battle


@pytest.fixture
def in_hand(as_judge, ready, waiting):
    """The browser of a judge with a battle in hand, and the battle."""
    hand_to(waiting, ready)
    return as_judge(ready), waiting


def box_on(battle, slot="A", **fields):
    frame = Step.objects.get(lane=lane_of(battle, slot), number=1).frame_id
    values = {"frame": frame, "x": "0.1", "y": "0.2", "width": "0.3", "height": "0.4", "tag": "missed_element"}
    return values | {"note": "Here."} | fields


def test_a_step_is_marked_with_and_without_scripts_and_can_be_marked_anew(in_hand):
    client, battle = in_hand
    said = {"lane": str(lane_of(battle, "B").pk), "step": "1"}
    assert client.post(f"{page_of(battle)}/verdict", said | {"verdict": "wrong"}).status_code == 302
    page = client.get(page_of(battle))
    assert page.context["lanes"][1].steps[0].my_verdict == "wrong"
    answer = client.post(f"{page_of(battle)}/verdict", said | {"verdict": "helpful"}, headers=JSON)
    assert answer.json() == {"verdict": "helpful"}
    assert StepVerdict.objects.get().verdict == "helpful"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"verdict": "great"}, 422),
        ({"step": "0"}, 404),
        ({"step": "99"}, 404),
        ({"step": "1e0"}, 404),
        ({"step": "\u0661"}, 404),
        ({"lane": "A"}, 404),
        ({"lane": ""}, 404),
    ],
)
def test_a_verdict_on_nothing_is_refused_in_words(in_hand, fields, status):
    client, battle = in_hand
    said = {"lane": str(lane_of(battle, "B").pk), "step": "1", "verdict": "wrong"} | fields
    answer = client.post(f"{page_of(battle)}/verdict", said, headers=JSON)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert client.post(f"{page_of(battle)}/verdict", said).status_code == status
    assert not StepVerdict.objects.exists()


def test_a_box_is_kept_listed_for_its_judge_alone_and_deleted(in_hand, as_judge):
    client, battle = in_hand
    answer = client.post(f"{page_of(battle)}/annotations", box_on(battle), headers=JSON)
    mark = answer.json()["mark"]
    assert (mark["slot"], mark["where"], mark["tag_words"]) == ("A", "page after step 1", "Missed element")
    again = client.post(f"{page_of(battle)}/annotations", box_on(battle), headers=JSON).json()["mark"]
    assert again["id"] == mark["id"]
    assert [own.note for own in client.get(page_of(battle)).context["marks"]] == ["Here."]
    submitter = as_judge(battle.task.judge)
    assert submitter.get(page_of(battle)).context["marks"] == []
    theirs = submitter.post(f"{page_of(battle)}/annotations/delete", {"annotation": mark["id"]})
    assert theirs.status_code == 404
    assert client.post(f"{page_of(battle)}/annotations/delete", {"annotation": mark["id"]}).status_code == 302
    assert client.get(page_of(battle)).context["marks"] == []
    assert Annotation.objects.get().note is None


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"x": "0.9"}, 422),
        ({"x": "nan"}, 422),
        ({"y": "-0.1"}, 422),
        ({"width": "0"}, 422),
        ({"height": "1e400"}, 422),
        ({"width": "1e-320"}, 422),
        ({"x": "1", "width": "0.0000005"}, 422),
        ({"note": "\u202eRTL \0 nul"}, 422),
        ({"note": "x" * 1_000_000}, 422),
        ({"x": ""}, 422),
        ({"tag": "ugly"}, 422),
        ({"note": "x" * 501}, 422),
        ({"frame": "not-a-frame"}, 404),
        ({"frame": "018f0000-0000-7000-8000-000000000000"}, 404),
    ],
)
def test_a_box_that_lies_on_no_frame_is_refused_in_words(in_hand, fields, status):
    client, battle = in_hand
    answer = client.post(f"{page_of(battle)}/annotations", box_on(battle, **fields), headers=JSON)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert not Annotation.objects.exists()


def test_a_frame_of_another_battle_takes_no_box(in_hand):
    client, battle = in_hand
    other = make_votable()
    assert client.post(f"{page_of(battle)}/annotations", box_on(other), headers=JSON).status_code == 404


def test_a_click_is_kept_once_with_the_time_it_took(in_hand):
    client, battle = in_hand
    point = {"frame": box_on(battle)["frame"], "x": "0.5", "y": "0.25", "milliseconds": "1234"}
    for _ in range(2):
        assert client.post(f"{page_of(battle)}/clicks", point, headers=JSON).status_code == 200
    elsewhere = client.post(f"{page_of(battle)}/clicks", point | {"x": "0.6"}, headers=JSON)
    assert elsewhere.status_code == 409
    assert "first click stands" in elsewhere.json()["detail"]
    click = Click.objects.get()
    assert (click.x, click.y, click.milliseconds) == (0.5, 0.25, 1234)


@pytest.mark.parametrize("fields", [{"x": "1.1"}, {"milliseconds": "-1"}, {"milliseconds": ""}, {"x": "left"}])
def test_a_click_beside_the_frame_is_refused(in_hand, fields):
    client, battle = in_hand
    point = {"frame": box_on(battle)["frame"], "x": "0.5", "y": "0.5", "milliseconds": "5"} | fields
    assert client.post(f"{page_of(battle)}/clicks", point, headers=JSON).status_code == 422


@pytest.mark.parametrize("what", ["verdict", "annotations", "clicks", "annotations/delete", "skip", "report", "offer"])
def test_other_peoples_battles_take_nothing_and_do_not_exist(as_judge, what):
    private, stranger = make_votable(), as_judge(make_signed_in())
    answers = [stranger.post(f"/battles/{battle}/{what}", {"kind": "other"}) for battle in (private.pk, unknown_id())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize("what", ["verdict", "annotations", "clicks", "skip", "report", "offer", "impossible"])
def test_the_address_of_a_form_opened_as_a_page_leads_to_the_battle(as_judge, ready, waiting, what):
    assert as_judge(ready).get(f"{page_of(waiting)}/{what}").url == page_of(waiting)


def test_who_has_not_agreed_cannot_mark_anything(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    assert "step-verdict" not in visitor.get(page_of(battle)).content.decode()
    said = {"lane": str(lane_of(battle, "A").pk), "step": "1", "verdict": "wrong"}
    answer = visitor.post(f"{page_of(battle)}/verdict", said, headers=JSON)
    assert answer.status_code == 403
    assert "consent" in answer.json()["detail"]


def test_a_strict_browser_refuses_labels_without_a_token(ready, waiting):
    strict = Client(enforce_csrf_checks=True)
    for what in ("verdict", "annotations", "clicks", "skip", "report", "impossible", "offer"):
        assert strict.post(f"{page_of(waiting)}/{what}").status_code == 403
    assert strict.post("/judge/ahead").status_code == 403


# ---- Final answers


def test_what_an_answer_says_leads_to_the_page_that_said_it(as_judge, ready):
    events = []
    for slot in "AB":
        reads = dataclasses.replace(step(slot, 2, verb="read"), title="Kettle 34.90")
        events += [started(slot), step(slot, 1), reads, ended(slot, answer="It costs 34.90, not 39.90.")]
    own = race(make_battle(task=make_task(ready)), events=events)
    page = as_judge(ready).get(page_of(own))
    parts = [(part.text, part.step) for part in page.context["lanes"][0].answer_parts]
    assert parts == [("It costs ", None), ("34.90", 2), (", not 39.90.", None)]
    frame = Step.objects.get(lane=lane_of(own, "A"), number=2).frame_id
    assert f'data-go="2" href="/battles/{own.pk}/frames/{frame}"' in page.content.decode()


# ---- One's own page and the rubric


def test_ones_own_page_shows_calls_trust_labels_and_limits(as_judge, ready):
    for slot in "AAB":
        gold = checked_practice("A", kind=Battle.Kind.GOLD)
        hand_to(gold, ready)
        say(gold, ready, slot)
    page = as_judge(ready).get("/judge/me")
    assert [call.right for call in page.context["calls"]] == [False, True, True]
    assert page.context["accuracy_percent"] == 67
    assert (page.context["lower_percent"], page.context["upper_percent"]) == (21, 94)
    assert {"kind": "votes", "given": 6} in page.context["given"]
    assert "6 of 60" in page.content.decode()
    assert page.context["trust"]["left"] == 17


def test_without_a_scored_call_there_is_no_accuracy_and_a_reason(as_judge):
    page = as_judge(make_judge()).get("/judge/me")
    assert page.context["accuracy_percent"] is None
    assert "None of your calls could be scored" in page.content.decode()
    assert "right, 95% interval" not in page.content.decode()


def test_at_the_limit_the_page_says_when_there_is_room(as_judge, ready, monkeypatch):
    monkeypatch.setattr("arena_site.judge_page.LABELS_AN_HOUR", 3)
    assert re.search(r"3 of 3, again at \d\d:\d\d UTC", as_judge(ready).get("/judge/me").content.decode())


def test_the_rubric_is_a_page_with_its_examples_and_its_versions(visitor):
    text = visitor.get("/methods/rubric").content.decode()
    rubric = current_rubric()
    assert "What counts, in this order" in text
    assert "How much is the blue kettle?" in text
    assert rubric.sha256[:16] in text
    assert visitor.get(f"/methods/rubric/{rubric.version}").status_code == 200
    assert visitor.get("/methods/rubric/999").status_code == 404


def test_an_older_rubric_stays_and_says_that_another_is_in_force(visitor):
    current_rubric()
    Rubric.objects.create(version=0, text="# Old\n\n1. **One** & <b>two</b>\n\n- *a*\n", sha256="0" * 64)
    text = visitor.get("/methods/rubric/0").content.decode()
    assert "Another one is in force" in text
    assert "<strong>One</strong> &amp; &lt;b&gt;two&lt;/b&gt;" in text


def test_the_panel_on_the_battle_page_is_the_rubric_in_force(as_judge, ready, waiting):
    hand_to(waiting, ready)
    page = as_judge(ready).get(page_of(waiting)).content.decode()
    assert "Is the task done?" in page
    assert f'name="rubric" value="{current_rubric().version}"' in page


def test_agreement_is_null_with_its_reason_until_somebody_judged_twice(visitor):
    text = visitor.get("/methods").content.decode()
    assert "No battle has been judged twice" in text


def test_agreement_is_published_with_its_interval_once_it_says_not_how_few_there_are(visitor, monkeypatch):
    for verdicts in (("A", "A"), ("B", "B"), ("A", "B"), ("tie", "tie")):
        battle = offer(make_votable(judges_needed=3))
        for verdict in verdicts:
            judge = make_signed_in()
            hand_to(battle, judge)
            say(battle, judge, verdict)
    assert {row.value for row in visitor.get("/methods").context["agreement"]} == {None}
    monkeypatch.setattr("ratings.agreement_figure.FEWEST_ITEMS", 4)
    rows = visitor.get("/methods").context["agreement"]
    assert rows[0].lower < rows[0].value < rows[0].upper
    assert rows[1].value == 75
    assert rows[2].value is None
    assert rows[2].reason


def test_reading_makes_nobody_a_judge_and_hands_out_nothing(visitor, waiting):
    judges = Vote.objects.values("judge").distinct().count()
    for path in ("/judge", "/judge/me", "/judge/practice", "/methods/rubric"):
        visitor.get(path, follow=True)
    assert not Assignment.objects.exists()
    assert Vote.objects.values("judge").distinct().count() == judges


def test_a_practice_battle_of_ones_own_choice(as_judge, ready):
    practice = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    client = as_judge(ready)
    assert "/judge/practice" in client.get("/judge").content.decode()
    assert client.get("/judge/practice").url == page_of(practice)
    cast_vote(battle=practice, judge=ready, ballot=Ballot(choice="tie"))
    lock_vote(battle=practice, judge=ready)
    assert client.get("/judge/practice").url == "/judge"


@pytest.mark.parametrize("part", ["verdict", "annotations", "annotations/delete", "clicks"])
def test_a_script_reads_why_a_battle_is_not_there(visitor, waiting, part):
    unreadable, missing = (
        visitor.post(f"/battles/{battle}/{part}", headers=JSON) for battle in (waiting.pk, uuid.uuid4())
    )
    assert (unreadable.status_code, missing.status_code) == (404, 404)
    assert unreadable.content == missing.content
    assert unreadable.json()["code"] == "no_such_battle"
