"""The HTTP underneath every provider's library: bounded, without redirects, and cut from another thread at will.

The libraries build the requests and sign them. What came back is taken here, as status, headers and bytes, so that
a body which a library cannot digest is the same to all adapters.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

#: Seconds to a provider's door. Less than a lane takes to let go of its agent, since a connect cannot be cut.
CONNECT_SECONDS = 4.0

#: Bytes of a body. The longest reply is far below a megabyte; a body without an end must not fill the memory.
LONGEST_BODY = 16 << 20

#: Loggers whose debug lines hold whole requests: page text, instructions, and what a provider echoes of a key.
TALKATIVE = ("anthropic", "openai", "google_genai", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a provider answered."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class NoAnswer(Exception):
    """Nothing came back.

    ``what`` is the kind of failure, one word without any of its text; ``asked`` whether a request was on its way.
    """

    def __init__(self, what: str, *, asked: bool) -> None:
        super().__init__(what)
        self.what = what
        self.asked = asked


class Connection:
    """One lane's connections to one provider.

    ``client`` is for the provider's library. Redirects are not followed: they would carry the key elsewhere.

    Args:
        dropped_headers: headers that a library adds from the environment and that are not for this provider.
    """

    def __init__(self, *, dropped_headers: tuple[str, ...] = ()) -> None:
        self._dropped = dropped_headers
        self._silence = CONNECT_SECONDS
        self._answer: Answer | None = None
        self._asked = False
        self._sockets: list[Any] = []
        self._lock = threading.Lock()
        self._closed = False
        for name in TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.client = httpx2.Client(
            verify=_trust(),
            follow_redirects=False,
            event_hooks={"request": [self._prepare], "response": [self._take]},
        )

    def answer(self, call: Callable[[], Any], *, silence: float) -> Answer:
        """What came back when the library made its call; what the library makes of it does not matter.

        Args:
            call: makes one request with ``client``.
            silence: seconds without a byte after which the connection counts as dead.

        Raises:
            NoAnswer: no whole answer came.
        """
        self._silence = silence
        self._answer = None
        self._asked = False
        failure = "NoRequest"
        try:
            call()
        # Whatever a library raises is about the call or the body, and both are looked at here.
        except Exception as error:
            failure = type(error.__cause__ or error).__name__
        if self._answer is None:
            raise NoAnswer(failure, asked=self._asked)
        return self._answer

    def close(self) -> None:
        """Close everything. A call under way in another thread ends at once, with :class:`NoAnswer`."""
        with self._lock:
            self._closed = True
            sockets, self._sockets = self._sockets, []
        for each in sockets:
            _shut(each)
        self.client.close()

    def _prepare(self, request: httpx2.Request) -> None:
        self._asked = True
        for name in self._dropped:
            request.headers.pop(name, None)
        # A packed body of a megabyte can unpack to gigabytes.
        request.headers["accept-encoding"] = "identity"
        connect = min(CONNECT_SECONDS, self._silence)
        request.extensions = {
            **request.extensions,
            "timeout": httpx2.Timeout(self._silence, connect=connect).as_dict(),
            "trace": self._trace,
        }

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the sockets, because only shutting one down wakes the thread that reads from it."""
        stream = info.get("return_value") if event.endswith((".connect_tcp.complete", ".start_tls.complete")) else None
        sock = stream.get_extra_info("socket") if stream is not None else None
        if sock is None:
            return
        with self._lock:
            closed = self._closed
            self._sockets = [*(each for each in self._sockets if each.fileno() >= 0), sock]
        if closed:
            _shut(sock)

    def _take(self, response: httpx2.Response) -> None:
        response.stream = _Bounded(response.stream)
        self._answer = Answer(response.status_code, response.headers, response.read())


class _Bounded(httpx2.SyncByteStream):
    """A body that ends with an error where it gets too long."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        room = LONGEST_BODY
        for chunk in self._stream:
            room -= len(chunk)
            if room < 0:
                raise httpx2.ReadError("The body is too long.")
            yield chunk

    def close(self) -> None:
        self._stream.close()


@functools.cache
def _trust() -> ssl.SSLContext:
    """Whom we trust; reading all certificates anew for every lane would take longer than a request."""
    return httpx2.create_ssl_context()


def _shut(sock: Any) -> None:
    # It may be closed, or never have been connected.
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
