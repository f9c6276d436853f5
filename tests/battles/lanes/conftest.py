"""A real Chromium for the tests of this folder, and a pair of hands in a fresh context of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright

from battles.lanes.actions import Done, perform
from battles.lanes.bounds import Bounds
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import PREFERENCES, find_chromium
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Action, ActionResult, Element
from battles.lanes.validation import Request, validate
from battles.lanes.viewing import View
from tests.battles.lanes.pond_site import Pond

#: Short enough that a hanging page costs a test seconds, long enough for a loaded machine.
BOUNDS = Bounds(call=4.0, probe=1.5, commit=6.0)

#: No step of a test may take longer than this, whatever the page does.
STEP_SECONDS = 25.0


class Loop:
    """One event loop for the whole session, since a browser belongs to the loop that started it.

    It has a thread of its own, so that the shared browser is no child of the thread in which tests count children.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda loop, context: None)
        self._thread = threading.Thread(target=self._loop.run_forever, name="shared-browser", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any], seconds: float = STEP_SECONDS) -> Any:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop).result(seconds + 5)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()


class Hands:
    """A lane's browser as a test drives it: ``do`` one verb, look at ``view``."""

    def __init__(self, loop: Loop, browser: LaneBrowser, pond: Pond) -> None:
        self.loop = loop
        self.browser = browser
        self.pond = pond
        self.done: Done | None = None
        self.view: View = self.look()

    def look(self) -> View:
        self.view = self.loop.run(self.browser.observe())
        return self.view

    def do(self, verb: str, **arguments: Any) -> ActionResult:
        request = validate(Action(verb, arguments))
        assert isinstance(request, Request), request
        self.done = self.loop.run(perform(self.browser, request))
        self.look()
        return self.done.result

    def go(self, path: str) -> ActionResult:
        return self.do("navigate", url=self.pond.url(path))

    def click(self, name: str, **arguments: Any) -> ActionResult:
        element = self.find(name)
        return self.do("click", x=element.x + element.width // 2, y=element.y + element.height // 2, **arguments)

    def find(self, name: str) -> Element:
        found = [element for element in self.view.elements if element.name == name]
        assert found, f"no {name!r} among {[element.name for element in self.view.elements]}"
        return found[0]

    def changes(self, kind: str) -> list[dict[str, Any]]:
        assert self.done is not None
        return [dict(change) for change in self.done.result.changes if change["kind"] == kind]

    def evaluate(self, expression: str) -> Any:
        """Ask the page itself, in its own world, as no lane can."""

        async def ask() -> Any:
            return await (await self.browser.front()).page.evaluate(expression)

        return self.loop.run(ask())


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture(scope="session")
def chromium(loop: Loop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser, whose contexts all have the preferences of a lane's profile."""
    profile = tmp_path_factory.mktemp("profile")
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(json.dumps(PREFERENCES))
    playwright = loop.run(async_playwright().start(), 60)
    starting = playwright.chromium.launch_persistent_context(
        profile, executable_path=find_chromium(), chromium_sandbox=False
    )
    context = loop.run(starting, seconds=60)
    assert context.browser is not None
    yield context.browser
    loop.run(context.close())
    loop.run(playwright.stop())


@pytest.fixture(scope="session")
def pond() -> Iterator[Pond]:
    with Pond() as site:
        yield site


@pytest.fixture
def make_hands(loop: Loop, chromium: Browser, pond: Pond) -> Iterator[Callable[..., Hands]]:
    contexts = []

    def make(bounds: Bounds = BOUNDS, **options: Any) -> Hands:
        context = loop.run(
            chromium.new_context(viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT}, accept_downloads=True)
        )
        contexts.append(context)
        browser = LaneBrowser(context, bounds=bounds, **options)
        loop.run(browser.start())
        return Hands(loop, browser, pond)

    yield make
    for context in contexts:
        loop.run(context.close())


@pytest.fixture
def hands(make_hands: Callable[..., Hands]) -> Hands:
    return make_hands()
