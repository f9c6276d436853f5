"""The loopback servers of the egress probe: a site that may be reached, and canaries that must never be."""

from __future__ import annotations

import asyncio
import contextlib
import html
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PAGE = Path(__file__).with_name("egress_probe.html")

#: Seconds the site waits for a head; its only client is the probe's own browser.
HEAD_SECONDS = 10.0

SERVICE_WORKER = """
const targets = JSON.parse(new URL(location.href).searchParams.get("targets"));
const tried = () => Promise.allSettled(targets.map((url) => fetch(url, { mode: "no-cors" })));
self.addEventListener("install", (event) => event.waitUntil(tried()));
self.addEventListener("activate", (event) => event.waitUntil(
  Promise.allSettled([tried(), fetch("/from-service-worker"), self.clients.claim()])));
self.addEventListener("fetch", () => {});
"""


class Site:
    """A page with every way out in it, redirects, and a list of what was asked for."""

    def __init__(self) -> None:
        self.port = 0
        #: ``host path`` of every request, in order.
        self.asked: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and hang up."""
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(HEAD_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = head.split(" ", 2)[1]
            hosts = [line[5:].strip() for line in head.splitlines() if line.lower().startswith("host:")]
            self.asked.append(f"{''.join(hosts)} {target}")
            writer.write(self._response(target))
            await writer.drain()
        writer.close()

    def _response(self, target: str) -> bytes:
        url = urlsplit(target)
        to = parse_qs(url.query).get("to", [""])[0]
        if url.path == "/redirect":
            return f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        if url.path == "/refresh":
            quoted = html.escape(to, quote=True)
            return _page("text/html", f'<meta http-equiv="refresh" content="0;url={quoted}">'.encode())
        if url.path == "/service-worker.js":
            return _page("text/javascript", SERVICE_WORKER.encode())
        return _page("text/html; charset=utf-8", PAGE.read_bytes() if url.path == "/" else b"control")


@dataclass(slots=True)
class Canaries:
    """Listeners on the machine's own loopback. ``heard`` names each contact: whoever gets there got out."""

    tcp_port: int = 0
    tcp6_port: int = 0
    udp_port: int = 0
    heard: list[str] = field(default_factory=list)

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(f"tcp:{writer.get_extra_info('sockname')[0]}")
        writer.close()

    async def test(self) -> None:
        """Contact each listener once, to know that it would hear; the list is empty again afterwards.

        Raises:
            RuntimeError: one is deaf, so that its silence would mean nothing.
        """
        contacts = [("127.0.0.1", self.tcp_port), ("::1", self.tcp6_port)]
        for address, port in contacts:
            if port:
                _, writer = await asyncio.open_connection(address, port)
                writer.close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"test", ("127.0.0.1", self.udp_port))
        expected = 2 + bool(self.tcp6_port)
        async with asyncio.timeout(HEAD_SECONDS):
            while len(self.heard) < expected:
                await asyncio.sleep(0.01)
        if len(set(self.heard)) != expected:
            raise RuntimeError(f"A canary does not hear: {self.heard}")
        self.heard.clear()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, canaries: Canaries) -> None:
        self._canaries = canaries

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._canaries.heard.append("udp:127.0.0.1")


@asynccontextmanager
async def probe_servers() -> AsyncIterator[tuple[Site, Canaries]]:
    """The site and the canaries, up while the block lasts."""
    site, canaries = Site(), Canaries()
    loop = asyncio.get_running_loop()
    async with contextlib.AsyncExitStack() as stack:
        page = await stack.enter_async_context(await asyncio.start_server(site.answer, "127.0.0.1", 0))
        site.port = page.sockets[0].getsockname()[1]
        tcp = await stack.enter_async_context(await asyncio.start_server(canaries.hear, "127.0.0.1", 0))
        canaries.tcp_port = tcp.sockets[0].getsockname()[1]
        # A machine without IPv6 has no ::1 to reach.
        with contextlib.suppress(OSError):
            tcp6 = await stack.enter_async_context(await asyncio.start_server(canaries.hear, "::1", 0))
            canaries.tcp6_port = tcp6.sockets[0].getsockname()[1]
        transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(canaries), local_addr=("127.0.0.1", 0))
        stack.callback(transport.close)
        canaries.udp_port = transport.get_extra_info("sockname")[1]
        yield site, canaries


def _page(kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
