"""What keeps the pool open and honest: reports, one's own battle put aside, and limits on changing one's mind."""

from datetime import timedelta

import pytest
from django.test import Client

from battles.models import Battle, Task
from governance import limits
from governance.models import Judge
from judging.models import (
    Assignment,
    Report,
    Vote,
)
from judging.objections import report_problem
from tests.arena_site.test_judging_pages import ballot_fields, page_of
from tests.battles.factories import (
    lane_of,
    make_judge,
    make_task,
    make_votable,
    minutes_ago,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("a_named_operator", "nothing_comes_back")]

JSON = {"Accept": "application/json"}
HTMX = {"HX-Request": "true"}


# ---- Reported practice battles


def test_visitors_who_agreed_to_nothing_cannot_take_practice_battles_away(visitor):
    battles = [make_votable(kind=Battle.Kind.PRACTICE) for _ in range(3)]
    for battle in battles:
        for what, fields in (("report", {"kind": "broken"}), ("skip", {"reason": "other"}), ("impossible", {})):
            answer = Client().post(f"{page_of(battle)}/{what}", fields)
            assert answer.status_code == 403
            assert "tick the box" in answer.content.decode()
    assert not Report.objects.exists()
    assert not Assignment.objects.exists()
    assert Judge.objects.filter(receipts__isnull=True).count() == 0
    assert visitor.get("/judge").url == page_of(battles[0])


def test_the_forms_that_are_no_vote_carry_the_consent_sentence_until_it_is_agreed_to(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    page = visitor.get(page_of(battle))
    panel = page.content.decode().split('id="not-this-one"')[1].split("Close")[0]
    assert panel.count("<form") == panel.count('name="consent_sha256"') == 2
    consent = {"consent": "yes", "consent_sha256": page.context["consent"]["sha256"]}
    assert visitor.post(f"{page_of(battle)}/skip", {"reason": "other"} | consent).url == "/judge"
    other = make_votable(kind=Battle.Kind.PRACTICE)
    panel = visitor.get(page_of(other)).content.decode().split('id="not-this-one"')[1].split("Close")[0]
    assert 'name="consent' not in panel


def test_a_reported_practice_battle_is_shown_and_handed_to_nobody(as_judge, visitor):
    reported, other = (make_votable(kind=Battle.Kind.PRACTICE) for _ in range(2))
    reporter = make_judge()
    assert as_judge(reporter).post(f"{page_of(reported)}/report", {"kind": "private"}).status_code == 302
    Battle.objects.filter(pk=reported.pk).update(created_at=other.created_at + timedelta(seconds=1))
    frame = lane_of(reported, "A").frames.first()
    for client in (visitor, as_judge(make_judge()), as_judge(reporter)):
        assert client.get(page_of(reported)).status_code == 404
        assert client.get(f"{page_of(reported)}/frames/{frame.pk}").status_code == 404
        assert client.post(f"{page_of(reported)}/vote", ballot_fields(reported)).status_code in {302, 404}
        assert client.get("/judge").url == page_of(other)
        assert client.get("/judge/practice").url == page_of(other)
        assert client.get("/").context["practice_battle"].id == str(other.pk)
    assert not Vote.objects.filter(battle=reported).exists()


def test_the_first_page_shows_nothing_rather_than_what_was_reported(visitor):
    reported = make_votable(kind=Battle.Kind.PRACTICE)
    report_problem(battle=reported, judge=make_judge(), kind="private")
    page = visitor.get("/")
    assert page.status_code == 200
    assert page.context["practice_battle"] is None


@pytest.mark.parametrize(("what", "fields"), [("report", {"kind": "broken"}), ("skip", {"reason": "other"})])
def test_what_is_no_vote_has_the_limit_of_every_contribution(as_judge, monkeypatch, what, fields):
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", 2)
    client = as_judge(make_judge())
    battles = [make_votable(kind=Battle.Kind.PRACTICE) for _ in range(3)]
    answers = [client.post(f"{page_of(battle)}/{what}", fields) for battle in battles]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2].headers["Retry-After"]) > 0


# ---- One's own battle can wait


def test_ones_own_battle_can_be_put_aside_and_stays_reachable(as_judge, ready, waiting):
    own = make_votable(task=make_task(ready))
    client = as_judge(ready)
    page = client.get("/judge", follow=True)
    assert f'action="{page_of(own)}/later"' in page.content.decode()
    assert client.post(f"{page_of(own)}/later").url == "/judge"
    assert client.get("/judge").url == page_of(waiting)
    client.post(f"{page_of(waiting)}/skip", {"reason": "other"})
    assert "put aside" in client.get("/judge").content.decode()
    assert page_of(own) in client.get("/judge/me").content.decode()
    assert client.post(f"{page_of(own)}/vote", ballot_fields(own)).status_code == 302


def test_several_own_battles_are_put_aside_one_by_one(as_judge, ready, waiting):
    client = as_judge(ready)
    for own in [make_votable(task=make_task(ready)) for _ in range(3)]:
        assert client.get("/judge").url == page_of(own)
        client.post(f"{page_of(own)}/later")
    assert client.get("/judge").url == page_of(waiting)


def test_only_ones_own_battle_that_waits_for_a_vote_can_be_put_aside(as_judge, ready, waiting):
    client = as_judge(ready)
    client.get("/judge")
    assert "/later" not in client.get(page_of(waiting)).content.decode()
    assert client.post(f"{page_of(waiting)}/later").status_code == 409
    assert as_judge(make_judge()).post(f"{page_of(waiting)}/later").status_code == 404


@pytest.mark.parametrize("fault", ["leaked", "unscannable", "void", "reported", "withdrawn"])
def test_an_own_battle_that_rates_nobody_never_stands_in_the_way(as_judge, ready, waiting, fault):
    own = make_votable(task=make_task(ready))
    mine = Battle.objects.filter(pk=own.pk)
    if fault == "reported":
        report_problem(battle=own, judge=ready, kind="broken")
    elif fault == "void":
        mine.update(state="void", voided_at=minutes_ago(1))
    elif fault == "withdrawn":
        Task.objects.filter(pk=own.task_id).update(withdrawn_at=minutes_ago(1))
    else:
        mine.update(leak_scan=fault)
    assert as_judge(ready).get("/judge").url == page_of(waiting)


# ---- Changing costs what saying does


def test_changing_votes_and_verdicts_meets_the_same_429(as_judge, ready, waiting, monkeypatch):
    client = as_judge(ready)
    client.get("/judge")
    lane = str(lane_of(waiting, "A").pk)
    client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting))
    client.post(f"{page_of(waiting)}/verdict", {"lane": lane, "step": "1", "verdict": "wrong"}, headers=JSON)
    monkeypatch.setattr(limits, "LABELS_AN_HOUR", 5)
    vote = client.post(f"{page_of(waiting)}/vote", ballot_fields(waiting, "B", idempotency_key="key-2"))
    verdict = client.post(f"{page_of(waiting)}/verdict", {"lane": lane, "step": "1", "verdict": "unsafe"}, headers=JSON)
    assert (vote.status_code, verdict.status_code) == (429, 429)
    assert int(vote.headers["Retry-After"]) > 0
    assert int(verdict.headers["Retry-After"]) > 0
