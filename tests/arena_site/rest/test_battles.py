"""Battles, votes, marks and what is no vote, as programs send and read them."""

import json

import pytest
from django.utils import timezone

from battles.models import Battle, Task
from battles.roster import roster_names
from governance.consent import current_text
from governance.object_storage import ObjectStoreAway
from judging.models import Annotation, Assignment, Click, Completion, Offer, Report, StepVerdict, Vote
from judging.rubric import current_rubric
from judging.votes import cast_vote, lock_vote
from tests.arena_site.rest.conforming import misfits
from tests.arena_site.rest.scripts import Script, make_owner, problem, script_of, seated_owner
from tests.battles.factories import (
    ended,
    lane_of,
    make_agent,
    make_battle,
    make_task,
    make_votable,
    race,
    set_on,
    started,
    step,
)
from tests.judging.handing import ballot_for, checked_practice, hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded", "a_named_operator", "nothing_comes_back")]

TASK = {
    "instruction": "Find out when the town library opens on Saturdays.",
    "start_url": "https://library.example.org/",
}
SENTINELS = ("zorblax-prime-9", "Zörblax Prime 9", "Umbrantis", "zbx-2031-04", "models.umbrantis-cloud.example")


@pytest.fixture
def sentinels():
    """Two agents of whom everything is a word that stands nowhere else."""
    first = make_agent(
        "zorblax-prime-9",
        name="Zörblax Prime 9",
        provider="Umbrantis",
        model_version="zbx-2031-04",
        base_url="https://models.umbrantis-cloud.example/v1",
    )
    return first, make_agent("qued-velour-7", name="Qued Velour 7", provider="Ostrakine", model_version="qvl-1999-12")


def address(battle, *further) -> str:
    return "/".join(["/api/battles", str(battle.pk), *further])


def everything_said(answer) -> str:
    """Body and head of an answer, escapes read."""
    body = json.dumps(answer.json(), ensure_ascii=False) if "json" in answer.headers["Content-Type"] else ""
    return f"{body}\n{answer.content!r}\n{answer.headers}\n{answer.cookies}"


def names_in(answer) -> list[str]:
    said = everything_said(answer).casefold()
    return [name for name in [*SENTINELS, *roster_names()] if name.casefold() in said and name != "Ringside"]


# ---- Posting


def test_a_posted_task_is_a_battle_with_an_address():
    script = script_of(make_owner())
    made = script.post("/api/battles", TASK | {"kind": "answer", "category": "research"})
    battle = Battle.objects.get()
    assert made.status_code == 201
    assert made.headers["Location"] == made.json()["url"] == address(battle)
    assert made.json()["state"] == "queued"
    read = script.get(made.headers["Location"]).json()
    assert read["instruction"] == TASK["instruction"]
    assert [lane["id"] for lane in read["lanes"]] == [None, None]


def test_consent_is_asked_for_with_its_sentence_and_never_assumed():
    script = script_of(make_owner(consented=False))
    asked = script.post("/api/battles", TASK)
    assert problem(asked) == (403, "consent_needed")
    consent = script.get("/api/consent").json()["in_force"]
    assert consent["sentence"] in asked.json()["detail"]
    assert f'"consent": "{consent["sha256"]}"' in asked.json()["detail"]
    assert problem(script.post("/api/battles", TASK | {"consent": "0" * 64})) == (409, "consent_outdated")
    assert problem(script.post("/api/battles", TASK | {"consent": "yes"})) == (400, "invalid")
    assert not Task.objects.exists()
    assert script.post("/api/battles", TASK | {"consent": consent["sha256"]}).status_code == 201
    # Once agreed to, it need not be sent again.
    assert script.post("/api/battles", TASK | {"instruction": "Find the price of a kettle."}).status_code == 201


def test_consent_to_a_sentence_that_changed_meanwhile_is_asked_for_again(settings):
    script = script_of(make_owner())
    before = current_text().sha256
    settings.ARENA_LEGAL_NAME = "Another Foundation"
    asked = script.post("/api/battles", TASK)
    assert problem(asked) == (403, "consent_needed")
    assert "Another Foundation" in asked.json()["detail"]
    assert problem(script.post("/api/battles", TASK | {"consent": before})) == (409, "consent_outdated")


def test_a_task_that_cannot_be_raced_is_refused_before_consent_with_its_field():
    script = script_of(make_owner(consented=False))
    for change, code, field in (
        ({"instruction": "Go."}, "instruction_too_short", "instruction"),
        ({"start_url": "http://127.0.0.1/"}, "start_url_refused", "start_url"),
        ({"start_url": "file:///etc/passwd"}, "start_url_refused", "start_url"),
    ):
        refused = script.post("/api/battles", TASK | change)
        assert problem(refused) == (422, code)
        assert refused.json()["field"] == field


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid"),
        (b"[]", "invalid"),
        (b"null", "invalid"),
        (b'"text"', "invalid"),
        (b"{", "not_json"),
        (b'{"instruction": "a", "instruction": "b"}', "name_twice"),
        (b'{"instruction": NaN}', "number_refused"),
        (b'{"instruction": "\xff"}', "not_utf8"),
        (b'{"instruction": "\\ud800"}', "not_unicode"),
        (b'{"a": ' + b"[" * 20000 + b"]" * 20000 + b"}", "too_deep"),
        (b'{"instruction": {"$ne": ""}, "start_url": ["x"]}', "invalid"),
        (b'{"instruction": "Find the opening hours.", "start_url": "https://a.example/", "judge": "x"}', "invalid"),
        (b'{"instruction": "Find the opening hours.", "start_url": "https://a.example/", "consent": true}', "invalid"),
        (b'{"instruction": "Find the opening hours.", "start_url": "https://a.example/", "consent": "1"}', "invalid"),
        (b'{"instruction": "Find the \\u0000 opening hours.", "start_url": "https://a.example/"}', "invalid"),
    ],
)
def test_hostile_bodies_are_refused_in_words(body, code):
    refused = script_of(make_owner()).post("/api/battles", body)
    assert problem(refused) == (400, code)
    assert not Task.objects.exists()


def test_bodies_of_any_size_and_kind_are_refused_in_words():
    script = script_of(make_owner())
    assert problem(script.post("/api/battles", b'{"a": "' + b"x" * 70_000 + b'"}')) == (413, "body_too_large")
    form = script.client.post("/api/battles", TASK, headers=script.headers)
    assert problem(form) == (415, "unsupported_media_type")
    assert problem(script.get("/api/battles")) == (405, "method_not_allowed")
    assert problem(script.get(f"/api/battles/{make_votable().pk}?q=x")) == (400, "unknown_parameter")


# ---- Reading: who may, and what is not said


def test_before_ones_own_lock_nothing_says_who_raced_whoever_else_voted(sentinels):
    """C15."""
    battle = make_votable(task=make_task(make_owner()[1]), agents=sentinels, judges_needed=3)
    hidden = seated_owner(battle)
    script = script_of(hidden)
    another = make_signed_in()
    hand_to(battle, another)
    say(battle, another, "B")
    frame = script.get(address(battle)).json()["lanes"][0]["start_frame"]
    lanes = [str(lane_of(battle, slot).pk) for slot in "AB"]
    asked = [
        script.get(address(battle)),
        script.get(frame),
        script.get("/api/judge/next"),
        script.get("/api/judge/calibration"),
        script.post(address(battle, "vote"), {"choice": "nobody"}),
        script.post(address(battle, "vote"), {"choice": lanes[0], "completions": {lanes[1]: "done"}}),
        script.get(address(battle)),
        script.post(address(battle, "annotations"), {"frame": frame.rsplit("/", 1)[1]}),
        script.post(address(battle, "steps", "1", "verdict"), {"lane": lanes[0], "verdict": "wrong"}),
    ]
    assert [names_in(answer) for answer in asked] == [[]] * len(asked)
    document = asked[-3].json()
    assert document["identity"] == {"visible": False, "reason": "own_vote_not_locked"}
    assert all("agent" not in lane for lane in document["lanes"])
    assert document["others"] == []


def test_after_ones_own_lock_both_names_show_to_that_viewer_alone(sentinels):
    battle = make_votable(agents=sentinels, judges_needed=3)
    locked, waiting = seated_owner(battle), make_owner()
    hand_to(battle, waiting[1])
    script = script_of(locked)
    script.post(address(battle, "vote"), {"choice": "tie"})
    answer = script.post(address(battle, "lock"))
    assert (answer.status_code, answer.json()["locked"]) == (200, True)
    document = script.get(address(battle)).json()
    assert document["identity"] == {"visible": True, "reason": "own_vote_locked"}
    assert {lane["id"]: lane["agent"]["key"] for lane in document["lanes"]} == {
        str(lane_of(battle, slot).pk): lane_of(battle, slot).agent_id for slot in "AB"
    }
    assert {lane["agent"]["name"] for lane in document["lanes"]} == {"Zörblax Prime 9", "Qued Velour 7"}
    assert names_in(script_of(waiting).get(address(battle))) == []


def test_a_document_says_what_can_be_done_and_what_was_done():
    battle = make_votable()
    owner = seated_owner(battle)
    script = script_of(owner)
    document = script.get(address(battle)).json()
    assert document["may"] == {
        "vote": True,
        "mark": True,
        "offer": False,
        "skip": True,
        "impossible": True,
        "report": True,
    }
    assert document["lease"]["state"] == "running"
    assert document["consent"]["given"] is True
    assert document["rubric"] == current_rubric().version
    lanes = [lane["id"] for lane in document["lanes"]]
    script.post(
        address(battle, "vote"),
        {"choice": lanes[0], "completions": {lanes[0]: "done", lanes[1]: "partly"}, "note": "Clear.", "rubric": 1},
    )
    document = script.get(address(battle)).json()
    assert document["vote"]["choice"] == lanes[0]
    assert document["vote"]["note"] == "Clear."
    assert [lane["my_completion"] for lane in document["lanes"]] == ["done", "partly"]
    assert document["may"]["skip"] is False


def test_frames_are_served_to_the_token_that_may_read_their_battle():
    battle = make_votable()
    script = script_of(seated_owner(battle))
    document = script.get(address(battle)).json()
    for lane in document["lanes"]:
        picture = script.get(lane["start_frame"])
        assert picture.headers["Content-Type"] == "image/webp"
        assert picture.headers["Cache-Control"] == "private, max-age=600"
        assert picture.headers["Vary"] == "Authorization, Cookie"
        again = script.get(lane["start_frame"], **{"If-None-Match": picture.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert problem(script_of(make_owner()).get(lane["start_frame"])) == (404, "no_such_battle")


def test_while_the_store_of_pictures_is_away_a_frame_says_so(monkeypatch):
    owner = make_owner()
    script = script_of(owner)
    battle = make_votable(task=make_task(owner[1]))
    frame = script.get(address(battle)).json()["lanes"][0]["start_frame"]

    def away(*_):
        raise ObjectStoreAway("The object storage does not answer.")

    monkeypatch.setattr("battles.imagery.masks.read_frame", away)
    refused = script.get(frame)
    assert problem(refused) == (503, "picture_away")
    assert refused.headers["Cache-Control"] == "no-store"
    assert "ETag" not in refused.headers
    assert misfits(refused, frame) == []


def test_a_battle_that_races_can_be_followed():
    owner = make_owner()
    battle = make_battle(task=make_task(owner[1]))
    assert script_of(owner).get(address(battle)).json()["state"] == "queued"
    race(battle, events=[event for slot in "AB" for event in (started(slot), step(slot), step(slot, 2), ended(slot))])
    document = script_of(owner).get(address(battle)).json()
    assert document["state"] == "votable"
    assert [step_["number"] for step_ in document["lanes"][0]["steps"]] == [1, 2]


# ---- Votes


def test_slots_swapped_the_verdict_follows_the_lane():
    """C14: at a second look the slots are swapped, and what is chosen is a lane all the same."""
    battle = make_votable()
    owner = seated_owner(battle)
    first_vote = cast_vote(battle=battle, judge=owner[1], ballot=ballot_for(battle, "A"))
    lock_vote(battle=battle, judge=owner[1])
    first = Assignment.objects.get(battle=battle, judge=owner[1])
    set_on(Assignment.objects.filter(pk=first.pk), comes_back=True, outcome="voted")
    first.refresh_from_db()
    hand_to(battle, owner[1], swapped=True, first=first)
    script = script_of(owner)
    document = script.get(address(battle)).json()
    assert [lane["slot"] for lane in document["lanes"]] == ["A", "B"]
    assert [lane["id"] for lane in document["lanes"]] == [str(lane_of(battle, slot).pk) for slot in "BA"]
    # Nothing tells that there was a first look.
    assert document["vote"] is None
    assert document["identity"] == {"visible": False, "reason": "no_own_vote"}
    pressed = document["lanes"][0]["id"]
    answer = script.post(address(battle, "vote"), {"choice": pressed})
    assert answer.json()["choice"] == pressed == str(lane_of(battle, "B").pk)
    first_vote.refresh_from_db()
    assert first_vote.winner == lane_of(battle, "A")
    assert script.get(address(battle)).json()["identity"]["reason"] == "own_vote_not_locked"
    script.post(address(battle, "lock"))
    assert script.get(address(battle)).json()["identity"]["visible"] is True


def test_a_vote_can_be_changed_until_it_is_locked():
    battle = make_votable()
    script = script_of(seated_owner(battle))
    lanes = [str(lane_of(battle, slot).pk) for slot in "AB"]
    ids = {script.post(address(battle, "vote"), {"choice": lane}, key=lane).json()["id"] for lane in lanes}
    vote = Vote.objects.get()
    assert ids == {str(vote.pk)}
    assert str(vote.winner_id) == lanes[1]
    script.post(address(battle, "lock"))
    assert problem(script.post(address(battle, "vote"), {"choice": "tie"})) in {(409, "vote_locked"), (410, "closed")}
    assert script.post(address(battle, "lock")).status_code == 200


def test_votes_that_cannot_be_cast_say_what_to_change():
    battle = make_votable()
    script = script_of(seated_owner(battle))
    lane = str(lane_of(battle, "A").pk)
    for body, status, code in (
        ({"choice": "A"}, 422, "unknown_choice"),
        ({"choice": str(lane_of(make_votable(), "A").pk)}, 422, "unknown_choice"),
        ({"choice": "tie", "completions": {"x": "done"}}, 422, "unknown_completion"),
        ({"choice": "tie", "completions": {lane: "finished"}}, 400, "invalid"),
        ({"choice": "tie", "rubric": 999}, 422, "unknown_rubric"),
        ({"choice": "tie", "note": "x" * 2001}, 400, "invalid"),
        ({"choice": "tie", "reasons": ["because"]}, 400, "invalid"),
        ({"choise": "tie"}, 400, "invalid"),
        ({}, 400, "invalid"),
    ):
        assert problem(script.post(address(battle, "vote"), body)) == (status, code), body
    assert not Vote.objects.exists()
    assert problem(script.post(address(battle, "lock"))) == (409, "no_vote")
    script.post(address(battle, "vote"), {"choice": lane, "completions": {lane: "done"}, "reasons": ["correct"]})
    assert Completion.objects.get().verdict == "done"


def test_a_vote_while_the_race_runs_is_too_early():
    owner = make_owner()
    battle = make_battle(task=make_task(owner[1]))
    assert problem(script_of(owner).post(address(battle, "vote"), {"choice": "tie"})) == (409, "not_votable")


# ---- What is no vote


def test_skip_report_and_impossible_are_no_votes():
    """C18."""
    skipped, reported, impossible = (make_votable() for _ in range(3))
    owner = seated_owner(skipped)
    assert script_of(owner).post(address(skipped, "skip"), {"reason": "language"}).json()["noted"] == "skipped"
    assert Assignment.objects.get(battle=skipped).outcome == "skipped"
    reporter = seated_owner(reported)
    answer = script_of(reporter).post(
        address(reported, "report"), {"kind": "private", "note": "It shows my address."}, key="r"
    )
    assert answer.status_code == 201
    assert Report.objects.get().due_at > timezone.now()
    assert problem(script_of(reporter).get(address(reported))) == (404, "no_such_battle")
    for _ in range(2):
        judge = make_owner()
        hand_to(offer(impossible), judge[1])
        assert script_of(judge).post(address(impossible, "impossible")).status_code == 201
        impossible.refresh_from_db()
        Assignment.objects.filter(battle=impossible, outcome="open").update(outcome="expired")
    assert impossible.state == "void"
    assert not Vote.objects.exists()


def test_a_skipped_battle_is_not_handed_to_the_same_judge_again():
    owner = make_owner(practised=3)
    battle = offer(make_votable())
    script = script_of(owner)
    assert script.get("/api/judge/next").json()["battle"]["id"] == str(battle.pk)
    script.post(address(battle, "skip"), {"reason": "too_long"})
    following = script.get("/api/judge/next").json()
    assert (following["reason"], following["battle"]) == ("nothing_waits", None)


# ---- Marks


def test_steps_boxes_and_clicks_are_kept_as_sent():
    battle = make_votable()
    owner = seated_owner(battle)
    script = script_of(owner)
    lane = lane_of(battle, "A")
    said = script.post(address(battle, "steps", "1", "verdict"), {"lane": str(lane.pk), "verdict": "unsafe"})
    assert said.json() == {"lane": str(lane.pk), "step": 1, "verdict": "unsafe"}
    frame = str(lane.frames.first().pk)
    box = {"frame": frame, "x": 0.25, "y": 0, "width": 0.5, "height": 1, "tag": "wrong_target", "note": "Not this."}
    drawn = script.post(address(battle, "annotations"), box)
    assert drawn.status_code == 201
    assert drawn.headers["Location"] == address(battle)
    click = {"frame": frame, "x": 0.5, "y": 0.75, "milliseconds": 900}
    assert script.post(address(battle, "clicks"), click).status_code == 201
    assert problem(script.post(address(battle, "clicks"), click | {"x": 0.1})) == (409, "already_clicked")
    assert StepVerdict.objects.get().step.lane == lane
    assert (Annotation.objects.get().x, Click.objects.get().y) == (0.25, 0.75)
    marks = script.get(address(battle)).json()
    assert [(mark["id"], mark["note"]) for mark in marks["marks"]] == [(drawn.json()["id"], "Not this.")]
    assert marks["lanes"][0]["steps"][0]["my_verdict"] == "unsafe"


def test_marks_that_lie_nowhere_are_refused():
    battle = make_votable()
    script = script_of(seated_owner(battle))
    lane = str(lane_of(battle, "A").pk)
    other = str(lane_of(make_votable(), "A").frames.first().pk)
    frame = str(lane_of(battle, "A").frames.first().pk)
    for path, body, status, code in (
        ("steps/99/verdict", {"lane": lane, "verdict": "wrong"}, 404, "no_such_part"),
        ("steps/0/verdict", {"lane": lane, "verdict": "wrong"}, 404, "no_such_part"),
        ("steps/1/verdict", {"lane": "x", "verdict": "wrong"}, 400, "invalid"),
        ("clicks", {"frame": other, "x": 0.5, "y": 0.5, "milliseconds": 1}, 404, "no_such_part"),
        ("clicks", {"frame": frame, "x": 1.5, "y": 0.5, "milliseconds": 1}, 422, "point_off_frame"),
        ("clicks", {"frame": frame, "x": 0.5, "y": 0.5, "milliseconds": -1}, 400, "invalid"),
        ("clicks", {"frame": frame, "x": True, "y": 0.5, "milliseconds": 1}, 400, "invalid"),
        ("clicks", {"frame": frame, "x": 10**400, "y": 0.5, "milliseconds": 1}, 400, "invalid"),
    ):
        assert problem(script.post(f"{address(battle)}/{path}", body)) == (status, code), (path, body)


# ---- Offers, the pool, and how calls came out


def test_a_battle_is_offered_by_whoever_posted_it_until_names_are_seen():
    owner = make_owner()
    battle, seen = (make_votable(task=make_task(owner[1])) for _ in range(2))
    script = script_of(owner)
    assert script.get(address(battle)).json()["may"]["offer"] is True
    assert script.post(address(battle, "offer")).status_code == 201
    assert Offer.objects.get().battle == battle
    assert script.get(address(battle)).json()["offer"] == {"offered": True, "refusal": ""}
    say(seen, owner[1], "A")
    assert problem(script.post(address(seen, "offer"))) == (409, "names_seen")


def test_the_next_battle_is_ones_own_then_the_pools_and_says_why_there_is_none():
    owner = make_owner(practised=3)
    script = script_of(owner)
    assert script.get("/api/judge/next").json() == {
        "reason": "nothing_waits",
        "battle": None,
        "lease": None,
        "practice": {"done": 3, "needed": 3},
    }
    pooled = offer(make_votable())
    handed = script.get("/api/judge/next").json()
    assert (handed["reason"], handed["battle"]["id"]) == ("handed_out", str(pooled.pk))
    assert script.get("/api/judge/next").json()["reason"] == "in_hand"
    own = make_votable(task=make_task(owner[1]))
    assert script.get("/api/judge/next").json()["battle"]["url"] == address(own)
    newcomer = Script().get("/api/judge/next").json()
    assert newcomer["reason"] == "practice_first"
    assert Battle.objects.get(pk=newcomer["battle"]["id"]).kind == Battle.Kind.PRACTICE


def test_over_the_limit_of_labels_the_answer_says_when(monkeypatch):
    owner = make_owner(practised=3)
    offer(make_votable())
    monkeypatch.setattr("governance.limits.LABELS_AN_HOUR", 3)
    refused = script_of(owner).get("/api/judge/next")
    assert problem(refused) == (429, "label_limit")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600


def test_ones_calls_are_read_one_by_one_once_settled():
    owner = make_owner()
    script = script_of(owner)
    empty = script.get("/api/judge/calibration").json()
    assert (empty["accuracy"], empty["reason"], empty["calls"]) == (None, "no_scored_calls", [])
    gold = checked_practice("A", kind=Battle.Kind.GOLD)
    hand_to(gold, owner[1])
    say(gold, owner[1], "A")
    found = script.get("/api/judge/calibration").json()
    assert (found["accuracy"], found["reason"]) == (1.0, None)
    assert 0 < found["lower"] < found["upper"] <= 1
    assert [(call["known_from"], call["said"], call["right"]) for call in found["calls"]] == [
        ("gold", "A is better", True)
    ]
