"""Where MiniWoB++'s pages are, and serving them on loopback.

The Python package is never imported (it brings a browser driver and a learning framework of its own): its
distribution is only the box that the pages come in. They are served as they are.
"""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from socketserver import TCPServer
from typing import Any, Self

from governance.errors import ArenaError

DISTRIBUTION = "miniwob"

#: The host by which lanes ask for the pages; the lane's egress allowlist maps it to the server on loopback.
HOST = "miniwob.test"

#: How long stopping may take: a request in work ends, or is abandoned with its daemon thread.
STOP_SECONDS = 5.0

#: A browser that opens a connection and says nothing on it is dropped after this many seconds.
SILENT_SECONDS = 10


class PagesMissing(ArenaError):
    """The distribution with the pages is not installed, or holds no pages."""

    code = "pages_missing"


class UnknownTask(ArenaError):
    """There is no page of that name."""

    code = "unknown_task"


def pages_folder() -> Path:
    """The folder that is served: task pages in ``miniwob/``, what they load beside it.

    Raises:
        PagesMissing: saying what to install.
    """
    install = f"Install them with: pip install --no-deps {DISTRIBUTION}"
    try:
        files = metadata.files(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise PagesMissing(f"The pages of MiniWoB++ are not installed. {install}") from None
    for file in files or ():
        if file.match("miniwob/html/core/core.js"):
            folder = Path(str(file.locate())).parent.parent
            if folder.is_dir():
                return folder
    raise PagesMissing(f"The installed {DISTRIBUTION} holds no pages. {install}")


def version() -> str:
    """The installed version of the pages. Raises as :func:`pages_folder`."""
    pages_folder()
    return metadata.version(DISTRIBUTION)


def task_names() -> list[str]:
    """Every task there is a page for, in alphabetical order. Raises as :func:`pages_folder`."""
    return sorted(page.stem for page in (pages_folder() / "miniwob").glob("*.html"))


def chosen_tasks(wanted: list[str]) -> list[str]:
    """The named tasks, or all of them when none is named.

    Raises:
        PagesMissing: as :func:`pages_folder`.
        UnknownTask: naming those that do not exist.
    """
    known = task_names()
    strange = sorted(set(wanted) - set(known))
    if strange:
        raise UnknownTask(f"There is no task {', '.join(strange)}. --list shows the {len(known)} tasks.")
    return list(dict.fromkeys(wanted)) or known


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    #: A page asks for a dozen things at once.
    request_queue_size = 64

    def server_bind(self) -> None:
        # The standard server looks its own name up, which can take seconds where there is no resolver.
        self.server_name, self.server_port = "127.0.0.1", 0
        TCPServer.server_bind(self)
        self.server_port = self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that hangs up in the middle of an answer is nothing to report."""


class _Handler(SimpleHTTPRequestHandler):
    timeout = SILENT_SECONDS
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the report says what happened."""


class PageServer:
    """A context manager around the running server of the pages."""

    def __init__(self) -> None:
        self._folder = pages_folder()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        handler = functools.partial(_Handler, directory=str(self._folder))
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="proving-ground", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(STOP_SECONDS)

    @property
    def port(self) -> int:
        return self._server.server_port if self._server else 0

    @property
    def allowlist(self) -> dict[str, str]:
        """What the lane's egress proxy has to let through."""
        return {f"{HOST}:80": f"127.0.0.1:{self.port}"}

    def url(self, task: str) -> str:
        """The address of a task's page, as a lane asks for it."""
        return f"http://{HOST}/miniwob/{task}.html"
