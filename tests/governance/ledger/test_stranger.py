"""The stranger's script, run as a stranger runs it: against files they saved, and against a running arena."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from governance.consent import current_text
from governance.ledger.checkpoints import key_in_force, rotate_key, sign_head, signed_note, verifier_key
from governance.models import LedgerCheckpoint
from tests.governance.ledger.tampering import enter

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.usefixtures("key_folder"),
]

SCRIPT = Path(__file__).parents[3] / "scripts" / "check_inclusion.py"


def stranger(*words, folder):
    """Python without our checkout, our packages and our environment."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), *map(str, words)]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def saved(client, tmp_path):
    """Answers about entry 2 of 9, with a checkpoint of three entries ago, saved to files; and the key."""
    text = current_text()
    enter(4)
    older = sign_head()
    enter(3)
    size = sign_head().size
    addresses = {
        "checkpoint": "checkpoint",
        "inclusion": f"inclusion?index=0&size={size}",
        "entries": "entries?index=0",
        "older": f"checkpoint?size={older.size}",
        "consistency": f"consistency?first={older.size}&second={size}",
    }
    for name, address in addresses.items():
        (tmp_path / name).write_bytes(client.get(f"/api/ledger/{address}").content)
    (tmp_path / "document").write_text(text.sentence, encoding="utf-8")
    key = str(verifier_key(key_in_force()))
    words = ["--key", key, "--index", "0", *(word for name in [*addresses, "document"] for word in (f"--{name}", name))]
    return words, tmp_path


def test_files_are_enough(saved):
    words, folder = saved
    answer = stranger(*words, folder=folder)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Entry 0 of 9 holds: {")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("entries", "governance:consent_text", "governance:consent_test"),
        ("inclusion", '"hashes": ["', '"hashes": ["' + "0" * 64 + '", "'),
        ("inclusion", '"index": 0', '"index": 1'),
        ("checkpoint", "\n9\n", "\n8\n"),
        ("checkpoint", "\n9\n", "\n10\n"),
        ("checkpoint", "localhost", "localhast"),
        ("older", "\n6\n", "\n5\n"),
        ("consistency", '"hashes": ["', '"hashes": ["' + "0" * 64 + '", "'),
        ("document", "private", "public"),
    ],
)
def test_one_changed_word_does_not_hold(saved, name, old, new):
    words, folder = saved
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    answer = stranger(*words, folder=folder)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "DOES NOT HOLD" in answer.stderr


def test_a_proof_of_another_tree_does_not_hold(saved):
    words, folder = saved
    proof = json.loads((folder / "inclusion").read_text())
    proof["hashes"][0] = "0" * 64
    (folder / "inclusion").write_text(json.dumps(proof))
    assert "not in the tree that was signed" in stranger(*words, folder=folder).stderr


def test_another_key_does_not_hold(saved):
    words, folder = saved
    words[1] = "localhost/ringside+00000000+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
    answer = stranger(*words, folder=folder)
    assert answer.returncode == 1
    assert "no key that you gave" in answer.stderr


def test_what_cannot_be_read_is_said(saved):
    words, folder = saved
    (folder / "inclusion").write_text("no JSON")
    answer = stranger(*words, folder=folder)
    assert answer.returncode == 2
    assert "cannot be read" in answer.stderr


def test_over_http_with_every_size_of_a_kept_checkpoint(live_server, tmp_path):
    for number in range(1, 5):
        enter(1)
        sign_head()
        kept = LedgerCheckpoint.objects.latest("size")
        (tmp_path / f"kept{number}").write_text(str(signed_note(kept)), encoding="utf-8")
    enter(2)
    old_key = str(verifier_key(key_in_force()))
    rotate_key(actor="operator:test", reason="A year has passed.")
    url = f"{live_server.url}/api/ledger"
    for number in range(1, 5):
        words = ("--key", old_key, "--url", url, "--index", number, "--older", f"kept{number}")
        answer = stranger(*words, folder=tmp_path)
        assert (answer.returncode, answer.stderr) == (0, "")
    enter(1)
    # Now only the new key signs; whoever knows just the old one is told so.
    assert stranger("--key", old_key, "--url", url, "--index", 1, folder=tmp_path).returncode == 1
    keys = ("--key", old_key, "--key", str(verifier_key(key_in_force())))
    answer = stranger(*keys, "--url", url, "--index", 7, "--older", "kept2", folder=tmp_path)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert stranger(*keys, "--url", url, "--index", 99, folder=tmp_path).returncode == 2
