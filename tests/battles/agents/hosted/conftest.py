"""A local provider for each dialect, and a model behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from battles.agents.hosted import anthropic_messages, chat_completions, google_gemini, openai_responses
from battles.agents.hosted.agent import HostedAgent
from tests.battles.agents.hosted.anthropic_dialect import AnthropicDialect
from tests.battles.agents.hosted.chat_dialect import ChatDialect
from tests.battles.agents.hosted.dialect import MODEL, Dialect
from tests.battles.agents.hosted.google_dialect import GoogleDialect
from tests.battles.agents.hosted.local_provider import LocalProvider
from tests.battles.agents.hosted.openai_dialect import OpenAIDialect
from tests.battles.agents.hosted.talk import Talk

#: Of a real key's length and signs.
KEY = "sk-sentinel-9f8e7d6c5b4a39281706-x"

DIALECTS: dict[str, Dialect] = {
    each.adapter: each for each in (AnthropicDialect(), OpenAIDialect(), GoogleDialect(), ChatDialect())
}

WIRES = {
    "anthropic": (anthropic_messages.check, anthropic_messages.AnthropicWire),
    "openai": (openai_responses.check, openai_responses.OpenAIWire),
    "google": (google_gemini.check, google_gemini.GoogleWire),
    "openai-compatible": (chat_completions.check, chat_completions.ChatWire),
}

#: Waits of tests: a thousandth of the real ones, so that six tries take a moment.
FIRST_WAIT = 0.001


@dataclasses.dataclass
class Model:
    """A model behind a local provider: ``provider`` is what it is asked, ``talk`` a lane that asks."""

    provider: LocalProvider
    talk: Talk

    @property
    def agent(self) -> HostedAgent:
        return self.talk.agent

    def step(self, **seen: Any) -> Any:
        return self.talk.step(**seen)


def row(provider: LocalProvider, **parameters: Any) -> dict[str, Any]:
    """The settings of a roster row."""
    return {
        "model_version": MODEL,
        "base_url": provider.url,
        "key_variable": provider.dialect.key_variable,
        "parameters": parameters,
    }


@pytest.fixture(params=sorted(DIALECTS))
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return DIALECTS[request.param]


@pytest.fixture
def provider_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LocalProvider]]:
    """Starts local providers. A request that one of them would not take fails the test."""
    providers: list[LocalProvider] = []

    def start(dialect: Dialect, *script: Any, key: str = KEY) -> LocalProvider:
        monkeypatch.setenv(dialect.key_variable, KEY)
        provider = LocalProvider(dialect, *script, key=key)
        providers.append(provider.__enter__())
        return provider

    yield start
    for provider in providers:
        provider.__exit__()
    faults = [fault for provider in providers for fault in provider.faults]
    assert not faults


@pytest.fixture
def model(dialect: Dialect, provider_of: Callable[..., LocalProvider]) -> Iterator[Callable[..., Model]]:
    """Makes a model of the dialect that says what the script says."""
    agents: list[HostedAgent] = []

    def make(
        *script: Any, silence: float = 5.0, first_wait: float = FIRST_WAIT, key: str = KEY, **parameters: Any
    ) -> Model:
        provider = provider_of(dialect, *script, key=key)
        check, wire = WIRES[dialect.adapter]
        agents.append(HostedAgent(wire(check(row(provider, **parameters))), silence=silence, first_wait=first_wait))
        return Model(provider, Talk(agents[-1]))

    yield make
    for agent in agents:
        agent.close()
