"""The proof of work: signed, of its purpose, for its time, and once; and what its absence means."""

import base64
import json
import threading
from datetime import timedelta

import pytest
import time_machine
from django.db import connections
from django.test import Client
from django.utils import timezone

from arena_site.accounts.limits import UNVERIFIED_TASKS_A_JUDGE
from arena_site.accounts.models import Account, ProofRecord, SpentProof
from arena_site.accounts.proof import VALID_FOR, ProofRefused, challenge_for, check_proof
from arena_site.accounts.sweeping import sweep_accounts
from battles.models import Battle, Task
from tests.arena_site.accounts.people import identifier_in, sign_up, solved

pytestmark = pytest.mark.django_db

VERIFIED, UNVERIFIED = ProofRecord.State.VERIFIED, ProofRecord.State.UNVERIFIED


def altered(text, change):
    payload = json.loads(base64.b64decode(text))
    change(payload)
    return base64.b64encode(json.dumps(payload).encode()).decode()


def refusal_of(text, purpose="sign-up"):
    with pytest.raises(ProofRefused) as refusal:
        check_proof(text, purpose=purpose)
    return refusal.value.code


def test_a_solved_challenge_counts_once():
    proof = solved()
    assert check_proof(proof, purpose="sign-up") == VERIFIED
    assert refusal_of(proof) == "proof_used"


def test_none_at_all_is_the_third_state_and_not_a_refusal():
    assert check_proof("", purpose="task") == UNVERIFIED


def test_a_proof_is_for_one_purpose():
    assert refusal_of(solved("task")) == "proof_forged"


def test_a_proof_expires():
    proof = solved()
    with time_machine.travel(timezone.now() + VALID_FOR + timedelta(seconds=2)):
        assert refusal_of(proof) == "proof_expired"


@pytest.mark.parametrize(
    "change",
    [
        lambda payload: payload["solution"].update(counter=payload["solution"]["counter"] + 1),
        lambda payload: payload["solution"].update(derivedKey="0" * 64),
        lambda payload: payload["challenge"]["parameters"].update(expiresAt=4_000_000_000),
        lambda payload: payload["challenge"]["parameters"].update(keyPrefix="00"),
        lambda payload: payload["challenge"]["parameters"]["data"].update({"for": "task"}),
        lambda payload: payload["challenge"].update(signature="0" * 64),
        lambda payload: payload["challenge"].update(signature=None),
        lambda payload: payload["challenge"].update(signature=payload["challenge"]["signature"].upper()),
        lambda payload: payload["challenge"]["parameters"].update(data=[]),
        lambda payload: payload.pop("solution"),
        lambda payload: payload.update(solution=7),
        lambda payload: payload["solution"].update(counter=1e300),
        lambda payload: payload["solution"].update(counter="7"),
    ],
)
def test_a_forged_proof_is_refused(change):
    assert refusal_of(altered(solved(), change)) == "proof_forged"
    assert not SpentProof.objects.exists()


@pytest.mark.parametrize(
    "text", ["x", "e30=", "bnVsbA==", "W10=", "\u00fc", "A" * 100_000, base64.b64encode(b"[" * 2000).decode(), "\x00"]
)
def test_rubbish_is_refused_and_breaks_nothing(text):
    assert refusal_of(text) == "proof_forged"


def test_a_challenge_is_served_for_known_purposes_only(client):
    answer = client.get("/account/proof", {"for": "task"})
    assert answer.json()["parameters"]["data"]["for"] == "task"
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.get("/account/proof", {"for": "love"}).status_code == 404
    assert challenge_for("task")["parameters"] != challenge_for("task")["parameters"]


@pytest.mark.django_db(transaction=True)
def test_of_one_proof_sent_twice_at_once_one_counts():
    proof, outcomes = solved(), []
    start = threading.Barrier(2)

    def try_it():
        try:
            start.wait(10)
            outcomes.append(check_proof(proof, purpose="sign-up"))
        except ProofRefused as refusal:
            outcomes.append(refusal.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=try_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["proof_used", "verified"]


def test_spent_proofs_are_swept_once_they_have_expired_anyway():
    check_proof(solved(), purpose="sign-up")
    assert sweep_accounts()["proofs"] == 0
    assert sweep_accounts(now=timezone.now() + VALID_FOR + timedelta(minutes=1))["proofs"] == 1


def test_a_task_without_scripts_is_taken_as_unverified(visitor, post_task):
    assert post_task(visitor).status_code == 302
    record = ProofRecord.objects.get()
    assert (record.judge_id, record.state) == (identifier_in(visitor), "unverified")


def test_a_task_with_the_proof_is_verified(visitor, post_task):
    assert post_task(visitor, proof=solved("task")).status_code == 302
    assert ProofRecord.objects.get().state == "verified"


def test_a_task_with_a_bad_proof_is_refused_and_keeps_what_was_typed(visitor, post_task):
    for proof in (solved("sign-up"), "rubbish"):
        answer = post_task(visitor, proof=proof)
        assert answer.status_code == 422
        assert "Please send it again" in answer.content.decode()
        assert "town library" in answer.content.decode()
    assert Battle.objects.count() == 0


def test_a_refused_task_leaves_the_proof_unspent(visitor, post_task):
    proof = solved("task")
    assert post_task(visitor, proof=proof, consent="").status_code == 403
    assert post_task(visitor, proof=proof).status_code == 302
    assert post_task(visitor, proof=proof).status_code == 422


def test_a_double_click_sends_one_proof_twice_and_is_one_task(visitor, post_task):
    proof = solved("task")
    first = post_task(visitor, proof=proof, idempotency_key="form-1")
    assert post_task(visitor, proof=proof, idempotency_key="form-1").url == first.url
    assert Battle.objects.count() == 1
    # The key of a form that was posted is no way around the check for another task.
    other = post_task(visitor, proof=proof, idempotency_key="form-1", instruction="Find the opening hours on Mondays.")
    assert other.status_code == 422


def test_without_the_check_fewer_tasks_an_hour_are_taken(visitor, post_task):
    for _ in range(UNVERIFIED_TASKS_A_JUDGE):
        assert post_task(visitor).status_code == 302
    refused = post_task(visitor)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3601
    assert "town library" in refused.content.decode()
    assert post_task(visitor, proof=solved("task")).status_code == 302
    assert Task.objects.count() == UNVERIFIED_TASKS_A_JUDGE + 1


def test_new_cookies_do_not_get_around_that_from_one_network(seeded, post_task):
    taken = 0
    for _ in range(30):
        client = Client(REMOTE_ADDR="8.8.8.7")
        taken += post_task(client).status_code == 302
    assert taken == 20
    assert post_task(Client(REMOTE_ADDR="8.8.9.7")).status_code == 302


def test_whoever_is_signed_in_needs_no_proof(visitor, post_task):
    sign_up(visitor)
    assert "data-proof" not in visitor.get("/battles/new").content.decode()
    for _ in range(UNVERIFIED_TASKS_A_JUDGE + 1):
        assert post_task(visitor).status_code == 302
    assert Account.objects.count() == 1
