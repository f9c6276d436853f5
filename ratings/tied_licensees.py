"""Licensees tied to the provider of agents: data of the arena helps in training, so they are named beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from battles.models import Agent
from battles.roster import same_provider
from governance.licensing import tied_licensees


def licensees_by_agent() -> dict[str, tuple[str, ...]]:
    """Names of the licensees tied to an agent's provider, by the agent's key; agents without one are left out."""
    names: dict[str, list[str]] = {}
    for licensee in tied_licensees():
        names.setdefault(same_provider(licensee.provider), []).append(licensee.name)
    if not names:
        return {}
    providers = {key: same_provider(provider) for key, provider in Agent.objects.values_list("key", "provider")}
    return {key: tuple(names[provider]) for key, provider in providers.items() if provider in names}


def licensees_document(agents: Iterable[str]) -> list[dict[str, Any]]:
    """The same of the agents of a publication, by licensee: name, and keys of the agents."""
    tied = licensees_by_agent()
    found: dict[str, list[str]] = {}
    for agent in sorted(agents):
        for name in tied.get(agent, ()):
            found.setdefault(name, []).append(agent)
    return [{"licensee": name, "agents": keys} for name, keys in sorted(found.items())]
