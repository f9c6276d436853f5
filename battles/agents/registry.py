"""Adapters by name, and how an agent is made for a lane."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from battles.agents.base import Agent

#: Adapter name -> "module:factory"; the factory takes the roster row's settings. Loaded when first used, so that
#: a provider's library is needed only by those who race its models.
ADAPTERS: dict[str, str] = {
    "reference-explorer": "battles.agents.reference.explorer:ExplorerAgent",
    "reference-lexical": "battles.agents.reference.lexical:LexicalAgent",
    "reference-random": "battles.agents.reference.chance:RandomAgent",
}


class UnknownAdapter(LookupError):
    """The roster names an adapter that this version does not have."""


def make_agent(adapter: str, settings: Mapping[str, Any]) -> Agent:
    """A new agent for one lane.

    Raises:
        UnknownAdapter: no such adapter.
    """
    place = ADAPTERS.get(adapter)
    if place is None:
        raise UnknownAdapter(f"there is no adapter {adapter!r}; there are: {', '.join(sorted(ADAPTERS)) or 'none'}")
    module, _, factory = place.partition(":")
    agent: Agent = getattr(import_module(module), factory)(settings)
    return agent
