"""Signed heads of the ledger, the keys that sign them, and the witnesses that say they saw them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import connection, transaction

from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record
from governance.ledger import signing_keys
from governance.ledger.entries import LedgerDamaged, tree_root, tree_size
from governance.ledger.notes import (
    LOG_SIGNATURE,
    WITNESS_SIGNATURE,
    Checkpoint,
    Note,
    NoteRefused,
    SignatureLine,
    VerifierKey,
    key_of,
    read_checkpoint,
    read_note,
    sign,
    verify,
)
from governance.ledger_kinds import LEDGER_KEY
from governance.models import LedgerCheckpoint, LedgerKey, LedgerSignature

logger = logging.getLogger(__name__)

#: Advisory lock of PostgreSQL: one checkpoint or key at a time. Taken before the lock of appends, never after it.
LOCK = 6_963
ACTOR = "system:ledger"


class LedgerRewritten(ArenaError):
    """What was signed before is no prefix of what is there now; nothing more is signed until somebody has looked."""

    code = "ledger_rewritten"
    status = 503

    def __init__(self, size: int) -> None:
        super().__init__(
            f"The ledger does not continue what was signed at {size} entries, so nothing more is signed. "
            "manage.py verify_ledger says what differs."
        )


class OriginChanged(ArenaError):
    """The ledger's name is part of everything that was signed."""

    code = "origin_changed"
    status = 503

    def __init__(self, name: str) -> None:
        super().__init__(f'The ledger was begun as "{name}" and keeps that name: set ARENA_LEDGER_ORIGIN to it.')


class NoSuchCheckpoint(NotFound):
    code = "no_such_checkpoint"

    def __init__(self, size: int) -> None:
        super().__init__(f"No head was signed at {size} entries; without size the latest is given.", field="size")


@dataclass(frozen=True, slots=True)
class Cosigned:
    """What came of a note with cosignatures: names of the witnesses."""

    size: int
    added: tuple[str, ...]
    known_before: tuple[str, ...]
    unknown: tuple[str, ...]


def verifier_key(key: LedgerKey) -> VerifierKey:
    """The row as a key that verifies.

    Raises:
        LedgerDamaged: it is none.
    """
    return VerifierKey(key.name, key.role, _stored_bytes(f"Key {key}", key.public_key))


def key_in_force() -> LedgerKey | None:
    """Our newest key."""
    return LedgerKey.objects.filter(role=LOG_SIGNATURE).order_by("-id").first()


def latest_checkpoint() -> LedgerCheckpoint | None:
    """The largest head that was signed."""
    return LedgerCheckpoint.objects.order_by("-size").first()


def stored_checkpoint(size: int) -> LedgerCheckpoint:
    """The head as it was signed at a size.

    Raises:
        NoSuchCheckpoint: none was signed at this size.
    """
    found = LedgerCheckpoint.objects.filter(size=size).first()
    if found is None:
        raise NoSuchCheckpoint(size)
    return found


def latest_cosigned() -> int | None:
    """The size of the largest head that a witness signed."""
    witnessed = LedgerSignature.objects.filter(key__role=WITNESS_SIGNATURE).order_by("-checkpoint_id").first()
    return witnessed.checkpoint_id if witnessed else None


def checkpoint_in_force() -> LedgerCheckpoint:
    """The signed head of the ledger as it is now; signs it first where it has grown.

    A host without the key gives the latest that another one signed.

    Raises:
        KeyNotHere, KeyRefused: nothing was signed yet, and nothing can be signed here.
        LedgerRewritten: what was signed before is no prefix of what is there now.
        OriginChanged: the setting gives the ledger another name.
    """
    latest = latest_checkpoint()
    if latest is not None and latest.size == tree_size():
        return latest
    try:
        return sign_head()
    except (signing_keys.KeyNotHere, signing_keys.KeyRefused) as problem:
        if latest is None:
            raise
        logger.warning("an older checkpoint is served: %s", problem.message)
        return latest


@transaction.atomic
def sign_head() -> LedgerCheckpoint:
    """Sign the ledger as it is now; what was signed at this size already is returned as it is.

    Raises:
        KeyNotHere: the key in force is not on this host.
        LedgerRewritten: what was signed before is no prefix of what is there now.
        OriginChanged: the setting gives the ledger another name.
    """
    _take_turn()
    key = key_in_force() or _add_key(signing_keys.first_key(), signed_by_the_old=None)
    if key.name != settings.ARENA_LEDGER_ORIGIN:
        raise OriginChanged(key.name)
    return _signed_head([(key, signing_keys.private_key(key.public_key))])


def rotate_key(*, actor: str, reason: str, old: Ed25519PrivateKey | None = None, lost: bool = False) -> LedgerKey:
    """Change to a new key. The head that has the change in it is signed by both, so that one vouches for the other.

    Args:
        old: the key in force, where this host has it no more: after ``ARENA_LEDGER_KEY`` was set to the new one.
        lost: nobody has the key in force, so only the new one signs, and the entry says so.

    Raises:
        Conflict: there is no key yet.
        KeyNotHere: the key in force is not here, and it is not said to be lost.
        KeyRefused: ``old`` is another key, or the new one is in force already.
        LedgerRewritten: what was signed before is no prefix of what is there now.
    """
    with transaction.atomic():
        _take_turn()
        in_force = key_in_force()
        if in_force is None:
            raise Conflict("There is no key yet; the first one is made with the first checkpoint.", code="no_key")
        signers: list[tuple[LedgerKey, Ed25519PrivateKey]] = []
        if not lost:
            before = old or signing_keys.private_key(in_force.public_key)
            if key_of(before, in_force.name) != verifier_key(in_force):
                raise signing_keys.KeyRefused("The old key is not the one in force.", field="old")
            signers.append((in_force, before))
        private = signing_keys.next_key(in_force.public_key)
        key = _add_key(private, signed_by_the_old=not lost, actor=actor, reason=reason, name=in_force.name)
        _signed_head([(key, private), *signers])
    with transaction.atomic():
        # Under the lock again: another change may have begun, whose key waits already.
        _take_turn()
        signing_keys.install_next_key(key.public_key)
    return key


def _add_key(
    private: Ed25519PrivateKey, *, signed_by_the_old: bool | None, actor: str = ACTOR, reason: str = "", name: str = ""
) -> LedgerKey:
    public = key_of(private, name or settings.ARENA_LEDGER_ORIGIN)
    if LedgerKey.objects.filter(name=public.name, key_id=public.key_id.hex()).exists():
        raise signing_keys.KeyRefused("This key was in force before; a key is not used again.", field="key")
    key = LedgerKey.objects.create(
        name=public.name, role=LOG_SIGNATURE, key_id=public.key_id.hex(), public_key=public.public.hex()
    )
    record(
        actor=actor,
        action=LEDGER_KEY,
        subject=str(key.pk),
        reason=reason,
        key_id=key.key_id,
        signed_by_the_old=signed_by_the_old,
    )
    return key


def _signed_head(signers: Sequence[tuple[LedgerKey, Ed25519PrivateKey]]) -> LedgerCheckpoint:
    """The head at the size of now; the caller holds the lock."""
    size = tree_size()
    latest = latest_checkpoint()
    if latest is not None:
        try:
            told = read_checkpoint(latest.text)
        except NoteRefused as problem:
            raise LedgerDamaged(f"Checkpoint {latest.size}") from problem
        if latest.size > size or told.root != tree_root(latest.size):
            raise LedgerRewritten(latest.size)
        if latest.size == size:
            return latest
    text = Checkpoint(signers[0][0].name, size, tree_root(size)).text
    checkpoint = LedgerCheckpoint.objects.create(size=size, text=text)
    for key, private in signers:
        line = sign(text, private, key.name)
        LedgerSignature.objects.create(checkpoint=checkpoint, key=key, signature=line.signature.hex())
    return checkpoint


def signed_note(checkpoint: LedgerCheckpoint) -> Note:
    """The checkpoint with every signature under it: ours first, then those of witnesses."""
    return Note(checkpoint.text, tuple(line for line, _ in signature_lines(checkpoint)))


def signature_lines(checkpoint: LedgerCheckpoint) -> list[tuple[SignatureLine, LedgerKey]]:
    """Signature lines with the key of each.

    Raises:
        LedgerDamaged: a signature, or the identifier of a key, is no bytes.
    """
    lines = []
    for found in checkpoint.signatures.select_related("key").order_by("key__role", "id"):
        key_id = _stored_bytes(f"Key {found.key}", found.key.key_id)
        signature = _stored_bytes(f"A signature of checkpoint {checkpoint.size}", found.signature)
        lines.append((SignatureLine(found.key.name, key_id, signature), found.key))
    return lines


def _stored_bytes(what: str, text: str) -> bytes:
    """The bytes of a column in hexadecimal."""
    try:
        return bytes.fromhex(text)
    except ValueError as problem:
        raise LedgerDamaged(what) from problem


@transaction.atomic
def add_witness(*, key: str, actor: str, reason: str) -> LedgerKey:
    """Accept cosignatures of a witness from now on.

    Args:
        key: in its one-line form ``name+id+key``.

    Raises:
        NoteRefused: it is no key of a witness.
        Conflict: it is known already.
    """
    read = VerifierKey.read(key)
    if read.signature_type != WITNESS_SIGNATURE:
        raise NoteRefused("This is a log's key; a witness's key has type 4.", code="key_refused", field="key")
    if LedgerKey.objects.filter(name=read.name, key_id=read.key_id.hex()).exists():
        raise Conflict("This witness is known already.", code="witness_known")
    added = LedgerKey.objects.create(
        name=read.name, role=WITNESS_SIGNATURE, key_id=read.key_id.hex(), public_key=read.public.hex()
    )
    record(actor=actor, action="governance:ledger_witness:add", subject=str(added.pk), reason=reason)
    return added


@transaction.atomic
def accept_cosignatures(*, note: str, actor: str) -> Cosigned:
    """Keep what known witnesses signed under one of our checkpoints. One wrong signature refuses the whole note.

    Raises:
        NoteRefused: it is no checkpoint of ours, a signature is wrong, or no known witness signed it.
    """
    read = read_note(note)
    size = read_checkpoint(read.text).size
    checkpoint = LedgerCheckpoint.objects.filter(size=size, text=read.text).first()
    if checkpoint is None:
        raise NoteRefused("This ledger never signed this checkpoint.", code="not_our_checkpoint")
    keys = {(key.name, key.key_id): key for key in LedgerKey.objects.all()}
    added: list[str] = []
    before: list[str] = []
    unknown: list[str] = []
    for line in read.lines:
        key = keys.get((line.name, line.key_id.hex()))
        if key is None:
            unknown.append(line.name)
            continue
        if not verify(read.text, line, verifier_key(key)):
            raise NoteRefused(f"The signature of {line.name} is not one of this checkpoint.", code="wrong_signature")
        if key.role == WITNESS_SIGNATURE:
            _, new = LedgerSignature.objects.get_or_create(
                checkpoint=checkpoint, key=key, defaults={"signature": line.signature.hex()}
            )
            (added if new else before).append(line.name)
    if not added and not before:
        raise NoteRefused(
            "No witness that is known here signed this. Name them first: manage.py ledger witness.", code="no_witness"
        )
    for name in added:
        record(actor=actor, action="governance:ledger_checkpoint:cosign", subject=str(size), witness=name)
    return Cosigned(size, tuple(added), tuple(before), tuple(unknown))


def _take_turn() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
