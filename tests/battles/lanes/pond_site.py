"""The pages that the lane's tests drive: one small page for every hazard, served over real HTTP on loopback."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from battles.lanes.upload_files import UPLOAD_FILES

#: How long an answer that "never" comes takes: longer than any wait under test.
NEVER = 20.0

#: One file a page; "/" is ``home.html``, and OTHER stands for the same server under another name.
FOLDER = Path(__file__).with_name("pond")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: Pond

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.split("?", maxsplit=1)[0]
        special = getattr(self, f"_answer{path.replace('/', '_').replace('-', '_')}", None)
        if special is not None:
            special()
            return
        page = FOLDER / f"{path.strip('/') or 'home'}.html"
        if page.is_file():
            text = page.read_text(encoding="utf-8").replace("OTHER", f"localhost:{self.server.server_port}")
            self._send(200, "text/html; charset=utf-8", text.encode())
        else:
            self._send(404, "text/plain", b"not found")

    def _send(self, status: int, mime: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _answer_never(self) -> None:
        self.server.released.wait(NEVER)

    def _answer_late(self) -> None:
        time.sleep(0.4)
        self._send(200, "text/plain", b"late words")

    def _answer_slow_page(self) -> None:
        time.sleep(0.7)
        self._send(200, "text/html", b"<title>slow page</title><p>at last</p>")

    def _answer_locked(self) -> None:
        self._send(401, "text/plain", b"", WWW_Authenticate="Basic realm=pond")

    def _answer_file(self) -> None:
        self._send(200, "application/octet-stream", b"x" * 1234, Content_Disposition="attachment; filename=data.bin")

    def _answer_paper(self) -> None:
        self._send(200, "application/pdf", UPLOAD_FILES["page.pdf"].content)

    def _answer_nothing(self) -> None:
        self.send_response(204)
        self.end_headers()

    def _answer_feed(self) -> None:
        self._send(200, "application/xml", b"<?xml version='1.0'?><list><item>entry</item></list>")


class Pond(ThreadingHTTPServer):
    """The site, as a context manager; ``url("/x")`` is a page's address."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.released = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def __enter__(self) -> Pond:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()
        self._thread.join(5)
