"""The practice sites of one lane: every registered host with fresh state, on one loopback port.

The lane's egress proxy maps the hosts' port 80 to this server, which tells them apart by the Host header.
Requests to one site are answered one at a time, so that a site needs no locks around its state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from socketserver import ThreadingMixIn
from typing import Any, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from battles.checks import PracticeSite, practice_hosts

#: A browser that opens a connection and says nothing on it is dropped after this many seconds.
SILENT_SECONDS = 10

#: How long stopping may take: a request in work ends, or is abandoned with its daemon thread.
STOP_SECONDS = 5.0


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    block_on_close = False
    #: A page asks for a dozen things at once.
    request_queue_size = 64

    def server_bind(self) -> None:
        # The standard server looks its own name up, which can take seconds where there is no resolver.
        self.server_name, self.server_port = "127.0.0.1", 0
        super(WSGIServer, self).server_bind()
        self.server_port = self.server_address[1]
        self.setup_environ()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that hangs up in the middle of an answer is nothing to report."""


class _Handler(WSGIRequestHandler):
    timeout = SILENT_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the lane records what its agent did."""

    def address_string(self) -> str:
        return str(self.client_address[0])


class PracticeServer:
    """A context manager around the running sites of one lane."""

    def __init__(self, hosts: Mapping[str, Callable[[], PracticeSite]] | None = None) -> None:
        factories = practice_hosts() if hosts is None else hosts
        self.sites: dict[str, PracticeSite] = {host.lower(): factory() for host, factory in factories.items()}
        self._locks = {host: threading.Lock() for host in self.sites}
        self._server: WSGIServer | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._server = make_server("127.0.0.1", 0, self._dispatch, server_class=_Server, handler_class=_Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="practice-sites", daemon=True
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
        """What the lane's egress proxy has to let through: each host's port 80, to this server."""
        return {f"{host}:80": f"127.0.0.1:{self.port}" for host in self.sites}

    def _dispatch(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        host = environ.get("HTTP_HOST", "").rpartition("@")[2].lower().partition(":")[0]
        site = self.sites.get(host)
        if site is None:
            # 421: this server is not the one for that host (RFC 9110, 15.5.20).
            start_response("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"There is no practice site of that name."]
        with self._locks[host]:
            answer = site(environ, start_response)
            try:
                return list(answer)
            finally:
                close = getattr(answer, "close", None)
                if close is not None:
                    close()
