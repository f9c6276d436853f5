"""Sections that higher apps add to an agent's page: each says which template shows what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class AgentSection:
    """A template of the app that made it, which finds ``view`` under that name and nothing else."""

    template: str
    view: Any


#: From an agent's key to a section; None where there is nothing to say of the agent.
Maker: TypeAlias = Callable[[str], AgentSection | None]
_MAKERS: list[Maker] = []


def add_agent_section(maker: Maker) -> None:
    """Show this section on every agent's page, after those that were added before. Once is enough."""
    if maker not in _MAKERS:
        _MAKERS.append(maker)


def sections_of(agent_key: str) -> list[AgentSection]:
    """Sections of an agent's page, in the order in which they were added."""
    return [section for maker in _MAKERS if (section := maker(agent_key)) is not None]
