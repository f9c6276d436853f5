"""Judging as a visitor finds it without a browser: the next battle, leases, offers, votes and what is no vote."""

import re

import pytest
from django.test import Client

from battles.models import Battle
from governance import limits
from judging.models import (
    Assignment,
    Attention,
    ImpossibleMark,
    Offer,
    RefusedVote,
    RepeatVote,
    Report,
    StepOpened,
    TrustChange,
    Vote,
)
from judging.rubric import current_rubric
from tests.battles.factories import (
    ended,
    lane_of,
    make_agent,
    make_battle,
    make_judge,
    make_task,
    make_votable,
    minutes_ago,
    race,
    started,
    step,
    unknown_id,
)
from tests.judging.handing import agree, checked_practice, hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("a_named_operator", "nothing_comes_back")]

JSON = {"Accept": "application/json"}
HTMX = {"HX-Request": "true"}


def page_of(battle) -> str:
    return f"/battles/{battle.pk}"


def ballot_fields(battle, slot="A", **fields):
    lanes = {letter: str(lane_of(battle, letter).pk) for letter in "AB"}
    said = {"choice": lanes[slot], f"completion_{lanes['A']}": "done", f"completion_{lanes['B']}": "partly"}
    return said | {"idempotency_key": "key-1"} | fields


# ---- The next battle


def test_somebody_new_gets_a_practice_battle_and_is_told_how_many(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    answer = visitor.get("/judge", follow=True)
    assert answer.request["PATH_INFO"] == page_of(battle)
    assert "1 of 3" in answer.content.decode()


def test_practice_counts_up_and_says_what_is_still_needed(as_judge):
    judge = make_judge()
    client = as_judge(judge)
    for done in range(3):
        make_votable(kind=Battle.Kind.PRACTICE)
        page = client.get("/judge", follow=True)
        assert page.context["practice"] == {"done": done, "needed": 3, "left": 3 - done}
        say(Battle.objects.get(pk=page.context["battle"].id), judge, "A")
    page = client.get("/judge")
    assert "Sign in" in page.content.decode()
    assert "next=/judge" in page.content.decode()


def test_ones_own_battle_comes_first(as_judge, ready, waiting):
    own = make_votable(task=make_task(ready))
    assert as_judge(ready).get("/judge").url == page_of(own)


def test_the_pool_hands_out_one_battle_and_the_same_again(as_judge, ready, waiting):
    client = as_judge(ready)
    page = client.get("/judge", follow=True)
    assert page.request["PATH_INFO"] == page_of(waiting)
    assert re.search(r"Yours for <b data-minutes>(29|30)</b> more minutes", page.content.decode())
    assert client.get("/judge").url == page_of(waiting)
    assert Assignment.objects.count() == 1


def test_when_nothing_waits_the_page_says_what_can_be_done(as_judge, ready):
    page = as_judge(ready).get("/judge").content.decode()
    assert "Nothing waits for you" in page
    assert "/battles/new" in page


def test_a_suspended_judge_is_told_so_and_where_the_reason_is(as_judge, ready, waiting):
    TrustChange.objects.create(judge=ready, before="new", state="suspended", actor="op", reason="Too fast by far.")
    client = as_judge(ready)
    assert "suspended" in client.get("/judge").content.decode()
    assert "Too fast by far." in client.get("/judge/me").content.decode()


def test_over_the_limit_the_page_says_when_to_come_back(as_judge, ready, waiting, monkeypatch):
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", 3)
    answer = as_judge(ready).get("/judge")
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert re.search(r"again at <b>\d\d:\d\d UTC</b>", answer.content.decode())
    assert not Assignment.objects.exists()


def test_the_first_frames_of_the_next_battle_can_be_fetched_ahead(as_judge, ready, waiting):
    client = as_judge(ready)
    frames = client.post("/judge/ahead").json()["frames"]
    assert len(frames) == 2
    assert {client.get(frame).headers["Content-Type"] for frame in frames} == {"image/webp"}
    assert client.get("/judge").url == page_of(waiting)
    assert client.get("/judge/ahead").status_code == 405


def test_nothing_is_fetched_ahead_for_somebody_without_a_judge(visitor, waiting):
    assert visitor.post("/judge/ahead").json() == {"frames": []}


# ---- The lease


def test_a_lease_that_ran_out_is_no_loss_while_nobody_else_has_the_battle(as_judge, ready, waiting):
    hand_to(waiting, ready, minutes=-5)
    client = as_judge(ready)
    assert "nobody else has the battle yet" in client.get(page_of(waiting)).content.decode()
    assert client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting)).status_code == 302
    assert Vote.objects.filter(battle=waiting, judge=ready).exists()


def test_a_seat_that_went_to_another_judge_is_explained_with_the_way_on(as_judge, ready, waiting):
    hand_to(waiting, ready, minutes=-5)
    hand_to(waiting, make_signed_in())
    client = as_judge(ready)
    page = client.get(page_of(waiting)).content.decode()
    assert "another judge has it now" in page
    assert "vote-form" not in page
    assert 'href="/judge"' in page
    answer = client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting))
    assert answer.status_code == 409
    assert "Nothing else was lost" in answer.content.decode()


# ---- Not this one


def test_skipping_needs_a_reason_from_the_list_and_leads_on(as_judge, ready, waiting):
    client = as_judge(ready)
    client.get("/judge")
    refused = client.post(f"{page_of(waiting)}/skip", {"reason": "<script>"})
    assert refused.status_code == 422
    assert "<script>" not in refused.content.decode().replace("<script src", "")
    assert client.post(f"{page_of(waiting)}/skip", {"reason": "language"}).url == "/judge"
    assert client.post(f"{page_of(waiting)}/skip", {"reason": "language"}).url == "/judge"
    assert "Nothing waits" in client.get("/judge").content.decode()
    assert not Vote.objects.filter(battle=waiting).exists()


def test_a_report_hides_the_battle_at_once(as_judge, ready, waiting):
    client = as_judge(ready)
    client.get("/judge")
    answer = client.post(f"{page_of(waiting)}/report", {"kind": "private", "note": "My address & <b>phone</b>."})
    assert "within 3 days" in client.get(answer.url).content.decode()
    assert client.get(page_of(waiting)).status_code == 404
    assert Report.objects.get().note == "My address & <b>phone</b>."


@pytest.mark.parametrize("fields", [{}, {"kind": "spite"}, {"kind": "other", "note": "bell \a"}])
def test_a_report_that_says_nothing_is_refused_in_words(as_judge, ready, waiting, fields):
    client = as_judge(ready)
    client.get("/judge")
    answer = client.post(f"{page_of(waiting)}/report", fields)
    assert answer.status_code == 422
    assert "It was not reported" in answer.content.decode()
    assert not Report.objects.exists()


def test_impossible_is_for_whoever_was_handed_the_battle(as_judge, ready, waiting):
    client = as_judge(ready)
    own = make_votable(task=make_task(ready))
    assert client.post(f"{page_of(own)}/impossible").status_code == 409
    hand_to(waiting, ready)
    assert client.post(f"{page_of(waiting)}/impossible").url == "/judge/thanks/impossible"
    assert ImpossibleMark.objects.get().battle == waiting


def test_thanks_are_for_what_there_is(visitor):
    assert visitor.get("/judge/thanks/nothing").status_code == 404


# ---- Offering


def test_the_submitter_may_offer_before_their_own_lock_and_is_told_what_it_means(as_judge, ready):
    own = make_votable(task=make_task(ready))
    client = as_judge(ready)
    assert "Let others judge it" in client.get(page_of(own)).content.decode()
    assert client.post(f"{page_of(own)}/offer").status_code == 302
    assert client.post(f"{page_of(own)}/offer").status_code == 302
    assert Offer.objects.get().battle == own
    assert "Offered to other judges" in client.get(page_of(own)).content.decode()


def test_after_the_lock_there_is_nothing_to_offer(as_judge, ready):
    own = make_votable(task=make_task(ready))
    say(own, ready, "A")
    client = as_judge(ready)
    assert "Let others judge it" not in client.get(page_of(own)).content.decode()
    answer = client.post(f"{page_of(own)}/offer")
    assert answer.status_code == 409
    assert "You have seen the names" in answer.content.decode()


def test_without_a_legal_name_it_says_why_nothing_can_be_offered(as_judge, ready, settings):
    settings.ARENA_LEGAL_NAME = ""
    agree(ready)
    own = make_votable(task=make_task(ready))
    client = as_judge(ready)
    assert "no legal name" in client.get(page_of(own)).content.decode()
    assert client.post(f"{page_of(own)}/offer").status_code == 409
    assert not Offer.objects.exists()


def test_nobody_offers_somebody_elses_battle(as_judge, ready, waiting):
    Offer.objects.all().delete()
    assert as_judge(ready).post(f"{page_of(waiting)}/offer").status_code == 404


# ---- Votes


def test_a_vote_names_the_rubric_and_counts_what_was_looked_at_once(as_judge, ready, waiting):
    client = as_judge(ready)
    version = client.get("/judge", follow=True).context["rubric"].version
    lanes = {slot: lane_of(waiting, slot) for slot in "AB"}
    looked = {"focused_ms": "4000", "opened": f"{lanes['A'].pk}:1.99,{unknown_id()}:1,{lanes['B'].pk}:x,:,"}
    for _ in range(2):
        client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, rubric=version, **looked))
    vote = Vote.objects.get(battle=waiting)
    assert vote.rubric == current_rubric()
    assert (vote.focus_ms, vote.steps_opened) == (4000, 1)
    assert Attention.objects.get(battle=waiting).focus_ms == 4000
    client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, "B", focused_ms="500", idempotency_key="key-2"))
    assert Attention.objects.get(battle=waiting).focus_ms == 4500
    assert StepOpened.objects.get().step.lane == lanes["A"]


@pytest.mark.parametrize(
    "fields",
    [
        {"choice": "A"},
        {"choice": ""},
        {"choice": "'; DROP TABLE"},
        {"confidence": "certain"},
        {"reasons": "because"},
        {"note": "x" * 2001},
        {"note": "bell \a"},
        {"rubric": "77"},
        {"completion_nobody": "done"},
    ],
)
def test_a_ballot_that_cannot_be_cast_is_refused_in_words_and_keeps_the_page(as_judge, ready, waiting, fields):
    client = as_judge(ready)
    client.get("/judge")
    answer = client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting) | fields)
    assert answer.status_code == 422
    assert "Your vote was not stored" in answer.content.decode()
    assert not Vote.objects.filter(battle=waiting).exists()


@pytest.mark.parametrize("opened", ["", "a:b", "::::", "x:" + "9" * 5000, "\x00:1", ":1.2.3," * 9000])
def test_strange_lists_of_opened_steps_are_left_out(as_judge, ready, waiting, opened):
    client = as_judge(ready)
    client.get("/judge")
    fields = ballot_fields(waiting, opened=opened, focused_ms="99999999999999")
    assert client.post(f"{page_of(waiting)}/vote", fields).status_code == 302
    assert not StepOpened.objects.exists()


def test_a_closed_battle_says_when_it_closed_and_leads_to_the_next(as_judge, ready):
    own = offer(make_votable(task=make_task(ready)))
    other = make_signed_in()
    hand_to(own, other)
    say(own, other, "A")
    own.refresh_from_db()
    client = as_judge(ready)
    answer = client.post(f"{page_of(own)}/vote", ballot_fields(own))
    assert answer.status_code == 410
    page = answer.content.decode()
    assert f"This battle closed at {own.closed_at:%Y-%m-%d %H:%M} UTC" in page
    assert "Your vote was not counted" in page
    assert 'href="/judge"' in page
    assert not Vote.objects.filter(judge=ready, battle=own).exists()
    assert RefusedVote.objects.get().reason == "closed"


def test_double_posts_are_one_vote(as_judge, ready, waiting):
    client = as_judge(ready)
    client.get("/judge")
    for key in ("key-1", "key-1", "key-2"):
        client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, idempotency_key=key))
    assert Vote.objects.filter(battle=waiting).count() == 1


def test_too_many_labels_are_a_429_that_says_when(as_judge, ready, waiting, monkeypatch):
    client = as_judge(ready)
    client.get("/judge")
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", 3)
    answer = client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting))
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "come back later" in answer.content.decode()


def test_a_vote_sent_after_signing_out_is_kept_and_marked_again(as_judge, ready, waiting, settings):
    hand_to(waiting, ready)
    stranger = Client()
    answer = stranger.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, note="Found it first."))
    assert answer.status_code == 302
    assert f"next=%2Fbattles%2F{waiting.pk}" in answer.url
    by_htmx = stranger.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, note="Found it first."), headers=HTMX)
    assert by_htmx.headers["HX-Redirect"] == answer.url
    back = as_judge(ready)
    back.cookies[settings.SESSION_COOKIE_NAME] = stranger.cookies[settings.SESSION_COOKIE_NAME].value
    page = back.get(page_of(waiting)).content.decode()
    assert "It is not saved yet" in page
    assert "Found it first." in page
    assert len(re.findall(r'<input [^>]*name="(?:choice|completion_[^"]*)" [^>]*checked', page)) == 3
    assert not Vote.objects.filter(battle=waiting).exists()


def test_a_kept_vote_tells_nobody_whether_there_is_such_a_battle(visitor, waiting):
    answers = [
        visitor.post(f"/battles/{battle}/vote", {"choice": "tie"}) for battle in (waiting.pk, unknown_id(), waiting.pk)
    ]
    assert {answer.status_code for answer in answers} == {302}
    assert visitor.get(page_of(waiting)).status_code == 404


def test_the_ten_minutes_are_on_the_page(as_judge, ready, waiting):
    client = as_judge(ready)
    client.get("/judge")
    client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting))
    page = client.get(page_of(waiting))
    assert 590 < page.context["locks_in"] <= 600
    Vote.objects.filter(battle=waiting).update(cast_at=minutes_ago(11))
    page = client.get(page_of(waiting))
    assert page.context["reveal"]
    assert not page.context["may_vote"]


def test_battle_pages_are_never_stored(as_judge, ready, waiting):
    hand_to(waiting, ready)
    assert "no-store" in as_judge(ready).get(page_of(waiting)).headers["Cache-Control"]


# ---- Blindness


def test_gold_and_live_battles_cannot_be_told_apart(as_judge, ready):
    gold = checked_practice("A", kind=Battle.Kind.GOLD)
    hand_to(gold, ready)
    page = as_judge(ready).get(page_of(gold))
    assert page.context["battle"].kind == "live"
    assert page.context["practice"] is None
    assert "ractice " not in re.sub(
        r"http://[^<]*", "", page.content.decode().split("battle-meta")[1].split("</div>")[0]
    )


def test_at_a_second_look_the_slots_are_swapped_and_the_verdict_follows_the_lane(as_judge, ready, waiting):
    first = hand_to(waiting, ready, outcome="voted", ended_at=minutes_ago(1), comes_back=True)
    say(waiting, ready, "A")
    client = as_judge(ready)
    assert "The names stay hidden for now" in client.get(page_of(waiting)).content.decode()
    again = hand_to(waiting, ready, swapped=True, first=first)
    page = client.get(page_of(waiting))
    lanes = {slot: str(lane_of(waiting, slot).pk) for slot in "AB"}
    assert [(view.slot, view.id) for view in page.context["lanes"]] == [("A", lanes["B"]), ("B", lanes["A"])]
    assert page.context["vote"] is None
    assert page.context["reveal"] is None
    names = [waiting.agent_a.name, waiting.agent_b.name]
    assert not [name for name in names if name in page.content.decode()]
    client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, "B"))
    page = client.get(page_of(waiting))
    assert page.context["vote"].words == "A is better"
    answer = client.post(f"{page_of(waiting)}/lock", ballot_fields(waiting, "B"))
    assert answer.status_code == 303
    vote = RepeatVote.objects.get(assignment=again)
    assert vote.winner == lane_of(waiting, "B")
    assert all(name in client.get(page_of(waiting)).content.decode() for name in names)


@pytest.mark.parametrize("what", ["vote", "lock"])
def test_a_second_look_that_ran_out_says_so_and_is_no_first_vote(as_judge, ready, waiting, what):
    first = hand_to(waiting, ready, outcome="voted", ended_at=minutes_ago(1), comes_back=True)
    say(waiting, ready, "A")
    hand_to(waiting, ready, swapped=True, first=first, minutes=-1)
    for slot in "AB":
        answer = as_judge(ready).post(f"{page_of(waiting)}/{what}", ballot_fields(waiting, slot))
        assert answer.status_code == 409
        assert "half hour with this battle ran out" in answer.content.decode()
    assert not RepeatVote.objects.exists()
    assert Vote.objects.get(battle=waiting).winner == lane_of(waiting, "A")


def test_what_pages_and_steps_say_is_shown_as_text_only(as_judge, ready):
    hostile = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'
    events = []
    for slot in "AB":
        hit = step(slot, target={"x": 1, "y": 2, "name": hostile})
        events += [started(slot), hit, ended(slot, answer=f"“{hostile}” is the name")]
    own = race(make_battle(task=make_task(ready, instruction=hostile)), events=events)
    page = as_judge(ready).get(page_of(own)).content.decode()
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    assert "&lt;img src=x" in page


SENTINELS = ("Quillbreeze", "Fennimore Labs", "qb-2031-01", "Marrowgate", "mg-9")


def test_nothing_a_judge_gets_back_before_the_lock_names_an_agent(as_judge, ready):
    agents = (
        make_agent("quillbreeze-7", name="Quillbreeze", provider="Fennimore Labs", model_version="qb-2031-01"),
        make_agent("marrowgate-2", name="Marrowgate", provider="Fennimore Labs", model_version="mg-9"),
    )
    battle = offer(race(make_battle(agents=agents)))
    client = as_judge(ready)
    lane, frame = lane_of(battle, "A"), lane_of(battle, "A").frames.first()
    box = {"frame": str(frame.pk), "x": "0.1", "y": "0.1", "width": "0.2", "height": "0.2", "tag": "wrong_target"}
    answers = [
        client.get("/judge"),
        client.get(page_of(battle)),
        client.post("/judge/ahead"),
        client.post(f"{page_of(battle)}/verdict", {"lane": lane.pk, "step": "1", "verdict": "wrong"}, headers=JSON),
        client.post(f"{page_of(battle)}/annotations", box, headers=JSON),
        client.post(f"{page_of(battle)}/clicks", box | {"milliseconds": "5"}, headers=JSON),
        client.post(f"{page_of(battle)}/vote", ballot_fields(battle), headers=HTMX),
        client.post(f"{page_of(battle)}/vote", ballot_fields(battle) | {"choice": "none"}, headers=HTMX),
        client.get("/judge/me"),
        client.get(page_of(battle)),
    ]
    for answer in answers:
        text = answer.content.decode() + repr(answer.headers)
        assert answer.status_code < 400
        assert not [name for name in SENTINELS if name in text], answer.request["PATH_INFO"]
