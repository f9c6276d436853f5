"""A ground that is open for all tests of a module, and episodes on it."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from battles.agents.base import Agent
from battles.lanes.runtime_dir import lane_runtime_dir
from battles.lanes.viewing import View
from battles.proving_ground.agents import Peek, agent_for
from battles.proving_ground.report import EpisodeResult
from battles.proving_ground.runner import Ground, open_ground

#: No episode of a test takes longer.
EPISODE_SECONDS = 90.0


class OpenGround:
    """A ground and the thread whose event loop it lives in: a browser belongs to the loop that started it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda loop, context: None)
        self._thread = threading.Thread(target=self._loop.run_forever, name="ground", daemon=True)
        self._thread.start()
        self._open = AsyncExitStack()
        self._folder = lane_runtime_dir()
        self.ground: Ground = self.run(self._enter())

    async def _enter(self) -> Ground:
        return await self._open.enter_async_context(open_ground(self._folder.__enter__()))

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, EPISODE_SECONDS), self._loop).result()

    def play(self, agent: str, task: str, seed: int = 1) -> EpisodeResult:
        return self.run(self.ground.play(task, seed, functools.partial(agent_for, agent)))

    def play_with(self, agent: Agent, task: str, seed: int = 1) -> EpisodeResult:
        def make(task: str, peek: Peek) -> Agent:
            return agent

        return self.run(self.ground.play(task, seed, make))

    def begin(self, task: str, seed: int = 1) -> tuple[str, View]:
        return self.run(self.ground.begin(task, seed))

    def close(self) -> None:
        self.run(self._open.aclose())
        self._folder.__exit__(None, None, None)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()


@pytest.fixture(scope="module")
def ground() -> Iterator[OpenGround]:
    opened = OpenGround()
    yield opened
    opened.close()
