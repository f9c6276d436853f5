"""The ledger proves itself whole, and whatever is changed anywhere turns it red and is named."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.consent import current_text
from governance.journal import record
from governance.ledger import merkle
from governance.ledger.checkpoints import accept_cosignatures, add_witness, rotate_key, sign_head, signed_note
from governance.ledger.entries import entry_text
from governance.ledger.kinds import ledger_kinds
from governance.ledger.notes import Note, cosign
from governance.ledger.verification import verify_ledger
from governance.models import LedgerEntry
from judging.trust import suspend_judge
from ratings.canonical import digest
from ratings.models import Board, Publication
from tests.battles.factories import make_judge
from tests.governance.ledger.tampering import enter, tamper
from tests.governance.ledger.test_checkpoints import WITNESS, WITNESS_KEY, WITNESS_NAME

pytestmark = [pytest.mark.django_db, pytest.mark.production, pytest.mark.usefixtures("key_folder")]

DOCUMENT, PUBLIC = '{"rating":1500,"votes":12}', '{"rating":1500}'


def publish():
    """A publication and its journal row, as the refit writes them."""
    found = Publication.objects.create(
        digest=digest(DOCUMENT),
        board=Board.DEMO,
        number=1,
        corpus_digest="c" * 64,
        public_digest=digest(PUBLIC),
        labels_cast=12,
        corpus_read_at=timezone.now(),
        document=DOCUMENT,
        public_document=PUBLIC,
    )
    record(
        actor="system:test",
        action="ratings:publication:publish",
        subject=found.digest,
        board=Board.DEMO.value,
        corpus=found.corpus_digest,
    )
    return found


@pytest.fixture
def ledger():
    """Entries of several kinds, two checkpoints, a changed key and a cosignature; all of it whole."""
    current_text()
    suspend_judge(judge=make_judge(), actor="operator:test", reason="A test.")
    publish()
    enter(3)
    first = sign_head()
    rotate_key(actor="operator:test", reason="A year has passed.")
    add_witness(key=WITNESS_KEY, actor="operator:test", reason="A university.")
    line = cosign(first.text, WITNESS, WITNESS_NAME, 1_790_000_000)
    accept_cosignatures(note=str(Note(first.text, (line,))), actor="operator:test")
    enter(1)
    sign_head()
    assert verify_ledger().problems == []
    return first


def run(*words):
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("verify_ledger", *words, stdout=out, stderr=err)
    return stopped.value.code, out.getvalue(), err.getvalue()


def test_an_empty_ledger_is_whole():
    assert run()[0] == 0


def test_a_whole_ledger_says_what_was_checked(ledger):
    status, out, _ = run("--json")
    report = json.loads(out)
    assert (status, report["whole"], report["problems"]) == (0, True, [])
    assert (report["entries"], report["checkpoints"], report["signatures"], report["contents"]) == (9, 3, 5, 2)
    assert report["root"] in run()[1]


def test_a_publication_enters_under_the_digest_of_what_is_public():
    publish()
    entry = LedgerEntry.objects.get()
    told = json.loads(entry.text)
    assert told["subject"] == digest(PUBLIC)
    assert told["detail"] == {"board": "demo", "corpus": "c" * 64}
    assert digest(DOCUMENT) not in entry.text


TAMPERINGS = [
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET text = replace(text, 'demo', 'headline') WHERE index = 2",
        "Entry 2: its text is not the one whose hash is stored",
    ),
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET text = replace(text, ',', ', ') WHERE index = 2",
        "Entry 2: its text is not canonical JSON",
    ),
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET kind = 'battles:agent:roster' WHERE index = 1",
        "Entry 1: its kind",
    ),
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET leaf_hash = repeat('0', 64) WHERE index = 0",
        "Entry 0: its text is not the one",
    ),
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET subtrees[1] = repeat('0', 64) WHERE index = 1",
        "Entry 1: the stored subtrees",
    ),
    ("governance_ledgerentry", "DELETE FROM governance_ledgerentry WHERE index = 3", "Entry 3 is missing"),
    ("governance_ledgerentry", "DELETE FROM governance_ledgerentry WHERE index = 8", "Checkpoint 9 is no prefix"),
    (
        "governance_journalentry",
        "UPDATE governance_journalentry SET reason = 'Another.' WHERE action = 'judging:judge:suspended'",
        "Entry 1: journal row",
    ),
    (
        "governance_journalentry",
        "UPDATE governance_journalentry SET at = at - interval '1 day' WHERE action = 'judging:judge:suspended'",
        "Entry 1: what it says of at and record",
    ),
    (
        "governance_journalentry",
        "DELETE FROM governance_journalentry WHERE action = 'judging:judge:suspended'",
        "is not there any more",
    ),
    (
        "governance_journalentry",
        "INSERT INTO governance_journalentry SELECT gen_random_uuid(), at, actor, action, subject, reason, detail "
        "FROM governance_journalentry WHERE action = 'judging:judge:suspended'",
        "(judging:judge:suspended) has no entry",
    ),
    (
        "governance_consenttext",
        "UPDATE governance_consenttext SET sentence = 'I give everything away.'",
        "governance:consent_text:archive 1: its sentence is not the one whose digest",
    ),
    (
        "governance_consenttext",
        "UPDATE governance_consenttext SET sentence = 'All.', sha256 = encode(sha256('All.'), 'hex')",
        "governance:consent_text:archive 1 is not what entry 0 names",
    ),
    (
        "governance_consenttext",
        "INSERT INTO governance_consenttext SELECT 2, language, grantee, scope, sentence, sha256, now() "
        "FROM governance_consenttext",
        "governance:consent_text:archive 2 has no entry",
    ),
    ("governance_consenttext", "DELETE FROM governance_consenttext", "which is not there"),
    (
        "ratings_publication",
        "UPDATE ratings_publication SET public_document = '{\"rating\":1600}'",
        "its public document is not the one its public digest names",
    ),
    (
        "ratings_publication",
        "UPDATE ratings_publication SET public_document = 'x', public_digest = encode(sha256('x'), 'hex')",
        "is not what entry 2 names",
    ),
    (
        "ratings_publication",
        'UPDATE ratings_publication SET document = \'{"rating":1500,"votes":13}\'',
        "its full document is not the one its digest names",
    ),
    ("ratings_publication", "DELETE FROM ratings_publication", "which is not there"),
    (
        "governance_ledgercheckpoint",
        "UPDATE governance_ledgercheckpoint SET text = replace(text, 'localhost', 'elsewhere') WHERE size = 7",
        "Checkpoint 7: the signature",
    ),
    (
        "governance_ledgercheckpoint",
        "UPDATE governance_ledgercheckpoint SET text = 'nothing' WHERE size = 7",
        "Checkpoint 7: This is no checkpoint",
    ),
    (
        "governance_ledgercheckpoint",
        "UPDATE governance_ledgercheckpoint SET size = 6 WHERE size = 7",
        "Checkpoint 6",
    ),
    (
        "governance_ledgersignature",
        "UPDATE governance_ledgersignature SET signature = repeat('0', 128) WHERE checkpoint_id = 9",
        "Checkpoint 9: the signature of localhost/ringside",
    ),
    (
        "governance_ledgersignature",
        "UPDATE governance_ledgersignature SET signature = overlay(signature placing '1' from 16) "
        "WHERE length(signature) = 144",
        "Checkpoint 7: the signature of witness.example/w1",
    ),
    (
        "governance_ledgersignature",
        "DELETE FROM governance_ledgersignature WHERE checkpoint_id = 9",
        "Checkpoint 9 has no signature of the ledger's own",
    ),
    (
        "governance_ledgerentry",
        "UPDATE governance_ledgerentry SET text = repeat('[', 100000) WHERE index = 2",
        "Entry 2: its text is not canonical JSON",
    ),
    (
        "governance_ledgersignature",
        "UPDATE governance_ledgersignature SET signature = 'zz' WHERE checkpoint_id = 9",
        "Checkpoint 9: A signature of checkpoint 9 cannot be read",
    ),
    (
        "governance_ledgerkey",
        "UPDATE governance_ledgerkey SET key_id = 'z' || id WHERE role = 1",
        "is not the one that its identifier names",
    ),
    (
        "governance_ledgerkey",
        "UPDATE governance_ledgerkey SET public_key = 'zz' WHERE role = 1",
        "is not the one that its identifier names",
    ),
    (
        "governance_ledgerkey",
        "UPDATE governance_ledgerkey SET public_key = repeat('0', 64) WHERE role = 1",
        "is not the one that its identifier names",
    ),
    (
        "governance_ledgerkey",
        "INSERT INTO governance_ledgerkey (name, role, key_id, public_key, added_at) "
        "SELECT 'other', role, '00000000', public_key, added_at FROM governance_ledgerkey WHERE role = 1 LIMIT 1",
        "was never entered into the ledger",
    ),
    (
        "governance_ledgerkey",
        "DELETE FROM governance_ledgerkey WHERE role = 1 AND id = (SELECT max(id) FROM governance_ledgerkey "
        "WHERE role = 1)",
        "is not there any more",
    ),
]


@pytest.mark.parametrize(("table", "statement", "named"), TAMPERINGS)
def test_what_was_changed_is_named(ledger, table, statement, named):
    tamper(table, statement)
    status, out, _ = run()
    assert status == 1
    assert named in out
    assert json.loads(run("--json")[1])["whole"] is False


def test_a_ledger_rewritten_with_care_is_given_away_by_its_checkpoints(ledger):
    """Somebody changes a journal row and computes every later hash anew: only what was signed does not fit."""
    tamper(
        "governance_journalentry",
        "UPDATE governance_journalentry SET reason = 'Another.' WHERE action = 'judging:judge:suspended'",
    )
    rebuild()
    assert verify_ledger().problems == [
        f"Checkpoint {size} is no prefix of the ledger: the entries before it give another root." for size in (7, 8, 9)
    ]


def test_a_ledger_rewritten_and_signed_again_is_given_away_by_a_kept_checkpoint(ledger, tmp_path):
    kept = tmp_path / "kept"
    kept.write_text(str(signed_note(ledger)), encoding="utf-8")
    assert run(f"--checkpoint={kept}")[0] == 0
    tamper("governance_ledgersignature", "DELETE FROM governance_ledgersignature")
    tamper("governance_ledgercheckpoint", "DELETE FROM governance_ledgercheckpoint")
    tamper(
        "governance_journalentry",
        "UPDATE governance_journalentry SET reason = 'Another.' WHERE action = 'judging:judge:suspended'",
    )
    rebuild()
    sign_head()
    assert verify_ledger().problems == []
    status, out, _ = run(f"--checkpoint={kept}")
    assert status == 1
    assert "The checkpoint at 7 that was kept elsewhere is no prefix of this ledger." in out


def rebuild():
    """Every entry's text, hash and subtrees, computed from the journal as it is now."""
    peaks = []
    for entry in list(LedgerEntry.objects.order_by("index")):
        text = entry_text(entry.journal, ledger_kinds()[entry.kind])
        leaf = merkle.leaf_hash(text.encode())
        filled = merkle.filled_by(entry.index, leaf, peaks)
        peaks = [*peaks[: len(peaks) - len(filled)], filled[-1] if filled else leaf]
        tamper(
            "governance_ledgerentry",
            "UPDATE governance_ledgerentry SET text = %s, leaf_hash = %s, subtrees = %s WHERE index = %s",
            [text, leaf.hex(), [value.hex() for value in filled], entry.index],
        )


def test_a_checkpoint_of_another_ledger_is_none_of_ours(ledger, tmp_path):
    kept = tmp_path / "kept"
    kept.write_text(str(Note(ledger.text, (cosign(ledger.text, WITNESS, WITNESS_NAME, 1),))), encoding="utf-8")
    status, out, _ = run(f"--checkpoint={kept}")
    assert status == 1
    assert "has no signature of ours" in out
    assert run(f"--checkpoint={__file__}")[0] == 2
    assert run(f"--checkpoint={tmp_path / 'nothing'}")[0] == 2


@pytest.mark.django_db(transaction=True)
def test_it_reads_one_moment_and_can_write_nothing():
    enter(3)
    sign_head()
    with CaptureQueriesContext(connection) as queries:
        assert run()[0] == 0
    statements = [query["sql"] for query in queries]
    assert statements[:2] == ["BEGIN", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"]
