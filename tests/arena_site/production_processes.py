"""Processes of a production, as the Procfile has them, on the database and the broker of the test."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from arena_site.environment import CHECKOUT

PROCFILE = CHECKOUT / "Procfile"


def lines() -> dict[str, str]:
    """What runs, by the name of the process."""
    return dict(re.findall(r"^(\w+): (.+)$", PROCFILE.read_text(), flags=re.MULTILINE))


def database_of_the_test() -> str:
    """The address of the database that the test sees, in the form that the run's own has."""
    name, address = connection.settings_dict["NAME"], os.environ["ARENA_DATABASE_URL"]
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"/{name}"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """One line of the Procfile that runs, leading a group of its own, with what it says in a file."""

    def __init__(self, name: str, folder: Path, more: str = "", **variables: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{name}-{len(list(folder.glob('*.log')))}.log"
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "ARENA_DATABASE_URL": database_of_the_test(),
            "PYTHONUNBUFFERED": "1",
            **variables,
        }
        with self.log.open("wb") as log:
            line = lines()[name] if "&&" in lines()[name] else f"exec {lines()[name]}"
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f"{line} {more}"],
                cwd=CHECKOUT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def ask(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = 30.0) -> int:
        return self.process.wait(timeout=seconds)

    def end(self) -> None:
        """End it with its whole group, however it is."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)
