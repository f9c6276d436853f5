"""The real proxy process in a scripted world, and clients that talk to it byte by byte."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from battles.lanes.egress import EgressProxy
from battles.lanes.runtime_dir import lane_runtime_dir

PUBLIC = "93.184.215.14"
PATIENCE = 15.0

#: How long a site listens for more after it has answered: what comes then must be the rest of one request.
STRAGGLER_SECONDS = 0.2


class Upstream:
    """A site on loopback: what reached it, and what it answers."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.port = 0
        self.received: list[bytes] = []
        self.handle_instead: Callable[..., Coroutine[Any, Any, None]] | None = None

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.handle_instead is not None:
            await self.handle_instead(reader, writer)
            return
        at = len(self.received)
        self.received.append(b"")
        answered = False
        while b"Connection: close" not in self.received[at] or not answered:
            data = await reader.read(1 << 16)
            if not data:
                break
            self.received[at] += data
            if not answered and b"\r\n\r\n" in self.received[at]:
                answered = True
                writer.write(self.answer)
                await writer.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STRAGGLER_SECONDS):
                while data := await reader.read(1 << 16):
                    self.received[at] += data
        writer.close()


class ScriptedProxy(EgressProxy):
    """A proxy whose names answer from a table and whose public addresses are wired to loopback."""

    MODULE = "battles.lanes.egress_probe_proxy"

    def __init__(
        self,
        folder: Path,
        allow: Mapping[str, str],
        answers: Mapping[str, Sequence[Sequence[str]]],
        wires: Mapping[str, str],
    ) -> None:
        super().__init__(allow, folder)
        self._extra = {"answers": answers, "wires": wires}
        self.events: list[tuple[str, dict[str, Any]]] = []

    def config(self) -> dict[str, Any]:
        return {**super().config(), **self._extra}

    def take_event(self, kind: str, event: dict[str, Any]) -> None:
        self.events.append((kind, dict(event)))
        super().take_event(kind, event)

    @property
    def dialled(self) -> list[str]:
        return [f"{event['address']}:{event['port']}" for kind, event in self.events if kind == "dialled"]


class Client:
    """Connections to the proxy through a listening socket handed over as the launcher does it."""

    def __init__(self, proxy: EgressProxy, port: int) -> None:
        self.proxy = proxy
        self.port = port

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def say(self, data: bytes) -> bytes:
        """Send bytes and read until the proxy hangs up."""
        reader, writer = await self.open()
        writer.write(data)
        async with asyncio.timeout(PATIENCE):
            answer = await reader.read()
        writer.close()
        return answer


def hand_over(control: Path) -> int:
    """Do what the launcher does, without a namespace; returns the port the proxy then listens on."""
    with socket.socket() as listener, socket.socket(socket.AF_UNIX) as handing:
        listener.bind(("127.0.0.1", 0))
        listener.listen(512)
        handing.settimeout(PATIENCE)
        handing.connect(str(control))
        facts = {"pid": 0, "parent": 0, "isolated": False}
        socket.send_fds(handing, [json.dumps(facts).encode()], [listener.fileno()])
        assert handing.recv(2) == b"ok"
        return int(listener.getsockname()[1])


@asynccontextmanager
async def scripted(
    *,
    answers: Mapping[str, Sequence[Sequence[str]]] | None = None,
    allow: Sequence[str] = (),
    answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
) -> AsyncIterator[tuple[Client, ScriptedProxy, Upstream]]:
    """A proxy, a client of it, and the one site that plays both the public address and what ``allow`` pins."""
    upstream = Upstream(answer)
    async with await asyncio.start_server(upstream.handle, "127.0.0.1", 0) as server:
        upstream.port = server.sockets[0].getsockname()[1]
        site = f"127.0.0.1:{upstream.port}"
        with lane_runtime_dir() as folder:
            proxy = ScriptedProxy(
                folder, dict.fromkeys(allow, site), answers or {}, {PUBLIC: site, site: site, "127.0.0.1:80": site}
            )
            async with proxy:
                port = await asyncio.to_thread(hand_over, proxy.socket_path)
                yield Client(proxy, port), proxy, upstream


def run(test: Callable[..., Coroutine[Any, Any, None]], **world: Any) -> None:
    """Run one test in one world, in bounded time."""

    async def live() -> None:
        async with scripted(**world) as parts:
            await test(*parts)

    asyncio.run(asyncio.wait_for(live(), 4 * PATIENCE))
