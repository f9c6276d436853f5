"""The ledger as everybody can read it."""

import base64
import hashlib
import json

import pytest

from governance.ledger import merkle
from governance.ledger.checkpoints import add_witness, rotate_key, sign_head
from governance.ledger.entries import tree_root
from governance.ledger.notes import VerifierKey, read_checkpoint, read_note, verify
from governance.models import LedgerCheckpoint, LedgerEntry
from tests.governance.ledger.tampering import enter, tamper
from tests.governance.ledger.test_checkpoints import WITNESS_KEY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("key_folder")]

ADDRESS = "/api/ledger/"


def hashes(answer):
    return [bytes.fromhex(step) for step in answer["hashes"]]


def test_a_stranger_can_follow_everything_from_the_key_to_an_entry(client):
    enter(6)
    note = read_note(client.get(f"{ADDRESS}checkpoint").content.decode())
    published = client.get(f"{ADDRESS}keys").json()
    key = VerifierKey.read(published["keys"][0]["key"])
    assert verify(note.text, note.lines[0], key)
    head = read_checkpoint(note.text)
    assert (published["origin"], head.size) == (head.origin, 7)
    for index in range(head.size):
        entry = client.get(f"{ADDRESS}entries", {"index": index}).json()["entries"][0]
        leaf = hashlib.sha256(b"\x00" + entry["text"].encode()).digest()
        assert leaf.hex() == entry["leaf_hash"]
        for query in ({"index": index}, {"leaf": leaf.hex()}):
            proof = client.get(f"{ADDRESS}inclusion", query | {"size": head.size}).json()
            assert (proof["index"], proof["size"]) == (index, head.size)
            assert merkle.verify_inclusion(leaf, index, head.size, hashes(proof), head.root)


def test_yesterdays_head_is_a_prefix_of_todays(client):
    enter(4)
    before = read_checkpoint(read_note(client.get(f"{ADDRESS}checkpoint").content.decode()).text)
    enter(3)
    now = read_checkpoint(read_note(client.get(f"{ADDRESS}checkpoint").content.decode()).text)
    proof = client.get(f"{ADDRESS}consistency", {"first": before.size, "second": now.size}).json()
    assert merkle.verify_consistency(before.size, now.size, hashes(proof), before.root, now.root)
    again = client.get(f"{ADDRESS}checkpoint", {"size": before.size}).content.decode()
    assert read_checkpoint(read_note(again).text) == before


def test_a_head_is_text_and_its_root_is_that_of_the_tree(client):
    enter(1)
    answer = client.get(f"{ADDRESS}checkpoint")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    size, root = answer.content.decode().splitlines()[1:3]
    assert base64.b64decode(root) == tree_root(int(size))


def test_entries_come_in_ranges_with_their_text_as_it_was_hashed(client):
    enter(5)
    sign_head()
    rows = client.get(f"{ADDRESS}entries", {"start": 1, "end": 4}).json()["entries"]
    assert [row["index"] for row in rows] == [1, 2, 3]
    assert [row["text"] for row in rows] == list(
        LedgerEntry.objects.filter(index__in=[1, 2, 3]).order_by("index").values_list("text", flat=True)
    )


def test_keys_and_witnesses_are_published_with_the_one_in_force(client):
    sign_head()
    rotate_key(actor="operator:test", reason="x")
    add_witness(key=WITNESS_KEY, actor="operator:test", reason="x")
    published = client.get(f"{ADDRESS}keys").json()
    assert [key["in_force"] for key in published["keys"]] == [False, True]
    assert [witness["key"] for witness in published["witnesses"]] == [WITNESS_KEY]
    assert published["cosigned"] is None
    assert {VerifierKey.read(key["key"]).signature_type for key in published["keys"]} == {1}


@pytest.mark.parametrize(
    "path", ["checkpoint", "entries?start=0&end=2", "inclusion?index=1", "consistency?first=1&second=3", "keys"]
)
def test_what_did_not_change_is_not_sent_twice(client, path):
    enter(3)
    first = client.get(ADDRESS + path)
    assert first.status_code == 200
    again = client.get(ADDRESS + path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.head(ADDRESS + path).status_code == 200
    assert "Set-Cookie" not in first.headers
    assert not first.cookies


def test_what_can_never_change_may_be_kept_for_good(client):
    enter(3)
    sign_head()
    for path in ("entries?index=0", "inclusion?index=1&size=3", "consistency?first=1&second=3"):
        assert "immutable" in client.get(ADDRESS + path).headers["Cache-Control"]
    for path in ("checkpoint", "inclusion?index=1", "keys"):
        assert client.get(ADDRESS + path).headers["Cache-Control"] == "public, no-cache"


REFUSED = [
    ("checkpoint?size=x", 400, "parameter_refused"),
    ("checkpoint?size=99", 404, "no_such_checkpoint"),
    ("checkpoint?sise=1", 400, "unknown_parameter"),
    ("entries", 400, "parameter_missing"),
    ("entries?start=0", 400, "parameter_missing"),
    ("entries?start=2&end=2", 400, "parameter_refused"),
    ("entries?start=0&end=257", 400, "parameter_refused"),
    ("entries?start=0&end=5", 404, "no_such_entry"),
    ("entries?index=4", 404, "no_such_entry"),
    ("entries?index=0&start=0", 400, "parameter_refused"),
    ("inclusion", 400, "parameter_missing"),
    ("inclusion?index=-1", 400, "parameter_refused"),
    ("inclusion?index=01", 400, "parameter_refused"),
    ("inclusion?index=+1", 400, "parameter_refused"),
    ("inclusion?index=1.0", 400, "parameter_refused"),
    ("inclusion?index=%D9%A1", 400, "parameter_refused"),
    ("inclusion?index=1&index=2", 400, "parameter_twice"),
    ("inclusion?index=1&leaf=" + "0" * 64, 400, "parameter_refused"),
    ("inclusion?leaf=" + "0" * 64, 404, "no_such_entry"),
    ("inclusion?leaf=" + "A" * 64, 400, "parameter_refused"),
    ("inclusion?index=4", 404, "no_such_entry"),
    ("inclusion?index=1&size=99", 404, "no_such_size"),
    ("inclusion?index=1&size=999999999999999999", 404, "no_such_size"),
    ("inclusion?index=1&size=9999999999999999999999", 400, "parameter_refused"),
    ("inclusion?index=2&size=2", 404, "no_such_entry"),
    ("consistency?first=1", 400, "parameter_missing"),
    ("consistency?first=0&second=2", 404, "no_such_size"),
    ("consistency?first=3&second=2", 404, "no_such_size"),
    ("consistency?first=1&second=99", 404, "no_such_size"),
    ("keys?all=1", 400, "unknown_parameter"),
]


@pytest.mark.parametrize(("path", "status", "code"), REFUSED)
def test_a_wrong_question_is_refused_in_words_and_never_answered_otherwise(client, path, status, code):
    enter(3)
    sign_head()
    answer = client.get(ADDRESS + path)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(problem) - {"field"} == {"type", "title", "status", "code", "detail"}


def test_nothing_can_be_written(client):
    for path in ("checkpoint", "entries", "inclusion", "consistency", "keys"):
        answer = client.post(ADDRESS + path)
        assert (answer.status_code, answer.json()["code"], answer.headers["Allow"]) == (405, "only_read", "GET, HEAD")


def test_our_own_trouble_is_told_to_the_log_and_not_to_the_visitor(client, key_folder, caplog):
    (key_folder / "ledger_key").write_text("no key")
    (key_folder / "ledger_key").chmod(0o644)
    answer = client.get(f"{ADDRESS}checkpoint")
    assert answer.status_code == 503
    assert str(key_folder) not in answer.content.decode()
    assert str(key_folder) in caplog.text


def test_a_rewritten_ledger_is_not_vouched_for(client):
    enter(3)
    sign_head()
    tamper("governance_ledgerentry", "UPDATE governance_ledgerentry SET subtrees[2] = %s WHERE index = 3", ["0" * 64])
    enter(1)
    assert client.get(f"{ADDRESS}checkpoint").status_code == 503
    assert LedgerCheckpoint.objects.count() == 1


@pytest.mark.parametrize(
    ("table", "statement", "path"),
    [
        ("ledgerentry", "DELETE FROM governance_ledgerentry WHERE index = 3", "inclusion?index=3&size=5"),
        ("ledgerentry", "DELETE FROM governance_ledgerentry WHERE index = 1", "inclusion?index=3&size=5"),
        (
            "ledgerentry",
            "UPDATE governance_ledgerentry SET leaf_hash = 'zz' WHERE index = 2",
            "inclusion?index=2&size=5",
        ),
        ("ledgerentry", "UPDATE governance_ledgerentry SET subtrees = '{}'", "consistency?first=3&second=5"),
        ("ledgersignature", "UPDATE governance_ledgersignature SET signature = 'zz'", "checkpoint?size=4"),
        ("ledgerkey", "UPDATE governance_ledgerkey SET key_id = 'zz'", "checkpoint?size=4"),
        ("ledgerkey", "UPDATE governance_ledgerkey SET public_key = 'zz'", "keys"),
        ("ledgercheckpoint", "UPDATE governance_ledgercheckpoint SET text = 'nothing'", "entries?index=0"),
    ],
)
def test_a_damaged_row_is_told_to_the_log_and_breaks_no_page(client, caplog, table, statement, path):
    enter(3)
    sign_head()
    enter(2)
    tamper(f"governance_{table}", statement)
    answer = client.get(ADDRESS + path)
    assert (answer.status_code, answer.json()["code"]) == (503, "ledger_damaged")
    assert "manage.py" not in answer.content.decode()
    assert "verify_ledger" in caplog.text


def test_nothing_of_a_person_is_in_any_answer(client):
    journal = enter(2)[0]
    pages = [
        client.get(ADDRESS + path).content.decode()
        for path in ("checkpoint", "entries?start=0&end=3", "inclusion?index=0", "consistency?first=1&second=3", "keys")
    ]
    for secret in (str(journal.pk), journal.actor, journal.subject):
        assert not any(secret in page for page in pages)
    assert [sorted(json.loads(row["text"])) for row in json.loads(pages[1])["entries"]] == [
        ["at", "detail", "kind", "record", "subject"]
    ] * 3
