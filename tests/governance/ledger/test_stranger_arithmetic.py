"""The stranger's script checks signatures with arithmetic of its own, which must agree with a library's."""

import runpy
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

SCRIPT = Path(__file__).parents[3] / "scripts" / "check_inclusion.py"
stranger = runpy.run_path(str(SCRIPT))
verifies = stranger["ed25519_verifies"]

#: RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_vectors_of_the_rfc_verify(public, message, signature):
    assert verifies(bytes.fromhex(public), bytes.fromhex(signature), bytes.fromhex(message))
    assert not verifies(bytes.fromhex(public), bytes.fromhex(signature), bytes.fromhex(message) + b"x")


def holds(public, signature, message):
    try:
        return verifies(public, signature, message)
    except stranger["DoesNotHold"]:
        return False


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80), st.integers(0, 511))
def test_a_librarys_signature_verifies_and_no_bit_of_it_may_turn(seed, message, bit):
    key = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert holds(public, signature, message)
    turned = bytearray(signature)
    turned[bit // 8] ^= 1 << bit % 8
    assert not holds(public, bytes(turned), message)


def test_a_signature_has_one_form_only():
    """The second half counts modulo the group's order; a larger number for the same is refused."""
    public, message, signature = (bytes.fromhex(text) for text in VECTORS[1])
    larger = int.from_bytes(signature[32:], "little") + stranger["L"]
    assert not holds(public, signature[:32] + larger.to_bytes(32, "little"), message)


def test_the_script_is_short_and_needs_nothing_but_python():
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 150
    imports = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imports == {"argparse", "base64", "hashlib", "json", "sys", "urllib"}
