"""Who may run here: baselines and the oracle. Model agents race in battles, where everything is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from playwright.async_api import Page

from battles.agents.base import Agent, Decision, Turn
from battles.agents.registry import make_agent
from battles.lanes.events import Action, Observation
from battles.proving_ground.episode import Latch
from battles.proving_ground.oracle.agent import OracleAgent
from governance.errors import ArenaError

ORACLE = "oracle"
REFERENCE_AGENTS = ("reference-explorer", "reference-lexical", "reference-random")
AGENTS = (*REFERENCE_AGENTS, ORACLE)

#: How long a peek at the page may take, in seconds.
PEEK_SECONDS = 5.0


class NotABaseline(ArenaError):
    """Somebody wants to run an agent here that may only race in battles."""

    code = "not_a_baseline"


def check_agent(name: str) -> None:
    """See that an agent may run on the proving ground.

    Raises:
        NotABaseline: it may not.
    """
    if name not in AGENTS:
        raise NotABaseline(
            f"{name!r} cannot run on the proving ground: only {', '.join(AGENTS)} can. Nothing runs privately here, so "
            "a model agent races in battles only, where every step is recorded and published."
        )


class Peek:
    """The oracle's look behind the observation, at the page of one episode; the runner grants it to nobody else.

    Args:
        page: the episode's page.
        loop: the event loop that the page belongs to.
    """

    def __init__(self, page: Page, loop: asyncio.AbstractEventLoop) -> None:
        self._page = page
        self._loop = loop
        self.count = 0

    def __call__(self, script: str, argument: object = None) -> Any:
        """What a script says in the page's own world. Called from the agent's thread.

        Raises:
            TimeoutError: the page does not answer.
            playwright.async_api.Error: the script failed there.
        """
        self.count += 1
        asked: Future[Any] = asyncio.run_coroutine_threadsafe(self._page.evaluate(script, argument), self._loop)
        try:
            return asked.result(PEEK_SECONDS)
        finally:
            asked.cancel()


class Attended:
    """An agent that is sent home when the episode is over: there is nothing left to do on a covered page."""

    def __init__(self, agent: Agent, latch: Latch) -> None:
        self._agent = agent
        self._latch = latch
        #: Whether the last decision was not the agent's.
        self.sent_home = False
        #: What the agent last failed with, which the loop keeps to itself.
        self.trouble = ""

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        if self._latch.first is not None:
            self.sent_home = True
            return Decision([Action("answer", {"text": "The episode is over."})], "The page has ended the episode.")
        try:
            return self._agent.next_action(instruction, observation, history)
        except Exception as failure:
            self.trouble = f"{type(failure).__name__}: {failure}"
            raise

    def close(self) -> None:
        self._agent.close()


def agent_for(name: str, task: str, peek: Peek) -> Agent:
    """A new agent for one episode. Raises as :func:`check_agent`."""
    check_agent(name)
    return OracleAgent(task, peek) if name == ORACLE else make_agent(name, {})
