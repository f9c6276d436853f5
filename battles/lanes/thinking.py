"""An agent in a thread of its own, so that the lane's clock runs on while it thinks."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from battles.agents.base import Agent, Decision, ProviderClock, Turn
from battles.lanes.events import Observation

#: How long letting go of an agent may take: closing its connections ends a call under way.
CLOSE_SECONDS = 5.0

#: How long making an agent may take.
PREPARE_SECONDS = 60.0

_Job = tuple[Callable[[], Any], "Future[Any]"]


class AgentUnavailable(Exception):
    """The agent cannot be made here: an unknown adapter, a missing key or library. Nobody's failure in a race."""


class Thinker:
    """Asks one agent, always from the same thread. The agent is made in that thread too."""

    def __init__(self, make: Callable[[], Agent]) -> None:
        self._make = make
        self._agent: Agent | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="agent", daemon=True)
        self._thread.start()

    async def prepare(self) -> None:
        """Make the agent, before any clock runs: loading a provider's library can take seconds.

        Raises:
            AgentUnavailable: it cannot be made.
        """

        def make() -> None:
            self._agent = self._make()

        try:
            await self._ask(make, PREPARE_SECONDS)
        except Exception as error:
            raise AgentUnavailable(f"The agent could not be made: {type(error).__name__}: {error}") from error

    async def decide(
        self, instruction: str, observation: Observation, history: Sequence[Turn], seconds: float
    ) -> Decision:
        """The agent's decision, once it is prepared.

        Raises:
            TimeoutError: it took more than ``seconds``.
            Exception: whatever the agent raised.
        """
        agent = self._agent
        if agent is None:
            raise AgentUnavailable("The agent was not prepared.")
        decision: Decision = await self._ask(lambda: agent.next_action(instruction, observation, history), seconds)
        return decision

    async def _ask(self, job: Callable[[], Any], seconds: float) -> Any:
        answer: Future[Any] = Future()
        self._jobs.put((job, answer))
        return await asyncio.wait_for(asyncio.wrap_future(answer), seconds)

    async def close(self) -> None:
        """Let go of the agent, within a bound."""
        agent = self._agent
        if agent is not None:
            closer = threading.Thread(target=_close, args=(agent,), name="agent-close", daemon=True)
            closer.start()
            await asyncio.to_thread(closer.join, CLOSE_SECONDS)
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)

    @property
    def provider_seconds(self) -> float:
        """Seconds the agent has lost to its provider so far; see :class:`battles.agents.base.ProviderClock`."""
        return self._agent.provider_seconds if isinstance(self._agent, ProviderClock) else 0.0

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            ask, answer = job
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(ask())
            # The lane, not this thread, judges what an agent does.
            except Exception as error:
                answer.set_exception(error)


def _close(agent: Agent) -> None:
    # A lane that is over has nobody left to tell.
    with contextlib.suppress(Exception):
        agent.close()
