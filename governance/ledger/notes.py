"""Signed checkpoints: a tree's size and root as a text that anybody can check.

The forms are those of C2SP (``signed-note``, ``tlog-checkpoint``, ``tlog-cosignature``), so that witnesses and tools
made for other transparency logs can read ours. A note is a text, an empty line, and signature lines; a line says who
signed and begins its signature with four bytes of a digest of the key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from governance.errors import ArenaError

#: Signature types as C2SP numbers them: a log signs the text, a witness the text with the time it saw it.
LOG_SIGNATURE, WITNESS_SIGNATURE = 1, 4
KEY_BYTES = 32
KEY_ID_BYTES = 4
SIGNATURE_BYTES = 64
TIMESTAMP_BYTES = 8
#: A time beyond this is not allowed in a cosignature.
LATEST_TIMESTAMP = 2**63 - 1
#: Longer notes are refused unread; C2SP asks for room for 16 signatures.
LONGEST_NOTE = 100_000
#: Names are lines of the note and end at a space; "+" separates the parts of a key.
NAME = re.compile(r"[^\s+\x00-\x1f\x7f]{1,200}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_MARK = "— "


class NoteRefused(ArenaError):
    """A note, a checkpoint or a key that cannot be read."""

    code = "note_refused"
    status = 422


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name it signs under.

    Args:
        name: without spaces and "+"; for a log it is the log's origin.
        signature_type: :data:`LOG_SIGNATURE` or :data:`WITNESS_SIGNATURE`.
        public: 32 bytes, as RFC 8032 writes an Ed25519 key.
    """

    name: str
    signature_type: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Four bytes that tell keys of one name apart; no proof of anything."""
        told = self.name.encode() + b"\n" + bytes([self.signature_type]) + self.public
        return hashlib.sha256(told).digest()[:KEY_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{_base64(bytes([self.signature_type]) + self.public)}"

    @classmethod
    def read(cls, text: str) -> VerifierKey:
        """The key of its one-line form ``name+id+key``.

        Raises:
            NoteRefused: it is none, or its parts do not belong together.
        """
        parts = text.strip().split("+", 2)
        if len(parts) != 3 or not NAME.fullmatch(parts[0]):
            raise NoteRefused("A key is one line: name, identifier and key, joined by +.", code="key_refused")
        blob = _bytes(parts[2])
        key = cls(parts[0], blob[0] if blob else 0, blob[1:])
        if len(key.public) != KEY_BYTES or key.signature_type not in {LOG_SIGNATURE, WITNESS_SIGNATURE}:
            raise NoteRefused("Only Ed25519 keys of type 1 (log) and 4 (witness) are known.", code="key_refused")
        if key.key_id.hex() != parts[1]:
            raise NoteRefused("The key does not belong to its name: one of them was changed.", code="key_refused")
        return key


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """Who signed, with which key, and what; ``signature`` is without the key's identifier."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{_MARK}{self.name} {_base64(self.key_id + self.signature)}"


@dataclass(frozen=True, slots=True)
class Note:
    """A text, which ends in a newline, and its signature lines."""

    text: str
    lines: tuple[SignatureLine, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: its name, how many entries it has, and the root over them (32 bytes)."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


def read_note(text: str) -> Note:
    """The text and the signature lines of a note.

    Raises:
        NoteRefused: it is none.
    """
    if len(text) > LONGEST_NOTE or any(mark < " " and mark != "\n" for mark in text):
        raise NoteRefused("This is no signed note: it is too long, or has characters that no note has.")
    body, empty_line, signed = text.rpartition("\n\n")
    lines = signed.split("\n")
    if not (body and empty_line) or len(lines) < 2 or lines.pop() != "":
        raise NoteRefused("This is no signed note: a text, an empty line and signature lines are needed.")
    return Note(body + "\n", tuple(_signature_line(line) for line in lines))


def _signature_line(line: str) -> SignatureLine:
    name, space, signature = line.removeprefix(_MARK).partition(" ")
    if not (line.startswith(_MARK) and space and NAME.fullmatch(name)):
        raise NoteRefused("A signature line is an em dash, a name and a signature, with one space between them.")
    blob = _bytes(signature)
    if len(blob) <= KEY_ID_BYTES:
        raise NoteRefused("A signature is too short.")
    return SignatureLine(name, blob[:KEY_ID_BYTES], blob[KEY_ID_BYTES:])


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that a note's text is. Lines beyond the third belong to others and are refused.

    Raises:
        NoteRefused: it is none.
    """
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not NAME.fullmatch(lines[0]) or not _SIZE.fullmatch(lines[1]):
        raise NoteRefused("This is no checkpoint of ours: a name, a size and a root on one line each are needed.")
    root = _bytes(lines[2])
    if len(root) != hashlib.sha256().digest_size:
        raise NoteRefused("The root is no SHA-256 hash.")
    return Checkpoint(lines[0], int(lines[1]), root)


def key_of(private: Ed25519PrivateKey, name: str, signature_type: int = LOG_SIGNATURE) -> VerifierKey:
    """The public half of a key, under a name."""
    return VerifierKey(name, signature_type, private.public_key().public_bytes_raw())


def sign(text: str, private: Ed25519PrivateKey, name: str) -> SignatureLine:
    """A log's signature of a note's text."""
    return SignatureLine(name, key_of(private, name).key_id, private.sign(text.encode()))


def cosign(text: str, private: Ed25519PrivateKey, name: str, timestamp: int) -> SignatureLine:
    """A witness's signature of a checkpoint's text, seen at ``timestamp`` (seconds since 1970)."""
    signature = private.sign(_witnessed(text, timestamp))
    key_id = key_of(private, name, WITNESS_SIGNATURE).key_id
    return SignatureLine(name, key_id, timestamp.to_bytes(TIMESTAMP_BYTES, "big") + signature)


def verify(text: str, line: SignatureLine, key: VerifierKey) -> bool:
    """Whether this key signed this text with this line."""
    if (line.name, line.key_id) != (key.name, key.key_id):
        return False
    signature, message = line.signature, text.encode()
    if key.signature_type == WITNESS_SIGNATURE:
        timestamp = int.from_bytes(signature[:TIMESTAMP_BYTES], "big")
        if timestamp > LATEST_TIMESTAMP:
            return False
        signature, message = signature[TIMESTAMP_BYTES:], _witnessed(text, timestamp)
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _witnessed(text: str, timestamp: int) -> bytes:
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteRefused("A part that must be base64 is none.") from None
    if _base64(value) != text:
        raise NoteRefused("A part that must be base64 is written in a way of its own.")
    return value
