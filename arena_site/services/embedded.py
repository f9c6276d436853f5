"""The embedded services as a whole: their addresses for the settings, and starting and stopping them.

One process at a time owns them (the supervisor, or a command run on its own) and holds a lock for as long. Others use
them and say so with a lock of their own, which an owner waits for before it stops them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import redis
from psycopg.conninfo import conninfo_to_dict

from arena_site.environment import read_environment
from arena_site.services import binaries, postgres, valkey
from arena_site.services.folders import (
    make_folder,
    make_services_home,
    services_account,
    services_home,
    socket_folder,
)
from arena_site.services.postgres import PostgresServer
from arena_site.services.processes import POLL_SECONDS, ServiceError
from arena_site.services.valkey import ValkeyServer

Server = PostgresServer | ValkeyServer

#: The owner may be replaying PostgreSQL's log after a power cut.
JOIN_SECONDS = postgres.READY_SECONDS
#: Another command that uses the services is at most one battle long.
LEAVE_SECONDS = 900.0
#: Who is cut off says nothing. What is sent to a server that does not confirm it is given up after so many
#: milliseconds, a connection on which nothing happens is tried after so many seconds. The server is asked to do the
#: same, or the session of a host that is gone would hold its locks for hours. A race's lease is longer than all of it
#: together. Addresses may say otherwise. (PostgreSQL, libpq, "Parameter Key Words"; server, "TCP Settings")
PATIENCE = {
    "connect_timeout": "5",
    "tcp_user_timeout": "10000",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "options": "-c tcp_user_timeout=10000 -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 "
    "-c tcp_keepalives_count=3",
}
#: Kept open between requests; checked before use, so that a restarted server is not noticed.
CONNECTION_SECONDS = 60


class ServicesInUse(ServiceError):
    """Another process owns the services of this data folder."""

    code = "already_running"
    status = 409


def database_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Django's ``DATABASES`` entry for ``ARENA_DATABASE_URL``, or for the embedded PostgreSQL.

    Args:
        values: from :func:`arena_site.environment.read_environment`.

    Raises:
        ServiceError: the address cannot be read, or there is no place for sockets.
    """
    try:
        parts = conninfo_to_dict(database_url(values))
    except psycopg.ProgrammingError as error:
        raise ServiceError(f"ARENA_DATABASE_URL cannot be read: {str(error).strip()}") from error
    on_a_socket = str(parts.get("host", "/")).startswith("/")
    named = {name: str(parts.pop(key, "") or "") for name, key in _DJANGO_NAMES.items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **named,
        "OPTIONS": parts if on_a_socket else {**PATIENCE, **parts},
        "CONN_MAX_AGE": CONNECTION_SECONDS,
        "CONN_HEALTH_CHECKS": True,
    }


_DJANGO_NAMES = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}


def database_url(values: Mapping[str, Any]) -> str:
    """``ARENA_DATABASE_URL``, or the address of the embedded PostgreSQL, which need not run yet."""
    if values["ARENA_DATABASE_URL"]:
        return str(values["ARENA_DATABASE_URL"])
    return postgres.connection_string(postgres.socket_folder_of(socket_folder(values["ARENA_DATA_DIR"])))


def redis_url(values: Mapping[str, Any]) -> str:
    """The broker's address as Celery writes it: ``ARENA_REDIS_URL``, or that of the embedded Valkey."""
    address = plain_redis_url(values)
    parts = urlsplit(address)
    if parts.scheme != "unix":
        return address
    return f"redis+socket://{parts.path}?virtual_host={parse_qs(parts.query).get('db', ['0'])[0]}"


def plain_redis_url(values: Mapping[str, Any]) -> str:
    """The same as redis-py writes it."""
    if values["ARENA_REDIS_URL"]:
        return str(values["ARENA_REDIS_URL"])
    return f"unix://{valkey.socket_of(socket_folder(values['ARENA_DATA_DIR']))}?db=0"


class EmbeddedServices:
    """Those of the two services that no address was given for, owned by this process.

    Args:
        values: from :func:`arena_site.environment.read_environment`.
        owner: what this process is, for the message that another one gets.
        postgres_options: settings of PostgreSQL on top of the usual ones.
    """

    def __init__(
        self, values: Mapping[str, Any], *, owner: str, postgres_options: Mapping[str, str] | None = None
    ) -> None:
        self.values = values
        self.owner = owner
        self.postgres_options = postgres_options
        self.servers: list[Server] = []
        self._held = contextlib.ExitStack()

    def start(self) -> None:
        """Take the lock and start what is needed, in order; nothing is left running when one fails.

        Raises:
            ServicesInUse: another process owns them.
            ServiceError: one cannot be started.
        """
        if not needed(self.values):
            return
        data: Path = self.values["ARENA_DATA_DIR"]
        account = services_account(
            self.values["ARENA_SERVICES_USER"], avoid=self.values["ARENA_CHROMIUM_USER"], home=services_home(data)
        )
        home = make_services_home(data, account)
        try:
            self._own(home)
            sockets = socket_folder(data)
            self._keep(sockets)
            logs = make_folder(data / "logs")
            if self.values["ARENA_DATABASE_URL"] is None:
                programs = binaries.postgres_folder(self.values["ARENA_POSTGRES_BIN"], home=home, account=account)
                self._start(
                    PostgresServer(
                        folder=home / "postgres",
                        sockets=sockets,
                        programs=programs,
                        account=account,
                        log=logs / "postgres.log",
                        options=self.postgres_options,
                    )
                )
            if self.values["ARENA_REDIS_URL"] is None:
                program = binaries.valkey_program(self.values["ARENA_REDIS_BIN"], home=home, account=account)
                self._start(
                    ValkeyServer(
                        folder=home / "valkey",
                        sockets=sockets,
                        program=program,
                        account=account,
                        log=logs / "valkey.log",
                    )
                )
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop them in the opposite order and let go of the lock."""
        while self.servers:
            self.servers.pop().stop()
        self._held.close()

    def wait_for_others(self, say: Callable[[str], None]) -> None:
        """Wait until no other command uses the services, at most ``LEAVE_SECONDS``."""
        if not self.servers:
            return
        users = self._held.enter_context(_open_lock(_users_lock(self.values)))
        if not _take(users, fcntl.LOCK_EX, 0):
            say("Another command still uses the database; waiting for it. Ctrl-C does not.")
            _take(users, fcntl.LOCK_EX, LEAVE_SECONDS)

    def _start(self, server: Server) -> None:
        server.start()
        self.servers.append(server)

    def _own(self, home: Path) -> None:
        file = self._held.enter_context(_open_lock(home / "owner.lock"))
        if not _take(file, fcntl.LOCK_EX, 0):
            raise ServicesInUse(f"The arena in {self.values['ARENA_DATA_DIR']} is in use by {file.read().strip()}.")
        file.truncate(0)
        file.write(f"{self.owner} (process {os.getpid()})\n")
        file.flush()

    def _keep(self, sockets: Path) -> None:
        """Hold a lock on the sockets' folder: the sign for systemd not to tidy it up."""
        handle = os.open(sockets, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._held.callback(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_SH)


def needed(values: Mapping[str, Any]) -> bool:
    """Whether any service is to be started at all."""
    return values["ARENA_DATABASE_URL"] is None or values["ARENA_REDIS_URL"] is None


@contextlib.contextmanager
def running_services(
    values: Mapping[str, Any] | None = None, *, owner: str = "a command", say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Services for the time of the ``with`` block: those of the supervisor if it runs, else started and stopped here.

    Args:
        values: the settings; ``None`` reads the environment.
        owner: what this command is called in the message that another process may get.
        say: shows a line to the person who waits; ``None`` is standard error.

    Raises:
        ServiceError: they cannot be started, or those of another process do not answer.
    """
    values = read_environment(os.environ) if values is None else values
    services = EmbeddedServices(values, owner=owner)
    if not needed(values):
        yield
        return
    make_folder(values["ARENA_DATA_DIR"])
    with _open_lock(_users_lock(values)) as users:
        if _join_or_start(services, users):
            yield
            return
    in_a_hurry = False
    try:
        yield
    except KeyboardInterrupt:
        in_a_hurry = True
        raise
    finally:
        try:
            if not in_a_hurry:
                services.wait_for_others(say or _say_to_errors)
        finally:
            services.stop()


def _join_or_start(services: EmbeddedServices, users: IO[str]) -> bool:
    """True: somebody else's services run and ``users`` is locked. False: ours run."""
    deadline = time.monotonic() + JOIN_SECONDS
    if not _take(users, fcntl.LOCK_SH, JOIN_SECONDS):
        raise ServiceError("Another command is stopping the services and does not end. End it and try again.")
    while True:
        try:
            services.start()
        except ServicesInUse:
            if answers(services.values):
                return True
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)
        else:
            return False


def answers(values: Mapping[str, Any]) -> bool:
    """Whether both the database and the broker take connections now."""
    try:
        psycopg.connect(database_url(values), connect_timeout=postgres.CONNECT_SECONDS).close()
        with redis.Redis.from_url(plain_redis_url(values), socket_timeout=valkey.CONNECT_SECONDS) as client:
            client.ping()
    except (psycopg.OperationalError, redis.RedisError):
        return False
    return True


def _users_lock(values: Mapping[str, Any]) -> Path:
    data: Path = values["ARENA_DATA_DIR"]
    return data / ".services-users.lock"


@contextlib.contextmanager
def _open_lock(path: Path) -> Iterator[IO[str]]:
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0)
        yield file


def _take(file: IO[str], kind: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True


def _say_to_errors(line: str) -> None:
    sys.stderr.write(f"{line}\n")
