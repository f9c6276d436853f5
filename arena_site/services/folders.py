"""Where the embedded services keep their data and their sockets, and whom they run as.

Three places, each found again by whoever knows the data folder:

- the **data folder** (``ARENA_DATA_DIR``), ours;
- ``services`` in it, which holds the databases. PostgreSQL refuses to run as root, so for root it must be a folder
  that another account can enter. Where it is not (a checkout in root's home), it is a link to a folder that is;
- ``sockets`` in it, a link to a short folder made for the purpose: the path of a socket may have 107 bytes, which a
  deep checkout exceeds.

No mode or owner of a folder that we did not make is ever changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena_site.services.processes import Account, ServiceError, answer

#: As root: the services' own account must pass through, and must not look around.
PASS_THROUGH_MODE = 0o711
PRIVATE_MODE = 0o700
#: Where root keeps databases when the data folder is out of reach for their account.
SYSTEM_HOME = Path("/var/lib/ringside")
#: Short, writable places for sockets, the best first. /run is root's alone and is never tidied up while in use.
SOCKET_PLACES = (Path("/run"), Path("/tmp"))  # noqa: S108 - a random name, made by mkdtemp with mode 0700
#: In the folder for sockets: a link to the data folder it was made for.
OWNER_LINK = "data"
#: Accounts that every Linux has and that own nothing, the best first. Chromium usually runs as nobody.
IDLE_ACCOUNTS = ("daemon", "nobody")


def is_root() -> bool:
    return os.geteuid() == 0


def make_folder(folder: Path, *, owner: Account | None = None) -> Path:
    """The folder, made when it does not exist: private to its owner, or to be passed through when it is root's own.

    Raises:
        ServiceError: it cannot be made, or something else is in its place.
    """
    mode = PASS_THROUGH_MODE if is_root() and owner is None else PRIVATE_MODE
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=mode)
        if owner is not None:
            os.chown(folder, owner.uid, owner.gid)
    except FileExistsError:
        if not folder.is_dir():
            raise ServiceError(f"{folder} is in the way: a folder is needed there. Move it and start again.") from None
    except OSError as error:
        raise ServiceError(
            f"The folder {folder} cannot be made ({error.strerror}). Set ARENA_DATA_DIR to a folder you can write to."
        ) from error
    return folder


@contextlib.contextmanager
def locked(data: Path, name: str) -> Iterator[None]:
    """Hold a short lock in the data folder against other processes."""
    with (make_folder(data) / name).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def services_account(wanted: str, *, avoid: str, home: Path) -> Account | None:
    """Whom the services run as: ``None`` for ourselves, unless we are root.

    Args:
        wanted: an account's name, or nothing for the first idle one.
        avoid: the account that Chromium runs as: pages must not share an account with the database.
        home: the services' folder; a database that exists already is run by its owner.

    Raises:
        ServiceError: there is no such account, or it is root.
    """
    if not is_root():
        return None
    database = home / "postgres"
    if database.is_dir() and database.stat().st_uid != 0:
        return _account_of(database)
    names = [wanted] if wanted else [name for name in IDLE_ACCOUNTS if name != avoid] + list(IDLE_ACCOUNTS)
    for name in names:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            if entry.pw_uid != 0:
                return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)
    raise ServiceError(
        f"PostgreSQL cannot run as root, and there is no other account named {' or '.join(dict.fromkeys(names))}. "
        "Set ARENA_SERVICES_USER to one, or start the arena as another user."
    )


def _account_of(folder: Path) -> Account:
    owner = folder.stat()
    try:
        name = pwd.getpwuid(owner.st_uid).pw_name
    except KeyError:
        name = str(owner.st_uid)
    return Account(name=name, uid=owner.st_uid, gid=owner.st_gid)


def can_enter(folder: Path, account: Account | None) -> bool:
    """Whether the account gets into the folder, found out by trying."""
    return account is None or answer(["/bin/sh", "-c", 'cd -- "$1"', "sh", folder], account=account)[0] == 0


def services_home(data: Path) -> Path:
    """The folder that holds the databases, as a real path; it may not exist yet."""
    return Path(os.path.realpath(data / "services"))


def make_services_home(data: Path, account: Account | None) -> Path:
    """The folder that holds the databases, made on the first call where the account can reach it.

    Raises:
        ServiceError: it exists and the account cannot enter it, or it cannot be made.
    """
    place = make_folder(data) / "services"
    first_time = not os.path.lexists(place)
    home = make_folder(services_home(data))
    if can_enter(home, account):
        return home
    assert account is not None, "our own user has just made this folder"
    if not first_time:
        raise ServiceError(
            f"{account.name} can no longer enter {home}: let everybody pass through the folders above it (chmod o+x), "
            "or move the data folder and set ARENA_DATA_DIR."
        )
    home.rmdir()
    make_folder(SYSTEM_HOME)
    elsewhere = Path(tempfile.mkdtemp(prefix="", dir=SYSTEM_HOME))
    elsewhere.chmod(PASS_THROUGH_MODE)
    if not can_enter(elsewhere, account):
        elsewhere.rmdir()
        raise ServiceError(f"{account.name} can enter neither {data} nor {SYSTEM_HOME}. Set ARENA_DATA_DIR.")
    place.symlink_to(elsewhere)
    return elsewhere


def socket_folder(data: Path) -> Path:
    """The short folder for sockets that belongs to this data folder, made when there is none.

    Its name is random and recorded in the data folder, so nobody can be there first; the folder records whose it is, so
    a copy of the data folder gets one of its own.

    Raises:
        ServiceError: no place for it can be written.
    """
    record = data / "sockets"
    with locked(data, ".sockets.lock"):
        if record.is_symlink() and _belongs_to(recorded := Path(os.readlink(record)), data):
            return recorded
        folder = _make_socket_folder()
        (folder / OWNER_LINK).symlink_to(data.resolve())
        draft = data / ".sockets.new"
        draft.unlink(missing_ok=True)
        draft.symlink_to(folder)
        os.replace(draft, record)
        return folder


def _belongs_to(folder: Path, data: Path) -> bool:
    try:
        facts = os.lstat(folder)
        owner = os.readlink(folder / OWNER_LINK)
    except OSError:
        return False
    private = stat.S_IMODE(facts.st_mode) & 0o066 == 0
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and private and owner == str(data.resolve())


def _make_socket_folder() -> Path:
    for place in SOCKET_PLACES:
        with contextlib.suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="ringside-", dir=place))
            folder.chmod(PASS_THROUGH_MODE if is_root() else PRIVATE_MODE)
            return folder
    raise ServiceError(f"None of {', '.join(map(str, SOCKET_PLACES))} can be written, and sockets need a short path.")
