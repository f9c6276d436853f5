"""The private key that signs checkpoints: given by the environment, or in a file that only its owner can read."""

from __future__ import annotations

import base64
import os
import stat
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from governance.errors import ArenaError
from governance.ledger.notes import KEY_BYTES

KEY_FILE = "ledger_key"
#: A new key waits here until the database knows it, so that a crash in between loses neither.
NEXT_KEY_FILE = "ledger_key.next"


class KeyNotHere(ArenaError):
    """The key in force is not on this host, so nothing can be signed here."""

    code = "key_not_here"
    status = 503


class KeyRefused(ArenaError):
    """A private key that cannot be used as it is."""

    code = "key_refused"
    status = 503


def given_key() -> Ed25519PrivateKey | None:
    """The key of ``ARENA_LEDGER_KEY``, which then is the only one there is."""
    seed: bytes | None = settings.ARENA_LEDGER_KEY
    return Ed25519PrivateKey.from_private_bytes(seed) if seed else None


def private_key(public: str) -> Ed25519PrivateKey:
    """The private half of a public key (hexadecimal).

    Raises:
        KeyNotHere: neither the environment nor the data folder has it.
        KeyRefused: others can read the file, or it holds no key.
    """
    given = given_key()
    held = [given] if given else [key for name in (KEY_FILE, NEXT_KEY_FILE) if (key := _held(name))]
    for key in held:
        if key.public_key().public_bytes_raw().hex() == public:
            return key
    place = "ARENA_LEDGER_KEY" if given else str(_path(KEY_FILE))
    raise KeyNotHere(
        f"The key that signs the ledger is not the one in {place}. Bring it back from a backup, or change to a new "
        "key: manage.py ledger rotate-key."
    )


def first_key() -> Ed25519PrivateKey:
    """The key to begin with: the one given, else the one in the data folder, made when there is none yet."""
    return given_key() or _held(KEY_FILE) or _made(KEY_FILE)


def next_key(public_in_force: str) -> Ed25519PrivateKey:
    """The key to change to: the one given, else one that is made and waits beside the one in force.

    Raises:
        KeyRefused: the one given is in force already.
    """
    given = given_key()
    if given is not None:
        if given.public_key().public_bytes_raw().hex() == public_in_force:
            raise KeyRefused("ARENA_LEDGER_KEY is the key in force. Set it to the new key first.", field="key")
        return given
    # A change may have been stopped after the database knew it.
    install_next_key(public_in_force)
    return _held(NEXT_KEY_FILE) or _made(NEXT_KEY_FILE)


def install_next_key(public_in_force: str) -> None:
    """Put the key that waits in the place of the one before, which is gone then, if it is the one in force by now."""
    waiting = None if given_key() else _held(NEXT_KEY_FILE)
    if waiting is not None and waiting.public_key().public_bytes_raw().hex() == public_in_force:
        os.replace(_path(NEXT_KEY_FILE), _path(KEY_FILE))


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a file: 32 bytes in base64.

    Raises:
        KeyRefused: there is no such file, others can read it, or it holds no key.
    """
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise KeyRefused(f"Others can read the key that signs the ledger: run chmod 600 {path}")
        seed = base64.b64decode(path.read_text(encoding="ascii").strip(), validate=True)
    except OSError as error:
        raise KeyRefused(f"The key in {path} cannot be read ({error.strerror}).") from error
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        raise KeyRefused(f"{path} holds no key: 32 bytes in base64 are needed.")
    return Ed25519PrivateKey.from_private_bytes(seed)


def _path(name: str) -> Path:
    return Path(settings.ARENA_DATA_DIR) / name


def _held(name: str) -> Ed25519PrivateKey | None:
    return read_key(_path(name)) if _path(name).exists() else None


def _made(name: str) -> Ed25519PrivateKey:
    path = _path(name)
    key = Ed25519PrivateKey.generate()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file with mode 0600; link() fails when somebody else was first, whose key it then is.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{name}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(base64.b64encode(key.private_bytes_raw()).decode() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return read_key(path)
    finally:
        os.unlink(draft)
    return key
