"""Sending the same again: one key makes one thing, its answer is kept, and nothing a person typed is kept with it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx2
import pytest
from django.apps import apps
from django.db import connection, connections, transaction
from django.utils import timezone

from arena_site.accounts.models import KeptAnswer
from arena_site.rest import repeats
from arena_site.seed import seed
from battles.models import Battle, Task
from governance.consent import current_text
from judging.models import Annotation, RefusedVote, Vote
from judging.votes import Ballot, cast_vote, lock_vote
from tests.arena_site.rest.scripts import make_owner, problem, script_of, seated_owner, token_of
from tests.battles.factories import lane_of, make_task, make_votable
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer

in_one_transaction = pytest.mark.django_db
committing = pytest.mark.django_db(transaction=True)

TASK = {
    "instruction": "Find out when the town library opens on Saturdays.",
    "start_url": "https://library.example.org/",
}


@in_one_transaction
def test_the_same_key_gets_the_same_answer_and_makes_one_thing(seeded):
    script = script_of(make_owner())
    first, second = (script.post("/api/battles", TASK, key="k-1") for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert first.headers["Location"] == second.headers["Location"] == f"/api/battles/{Battle.objects.get().pk}"
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert script.get(second.headers["Location"]).status_code == 200


@in_one_transaction
def test_a_quoted_key_is_the_same_key_and_white_space_of_the_body_says_nothing(seeded):
    script = script_of(make_owner())
    script.post("/api/battles", TASK, key="k-1")
    again = script.post(
        "/api/battles",
        b' {"start_url": "%b", "instruction": "%b"}'
        % tuple(TASK[name].encode() for name in ("start_url", "instruction")),
        key='"k-1"',
    )
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Battle.objects.count() == 1


@in_one_transaction
def test_the_same_key_with_another_body_or_address_is_refused(seeded):
    script = script_of(make_owner())
    script.post("/api/battles", TASK, key="k-1")
    other = script.post("/api/battles", TASK | {"category": "research"}, key="k-1")
    assert problem(other) == (422, "idempotency_key_reused")
    battle = Battle.objects.get()
    assert problem(script.post(f"/api/battles/{battle.pk}/offer", TASK | {}, key="k-1"))[0] in {400, 422}
    assert problem(script.post("/api/withdrawals", {"what": "kind:task"}, key="k-1")) == (422, "idempotency_key_reused")
    assert Task.objects.count() == 1


@in_one_transaction
def test_keys_are_each_persons_own(seeded):
    for _ in range(2):
        answer = script_of(make_owner()).post("/api/battles", TASK, key="k-1")
        assert "Idempotency-Replayed" not in answer.headers
    assert Battle.objects.count() == 2


@in_one_transaction
@pytest.mark.parametrize("key", [" ", "k" * 81, "schlüssel", '""', "a\tb"])
def test_what_can_be_no_key_is_said_before_anything_is_made(seeded, key):
    answer = script_of(make_owner()).post("/api/battles", TASK, key=key)
    assert problem(answer) == (400, "bad_idempotency_key")
    assert not Battle.objects.exists()


@in_one_transaction
def test_a_refusal_is_not_kept_so_that_the_key_is_good_once_the_reason_is_gone(seeded):
    script = script_of(make_owner(consented=False))
    assert problem(script.post("/api/battles", TASK, key="k-1")) == (403, "consent_needed")
    assert not KeptAnswer.objects.exists()
    assert script.post("/api/battles", TASK | {"consent": current_text().sha256}, key="k-1").status_code == 201


@in_one_transaction
def test_after_a_day_a_key_is_new(seeded):
    owner = make_owner()
    battle = make_votable(task=make_task(owner[1]))
    script, path = script_of(owner), f"/api/battles/{battle.pk}/annotations"
    frame = str(lane_of(battle, "A").frames.first().pk)
    box = {"frame": frame, "x": 0.1, "y": 0.1, "width": 0.2, "height": 0.2, "tag": "wrong_target"}
    first = script.post(path, box, key="k-1")
    KeptAnswer.objects.update(at=timezone.now() - timedelta(hours=24))
    second = script.post(path, box, key="k-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in second.headers
    # The use case still knows the same box.
    assert Annotation.objects.count() == 1


@in_one_transaction
def test_neither_key_nor_body_nor_words_are_kept(seeded):
    words = TASK["instruction"].replace("library", "zanzibar")
    script_of(make_owner()).post("/api/battles", TASK | {"instruction": words}, key="my-own-words")
    row = repr(list(KeptAnswer.objects.values()))
    assert "zanzibar" not in row
    assert "my-own-words" not in row


@in_one_transaction
def test_nothing_is_kept_for_somebody_who_is_forgotten_by_the_very_request(seeded):
    owner = make_owner()
    script = script_of(owner)
    script.post("/api/battles", TASK, key="k-1")
    assert script.post("/api/withdrawals", {"what": "everything"}, key="k-2").status_code == 201
    assert not KeptAnswer.objects.exists()
    rows = "\n".join(repr(row) for model in apps.get_models() for row in model._default_manager.values_list())
    assert owner[0].username not in rows


@in_one_transaction
def test_what_a_refusal_stores_stays_stored_under_a_key(seeded, a_named_operator):
    """C12: one seat, whose judge locked; the submitter had the page open and posts late."""
    submitter = make_owner()
    battle = offer(make_votable(task=make_task(submitter[1])))
    judge = make_signed_in()
    hand_to(battle, judge)
    cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A"))
    lock_vote(battle=battle, judge=judge)
    late = script_of(submitter).post(f"/api/battles/{battle.pk}/vote", {"choice": "tie"}, key="k-1")
    assert problem(late) == (410, "closed")
    assert late.json()["detail"].startswith("This battle closed at ")
    assert [(row.judge, row.reason) for row in RefusedVote.objects.all()] == [(submitter[1], "closed")]
    assert Vote.objects.get().judge == judge
    # And the way on is open.
    assert script_of(submitter).get("/api/judge/next").status_code == 200


@in_one_transaction
def test_a_double_click_is_one_vote(seeded):
    """C10: the same key, then other keys with the same choice."""
    battle = make_votable()
    script = script_of(seated_owner(battle))
    body = {"choice": str(lane_of(battle, "A").pk), "confidence": "high"}
    answers = [script.post(f"/api/battles/{battle.pk}/vote", body, key=key) for key in ("k", "k", "l", "m")]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["id"] for answer in answers} == {str(Vote.objects.get().pk)}
    assert answers[0].content == answers[1].content


@committing
@pytest.mark.parametrize("different", [False, True], ids=["one key", "eight keys"])
def test_eight_at_once_are_one_vote(live_server, different):
    """C10 over HTTP."""
    seed()
    battle = make_votable()
    headers = {"Authorization": f"Bearer {token_of(seated_owner(battle))}"}
    body = {"choice": str(lane_of(battle, "A").pk)}
    barrier = threading.Barrier(8)

    def post(number):
        named = {"Idempotency-Key": f"key-{number if different else 0}"}
        barrier.wait()
        return httpx2.post(f"{live_server.url}/api/battles/{battle.pk}/vote", json=body, headers=headers | named)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(post, range(8)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    said = [answer for answer in answers if answer.status_code == 200]
    assert said
    assert {answer.json()["id"] for answer in said} == {str(Vote.objects.get().pk)}
    assert all(answer.headers["Retry-After"] for answer in answers if answer.status_code == 409)
    if not different:
        assert sum("Idempotency-Replayed" not in answer.headers for answer in said) == 1


@committing
def test_whoever_comes_while_the_first_is_being_answered_is_asked_to_come_again(monkeypatch):
    seed()
    monkeypatch.setattr(repeats, "WAIT_MS", 50)
    owner = make_owner()
    script = script_of(owner)
    script.post("/api/battles", TASK, key="k-1")
    row = KeptAnswer.objects.get()
    KeptAnswer.objects.all().delete()
    held, done = threading.Event(), threading.Event()

    def hold():
        try:
            with transaction.atomic():
                KeptAnswer.objects.create(owner=row.owner, key=row.key, request=row.request)
                held.set()
                done.wait(30)
                transaction.set_rollback(True)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    waiting = script.post("/api/battles", TASK, key="k-1")
    done.set()
    thread.join()
    assert problem(waiting) == (409, "request_in_flight")
    assert int(waiting.headers["Retry-After"]) > 0
    # The lock's patience is that request's alone, and the key is free once the first came to nothing.
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
    assert script.post("/api/battles", TASK, key="k-1").status_code == 201


@in_one_transaction
def test_a_vote_without_a_key_is_taken_all_the_same(seeded):
    battle = make_votable()
    owner = seated_owner(battle)
    assert script_of(owner).post(f"/api/battles/{battle.pk}/vote", {"choice": "tie"}).status_code == 200
    assert not KeptAnswer.objects.exists()
    assert cast_vote(battle=battle, judge=owner[1], ballot=Ballot(choice="tie")) == Vote.objects.get()
