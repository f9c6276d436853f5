"""The pages that the lane's tests drive: one small page for every hazard, served over real HTTP on loopback."""

from __future__ import annotations

import contextlib
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from battles.lanes.upload_files import UPLOAD_FILES

#: How long an answer that "never" comes takes: longer than any wait under test.
NEVER = 20.0

#: One file a page; "/" is ``home.html``, OTHER stands for the same server under another name and
#: HERE for its first one.
FOLDER = Path(__file__).with_name("pond")


#: Answers one page by itself, without the site, and counts as the site's own to whoever looks at the page.
SERVICE_WORKER = """
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => event.waitUntil(fetch(event.data, { mode: 'no-cors' }).catch(() => {})));
addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('/worker-offline')) {
    event.respondWith(new Response('<title>offline</title><p>words of the worker</p><button>From the worker</button>',
      { headers: { 'Content-Type': 'text/html' } }));
  }
});
"""


def heavy_pdf() -> bytes:
    """A small PDF whose one page unfolds to more text than anybody wants to read."""
    drawing = zlib.compress(b"BT /F1 9 Tf 1 1 Td " + b"(heavy) Tj " * 3_000_000 + b"ET", 9)
    paper = UPLOAD_FILES["page.pdf"].content
    start, end = paper.index(b"<< /Length"), paper.index(b"\nendstream")
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s" % (len(drawing), drawing)
    return paper[:start] + stream + paper[end:]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: Pond

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.split("?", maxsplit=1)[0]
        special = getattr(self, f"_answer{path.replace('/', '_').replace('-', '_').replace('.', '_')}", None)
        if special is not None:
            special()
            return
        page = FOLDER / f"{path.strip('/') or 'home'}.html"
        if page.is_file():
            text = page.read_text(encoding="utf-8").replace("OTHER", f"localhost:{self.server.server_port}")
            text = text.replace("HERE", f"127.0.0.1:{self.server.server_port}")
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

    def _answer_sets_cookie(self) -> None:
        self.server.credentials = (self.headers.get("Authorization", ""), self.headers.get("Cookie", ""))
        self._send(200, "text/plain", b"welcome", Set_Cookie="session=COOKIESECRET; HttpOnly; Path=/")

    def _answer_file(self) -> None:
        self._send(200, "application/octet-stream", b"x" * 1234, Content_Disposition="attachment; filename=data.bin")

    def _answer_paper(self) -> None:
        self._send(200, "application/pdf", UPLOAD_FILES["page.pdf"].content)

    def _answer_attached_paper(self) -> None:
        paper = UPLOAD_FILES["page.pdf"].content
        self._send(200, "application/octet-stream", paper, Content_Disposition="attachment; filename=report.pdf")

    def _answer_bad_paper(self) -> None:
        self._send(200, "application/pdf", b"%PDF-1.7\nnothing that follows from that")

    def _answer_heavy_paper(self) -> None:
        self._send(200, "application/pdf", heavy_pdf())

    def _answer_unending_file(self) -> None:
        self._begin("application/pdf", Content_Disposition="attachment; filename=unending.pdf")
        with contextlib.suppress(OSError):
            self.wfile.write(b"%PDF-1.4\n")
            self.server.released.wait(NEVER)
        self.close_connection = True

    def _answer_drip(self) -> None:
        """A page that is there at once and whose answer never ends."""
        self._begin("text/html")
        with contextlib.suppress(OSError):
            self.wfile.write(b"<title>drip</title><a href=/second>Onwards</a>" + b"<!-- filling -->" * 100)
            for _ in range(round(NEVER * 10)):
                self.wfile.write(b"<p>drop")
                self.wfile.flush()
                if self.server.released.wait(0.1):
                    break
        self.close_connection = True

    def _begin(self, mime: str, **headers: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", mime)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _answer_round(self) -> None:
        self.send_response(302)
        self.send_header("Location", "/round")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer_worker_js(self) -> None:
        self._send(200, "text/javascript", SERVICE_WORKER.encode())

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
        #: The authorization and cookie headers that the last request to sign in came with.
        self.credentials = ("", "")
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
