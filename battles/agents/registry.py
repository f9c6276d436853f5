"""Adapters by name, how an agent is made for a lane, and how a roster row is checked without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from battles.agents.base import Agent
from battles.agents.hosted.settings import (
    HostedSettings,
    Parameter,
    SettingsRefused,
    check_parameters,
    number,
    short_text,
)

_REFERENCE = (Parameter("sure", "How good a match must be to be acted on, 0 to 1.", number(0, 1)),)
_CHANCE = (Parameter("seed", "Text that is mixed into the chance.", short_text),)


@dataclass(frozen=True, slots=True)
class Adapter:
    """One way to drive a browser.

    ``factory`` is "module:callable"; the callable takes the roster row's settings. The module is loaded when first
    used, so that a provider's library is needed only by those who race its models. A hosted adapter's module has
    ``check`` and ``PARAMETERS`` of its own; ``parameters`` are those of an adapter that needs no key.
    """

    factory: str
    hosted: bool = False
    parameters: tuple[Parameter, ...] = ()


ADAPTERS: Mapping[str, Adapter] = {
    "anthropic": Adapter("battles.agents.hosted.anthropic_messages:agent", hosted=True),
    "openai": Adapter("battles.agents.hosted.openai_responses:agent", hosted=True),
    "google": Adapter("battles.agents.hosted.google_gemini:agent", hosted=True),
    "openai-compatible": Adapter("battles.agents.hosted.chat_completions:agent", hosted=True),
    "reference-explorer": Adapter("battles.agents.reference.explorer:ExplorerAgent", parameters=_REFERENCE),
    "reference-lexical": Adapter("battles.agents.reference.lexical:LexicalAgent", parameters=_REFERENCE),
    "reference-random": Adapter("battles.agents.reference.chance:RandomAgent", parameters=_CHANCE),
}


class UnknownAdapter(LookupError):
    """The roster names an adapter that this version does not have."""


def make_agent(adapter: str, settings: Mapping[str, Any]) -> Agent:
    """A new agent for one lane.

    Raises:
        UnknownAdapter: no such adapter.
        SettingsRefused, KeyMissing: a hosted agent cannot be made of these settings here.
    """
    module, name = _place(adapter)
    agent: Agent = getattr(import_module(module), name)(settings)
    return agent


def check_settings(adapter: str, settings: Mapping[str, Any]) -> None:
    """Check a roster row's settings, without a key and without a call.

    Raises:
        UnknownAdapter: no such adapter.
        SettingsRefused: the adapter cannot use them.
    """
    module, _ = _place(adapter)
    if ADAPTERS[adapter].hosted:
        import_module(module).check(settings)
        return
    if settings.get("base_url") or settings.get("key_variable"):
        raise SettingsRefused("A reference agent needs neither a base URL nor a key.")
    check_parameters(settings.get("parameters") or {}, ADAPTERS[adapter].parameters)


def key_of(adapter: str, settings: Mapping[str, Any]) -> str:
    """The environment variable that holds the agent's key, once it is known to hold one; "" where none is needed.

    Raises:
        KeyMissing: the variable is not set.
        UnknownAdapter, SettingsRefused: as for :func:`check_settings`.
    """
    module, _ = _place(adapter)
    if not ADAPTERS[adapter].hosted:
        return ""
    checked: HostedSettings = import_module(module).check(settings)
    checked.key()
    return checked.key_variable


def parameters_of(adapter: str) -> tuple[Parameter, ...]:
    """The parameters that a roster row of this adapter may set.

    Raises:
        UnknownAdapter: no such adapter.
    """
    module, _ = _place(adapter)
    if not ADAPTERS[adapter].hosted:
        return ADAPTERS[adapter].parameters
    parameters: tuple[Parameter, ...] = import_module(module).PARAMETERS
    return parameters


def _place(adapter: str) -> tuple[str, str]:
    found = ADAPTERS.get(adapter)
    if found is None:
        raise UnknownAdapter(f"There is no adapter {adapter!r}; there are: {', '.join(sorted(ADAPTERS))}.")
    module, _, name = found.factory.partition(":")
    return module, name
