"""What was asked under a key and stopped by somebody else's locks: it is done, and nothing of the first try stays."""

import json
from functools import partial

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client, RequestFactory

from arena_site import posting
from arena_site.accounts.models import Attempt, KeptAnswer, ProofRecord, SessionStore, SignInSession
from arena_site.seed import seed
from arena_site.views.withdraw import take_back
from battles.models import Battle, Task
from governance.consent import current_text
from governance.models import Judge, Withdrawal
from judging.identity import contribution, current_judge, ensure_judge, prepare_identity
from judging.models import Vote
from tests.arena_site.accounts.people import identifier_in
from tests.arena_site.rest.scripts import make_owner, script_of
from tests.battles.factories import make_judge, make_task, make_votable
from tests.governance.stopping import lock, stopped_once

in_one_transaction = pytest.mark.django_db
committing = pytest.mark.django_db(transaction=True)

TASK = {
    "instruction": "Find out when the town library opens on Saturdays.",
    "start_url": "https://library.example.org/",
}


def end_this_transaction() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'waited' USING ERRCODE = '40P01'; END $$")


@committing
@pytest.mark.parametrize("key", ["", "k-1"])
def test_a_withdrawal_that_was_stopped_is_done_when_it_is_answered(key):
    owner = make_owner()
    battle = make_votable(task=make_task(owner[1]))
    withdraws = partial(script_of(owner).post, "/api/withdrawals", {"what": "everything"}, key=key)
    answer = stopped_once(withdraws, at=battle, meanwhile=lambda: lock(owner[1]))
    assert answer.status_code == 201
    withdrawal = Withdrawal.objects.get()
    assert answer.json()["id"] == str(withdrawal.pk)
    assert withdrawal.corpus_done_at is not None
    assert Task.objects.get().instruction == ""
    assert not KeptAnswer.objects.exists()


@committing
@pytest.mark.parametrize(("key", "status", "received"), [("", 201, 1), ("k-1", 503, 0)])
def test_a_withdrawal_that_cannot_be_acted_on_waits_where_it_is_stored_and_is_refused_where_it_is_not(
    monkeypatch, key, status, received
):
    script = script_of(make_owner())
    script.client.raise_request_exception = False
    monkeypatch.setattr("arena_site.views.withdraw.act_on", lambda **_: end_this_transaction())
    sent, named = {"what": "everything"}, {"Idempotency-Key": key} if key else {}
    answer = script.client.post(
        "/api/withdrawals", json.dumps(sent), content_type="application/json", headers=script.headers | named
    )
    assert answer.status_code == status
    assert Withdrawal.objects.filter(corpus_done_at=None).count() == received
    assert not KeptAnswer.objects.exists()


@committing
def test_a_first_contribution_that_was_stopped_makes_its_judge_again():
    seed()
    practice = make_votable(kind=Battle.Kind.PRACTICE)
    browser = Client()
    browser.get("/battles/new")
    body = json.dumps({"choice": "tie", "consent": current_text().sha256})
    votes = partial(
        browser.post,
        f"/api/battles/{practice.pk}/vote",
        body,
        content_type="application/json",
        headers={"Idempotency-Key": "k-1"},
    )
    new = identifier_in(browser)
    assert not Judge.objects.filter(pk=new).exists()
    answer = stopped_once(votes, at=practice, meanwhile=lambda: Judge.objects.get_or_create(pk=new))
    assert answer.status_code == 200, answer.content
    assert Vote.objects.get().judge_id == identifier_in(browser) == new


@committing
@pytest.mark.parametrize("stops", [1, 3])
def test_a_first_task_that_was_stopped_is_posted_or_leaves_nothing(monkeypatch, stops):
    seed()
    posts, tries = posting._post, []

    def stopped(*about):
        tries.append(about)
        if len(tries) <= stops:
            end_this_transaction()
        return posts(*about)

    monkeypatch.setattr(posting, "_post", stopped)
    browser = Client(raise_request_exception=False)
    browser.get("/battles/new")
    body = json.dumps(TASK | {"consent": current_text().sha256})
    before = Judge.objects.count()
    answer = browser.post("/api/battles", body, content_type="application/json", headers={"Idempotency-Key": "k-1"})
    posted = int(stops == 1)
    assert answer.status_code == (201 if posted else 503)
    assert len(tries) == stops + posted
    assert Judge.objects.count() - before == posted
    # What was counted against the sender is counted once.
    assert ProofRecord.objects.count() == Attempt.objects.filter(kind="unverified task").count() == posted


@in_one_transaction
def test_whoever_became_a_judge_in_what_was_undone_is_none_and_keeps_the_identifier(rf: RequestFactory):
    request = rf.post("/")
    drawn = prepare_identity(request)

    def become_a_judge_in_vain():
        with contribution(request):
            ensure_judge(request)
            end_this_transaction()

    with pytest.raises(OperationalError):
        become_a_judge_in_vain()
    assert current_judge(request) is None
    with contribution(request):
        ensure_judge(request)
    assert current_judge(request) == Judge.objects.get(pk=drawn)


@in_one_transaction
def test_drafts_go_with_the_withdrawal_and_not_before(rf: RequestFactory, django_capture_on_commit_callbacks):
    request = rf.post("/")
    request.judge = make_judge()
    request.session = SessionStore()
    request.session["drafts"] = {"new": "instruction=typed"}
    request.session.save()
    with transaction.atomic():
        take_back(request, what="everything", code="")
        transaction.set_rollback(True)
    assert request.session.session_key
    assert SignInSession.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        take_back(request, what="everything", code="")
    assert not SignInSession.objects.exists()
