"""The roster: adding agents."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from battles.agent_names import normalise_name
from battles.blindness.lexicon_table import sync_lexicon
from battles.models import Agent
from governance.errors import ArenaError
from governance.journal import record


class RosterRefused(ArenaError):
    code = "roster_refused"


@transaction.atomic
def roster_agent(
    *,
    key: str,
    name: str,
    provider: str,
    adapter: str,
    model_version: str,
    kind: str,
    actor: str,
    base_url: str = "",
    key_variable: str = "",
    parameters: Mapping[str, Any] | None = None,
) -> Agent:
    """Put an agent on the roster; its names join the lexicon of what must be scrubbed.

    Raises:
        RosterRefused: blank name or version, or a key or name that is taken.
    """
    name = normalise_name(name)
    if not name:
        raise RosterRefused("An agent needs a name.", field="name")
    if not model_version.strip():
        raise RosterRefused("Pin a version: without one a lane does not start.", field="model_version")
    if Agent.objects.filter(key=key).exists() or Agent.objects.filter(name=name).exists():
        raise RosterRefused(f'"{name}" is on the roster already. A changed model is a new agent with a new name.')
    agent = Agent.objects.create(
        key=key,
        name=name,
        provider=provider,
        adapter=adapter,
        model_version=model_version.strip(),
        kind=kind,
        base_url=base_url,
        key_variable=key_variable,
        parameters=dict(parameters or {}),
    )
    sync_lexicon(roster_names())
    record(actor=actor, action="battles:agent:roster", subject=key, version=agent.model_version)
    return agent


def roster_names() -> list[str]:
    """Everything that names a rostered agent: names, keys, versions and providers."""
    names: set[str] = set()
    for agent in Agent.objects.all():
        names.update((agent.name, agent.key, agent.model_version, agent.provider))
    return sorted(name for name in names if name)
