"""The arena as the Procfile runs it: each process on its own, on servers reached by address."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from arena_site.environment import CHECKOUT
from tests.arena_site.services.conftest import wait_until
from tests.arena_site.test_supervisor import free_port

DATABASE = "arena_stack"
#: No worker of a test run uses the last of a broker's numbered stores.
STORE = "15"
UP_SECONDS = 120.0
STOP_SECONDS = 60.0
#: What is started once, before the others.
RELEASE = "release"


def procfile() -> dict[str, str]:
    """Command by name of process."""
    lines = (CHECKOUT / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def numbered(broker: str) -> str:
    """The address of the same broker with our store."""
    parts = urlsplit(broker)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db={STORE}"
    return urlunsplit(parts._replace(path=f"/{STORE}"))


class Stack:
    """A running arena with a database and a data folder of its own, both gone afterwards."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.logs = folder / "logs"
        self.logs.mkdir()
        database = urlsplit(os.environ["ARENA_DATABASE_URL"])._replace(path=f"/{DATABASE}")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "DJANGO_"))}
        chosen = {name: os.environ[name] for name in ("ARENA_CHROMIUM", "ARENA_CHROMIUM_USER") if name in os.environ}
        self.environment = {
            **kept,
            **chosen,
            "PATH": f"{CHECKOUT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PORT": str(self.port),
            "ARENA_DATABASE_URL": urlunsplit(database),
            "ARENA_REDIS_URL": numbered(os.environ["ARENA_REDIS_URL"]),
            "ARENA_DATA_DIR": str(folder / "data"),
            "ARENA_LEGAL_NAME": "Test Arena Ltd",
            "ARENA_WITHDRAWAL_ADDRESS": "1 Test Street, Testing",
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, *words: str) -> str:
        """What a command of manage.py says."""
        command = ["python", "manage.py", *words]
        done = subprocess.run(command, cwd=CHECKOUT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self) -> None:
        commands = procfile()
        subprocess.run(["bash", "-ec", commands.pop(RELEASE)], cwd=CHECKOUT, env=self.environment, check=True)
        for name, command in commands.items():
            with (self.logs / f"{name}.log").open("wb") as log:
                self._running[name] = subprocess.Popen(
                    ["bash", "-c", f"exec {command}"],
                    cwd=CHECKOUT,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        wait_until(self._answers, UP_SECONDS)

    def stop(self) -> None:
        """Ask everything to end, the web first; what does not is a failure of its own."""
        for process in self._running.values():
            process.send_signal(signal.SIGTERM)
        slow = []
        for name, process in self._running.items():
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                slow.append(name)
        assert slow == []

    def log(self) -> str:
        return "\n".join(f"== {path.stem}\n{path.read_text()}" for path in sorted(self.logs.iterdir()))

    def _answers(self) -> bool:
        for name, process in self._running.items():
            assert process.poll() is None, (self.logs / f"{name}.log").read_text()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == http.client.OK
        except OSError:
            return False
        finally:
            connection.close()


@contextlib.contextmanager
def running_stack() -> Iterator[Stack]:
    folder = Path(tempfile.mkdtemp(prefix="ringside-stack-"))
    # The lanes' browsers run as another account when the tests are run by root.
    folder.chmod(0o711)
    drop = f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"
    with psycopg.connect(os.environ["ARENA_DATABASE_URL"], dbname="postgres", autocommit=True) as administrator:
        administrator.execute(drop)
        administrator.execute(f"CREATE DATABASE {DATABASE}")
        stack = Stack(folder)
        try:
            stack.start()
            yield stack
        finally:
            stack.stop()
            administrator.execute(drop)
            shutil.rmtree(folder)
