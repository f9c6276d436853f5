"""A way to a server that a test can make slow, hold or cut, in the test's own process."""

import contextlib
import socket
import threading
import time
from pathlib import Path
from typing import Self

CHUNK = 1 << 16


class Relay:
    """Listens on loopback and passes bytes on to a server's Unix socket.

    ``delay`` seconds go by before each chunk is passed on; ``hold()`` passes nothing on until ``let_go()``, with every
    connection left open, as a network does that swallows packets; ``cut()`` ends every connection.
    """

    def __init__(self, server: Path) -> None:
        self._server = str(server)
        self.delay = 0.0
        self._open = threading.Event()
        self._open.set()
        self._pairs: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.let_go()
        self.cut()

    def hold(self) -> None:
        self._open.clear()

    def let_go(self) -> None:
        self._open.set()

    def cut(self) -> None:
        while self._pairs:
            end = self._pairs.pop()
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._server)
            except OSError:
                client.close()
                continue
            self._pairs += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(CHUNK):
                time.sleep(self.delay)
                self._open.wait()
                target.sendall(chunk)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
