"""The forward proxy that is a lane's only way out, a process of its own: ``python -m battles.lanes.egress_proxy``.

It is given one JSON line on standard input::

    {"control": "/run/x/egress", "allow": {"shop.practice.test:80": "127.0.0.1:41234"}, "uid": 65534, "gid": 65534}

and answers on standard output with JSON lines: ``{"event": "ready", "port": N}`` once, then
``{"event": "launch", ...}`` for every browser handed over and ``{"event": "refused", "host", "port", "reason"}``.

Browsers do not connect to a socket of this machine. The launcher opens a listening socket *inside* the browser's
network namespace and hands it over the Unix socket ``control`` (SCM_RIGHTS); connections accepted on it come out
of the namespace, and nothing else can. Where namespaces are refused, the launcher asks for the reserved port
on the machine's own loopback instead.

Every connection carries one request: it is judged, answered with ``Connection: close`` and ended, so no later
request can ride on an earlier verdict. A name is resolved once, every answer is judged, and the very address
that was judged is dialled. Nothing of a request but host, port and the reason of a refusal is ever written.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import encodings.idna  # noqa: F401  (the resolver imports it late, when this process can no longer read it)
import json
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from battles.lanes.egress_addresses import parse_address
from battles.lanes.egress_policy import MAX_HOST_LENGTH, Destination, Refusal, judge_connection, judge_host, judge_url
from battles.lanes.egress_wire import (
    MAX_HEAD_BYTES,
    BadGateway,
    BadRequest,
    Forbidden,
    OwnAnswer,
    RequestHead,
    TooMany,
    copy_all,
    copy_body,
    forwarded_request,
    own_answer,
    read_answer,
    read_request,
    wait_until_gone,
)

#: Open connections per lane. A page uses dozens; hundreds are a page that wants to hurt.
MAX_CONNECTIONS = 256

#: Seconds a client may take to say what it wants.
HEAD_SECONDS = 30.0

#: Seconds for a lookup, and for connecting to one address. Chromium itself gives up after minutes; a lane has five.
RESOLVE_SECONDS = 10.0
CONNECT_SECONDS = 8.0

#: Addresses tried per connection, so that a name with fifty dead ones costs a bounded time.
MAX_ADDRESSES = 4

#: Seconds for which a judged lookup is used again. A page opens dozens of connections to the same name at once.
RESOLVED_SECONDS = 10.0
MAX_RESOLVED = 512

#: Seconds of silence after which a tunnel or body is given up: longer than any lane lasts.
SILENT_SECONDS = 330.0

#: Lookups at a time; each is a thread that waits.
MAX_LOOKUPS = 8

#: Seconds the launcher may take to enter its namespace.
CONTROL_SECONDS = 20.0

#: A port to ask the kernel for a route with; nothing is sent.
ANY_PORT = 9

#: Seconds a client may take to read the proxy's own answer.
LINGER_SECONDS = 2.0

#: Bytes of a control message and of the configuration line.
MAX_CONTROL_BYTES = 4096
MAX_CONFIG_BYTES = 1 << 20

PR_SET_PDEATHSIG = 1

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_AUTHORITY = re.compile(r"([^:]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A lookup and its verdict: addresses to dial, or the reason of the refusal."""

    addresses: tuple[str, ...]
    refusal: str | None
    expires: float


class Network:
    """What the proxy needs of the world, in one place: names, addresses, connections."""

    def look_up(self, host: str, port: int) -> tuple[tuple[str, ...], str]:
        """Every address of ``host``, in the order to try them, and the name its CNAME chain ends in.

        The final dot keeps the resolver from trying the machine's own search domains.

        Raises:
            OSError: the name does not resolve.
        """
        absolute = f"{host}.".encode("ascii")
        found = socket.getaddrinfo(absolute, port, type=socket.SOCK_STREAM, flags=socket.AI_CANONNAME)
        addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
        return addresses, next((entry[3] for entry in found if entry[3]), "")

    def is_own(self, address: str) -> bool:
        """Whether ``address`` is one of this machine's own: then the kernel would use it as the source as well."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((address, ANY_PORT))
            except OSError:
                return False
            return str(probe.getsockname()[0]) == address

    async def dial(self, address: str, port: int) -> Stream | None:
        """Connect to an address that was judged; ``None`` when it does not answer."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await asyncio.open_connection(address, port, limit=MAX_HEAD_BYTES, flags=socket.AI_NUMERICHOST)
        except OSError:
            return None


class Proxy:
    """The proxy of one lane: what it may reach, and who is connected."""

    def __init__(self, allow: Mapping[str, str], network: Network, resolved_seconds: float = RESOLVED_SECONDS) -> None:
        self.allow = dict(allow)
        self.network = network
        self.resolved_seconds = resolved_seconds
        self.connections = 0
        self.servers: list[asyncio.Server] = []
        self._resolved: dict[str, Resolved] = {}
        self._lookups = ThreadPoolExecutor(max_workers=MAX_LOOKUPS)

    async def serve(self, listener: socket.socket) -> None:
        """Take connections from a listening socket, whichever network namespace it was opened in."""
        listener.setblocking(False)
        self.servers.append(await asyncio.start_server(self.handle, sock=listener, limit=MAX_HEAD_BYTES))

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection: one request, whatever becomes of it."""
        self.connections += 1
        try:
            if self.connections > MAX_CONNECTIONS:
                raise TooMany("Too many connections at once.")
            await self._serve_request(reader, writer)
            async with asyncio.timeout(HEAD_SECONDS):
                await writer.drain()
        except OwnAnswer as problem:
            await answer_for_oneself(problem, reader, writer)
        except (OSError, EOFError):
            writer.transport.abort()
        finally:
            self.connections -= 1
            writer.close()

    async def _serve_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            request = await read_request(reader)
        if request is None:
            return
        verdict = self._judge(request)
        upstream = await self._connect(verdict) if isinstance(verdict, Destination) else verdict
        if isinstance(upstream, Refusal):
            # A line longer than the pipe's buffer could be cut in two.
            report("refused", host=upstream.host[:MAX_HOST_LENGTH], port=upstream.port, reason=upstream.reason)
            raise Forbidden(upstream.words)
        if upstream is None:
            raise BadGateway("The site could not be reached.")
        try:
            exchange = tunnel if request.method == "CONNECT" else forward
            await exchange(request, (reader, writer), upstream)
        finally:
            upstream[1].transport.abort()

    def _judge(self, request: RequestHead) -> Destination | Refusal:
        if request.method == "CONNECT":
            authority = _AUTHORITY.fullmatch(request.target)
            if authority is None:
                raise BadRequest("CONNECT needs host:port.")
            return judge_host(authority[1], int(authority[2]), pinned=self.allow)
        if not request.target.lower().startswith("http://"):
            raise BadRequest("This is a proxy: the request must name an absolute http:// URL.")
        return judge_url(request.target, pinned=self.allow)

    async def _connect(self, destination: Destination) -> Stream | Refusal | None:
        if destination.pinned:
            host = f"[{destination.host}]" if ":" in destination.host else destination.host
            address, _, port = self.allow[f"{host}:{destination.port}"].rpartition(":")
            return await self.network.dial(address.strip("[]"), int(port))
        resolved = await self._resolve(destination.host, destination.port)
        if resolved.refusal is not None:
            return Refusal(resolved.refusal, destination.host, destination.port)
        for address in resolved.addresses[:MAX_ADDRESSES]:
            upstream = await self.network.dial(address, destination.port)
            if upstream is not None:
                return upstream
        return None

    async def _resolve(self, host: str, port: int) -> Resolved:
        known = self._resolved.get(host)
        if known is not None and known.expires > time.monotonic():
            return known
        addresses, canonical = await self._look_up(host, port)
        refusal = judge_connection(host, port, addresses, canonical)
        reason = refusal.reason if refusal else None
        if reason is None and any(self.network.is_own(address) for address in addresses):
            reason = "own_address"
        resolved = Resolved(addresses, reason, time.monotonic() + self.resolved_seconds)
        if reason is None:
            while len(self._resolved) >= MAX_RESOLVED:
                self._resolved.pop(next(iter(self._resolved)))
            self._resolved[host] = resolved
        return resolved

    async def _look_up(self, host: str, port: int) -> tuple[tuple[str, ...], str]:
        if parse_address(host) is not None:
            return (host,), ""
        looking = asyncio.get_running_loop().run_in_executor(self._lookups, self.network.look_up, host, port)
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                return await looking
        except (OSError, UnicodeError):
            return (), ""


async def answer_for_oneself(problem: OwnAnswer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say what was wrong, and listen on a little: hanging up on unread bytes would take the answer back."""
    writer.write(own_answer(problem.status, str(problem)))
    with contextlib.suppress(OSError):
        async with asyncio.timeout(LINGER_SECONDS):
            await writer.drain()
            writer.write_eof()
            await wait_until_gone(reader)


async def tunnel(_: RequestHead, client: Stream, upstream: Stream) -> None:
    """Join the client of a ``CONNECT`` with where it may go, until either side hangs up."""
    client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await until_one_ends(
        copy_all(client[0], upstream[1], SILENT_SECONDS), copy_all(upstream[0], client[1], SILENT_SECONDS)
    )


async def forward(request: RequestHead, client: Stream, upstream: Stream) -> None:
    """Pass one request on and its answer back, until the answer is through or the client hangs up.

    Raises:
        OwnAnswer: the request or the answer is malformed, and nothing has been answered yet.
        EOFError, OSError: one side was lost.
    """
    answered = False

    async def ask() -> None:
        try:
            await copy_body(request, client[0], upstream[1], SILENT_SECONDS)
        except BadRequest as problem:
            raise EOFError("a broken request, already answered") if answered else problem from None
        except ConnectionError:
            # The site has heard enough; what it answered may still be on its way.
            pass
        await wait_until_gone(client[0])

    async def answer() -> None:
        nonlocal answered
        async with asyncio.timeout(SILENT_SECONDS):
            head = await read_answer(upstream[0])
        answered = True
        client[1].write(head)
        await copy_all(upstream[0], client[1], SILENT_SECONDS)

    upstream[1].write(forwarded_request(request))
    await until_one_ends(ask(), answer())


async def until_one_ends(*directions: Coroutine[Any, Any, None]) -> None:
    """Run both directions of an exchange until one ends; the other is given up, the first failure raised."""
    tasks = [asyncio.create_task(direction) for direction in directions]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome


def report(event: str, **facts: Any) -> None:
    """Tell the lane, unless it does not listen: the proxy never waits for its reader."""
    line = json.dumps({"event": event, **facts}).encode() + b"\n"
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(sys.stdout.fileno(), line)


def report_fault(_: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Tell of a fault of our own by its kind alone: its text could quote a request."""
    report("fault", kind=type(context.get("exception")).__name__)


def receive_launch(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """One control message of the launcher and the descriptors that came with it.

    Raises:
        ValueError: not a JSON object.
    """
    data, descriptors, _, _ = socket.recv_fds(connection, MAX_CONTROL_BYTES, 1)
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("not an object")
    return message, descriptors


async def accept_launches(proxy: Proxy, control: socket.socket, reserved: socket.socket) -> None:
    """Take over the listening sockets of browsers as they start."""
    loop = asyncio.get_running_loop()
    on_host = False
    while True:
        connection, _ = await loop.sock_accept(control)
        with connection:
            connection.settimeout(CONTROL_SECONDS)
            try:
                message, descriptors = await asyncio.to_thread(receive_launch, connection)
            except (OSError, ValueError):
                continue
            if descriptors:
                await proxy.serve(socket.socket(fileno=descriptors[0]))
            elif not on_host:
                reserved.listen(MAX_CONNECTIONS)
                await proxy.serve(reserved)
                on_host = True
            report("launch", **{key: message.get(key) for key in ("pid", "parent", "isolated")})
            with contextlib.suppress(OSError):
                connection.sendall(b"ok")


async def watch_parent() -> None:
    """End with the lane: its end of standard input closes when it is done, or when it dies."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(MAX_CONTROL_BYTES):
        pass


def drop_privileges(uid: int | None, gid: int | None) -> None:
    """Become the unprivileged user, and ask the kernel to end this process with its parent.

    The order matters: a change of user clears the parent-death signal.

    Raises:
        OSError: without the right to do so.
    """
    if uid is not None and gid is not None:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


async def run(config: Mapping[str, Any], proxy: Proxy) -> None:
    """Serve until the lane is done."""
    reserved = socket.socket()
    reserved.bind(("127.0.0.1", 0))
    control = socket.socket(socket.AF_UNIX)
    os.umask(0o077)
    control.bind(config["control"])
    control.listen(8)
    control.setblocking(False)
    drop_privileges(config.get("uid"), config.get("gid"))
    os.set_blocking(sys.stdout.fileno(), False)
    asyncio.get_running_loop().set_exception_handler(report_fault)
    report("ready", port=reserved.getsockname()[1])
    launches = asyncio.create_task(accept_launches(proxy, control, reserved))
    await asyncio.wait({launches, asyncio.create_task(watch_parent())}, return_when=asyncio.FIRST_COMPLETED)
    # Connections and lookups that still run have nobody left to answer to, and must not keep the process.
    os._exit(0)


def main(make_proxy: Callable[[Mapping[str, Any]], Proxy] = lambda config: Proxy(config["allow"], Network())) -> None:
    """Read the configuration and serve with the proxy made from it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    config = json.loads(sys.stdin.buffer.raw.readline(MAX_CONFIG_BYTES))  # type: ignore[union-attr]  # a FileIO
    try:
        asyncio.run(run(config, make_proxy(config)))
    except OSError as problem:
        report("failed", detail=str(problem))
        sys.exit(1)


if __name__ == "__main__":
    main()
