"""Signed heads, the key that signs them and its change, and what witnesses add."""

import json
import stat
import threading
from io import StringIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.db import connection

from governance.errors import Conflict
from governance.ledger import signing_keys
from governance.ledger.checkpoints import (
    LedgerRewritten,
    OriginChanged,
    accept_cosignatures,
    add_witness,
    checkpoint_in_force,
    key_in_force,
    latest_cosigned,
    rotate_key,
    sign_head,
    signed_note,
    verifier_key,
)
from governance.ledger.entries import tree_root, tree_size
from governance.ledger.notes import (
    WITNESS_SIGNATURE,
    Note,
    NoteRefused,
    VerifierKey,
    cosign,
    key_of,
    read_checkpoint,
    read_note,
    sign,
    verify,
)
from governance.ledger.signing_keys import KEY_FILE, NEXT_KEY_FILE, KeyNotHere, KeyRefused
from governance.ledger.verification import verify_ledger
from governance.models import LedgerCheckpoint, LedgerEntry, LedgerKey, LedgerSignature
from tests.governance.ledger.tampering import enter, tamper

pytestmark = [pytest.mark.django_db, pytest.mark.production, pytest.mark.usefixtures("key_folder")]

WITNESS = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
WITNESS_NAME = "witness.example/w1"
WITNESS_KEY = str(key_of(WITNESS, WITNESS_NAME, WITNESS_SIGNATURE))


def rotate(**how):
    return rotate_key(actor="operator:test", reason="A year has passed.", **how)


def signers(checkpoint):
    """Names of keys whose signature under the checkpoint holds."""
    note = signed_note(checkpoint)
    keys = {(key.name, bytes.fromhex(key.key_id)): key for key in LedgerKey.objects.all()}
    found = [keys[line.name, line.key_id] for line in note.lines]
    assert all(verify(note.text, line, verifier_key(key)) for line, key in zip(note.lines, found, strict=True))
    return found


def run(*words, status=0):
    out, err = StringIO(), StringIO()
    if status:
        with pytest.raises(SystemExit) as stopped:
            call_command("ledger", *words, stdout=out, stderr=err)
        assert stopped.value.code == status
    else:
        call_command("ledger", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_head_is_signed_under_the_name_of_the_ledger(settings):
    settings.ARENA_LEDGER_ORIGIN = "arena.example/ledger"
    enter(5)
    checkpoint = checkpoint_in_force()
    told = read_checkpoint(read_note(str(signed_note(checkpoint))).text)
    # The key that signs is an entry of its own.
    assert (told.origin, told.size, told.root) == ("arena.example/ledger", 6, tree_root(6))
    assert signers(checkpoint) == [key_in_force()]


def test_one_size_is_signed_once():
    enter(1)
    first = checkpoint_in_force()
    assert checkpoint_in_force() == sign_head() == first
    enter(1)
    assert checkpoint_in_force().size == first.size + 1
    assert LedgerCheckpoint.objects.count() == LedgerSignature.objects.count() == 2


def test_the_private_key_is_its_owners_only(key_folder):
    sign_head()
    path = key_folder / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    enter(1)
    with pytest.raises(KeyRefused, match="chmod 600"):
        sign_head()


def test_the_key_given_by_the_environment_is_the_one_and_no_file_is_made(settings, key_folder):
    settings.ARENA_LEDGER_KEY = bytes(range(32))
    sign_head()
    assert key_in_force().public_key == key_of(Ed25519PrivateKey.from_private_bytes(bytes(range(32))), "x").public.hex()
    assert list(key_folder.iterdir()) == []


def test_a_host_without_the_key_gives_what_another_one_signed(key_folder, caplog):
    first = checkpoint_in_force()
    (key_folder / KEY_FILE).unlink()
    enter(1)
    assert checkpoint_in_force() == first
    assert "rotate-key" in caplog.text
    with pytest.raises(KeyNotHere):
        sign_head()


def test_a_broken_key_file_says_what_to_do(key_folder):
    (key_folder / KEY_FILE).write_text("no key\n")
    (key_folder / KEY_FILE).chmod(0o600)
    with pytest.raises(KeyRefused, match="32 bytes in base64"):
        sign_head()


def test_the_name_stays(settings):
    sign_head()
    enter(1)
    settings.ARENA_LEDGER_ORIGIN = "other.example/ledger"
    with pytest.raises(OriginChanged, match="localhost/ringside"):
        sign_head()


def test_nothing_is_signed_that_does_not_continue_what_was_signed():
    enter(3)
    sign_head()
    last = tree_size() - 1
    tamper("governance_ledgerentry", "DELETE FROM governance_ledgerentry WHERE index = %s", [last])
    with pytest.raises(LedgerRewritten):
        sign_head()
    enter(2)
    with pytest.raises(LedgerRewritten):
        sign_head()
    assert LedgerCheckpoint.objects.count() == 1


def test_a_new_key_is_vouched_for_by_the_old_one(key_folder):
    enter(2)
    sign_head()
    old, old_file = key_in_force(), (key_folder / KEY_FILE).read_text()
    new = rotate()
    assert key_in_force() == new
    assert {key.pk for key in signers(checkpoint_in_force())} == {old.pk, new.pk}
    entry = json.loads(LedgerEntry.objects.order_by("-index").first().text)
    assert entry["detail"] == {"key_id": new.key_id, "signed_by_the_old": True}
    assert (key_folder / KEY_FILE).read_text() != old_file
    assert [path.name for path in key_folder.iterdir()] == [KEY_FILE]
    enter(1)
    assert signers(checkpoint_in_force()) == [new]
    assert verify_ledger().problems == []


def test_a_change_of_the_given_key_needs_the_old_one_or_that_it_is_lost(settings, key_folder):
    settings.ARENA_LEDGER_KEY = bytes(range(32))
    sign_head()
    old = key_in_force()
    with pytest.raises(KeyRefused, match="Set it to the new key first"):
        rotate()
    settings.ARENA_LEDGER_KEY = bytes(range(1, 33))
    with pytest.raises(KeyNotHere):
        rotate()
    with pytest.raises(KeyRefused, match="not the one in force"):
        rotate(old=Ed25519PrivateKey.generate())
    assert key_in_force() == old
    new = rotate(old=Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
    assert {key.pk for key in signers(checkpoint_in_force())} == {old.pk, new.pk}
    settings.ARENA_LEDGER_KEY = bytes(range(32))
    with pytest.raises(KeyRefused, match="not used again"):
        rotate(lost=True)


def test_after_a_lost_key_the_new_one_signs_alone_and_the_entry_says_so(key_folder):
    sign_head()
    (key_folder / KEY_FILE).unlink()
    with pytest.raises(KeyNotHere):
        rotate()
    new = rotate(lost=True)
    assert signers(checkpoint_in_force()) == [new]
    assert json.loads(LedgerEntry.objects.order_by("-index").first().text)["detail"]["signed_by_the_old"] is False
    assert verify_ledger().problems == []


def test_a_crash_between_the_change_and_the_file_loses_neither(key_folder, monkeypatch):
    sign_head()
    with monkeypatch.context() as crash:
        crash.setattr(signing_keys, "install_next_key", lambda public: None)
        new = rotate()
    assert (key_folder / NEXT_KEY_FILE).exists()
    enter(1)
    assert signers(checkpoint_in_force()) == [new]
    newest = rotate()
    assert {key.pk for key in signers(checkpoint_in_force())} == {new.pk, newest.pk}
    assert not (key_folder / NEXT_KEY_FILE).exists()


def test_there_is_no_change_before_there_is_a_key():
    with pytest.raises(Conflict):
        rotate()


@pytest.mark.django_db(transaction=True)
def test_signing_appending_and_changing_the_key_at_once_wait_for_each_other_and_never_deadlock():
    sign_head()
    unexpected = []
    barrier = threading.Barrier(8)

    def act(number):
        try:
            barrier.wait(timeout=30)
            for _ in range(3):
                (rotate, checkpoint_in_force, lambda: enter(1), sign_head)[number % 4]()
        except Exception as problem:
            unexpected.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert unexpected == []
    checkpoint_in_force()
    report = verify_ledger()
    assert (report.problems, report.entries) == ([], 1 + 6 + 6)


def test_a_witness_signs_under_a_checkpoint_and_both_are_served():
    checkpoint = sign_head()
    add_witness(key=WITNESS_KEY, actor="operator:test", reason="A university.")
    line = cosign(checkpoint.text, WITNESS, WITNESS_NAME, 1_790_000_000)
    note = Note(checkpoint.text, (*signed_note(checkpoint).lines, line))
    assert accept_cosignatures(note=str(note), actor="operator:test").added == (WITNESS_NAME,)
    assert accept_cosignatures(note=str(note), actor="operator:test").known_before == (WITNESS_NAME,)
    assert str(signed_note(checkpoint)) == str(note)
    assert [key.name for key in signers(checkpoint)] == ["localhost/ringside", WITNESS_NAME]
    assert latest_cosigned() == checkpoint.size
    assert verify_ledger().problems == []


def test_what_a_witness_did_not_sign_is_refused():
    checkpoint = sign_head()
    add_witness(key=WITNESS_KEY, actor="operator:test", reason="A university.")
    known = read_note(str(signed_note(checkpoint))).lines[0]
    right = cosign(checkpoint.text, WITNESS, WITNESS_NAME, 1_790_000_000)
    earlier = right.signature[:7] + bytes([right.signature[7] ^ 1]) + right.signature[8:]
    wrong = type(right)(right.name, right.key_id, earlier)
    other_text = checkpoint.text.replace("localhost", "elsewhere")
    for lines, text, code in (
        ((known, wrong), checkpoint.text, "wrong_signature"),
        ((known,), checkpoint.text, "no_witness"),
        ((known, sign(checkpoint.text, WITNESS, "stranger.example")), checkpoint.text, "no_witness"),
        ((cosign(other_text, WITNESS, WITNESS_NAME, 1),), other_text, "not_our_checkpoint"),
    ):
        with pytest.raises(NoteRefused) as refusal:
            accept_cosignatures(note=str(Note(text, lines)), actor="operator:test")
        assert refusal.value.code == code
    assert latest_cosigned() is None


def test_only_a_witnesss_key_makes_a_witness():
    with pytest.raises(NoteRefused, match="type 4"):
        add_witness(key=str(key_of(WITNESS, WITNESS_NAME)), actor="operator:test", reason="x")
    add_witness(key=WITNESS_KEY, actor="operator:test", reason="x")
    with pytest.raises(Conflict):
        add_witness(key=WITNESS_KEY, actor="operator:test", reason="x")


def test_all_of_it_from_the_terminal(tmp_path):
    assert "no key yet" in run("keys")[0]
    note = read_note(run("checkpoint")[0])
    key = VerifierKey.read(json.loads(run("keys", "--json")[0])[0]["key"])
    assert verify(note.text, note.lines[0], key)
    assert "witness" in run("witness", WITNESS_KEY, "--reason=A university.")[0]
    file = tmp_path / "cosigned.txt"
    file.write_text(str(Note(note.text, (*note.lines, cosign(note.text, WITNESS, WITNESS_NAME, 5)))), encoding="utf-8")
    assert json.loads(run("cosign", str(file), "--json")[0]) == {
        "size": 1,
        "added": [WITNESS_NAME],
        "known": [],
        "unknown": [],
    }
    assert str(VerifierKey.read(run("rotate-key", "--reason=A year.")[0].splitlines()[1])) in run("keys")[0]
    assert run("catch-up")[0] == "Nothing was missing.\n"
    assert "[note_refused]" in run("cosign", __file__, status=2)[1]
    assert "cannot be read" in run("cosign", str(tmp_path / "nothing"), status=2)[1]
    assert "[key_refused]" in run("rotate-key", "--reason=x", f"--old={tmp_path / 'nothing'}", status=2)[1]
