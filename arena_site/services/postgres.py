"""A private PostgreSQL: made on the first start, reachable through a Unix socket and by us alone."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg

from arena_site.services import binaries, processes
from arena_site.services.folders import make_folder
from arena_site.services.processes import Account, ServiceError

#: Only part of the socket's name here: nothing listens on the network.
PORT = 5432
ROLE = "arena"
DATABASE = "arena"
#: Debian 12's version; nothing older is tried by anybody.
OLDEST_VERSION = 15
#: The first with a C.UTF-8 of its own, which no upgrade of the system's library can reorder.
BUILTIN_LOCALE_VERSION = 17

#: Replaying the log after power was lost may take long on a slow disk; a start without that takes a tenth of a second.
READY_SECONDS = 300.0
#: A fast shutdown writes what is in memory; an immediate one leaves that to the next start.
STOP_ASKS = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 5.0))
INITDB_SECONDS = 120.0
#: Room that a start needs for its log segments; less ends in the middle of a battle.
FREE_BYTES = 200 * 1024 * 1024
CONNECT_SECONDS = 5

#: What differs from PostgreSQL's defaults.
OPTIONS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    # Containers give /dev/shm 64 MB, and systemd empties it when the last session of a user ends.
    "dynamic_shared_memory_type": "mmap",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "log_checkpoints": "off",
    # A refused statement and the row it would have written are somebody's words, and outlive their withdrawal in a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    # No replica follows a private database, so its log need not feed one.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    # Short queries on few cores: compiling or spreading them costs more than it brings.
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}


class PostgresServer:
    """One cluster in one folder.

    Args:
        folder: of the cluster; made with it.
        sockets: short folder in which this server gets a folder of its own.
        programs: folder with ``postgres`` and ``initdb``.
        account: whom it runs as; ``None`` for ourselves.
        log: file that the server writes to.
        options: settings of the server on top of :data:`OPTIONS`.
    """

    name = "PostgreSQL"

    def __init__(
        self,
        *,
        folder: Path,
        sockets: Path,
        programs: Path,
        account: Account | None,
        log: Path,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.sockets = socket_folder_of(sockets)
        self.programs = programs
        self.account = account
        self.log = log
        self.options = {**OPTIONS, **(options or {})}
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Make the cluster if there is none, start it and wait until it takes connections.

        Raises:
            ServiceError: it does not come up; the message says why and what to change.
        """
        processes.open_log(self.log)
        make_folder(self.sockets, owner=self.account)
        self._insist_on_room()
        if not (self.folder / "PG_VERSION").exists():
            self._make_cluster()
        self._insist_on_version()
        self._clear_the_way()
        self._write_access_rules()
        since = self.log.stat().st_size if self.log.exists() else 0
        self.running = processes.start(
            [self.programs / "postgres", "-D", self.folder, *self._arguments()],
            log=self.log,
            at_parents_death=signal.SIGINT,
            account=self.account,
            environment=_environment(),
        )
        try:
            self._wait_until_ready(since)
            self._make_database()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop it in order; does nothing when it is not running."""
        if self.running is not None:
            processes.end(self.running, *STOP_ASKS)
            self.running = None

    def _arguments(self) -> list[str]:
        options = {
            **self.options,
            "port": str(PORT),
            "unix_socket_directories": str(self.sockets),
            "hba_file": str(self.folder / "arena_hba.conf"),
            "ident_file": str(self.folder / "arena_ident.conf"),
        }
        return [word for name, value in options.items() for word in ("-c", f"{name}={value}")]

    def _insist_on_room(self) -> None:
        free = shutil.disk_usage(make_folder(self.folder.parent)).free
        if free < FREE_BYTES:
            raise ServiceError(
                f"The disk with {self.folder.parent} has {free // 1024**2} MB left and PostgreSQL needs "
                f"{FREE_BYTES // 1024**2} MB. Free some, or set ARENA_DATA_DIR to a folder on another disk."
            )

    def _make_cluster(self) -> None:
        version = binaries.major_version(self.programs / "postgres", self.account)
        if version < OLDEST_VERSION:
            raise ServiceError(f"{self.programs} holds PostgreSQL {version}; at least {OLDEST_VERSION} is needed.")
        # Made under another name: a start that is killed on the way leaves nothing that looks like a cluster.
        draft = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        make_folder(draft, owner=self.account)
        locale = ["--locale=C.UTF-8"]
        if version >= BUILTIN_LOCALE_VERSION:
            locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        words = ["--username", ROLE, "--encoding=UTF8", "--auth=reject", "--data-checksums", "--no-instructions"]
        since = self.log.stat().st_size if self.log.exists() else 0
        making = processes.start(
            [self.programs / "initdb", "--pgdata", draft, *words, *locale],
            log=self.log,
            at_parents_death=signal.SIGKILL,
            account=self.account,
            environment=_environment(),
        )
        processes.wait_until_ended(making, INITDB_SECONDS)
        processes.end(making)
        if making.returncode != 0:
            raise self._failure("PostgreSQL's database could not be made", since)
        os.replace(draft, self.folder)

    def _insist_on_version(self) -> None:
        try:
            cluster = int((self.folder / "PG_VERSION").read_text().strip())
        except PermissionError as error:
            raise ServiceError(
                f"The database in {self.folder} belongs to another user. Start the arena as the one who started it "
                "first, or set ARENA_DATA_DIR to another folder."
            ) from error
        program = binaries.major_version(self.programs / "postgres", self.account)
        if cluster != program:
            raise ServiceError(
                f"The database in {self.folder} was made by PostgreSQL {cluster} and {self.programs} holds {program}. "
                f"Set ARENA_POSTGRES_BIN to those of {cluster}, dump the database, and load it into a new folder."
            )

    def _clear_the_way(self) -> None:
        """End what an earlier run left, then remove its marks: their numbers may be other processes' by now."""
        processes.end_leftovers(self.folder, "postgres", *STOP_ASKS)
        (self.folder / "postmaster.pid").unlink(missing_ok=True)
        for mark in self.sockets.glob(".s.PGSQL.*"):
            mark.unlink(missing_ok=True)

    def _write_access_rules(self) -> None:
        """Whoever runs the arena may connect; the kernel tells the server who is at the other end."""
        self._write("arena_hba.conf", "local all all peer map=arena\n")
        self._write("arena_ident.conf", f'arena "{_own_name()}" {ROLE}\n')

    def _write(self, name: str, text: str) -> None:
        draft = self.folder / f"{name}.new"
        draft.write_text(text, encoding="utf-8")
        if self.account is not None:
            os.chown(draft, self.account.uid, self.account.gid)
        os.replace(draft, self.folder / name)

    def _wait_until_ready(self, since: int) -> None:
        assert self.running is not None, "only called after the start"
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                psycopg.connect(connection_string(self.sockets, "postgres"), connect_timeout=CONNECT_SECONDS).close()
            except psycopg.OperationalError as error:
                if processes.has_ended(self.running):
                    raise self._failure("PostgreSQL stopped while it started", since) from error
                if time.monotonic() > deadline:
                    raise self._failure(f"PostgreSQL was not ready in {READY_SECONDS:.0f} seconds", since) from error
                time.sleep(processes.POLL_SECONDS)
            else:
                return

    def _make_database(self) -> None:
        with psycopg.connect(connection_string(self.sockets, "postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE}")

    def _failure(self, what: str, since: int) -> ServiceError:
        said = processes.last_lines(self.log, since=since)
        return ServiceError(f"{what}. {_advice(said)}The log is {self.log}:\n{said}")


def socket_folder_of(sockets: Path) -> Path:
    """The folder of PostgreSQL's socket among the arena's sockets."""
    return sockets / "postgres"


def connection_string(folder: Path, database: str = DATABASE) -> str:
    """The address of a private server's database, for psycopg and ``ARENA_DATABASE_URL``."""
    return f"postgresql://{ROLE}@/{database}?host={quote(str(folder), safe='')}&port={PORT}"


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise ServiceError(
            f"User {os.geteuid()} has no entry in /etc/passwd, which PostgreSQL insists on. Add one, or set "
            "ARENA_DATABASE_URL to a server of yours."
        ) from error


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _advice(said: str) -> str:
    if "No space left on device" in said:
        return "Its disk is full: free some space, or set ARENA_DATA_DIR to a folder on another disk. "
    if "could not be loaded" in said or "error while loading shared libraries" in said:
        return "A system library is missing. "
    if "Permission denied" in said:
        return "It may not read its own folder: was the data folder copied or its owner changed? "
    return ""
