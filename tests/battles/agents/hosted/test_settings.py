"""What a roster row may say, and what each adapter understands."""

from __future__ import annotations

from typing import Any

import pytest

from battles.agents.hosted import openai_responses, wording
from battles.agents.hosted.conversation import trimmed
from battles.agents.hosted.openai_responses import OpenAIWire
from battles.agents.hosted.settings import OUTPUT_TOKENS, SettingsRefused
from battles.agents.registry import ADAPTERS, UnknownAdapter, check_settings, make_agent, parameters_of
from tests.battles.agents.hosted.conftest import DIALECTS, KEY, WIRES, row
from tests.battles.agents.hosted.dialect import MODEL
from tests.battles.agents.hosted.google_dialect import camel
from tests.battles.agents.hosted.talk import Talk, observation

CLICK = ("click", {"x": 10, "y": 20})
HOSTED = sorted(name for name, adapter in ADAPTERS.items() if adapter.hosted)
REFERENCE = sorted(set(ADAPTERS) - set(HOSTED))


def settings(**changed: Any) -> dict[str, Any]:
    return {
        "model_version": MODEL,
        "base_url": "https://models.example/v1",
        "key_variable": "",
        "parameters": {},
    } | changed


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com",
        "https://api.example.com:8443/v1",
        "http://127.0.0.1:11434/v1",
        "http://[::1]:8000/v1",
        "http://localhost:8000/v1",
        "http://10.1.2.3/v1",
        "http://192.168.1.5:1234",
        "http://[fd00::1]/v1",
        "http://vllm:8000/v1",
        "http://host.docker.internal:8000/v1",
    ],
)
def test_addresses_that_keys_may_go_to(adapter, url):
    check_settings(adapter, settings(base_url=url))


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://api.example.com/v1", "https"),
        ("http://8.8.8.8/v1", "https"),
        ("http://169.254.169.254/latest", "https"),
        ("http://[fe80::1]/", "https"),
        ("http://0.0.0.0/", "https"),
        ("https://user:password@api.example.com/v1", "no name or password"),
        ("https://user@api.example.com/v1", "no name or password"),
        ("https://@api.example.com/v1", "no name or password"),
        ("ftp://api.example.com", "begin with https"),
        ("file:///etc/passwd", "begin with https"),
        ("api.example.com/v1", "begin with https"),
        ("https://", "begin with https"),
        ("https:///v1", "begin with https"),
        ("https://api.example.com:99999/", "no address"),
        ("https://[::1", "no address"),
        ("https://api.example.com/v1?key=1", "no \\? and no #"),
        ("https://api.example.com/v1#x", "no \\? and no #"),
        ("https://api.exa mple.com", "characters"),
        ("https://api.example.com\\@evil.example", "characters"),
        ("https://api.example.com/\n", None),
        ("https://exämple.com", "characters"),
    ],
)
def test_addresses_that_no_key_may_go_to(adapter, url, why):
    if why is None:
        check_settings(adapter, settings(base_url=url))
        return
    with pytest.raises(SettingsRefused, match=why):
        check_settings(adapter, settings(base_url=url))


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "MY_TOKEN_2", "KEY", "HF_TOKEN"])
def test_variables_that_a_key_may_be_read_from(adapter, name):
    check_settings(adapter, settings(key_variable=name))


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize(
    "name",
    [
        "ARENA_SECRET_KEY",
        "ARENA_KEY",
        "DATABASE_URL",
        "PATH",
        "my_api_key",
        "API-KEY",
        "API KEY",
        "_KEY",
        "1KEY",
        "KEY\n=",
        "KÉY",
        "PASSWORD",
        "KEY" * 100,
    ],
)
def test_variables_that_no_key_may_be_read_from(adapter, name):
    with pytest.raises(SettingsRefused, match="KEY or TOKEN"):
        check_settings(adapter, settings(key_variable=name))


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize(
    "model", ["", " ", None, "../../v2/models/x", "a b", "model?x=1", "model#x", "-x", "m" * 300, "m%2e"]
)
def test_model_versions_that_are_none(adapter, model):
    with pytest.raises(SettingsRefused, match="model version"):
        check_settings(adapter, settings(model_version=model))


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize("model", ["claude-opus-5-5", "Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl:8b", "gpt-5.4-2026-01-01"])
def test_model_versions_as_they_are_written(adapter, model):
    check_settings(adapter, settings(model_version=model))


def test_an_endpoint_of_one_s_own_needs_an_address_and_the_others_have_one():
    for adapter in HOSTED:
        if adapter == "openai-compatible":
            with pytest.raises(SettingsRefused, match="needs a base URL"):
                check_settings(adapter, settings(base_url=""))
        else:
            check_settings(adapter, settings(base_url=""))


GOOD: dict[str, dict[str, Any]] = {
    "anthropic": {"max_output_tokens": 8192, "effort": "high", "thinking": "adaptive"},
    "openai": {"reasoning_effort": "low", "reasoning_summary": "auto", "reasons": True, "image_detail": "original"},
    "google": {"thinking_level": "low", "include_thoughts": True, "temperature": 0.5},
    "openai-compatible": {"images": False, "tool_choice": "required", "reasoning_effort": "low", "temperature": 0},
}


SENT: dict[str, dict[str, Any]] = {
    "anthropic": {"max_tokens": 8192, "output_config": {"effort": "high"}, "thinking": {"type": "adaptive"}},
    "openai": {"reasoning": {"effort": "low", "summary": "auto"}, "max_output_tokens": OUTPUT_TOKENS},
    "google": {
        "generationConfig": {
            "maxOutputTokens": OUTPUT_TOKENS,
            "temperature": 0.5,
            "thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True},
        }
    },
    "openai-compatible": {
        "tool_choice": "required",
        "reasoning_effort": "low",
        "max_tokens": OUTPUT_TOKENS,
        "temperature": 0,
    },
}


def test_every_hosted_adapter_is_tested() -> None:
    assert sorted(DIALECTS) == sorted(WIRES) == HOSTED


def sent_with(provider_of, adapter: str, **parameters: Any) -> Any:
    dialect = DIALECTS[adapter]
    provider = provider_of(dialect, dialect.calls(CLICK))
    agent = make_agent(adapter, row(provider, **parameters))
    assert Talk(agent).step().actions
    agent.close()
    return provider


@pytest.mark.parametrize("adapter", HOSTED)
def test_parameters_reach_the_request(adapter, provider_of):
    body = sent_with(provider_of, adapter, **GOOD[adapter]).requests[0].body
    body = camel(body) if adapter == "google" else body
    assert {name: body[name] for name in SENT[adapter]} == SENT[adapter]


@pytest.mark.parametrize("adapter", HOSTED)
def test_what_is_not_set_is_left_to_the_provider(adapter, provider_of):
    body = sent_with(provider_of, adapter).requests[0].body
    told = repr(body).lower()
    assert all(f"'{name}" not in told for name in ("temperature", "thinking", "reasoning_effort", "effort", "top_p"))
    assert str(OUTPUT_TOKENS) in told


def test_a_budget_for_thinking_reaches_the_request(provider_of):
    body = sent_with(provider_of, "anthropic", thinking_budget=1024).requests[0].body
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 1024}


def test_a_model_without_eyes_gets_words_only_and_is_told_so(provider_of):
    (sent,) = sent_with(provider_of, "openai-compatible", images=False).transcripts
    assert sent.images == 0
    assert sent.system.endswith(wording.WITHOUT_IMAGES)
    assert '[ref_1] button "Search"' in sent.turns[0].text


def test_a_model_that_does_not_reason_is_not_asked_for_its_reasoning(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    wire = OpenAIWire(openai_responses.check(settings(parameters={"reasons": False})))
    request = wire._request(trimmed(system="s", task="t", first=wording.shown(observation()), exchanges=()))
    wire.close()
    assert "include" not in request


@pytest.mark.parametrize("adapter", HOSTED)
@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"max_tokens": 1}, "There is no parameter 'max_tokens' here; there are: .*max_output_tokens"),
        ({"max_output_tokens": True}, "must be a whole number"),
        ({"max_output_tokens": "4096"}, "must be a whole number"),
        ({"max_output_tokens": 10}, "must be a whole number from 256"),
        ({"max_output_tokens": 1e4}, "must be a whole number"),
        ([1], "names with values"),
    ],
)
def test_parameters_that_are_none(adapter, parameters, why):
    with pytest.raises(SettingsRefused, match=why):
        check_settings(adapter, settings(parameters=parameters))


@pytest.mark.parametrize("adapter", ["google", "openai", "openai-compatible"])
@pytest.mark.parametrize("value", [3, -0.1, True, "0.5", float("nan"), None])
def test_temperatures_that_are_none(adapter, value):
    with pytest.raises(SettingsRefused, match="temperature must be a number from 0 to 2"):
        check_settings(adapter, settings(parameters={"temperature": value}))


@pytest.mark.parametrize(
    ("adapter", "parameters"),
    [
        ("anthropic", {"thinking_budget": 8192}),
        ("anthropic", {"thinking_budget": 1024, "thinking": "adaptive"}),
        ("google", {"thinking_budget": 0, "thinking_level": "low"}),
    ],
)
def test_parameters_that_exclude_each_other(adapter, parameters):
    with pytest.raises(SettingsRefused):
        check_settings(adapter, settings(parameters=parameters))


@pytest.mark.parametrize("adapter", REFERENCE)
def test_reference_agents_take_their_own_parameters_and_nothing_else(adapter):
    own = {parameter.name for parameter in parameters_of(adapter)}
    assert own == ({"seed"} if adapter == "reference-random" else {"sure"})
    check_settings(adapter, {"model_version": "1", "parameters": {"seed": "x"} if "seed" in own else {"sure": 0.5}})
    check_settings(adapter, {"model_version": "1"})
    for refused in (
        {"parameters": {"temperature": 1}},
        {"base_url": "https://x.example"},
        {"key_variable": "X_KEY"},
        {"parameters": {"seed": 7} if "seed" in own else {"sure": 2}},
    ):
        with pytest.raises(SettingsRefused):
            check_settings(adapter, {"model_version": "1", **refused})


def test_an_adapter_that_is_not_there():
    for call in (check_settings, make_agent):
        with pytest.raises(UnknownAdapter, match="anthropic"):
            call("telepathy", {})
    with pytest.raises(UnknownAdapter):
        parameters_of("telepathy")


@pytest.mark.parametrize("adapter", sorted(ADAPTERS))
def test_every_parameter_has_words_and_a_name_of_its_own(adapter):
    parameters = parameters_of(adapter)
    assert len({parameter.name for parameter in parameters}) == len(parameters)
    assert all(parameter.help.endswith(".") for parameter in parameters)


@pytest.mark.parametrize("adapter", HOSTED)
def test_the_longest_replies_can_be_asked_for(adapter, provider_of):
    assert "200000" in repr(sent_with(provider_of, adapter, max_output_tokens=200_000).requests[0].body)
