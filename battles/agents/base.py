"""What an agent is to a lane: something that looks at an observation and chooses the next verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from battles.lanes.events import Action, ActionResult, Observation, Usage


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier step as the agent may remember it."""

    action: Action
    reasoning: str
    result: ActionResult
    url: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What the agent wants next.

    Several actions run in order, stop at the first failure, and each is a step. ``model_called`` is
    false for policies that ask no model. Without an action, ``complaint`` says in the adapter's own words why,
    and the agent is told so.
    """

    actions: Sequence[Action]
    reasoning: str = ""
    usage: Usage | None = None
    model_called: bool = False
    complaint: str = ""


class AgentFailure(Exception):
    """The agent itself produced nothing usable; counts as an invalid action."""


class ProviderFailure(Exception):
    """The agent's provider could not be used; ends the lane as ``provider_error``."""


class Agent(Protocol):
    """A policy for one lane. A new instance is made for every lane and used from one thread."""

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        """Choose what to do next.

        Raises:
            AgentFailure: nothing usable came out.
            ProviderFailure: the provider is down or refuses us.
        """
        ...

    def close(self) -> None:
        """Let go of connections. Called once, also after a failure."""
        ...


@runtime_checkable
class ProviderClock(Protocol):
    """An agent that also says how much of the lane's time its provider has cost it.

    ``provider_seconds`` counts waits for rate limits and outages so far. It is read from another thread,
    also while a call is under way.
    """

    provider_seconds: float
