"""What a forger may hand to the stranger's script, who has the answers of the arena in their power but not its key."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from governance.ledger.merkle import Span, consistency_spans, inclusion_spans, joined, leaf_hash, node_hash, subtrees_of
from governance.ledger.notes import WITNESS_SIGNATURE, Checkpoint, key_of, sign

SCRIPT = Path(__file__).parents[3] / "scripts" / "check_inclusion.py"
NAME = "arena.example/лог"
KEY, OTHER_KEY = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
TEXTS = [json.dumps({"subject": str(number)}) for number in range(7)]


def root_of(span: Span, texts: list[str]) -> bytes:
    """The hash over a span, from its texts."""
    hashes = []
    for subtree in subtrees_of(span):
        row = [leaf_hash(text.encode()) for text in texts[subtree.place << subtree.level : subtree.last_leaf + 1]]
        while len(row) > 1:
            row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=True)]
        hashes += row
    return joined(hashes)


def note(texts: list[str], name: str = NAME, key: Ed25519PrivateKey = KEY, **written: str) -> str:
    """A signed head; ``written`` are lines of it that are not what they should be."""
    told = Checkpoint(name, len(texts), root_of(Span(0, len(texts)), texts)).text.splitlines()
    lines = {"origin": told[0], "size": told[1], "root": told[2]} | written
    text = "".join(f"{line}\n" for line in lines.values())
    return f"{text}\n{sign(text, key, name)}\n"


def proof(index: int, texts: list[str]) -> dict[str, object]:
    hashes = [root_of(span, texts).hex() for span in inclusion_spans(index, len(texts))]
    return {"index": index, "size": len(texts), "hashes": hashes}


def answers(texts: list[str] = TEXTS, index: int = 2) -> dict[str, str]:
    """What an honest arena gives about an entry."""
    return {
        "checkpoint": note(texts),
        "inclusion": json.dumps(proof(index, texts)),
        "entries": json.dumps({"entries": [{"index": index, "text": texts[index]}]}),
    }


def checked(folder: Path, given: dict[str, str], *keys: object, index: int = 2) -> tuple[int, str]:
    """Exit status and words of the script."""
    words = []
    for name, content in given.items():
        (folder / name).write_text(content, "utf-8")
        words += [f"--{name}", name]
    for key in keys or [key_of(KEY, NAME)]:
        words += ["--key", str(key)]
    command = [sys.executable, "-I", "-S", str(SCRIPT), "--index", str(index), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_what_is_honest_holds_also_with_a_name_in_any_script(tmp_path: Path) -> None:
    status, words = checked(tmp_path, answers())
    assert (status, words) == (0, 'Entry 2 of 7 holds: {"subject": "2"}\n')


FORGERIES = {
    "signed by another": {"checkpoint": note(TEXTS, key=OTHER_KEY)},
    "signed by another in this key's name": {
        "checkpoint": note(TEXTS).rpartition(" ")[0]
        + " "
        + base64.b64encode(key_of(KEY, NAME).key_id + OTHER_KEY.sign(b"x")).decode()
        + "\n"
    },
    "signed under another name": {"checkpoint": note(TEXTS, name="other.example")},
    "said to be another's": {"checkpoint": note(TEXTS, origin="other.example")},
    "a shorter proof": {"inclusion": json.dumps(proof(2, TEXTS) | {"hashes": proof(2, TEXTS)["hashes"][1:]})},
    "another entry": {"entries": json.dumps({"entries": [{"index": 2, "text": TEXTS[3]}]})},
    **{
        f"a size of {size!a}": {"checkpoint": note(TEXTS, size=size)}
        for size in ("07", "+7", "7 ", "٧", "-7", "0", "6")
    },
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_answer_does_not_hold(tmp_path: Path, forgery: dict[str, str]) -> None:
    status, words = checked(tmp_path, answers() | forgery)
    assert (status, words.startswith("DOES NOT HOLD")) == (1, True), words


def test_a_key_whose_parts_do_not_belong_together_signs_nothing(tmp_path: Path) -> None:
    name, _, public = str(key_of(KEY, NAME)).split("+", 2)
    assert checked(tmp_path, answers(), f"{name}+00000000+{public}")[0] == 1
    assert checked(tmp_path, answers(), key_of(KEY, NAME, WITNESS_SIGNATURE))[0] == 1


REWRITTEN = [*TEXTS[:1], "{}", *TEXTS[2:], "{}"]


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        (TEXTS[:5], note(TEXTS)),
        ([*TEXTS[:5], "{}", "{}"], note(TEXTS)),
        (REWRITTEN, note(TEXTS)),
        (TEXTS, note(TEXTS[:3], name="other.example", key=OTHER_KEY)),
    ],
    ids=["it shrank", "same size, other entries", "rewritten", "another ledger that began alike"],
)
def test_a_head_that_does_not_continue_the_kept_one_does_not_hold(tmp_path: Path, now: list[str], kept: str) -> None:
    first = int(kept.splitlines()[1])
    spans = consistency_spans(first, len(now)) if first < len(now) else []
    steps = [root_of(span, now).hex() for span in spans]
    given = answers(now) | {"older": kept, "consistency": json.dumps({"hashes": steps})}
    status, words = checked(tmp_path, given, key_of(KEY, NAME), key_of(OTHER_KEY, "other.example"))
    assert (status, words.startswith("DOES NOT HOLD")) == (1, True), words


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("inclusion", "[" * 100_000),
        ("inclusion", "null"),
        ("inclusion", json.dumps(proof(2, TEXTS) | {"hashes": "abcd"})),
        ("entries", '{"entries": [{"index": 2, "text": 5}]}'),
        ("entries", '{"entries": [{"index": 2, "text": "\\ud800"}]}'),
        ("entries", '{"entries": []}'),
        ("checkpoint", ""),
        ("checkpoint", note(TEXTS, size="9" * 5_000)),
        ("checkpoint", note(TEXTS, root=f"!{note(TEXTS).splitlines()[2]}")),
    ],
)
def test_nonsense_is_said_to_be_unreadable(tmp_path: Path, name: str, content: str) -> None:
    status, words = checked(tmp_path, answers() | {name: content})
    assert (status, words.startswith("The input cannot be read")) == (2, True), words


def test_an_entry_gives_no_orders_to_a_terminal(tmp_path: Path) -> None:
    text = '{"a":"\x1b[31m\u202e"}'
    status, words = checked(tmp_path, answers([text], 0), index=0)
    assert status == 0
    assert "\\x1b[31m\\u202e" in words


def test_the_hashes_here_are_those_of_the_standard() -> None:
    """Two leaves, by hand: RFC 6962, section 2.1."""
    leaves = [hashlib.sha256(b"\x00" + text.encode()).digest() for text in TEXTS[:2]]
    assert root_of(Span(0, 2), TEXTS) == hashlib.sha256(b"\x01" + b"".join(leaves)).digest()
