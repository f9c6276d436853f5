"""Practice sites over real HTTP on the loopback interface."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from arena_site.practice import register_practice_sites
from arena_site.practice.wsgi_site import WsgiSite
from battles.checks import PracticeTask, practice_tasks
from tests.arena_site.practice.visitor import Visitor


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests look at answers, not at logs."""


@contextmanager
def serving(site: WsgiSite) -> Iterator[int]:
    """The site's port while it is served."""
    server = make_server("127.0.0.1", 0, site, _Server, _QuietHandler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def visit() -> Iterator[Callable[[WsgiSite], Visitor]]:
    """Open a site of the test's own and get its visitor."""
    with ExitStack() as servers:
        yield lambda site: Visitor(servers.enter_context(serving(site)))


@pytest.fixture
def task() -> Callable[[str], PracticeTask]:
    """A practice task by key."""
    register_practice_sites()
    return practice_tasks().__getitem__
