"""A model provider on loopback: as strict as a real one about what it is sent, and answers what a test tells it to."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.battles.agents.hosted.dialect import MODEL, Dialect, Malformed


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """What to answer: JSON or bytes with a status, dripped by the byte with ``drip`` seconds between, or nothing."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    #: Seconds of silence before the first byte.
    silence: float = 0.0
    #: The connection is closed instead of an answer, or after that many bytes of it.
    dropped: bool = False
    cut_after: int | None = None
    mime: str = "application/json"


class LocalProvider:
    """Answers its script in order, the last entry again and again; remembers every request.

    A request that the provider would not take is answered so, and kept in ``faults``. ``key`` is the only one it
    accepts.
    """

    def __init__(self, dialect: Dialect, *script: Any, key: str) -> None:
        self.dialect = dialect
        self.faults: list[str] = []
        self._script = list(script)
        self._key = key
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.stopped = threading.Event()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, json.loads(self.rfile.read(length)))
                provider._serve(self, request)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def url(self) -> str:
        """The base URL of a roster row."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.dialect.base_path}"

    @property
    def transcripts(self) -> list[Any]:
        """What each request says, in the terms that all dialects share."""
        return [self.dialect.read(request.body) for request in self.requests]

    def _serve(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        self.requests.append(request)
        self.times.append(time.monotonic())
        answer = self._answer(request)
        if self.stopped.wait(answer.silence):
            return
        if answer.dropped:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        self._write(handler, answer)

    def _answer(self, request: Request) -> Answer:
        if not self.dialect.authorized(request.headers, self._key):
            return Answer(*self.dialect.wrong_key())
        try:
            self.dialect.check(request)
        except (Malformed, LookupError, TypeError, AttributeError, ValueError) as fault:
            self.faults.append(f"{type(fault).__name__}: {fault}")
            return Answer(*self.dialect.error(400, self.dialect.malformed_kind, str(fault)))
        if self.dialect.model_of(request) != MODEL:
            return Answer(*self.dialect.no_model())
        entry = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        made = entry(request) if callable(entry) else entry
        return made if isinstance(made, Answer) else Answer(made)

    def _write(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        handler.send_header("content-type", answer.mime)
        handler.send_header("content-length", str(len(data)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            if answer.cut_after is not None:
                handler.wfile.write(data[: answer.cut_after])
                handler.close_connection = True
                return
            if not answer.drip:
                handler.wfile.write(data)
                return
            for place in range(len(data)):
                handler.wfile.write(data[place : place + 1])
                handler.wfile.flush()
                if self.stopped.wait(answer.drip):
                    return
        except OSError:
            # The client gave up, as some tests want it to.
            handler.close_connection = True
