"""People at a browser: real Chromium against the site over HTTP.

Whatever a page complains about in its console, scripts that fail and policy violations included, fails the test that
opened the page.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import pytest
from django.core import signing
from django.db import connections
from playwright.sync_api import Browser, Page, sync_playwright

from arena_site.seed import seed
from battles.lanes.chromium import find_chromium
from battles.lanes.events import LaneEvent, StepTaken
from battles.lanes.race import run_battle
from governance.models import Judge
from judging.identity import COOKIE, SALT

TIMEOUT_MS = 30_000
#: A race of two reference agents takes some seconds, on a busy machine some more.
RACE_SECONDS = 120.0
#: The heights that go with the widths: a phone, a laptop, a desk.
HEIGHTS = {320: 640, 360: 740, 1280: 800, 1920: 1080}

#: Sums what moves on a page without having been touched.
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    # Closed with its module: while it lives, no other test of this process can run a loop of its own.
    # Playwright's loop runs in this thread, and Django would take that for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=False)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def site(live_server, settings) -> str:
    """The address of the site with its first agents, static files under their own names."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    seed()
    return live_server.url


@pytest.fixture
def open_page(chromium, site) -> Iterator[Callable[..., Page]]:
    """Open a new browser on the site's pages; its complaints fail the test."""
    contexts, complaints = [], []

    def open_one(path: str = "/", *, width: int = 1280, judge: Judge | None = None, **options) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": HEIGHTS[width]}, base_url=site, **options)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        if judge is not None:
            value = signing.Signer(salt=SALT).sign(judge.pk)
            context.add_cookies([{"name": COOKIE, "value": value, "url": site}])
        page = context.new_page()
        page.add_init_script(WATCH_SHIFTS)
        page.on("console", lambda message: complaints.append(message.text) if message.type in LOUD else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


LOUD = {"error", "warning"}


class Race:
    """A real race in a thread. With ``halt_after`` its recording halts after so many steps until ``go_on``."""

    def __init__(self, battle_id, halt_after: int = 0) -> None:
        self._halt_after = halt_after
        self._steps = 0
        self._may_go_on = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(battle_id,), name="race")
        self._thread.start()

    def go_on(self) -> None:
        self._may_go_on.set()

    def finish(self) -> None:
        self.go_on()
        self._thread.join(RACE_SECONDS)
        assert not self._thread.is_alive()

    def _run(self, battle_id) -> None:
        try:
            run_battle(battle_id, worker="test:1", listener=self._listen)
        finally:
            connections.close_all()

    def _listen(self, event: LaneEvent) -> None:
        self._steps += isinstance(event, StepTaken)
        if self._halt_after and self._steps == self._halt_after:
            self._may_go_on.wait(RACE_SECONDS)


@pytest.fixture
def race_now() -> Iterator[Callable[..., Race]]:
    """Start a race; every one started has ended after the test."""
    races = []

    def start(battle_id, **options) -> Race:
        races.append(Race(battle_id, **options))
        return races[-1]

    yield start
    for race in races:
        race.finish()
