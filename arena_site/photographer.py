"""Pictures of pages, at the widths and in the schemes the look is made for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler, get_internal_wsgi_application
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from battles.lanes.chromium import find_chromium

#: Width and height of the window: a phone, a laptop, a desk.
WINDOWS = ((360, 740), (1280, 800), (1920, 1080))
SCHEMES = ("light", "dark")
#: A page that takes longer has failed.
TIMEOUT_MS = 30_000
#: Pictures that fade in have done so after this.
SETTLE_MS = 500


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture in every window and scheme.

    Attributes:
        name: of the file, before width and scheme.
        path: of the page.
        known: by the person whose battles these are, else by a newcomer.
        whole: the whole page, not only what the window shows.
        prepare: what the person does first.
    """

    name: str
    path: str
    known: bool = True
    whole: bool = True
    prepare: Callable[[Page], object] | None = None


@dataclass(frozen=True, slots=True)
class Film:
    """One visit in the light scheme, with a picture after every act.

    Attributes:
        name: of the files, before the number of the picture and the width.
        path: of the page.
        cookie: of the visitor.
        window: one of :data:`WINDOWS`.
        acts: what the person does, one picture each; the first picture is of the page as it opens.
    """

    name: str
    path: str
    cookie: tuple[str, str]
    window: tuple[int, int]
    acts: tuple[Callable[[Page], object], ...]


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """The pictures say what was answered."""


@contextmanager
def serving() -> Iterator[str]:
    """The site on a free port of this machine; gives its address."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), _QuietHandler)
    # Made now: the static files it serves are those that are there when it is made.
    server.set_app(get_internal_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="site", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(TIMEOUT_MS / 1000)


@contextmanager
def browser() -> Iterator[Browser]:
    # Only our own pages are opened, so the sandbox, which root cannot have, is not needed.
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=False)
        yield chromium
        chromium.close()


def take(shots: list[Shot], *, site: str, cookie: tuple[str, str], folder: Path, chromium: Browser) -> list[Path]:
    """Take every shot in every window and scheme; gives the files, named like ``battle-1280-light.png``."""
    files = []
    for width, height in WINDOWS:
        for scheme in SCHEMES:
            contexts = [_context(chromium, width, height, scheme) for _ in range(2)]
            contexts[1].add_cookies([{"name": cookie[0], "value": cookie[1], "url": site}])
            for shot in shots:
                file = folder / f"{shot.name}-{width}-{scheme}.png"
                _take_one(contexts[shot.known].new_page(), shot, site, file)
                files.append(file)
            for context in contexts:
                context.close()
    return files


def shoot(films: list[Film], *, site: str, folder: Path, chromium: Browser) -> list[Path]:
    """Take every film; gives the files, named like ``keyboard-1-1280-light.png``."""
    files = []
    for film in films:
        context = _context(chromium, *film.window, "light")
        context.add_cookies([{"name": film.cookie[0], "value": film.cookie[1], "url": site}])
        page = context.new_page()
        page.goto(f"{site}{film.path}")
        for number, act in enumerate((None, *film.acts), start=1):
            if act is not None:
                act(page)
            page.wait_for_timeout(SETTLE_MS)
            file = folder / f"{film.name}-{number}-{film.window[0]}-light.png"
            page.screenshot(path=file)
            files.append(file)
        context.close()
    return files


def _context(chromium: Browser, width: int, height: int, scheme: str) -> BrowserContext:
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
    )
    context.set_default_timeout(TIMEOUT_MS)
    return context


def _take_one(page: Page, shot: Shot, site: str, file: Path) -> None:
    page.goto(f"{site}{shot.path}")
    if shot.prepare is not None:
        shot.prepare(page)
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=file, full_page=shot.whole)
    page.close()
