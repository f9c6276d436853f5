"""A private Valkey (or Redis): the doorbell of the workers, reachable through a Unix socket and by us alone.

All that matters is in the database: what is lost here is rung again by the reaper. So a store that cannot be read is
set aside, not mourned.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import redis

from arena_site.services import processes
from arena_site.services.folders import make_folder
from arena_site.services.processes import Account, ServiceError

SOCKET = "valkey.sock"
READY_SECONDS = 60.0
#: A store that cannot be read is noticed in less than a second; a second try starts with none.
TRIES = 2
STOP_ASKS = ((signal.SIGTERM, 10.0),)
CONNECT_SECONDS = 2


class ValkeyServer:
    """One store in one folder.

    Args:
        folder: of the store; made on the first start.
        sockets: short folder in which this server gets a folder of its own.
        program: a ``valkey-server`` or ``redis-server``.
        account: whom it runs as; ``None`` for ourselves.
        log: file that the server writes to.
    """

    name = "Valkey"

    def __init__(self, *, folder: Path, sockets: Path, program: Path, account: Account | None, log: Path) -> None:
        self.folder = folder
        self.socket = socket_of(sockets)
        self.program = program
        self.account = account
        self.log = log
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            ServiceError: it does not come up; the message says why and what to change.
        """
        processes.open_log(self.log)
        make_folder(self.socket.parent, owner=self.account)
        if self.folder.is_dir():
            processes.end_leftovers(self.folder, self.program.resolve().name, *STOP_ASKS)
        for tries_left in reversed(range(TRIES)):
            make_folder(self.folder, owner=self.account)
            self.socket.unlink(missing_ok=True)
            since = self.log.stat().st_size if self.log.exists() else 0
            self.running = self._launch()
            try:
                if self._comes_up():
                    return
            except BaseException:
                self.stop()
                raise
            self.stop()
            said = processes.last_lines(self.log, since=since)
            if not tries_left or "No space left on device" in said:
                raise ServiceError(f"Valkey does not come up. The log is {self.log}:\n{said}")
            self._set_store_aside()

    def stop(self) -> None:
        """Stop it in order; does nothing when it is not running."""
        if self.running is not None:
            processes.end(self.running, *STOP_ASKS)
            self.running = None

    def _launch(self) -> subprocess.Popen[bytes]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "daemonize": "no",
        }
        return processes.start(
            [self.program, *(word for name, value in options.items() for word in (f"--{name}", value))],
            log=self.log,
            at_parents_death=signal.SIGTERM,
            account=self.account,
            environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )

    def _comes_up(self) -> bool:
        """Wait for an answer; false when the server has ended or takes too long."""
        assert self.running is not None, "only called after the start"
        deadline = time.monotonic() + READY_SECONDS
        client = redis.Redis(unix_socket_path=str(self.socket), socket_timeout=CONNECT_SECONDS)
        try:
            while time.monotonic() < deadline and not processes.has_ended(self.running):
                try:
                    client.ping()
                except redis.RedisError:
                    time.sleep(processes.POLL_SECONDS)
                else:
                    return True
        finally:
            client.close()
        return False

    def _set_store_aside(self) -> None:
        number = 1
        while (aside := self.folder.with_name(f"{self.folder.name}-unreadable-{number}")).exists():
            number += 1
        os.replace(self.folder, aside)


def socket_of(sockets: Path) -> Path:
    """Valkey's socket among the arena's sockets, in a folder that only its account and root can enter."""
    return sockets / "valkey" / SOCKET
