"""Models over Anthropic's Messages API, by its official library."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from anthropic import Anthropic

from battles.agents.hosted import wording
from battles.agents.hosted.agent import HostedAgent
from battles.agents.hosted.answers import read_body
from battles.agents.hosted.bodies import fits, is_tool_name, mapping, objects, text
from battles.agents.hosted.connection import Connection
from battles.agents.hosted.conversation import Conversation, Exchange, Shown, ToolCall
from battles.agents.hosted.counting import part_of, tokens
from battles.agents.hosted.settings import (
    MAX_OUTPUT_TOKENS,
    HostedSettings,
    Parameter,
    SettingsRefused,
    one_of,
    read_settings,
    whole_number,
)
from battles.agents.hosted.spending import meter_of
from battles.agents.hosted.wire import NOTHING_USABLE, CallIds, Reply, Trouble, WireTrouble, reply_of
from battles.lanes.events import Usage

PROVIDER = "Anthropic"
BASE_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"

PARAMETERS = (
    MAX_OUTPUT_TOKENS,
    Parameter("effort", "How hard the model tries.", one_of("low", "medium", "high", "xhigh", "max")),
    Parameter("thinking", "Whether the model thinks as long as it finds fit.", one_of("adaptive", "disabled")),
    Parameter(
        "thinking_budget",
        "Tokens for extended thinking of models that take a number; less than max_output_tokens.",
        whole_number(1_024, 100_000),
    ),
)

#: Blocks that go back as they came, and what they must hold. Others do not come where nothing extra is asked for.
_OWN_BLOCKS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": dict},
}

_COMPLAINTS = {"max_tokens": wording.CUT_OFF, "refusal": wording.DECLINED}


def check(settings: Mapping[str, Any]) -> HostedSettings:
    """The roster row's settings, checked without a call and without a key.

    Raises:
        SettingsRefused: see :func:`battles.agents.hosted.settings.read_settings`; or two parameters exclude each other.
    """
    checked = read_settings(settings, takes=PARAMETERS, default_key_variable=KEY_VARIABLE)
    budget = checked.parameters.get("thinking_budget")
    if budget is not None and budget >= checked.max_output_tokens:
        raise SettingsRefused("thinking_budget must be less than max_output_tokens, which counts thinking too.")
    if budget is not None and "thinking" in checked.parameters:
        raise SettingsRefused("Set thinking or thinking_budget, not both.")
    return checked


def agent(settings: Mapping[str, Any]) -> HostedAgent:
    """An agent for one lane.

    Raises:
        SettingsRefused: the row cannot be used.
        KeyMissing: the key is not in the environment.
    """
    return HostedAgent(AnthropicWire(check(settings)), meter=meter_of(settings))


class AnthropicWire:
    """See :class:`battles.agents.hosted.wire.Wire`."""

    def __init__(self, settings: HostedSettings) -> None:
        self._settings = settings
        self._key = settings.key()
        self._connection = Connection()
        self._client = Anthropic(
            api_key=self._key,
            base_url=settings.base_url or BASE_URL,
            max_retries=0,
            http_client=self._connection.client,
            open_telemetry=False,
        )
        self._ids = CallIds()
        self._tools: list[Any] = [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in wording.tool_schemas()
        ]

    def send(self, conversation: Conversation, *, silence: float) -> Reply:
        """See :meth:`battles.agents.hosted.wire.Wire.send`."""
        request = self._request(conversation)
        body = read_body(
            PROVIDER,
            self._connection,
            # The library's own bound is set as well: without one it refuses long replies.
            lambda: self._client.messages.create(**request, timeout=silence),
            silence=silence,
            key=self._key,
            holds={"content": list},
        )
        return self._reply(body)

    def close(self) -> None:
        """See :meth:`battles.agents.hosted.wire.Wire.close`."""
        self._connection.close()

    def _request(self, conversation: Conversation) -> dict[str, Any]:
        parameters = self._settings.parameters
        request: dict[str, Any] = {
            "model": self._settings.model,
            "max_tokens": self._settings.max_output_tokens,
            # The tools and the rules never change within a lane, so the provider may keep them.
            "system": [{"type": "text", "text": conversation.system, "cache_control": {"type": "ephemeral"}}],
            "tools": self._tools,
            "messages": _messages(conversation),
        }
        if "effort" in parameters:
            request["output_config"] = {"effort": parameters["effort"]}
        if "thinking" in parameters:
            request["thinking"] = {"type": parameters["thinking"]}
        if "thinking_budget" in parameters:
            request["thinking"] = {"type": "enabled", "budget_tokens": parameters["thinking_budget"]}
        return request

    def _reply(self, body: Mapping[str, Any]) -> Reply:
        usage = _usage(mapping(body.get("usage")))
        blocks = objects(body["content"])
        words = [text(block.get("text")) or text(block.get("thinking")) for block in blocks]
        reason = text(body.get("stop_reason"))
        if reason == "model_context_window_exceeded":
            raise WireTrouble(Trouble.TOO_LONG, f"The conversation is too long for {PROVIDER}.", usage=usage)
        if reason in _COMPLAINTS:
            return Reply(None, (), "\n".join(words), usage, complaint=_COMPLAINTS[reason])
        native, calls = self._taken_apart(blocks)
        well_formed = all(fits(block, _OWN_BLOCKS[block["type"]]) for block in native)
        return reply_of(native, calls, words, usage, well_formed=well_formed)

    def _taken_apart(self, blocks: Any) -> tuple[list[dict[str, Any]], list[ToolCall]]:
        """What goes back, and the calls in it."""
        native: list[dict[str, Any]] = []
        calls: list[ToolCall] = []
        for block in blocks:
            kind = text(block.get("type"))
            own = {name: value for name, value in block.items() if value is not None}
            if kind.endswith("tool_use"):
                call = self._call(kind, block)
                own["id"] = call.identifier
                calls.append(call)
            # The API takes no text back that is empty.
            if kind in _OWN_BLOCKS and not (kind == "text" and not text(block.get("text")).strip()):
                native.append(own)
        return native, calls

    def _call(self, kind: str, block: Mapping[str, Any]) -> ToolCall:
        name, arguments = block.get("name"), block.get("input")
        ours = kind == "tool_use" and not block.get("toolset_name")
        return ToolCall(
            identifier=self._ids.take(block.get("id")),
            name=text(name) or kind,
            arguments={} if arguments is None else arguments,
            answerable=ours and is_tool_name(name) and isinstance(arguments, dict),
        )


def _messages(conversation: Conversation) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": [_text(conversation.opening), *_image(conversation.first)]}]
    for exchange in conversation.exchanges:
        messages.append({"role": "assistant", "content": exchange.native or [_text(NOTHING_USABLE)]})
        messages.append({"role": "user", "content": _what_came_of_it(exchange)})
    return messages


def _what_came_of_it(exchange: Exchange) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": call.identifier, "content": result.text}
        for call, result in exchange.answered
    ]
    return [*results, _text(exchange.words), *_image(exchange.shown)]


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _image(shown: Shown) -> list[dict[str, Any]]:
    if shown.image is None:
        return []
    data = base64.b64encode(shown.image).decode("ascii")
    return [{"type": "image", "source": {"type": "base64", "media_type": shown.mime, "data": data}}]


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """Input tokens come without what was read from or written to the cache; thinking is part of the output."""
    if not usage:
        return None
    output = tokens(usage.get("output_tokens"))
    return Usage(
        input_plain=tokens(usage.get("input_tokens")),
        input_cache_read=tokens(usage.get("cache_read_input_tokens")),
        input_cache_write=tokens(usage.get("cache_creation_input_tokens")),
        output=output,
        output_reasoning=part_of(tokens(mapping(usage.get("output_tokens_details")).get("thinking_tokens")), output),
    )
