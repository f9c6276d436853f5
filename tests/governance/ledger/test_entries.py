"""What enters the ledger, what of it is public, and that entries and what they record stand and fall together."""

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from governance.consent import current_text, give_consent
from governance.journal import record
from governance.ledger import merkle
from governance.ledger.checkpoints import sign_head
from governance.ledger.entries import (
    NoSuchEntry,
    NoSuchSize,
    canonical,
    consistency_proof,
    enter_missing,
    entry_of_leaf,
    inclusion_proof,
    journal_digest,
    tree_root,
    tree_size,
)
from governance.ledger.kinds import NotPublic, ledger_kinds
from governance.ledger.verification import verify_ledger
from governance.models import JournalEntry, Judge, LedgerEntry
from governance.withdrawals import withdraw_everything
from judging.trust import suspend_judge
from tests.governance.ledger.tampering import ROSTER, enter, tamper
from tests.governance.ledger.test_merkle import head, path, subproof

pytestmark = [pytest.mark.django_db, pytest.mark.production]

CHECKOUT = Path(__file__).parents[3]


def told(index=-1):
    return json.loads(list(LedgerEntry.objects.order_by("index"))[index].text)


def test_what_people_must_be_able_to_hold_us_to_enters():
    assert set(ledger_kinds()) >= {
        "governance:consent_text:archive",
        "governance:withdrawal:done",
        "governance:ledger_key:add",
        "battles:agent:roster",
        "battles:agent:retire",
        "judging:judge:trusted",
        "judging:judge:untrusted",
        "judging:judge:suspended",
        "ratings:exclusion_rules:change",
        "ratings:publication:publish",
    }


def test_a_consent_text_enters_under_the_digest_of_its_sentence():
    text = current_text()
    entry = told()
    assert sorted(entry) == ["at", "detail", "kind", "record", "subject"]
    assert (entry["kind"], entry["subject"]) == ("governance:consent_text:archive", text.sha256)
    assert entry["record"] == journal_digest(JournalEntry.objects.get(action="governance:consent_text:archive"))


def test_an_entry_is_written_in_one_way_only():
    assert canonical({"b": 1, "a": "é", "c": None}) == '{"a":"é","b":1,"c":null}'


def test_who_agreed_when_does_not_enter():
    text = current_text()
    before = tree_size()
    give_consent(judge=Judge.objects.create(), text=text, rendered=text.sentence)
    assert tree_size() == before


def test_a_change_of_trust_says_neither_whose_nor_why():
    judge = Judge.objects.create()
    suspend_judge(judge=judge, actor="operator:alice", reason="Votes of Mallory")
    text = LedgerEntry.objects.get().text
    assert told()["kind"] == "judging:judge:suspended"
    assert (told()["subject"], told()["detail"]) == (None, {})
    assert not [word for word in (judge.pk, "alice", "Mallory") if word in text]


def test_a_withdrawal_says_what_kind_and_how_many():
    judge = Judge.objects.create()
    withdrawal = withdraw_everything(judge=judge)
    assert told()["detail"] == {"removed": withdrawal.removed, "scope": "everything"}
    assert judge.pk not in LedgerEntry.objects.get().text


def test_a_record_can_be_shown_to_be_the_one_and_cannot_be_guessed():
    """The digest is over the row's identifier too, which nobody outside knows."""
    first, second = enter(1)[0], enter(1)[0]
    assert first.subject == second.subject
    assert journal_digest(first) != journal_digest(second)


def test_words_that_a_person_wrote_never_enter():
    with pytest.raises(NotPublic), transaction.atomic():
        record(actor="system:test", action="governance:withdrawal:done", subject="1", removed={"vote": "I, Mallory!"})
    with pytest.raises(NotPublic), transaction.atomic():
        record(actor="system:test", action="governance:withdrawal:done", subject="1", removed=["vote"])
    assert not LedgerEntry.objects.exists()
    assert not JournalEntry.objects.exists()


def test_an_entry_and_what_it_records_go_together():
    with transaction.atomic():
        enter(3)
        transaction.set_rollback(True)
    assert (tree_size(), JournalEntry.objects.count()) == (0, 0)
    enter(1)
    assert tree_size() == 1


def test_numbers_that_the_database_writes_otherwise_do_not_matter():
    record(actor="system:test", action=ROSTER, subject="a", large=1e16, small=-0.0, several=(1, 2), keyed={10: 1, 9: 2})
    assert verify_ledger().problems == []


def test_the_stored_tree_is_the_one_that_the_rfc_defines():
    enter(21)
    texts = [entry.text.encode() for entry in LedgerEntry.objects.order_by("index")]
    for size in range(22):
        assert tree_root(size) == head(texts[:size])
    for size in (1, 2, 7, 8, 13, 21):
        for index in range(size):
            proof = inclusion_proof(index=index, size=size)
            assert list(proof.hashes) == path(index, texts[:size])
            assert proof.leaf == merkle.leaf_hash(texts[index])
            assert entry_of_leaf(proof.leaf) == index
            assert consistency_proof(first=index + 1, second=size) == subproof(index + 1, texts[:size], True)


def test_an_append_asks_the_database_equally_often_however_large_the_tree():
    enter(1)
    asked = []
    for size in (2, 33):
        enter(size - tree_size())
        with CaptureQueriesContext(connection) as queries:
            enter(1)
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_proofs_of_what_is_not_there_are_refused():
    enter(3)
    with pytest.raises(NoSuchSize):
        tree_root(4)
    with pytest.raises(NoSuchEntry):
        inclusion_proof(index=2, size=2)
    with pytest.raises(NoSuchSize):
        consistency_proof(first=0, second=3)
    with pytest.raises(NoSuchEntry):
        entry_of_leaf(bytes(32))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE governance_ledgerentry SET text = '{}'",
        "DELETE FROM governance_ledgerentry",
        "TRUNCATE governance_ledgerentry",
        "UPDATE governance_ledgerkey SET name = 'other'",
        "DELETE FROM governance_ledgercheckpoint",
        "DELETE FROM governance_ledgersignature",
    ],
)
def test_the_database_itself_keeps_the_ledger_from_being_changed(statement, key_folder):
    enter(1)
    sign_head()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            cursor.execute(statement)


def test_what_happened_before_the_ledger_is_entered_late_and_says_so():
    enter(4)
    tamper("governance_ledgerentry", "DELETE FROM governance_ledgerentry")
    assert len(verify_ledger().problems) == 4
    late = enter_missing()
    assert [entry.index for entry in late] == [0, 1, 2, 3]
    assert [entry.journal for entry in late] == list(JournalEntry.objects.order_by("at", "pk"))
    assert told(0)["detail"] == {"entered_late": True}
    assert verify_ledger().problems == []
    assert enter_missing() == []
    enter(1)
    assert told()["detail"] == {}


@pytest.mark.django_db(transaction=True)
def test_a_migration_enters_what_is_missing():
    enter(2)
    tamper("governance_ledgerentry", "DELETE FROM governance_ledgerentry")
    call_command("migrate", verbosity=0)
    assert tree_size() == 2
    assert verify_ledger().whole


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_make_one_tree():
    unexpected = []
    barrier = threading.Barrier(8)

    def append(number):
        try:
            barrier.wait(timeout=30)
            for _ in range(5):
                enter(1)
        except Exception as problem:
            unexpected.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert unexpected == []
    assert list(LedgerEntry.objects.values_list("index", flat=True)) == list(range(40))
    assert verify_ledger().problems == []
    texts = [entry.text.encode() for entry in LedgerEntry.objects.order_by("index")]
    assert tree_root(40) == head(texts)


APPENDING = """
import sys, time
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()
from django.db import transaction
from governance.journal import record

def append():
    record(actor="operator:test", action="battles:agent:roster", subject="killed")

if sys.argv[2] == "held":
    with transaction.atomic():
        append()
        print("appended", flush=True)
        time.sleep(120)
while True:
    append()
    print("appended", flush=True)
"""


@contextmanager
def appending(how):
    """Another process that appends, and is killed in the middle of it at the end of the block."""
    name = connection.settings_dict["NAME"]
    command = [sys.executable, "-c", APPENDING, name, how]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "arena_site.settings"}
    with subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_between_append_and_commit_leaves_nothing():
    enter(3)
    with appending("held") as process:
        assert process.stdout.readline() == "appended\n"
        assert tree_size() == 3
    enter(1)
    assert list(LedgerEntry.objects.values_list("index", flat=True)) == [0, 1, 2, 3]
    assert not JournalEntry.objects.filter(subject="killed").exists()
    assert verify_ledger().problems == []


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_while_it_appends_leaves_no_gap():
    with appending("always") as process:
        for _ in range(12):
            assert process.stdout.readline() == "appended\n"
    enter(1)
    indexes = list(LedgerEntry.objects.values_list("index", flat=True))
    assert len(indexes) >= 13
    assert indexes == list(range(len(indexes)))
    assert JournalEntry.objects.count() == len(indexes)
    assert verify_ledger().problems == []
