"""Checkpoints in the forms that other logs and their witnesses use."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from governance.ledger.notes import (
    LATEST_TIMESTAMP,
    LOG_SIGNATURE,
    WITNESS_SIGNATURE,
    Checkpoint,
    Note,
    NoteRefused,
    SignatureLine,
    VerifierKey,
    cosign,
    key_of,
    read_checkpoint,
    read_note,
    sign,
    verify,
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ORIGIN = "arena.example/ledger"
KEY = key_of(PRIVATE, ORIGIN)
WITNESS = key_of(PRIVATE, "witness.example/w1", WITNESS_SIGNATURE)

#: The checkpoint that the published specifications show, with its log's and its witness's signature.
PUBLISHED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— witness.example.com/w1 "
    "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)

roots = st.binary(min_size=32, max_size=32)
sizes = st.integers(0, 2**60)


def test_the_published_example_is_read_and_written_to_the_byte():
    note = read_note(PUBLISHED)
    assert str(note) == PUBLISHED
    checkpoint = read_checkpoint(note.text)
    assert checkpoint == Checkpoint(
        "example.com/behind-the-sofa", 20852163, base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
    )
    assert checkpoint.text == note.text
    # What its witness signed at: 2023-03-20 12:25:47 UTC, as the specification spells out.
    assert int.from_bytes(note.lines[1].signature[:8], "big") == 1679315147


def test_a_key_is_told_by_the_digest_of_its_name_type_and_bytes():
    told = hashlib.sha256(ORIGIN.encode() + b"\n\x01" + KEY.public).digest()[:4]
    assert KEY.key_id == told
    written = base64.b64encode(b"\x01" + KEY.public).decode()
    assert str(KEY) == f"{ORIGIN}+{told.hex()}+{written}"
    assert VerifierKey.read(str(KEY)) == KEY
    assert VerifierKey.read(str(WITNESS)) == WITNESS


@given(sizes, roots)
def test_what_was_signed_verifies_with_its_key_only(size, root):
    text = Checkpoint(ORIGIN, size, root).text
    line = sign(text, PRIVATE, ORIGIN)
    assert read_note(str(Note(text, (line,)))) == Note(text, (line,))
    assert verify(text, line, KEY)
    other = Ed25519PrivateKey.generate()
    assert not verify(text, line, key_of(other, ORIGIN))
    assert not verify(text, SignatureLine(ORIGIN, KEY.key_id, other.sign(text.encode())), KEY)
    assert not verify(text, line, key_of(PRIVATE, "other.example/ledger"))
    assert not verify(Checkpoint(ORIGIN, size + 1, root).text, line, KEY)


@given(sizes, roots, st.integers(0, LATEST_TIMESTAMP - 1))
def test_a_cosignature_holds_for_its_time_only(size, root, timestamp):
    text = Checkpoint(ORIGIN, size, root).text
    line = cosign(text, PRIVATE, WITNESS.name, timestamp)
    assert verify(text, line, WITNESS)
    later = (timestamp + 1).to_bytes(8, "big") + line.signature[8:]
    assert not verify(text, SignatureLine(line.name, line.key_id, later), WITNESS)


def test_a_witness_does_not_speak_for_the_log():
    """The same key signs differently as log and as witness, so that neither passes for the other."""
    text = Checkpoint(ORIGIN, 3, bytes(32)).text
    line = cosign(text, PRIVATE, ORIGIN, 1)
    assert not verify(text, line, KEY)
    assert not verify(text, SignatureLine(ORIGIN, KEY.key_id, line.signature), KEY)


def test_a_time_out_of_range_is_no_cosignature():
    text = Checkpoint(ORIGIN, 3, bytes(32)).text
    assert not verify(text, cosign(text, PRIVATE, WITNESS.name, LATEST_TIMESTAMP + 1), WITNESS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n1\n2\n",
        PUBLISHED.rstrip("\n"),
        PUBLISHED.replace("—", "-"),
        PUBLISHED.replace("\n\n", "\n"),
        PUBLISHED.replace("Az3g", "Az3 "),
        PUBLISHED + "\t\n",
        PUBLISHED.replace("AYQ8=", "AYQ9="),
        PUBLISHED.partition("\n\n")[0] + "\n\n",
    ],
)
def test_what_is_no_note_is_refused(text):
    with pytest.raises(NoteRefused):
        read_note(text)


@pytest.mark.parametrize(
    "text",
    [
        "a b\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "a\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "a\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "a\n1\nCsUYapGGPo4=\n",
        "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\nmore\n",
        "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
        "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text):
    with pytest.raises(NoteRefused):
        read_checkpoint(text)


@pytest.mark.parametrize(
    "text",
    [
        "no key",
        str(KEY).replace("arena", "arana"),
        str(KEY)[:-4],
        f"{ORIGIN}+00000000+{base64.b64encode(bytes([2]) + KEY.public).decode()}",
        "a b+00000000+AQ==",
    ],
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(NoteRefused):
        VerifierKey.read(text)


def test_types_have_the_numbers_of_the_specification():
    assert (LOG_SIGNATURE, WITNESS_SIGNATURE) == (1, 4)
