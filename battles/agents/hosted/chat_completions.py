"""Models behind any endpoint that speaks OpenAI's chat.completions: vLLM, Ollama, llama.cpp, gateways."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from openai import Omit, OpenAI

from battles.agents.hosted import wording
from battles.agents.hosted.agent import HostedAgent
from battles.agents.hosted.answers import read_body
from battles.agents.hosted.bodies import is_tool_name, mapping, objects, read_arguments, text
from battles.agents.hosted.connection import Connection
from battles.agents.hosted.conversation import Conversation, Exchange, Shown, ToolCall
from battles.agents.hosted.counting import tokens, usage_within_prompt
from battles.agents.hosted.settings import (
    MAX_OUTPUT_TOKENS,
    TEMPERATURE,
    HostedSettings,
    Parameter,
    one_of,
    read_settings,
    true_or_false,
)
from battles.agents.hosted.spending import meter_of
from battles.agents.hosted.troubles import unreadable_body
from battles.agents.hosted.wire import NOTHING_USABLE, CallIds, Reply, reply_of
from battles.agents.hosted.written_calls import written_calls
from battles.lanes.events import Usage

PROVIDER = "The endpoint"

PARAMETERS = (
    MAX_OUTPUT_TOKENS,
    TEMPERATURE,
    Parameter("images", "Set false for a model that takes text only. Default true.", true_or_false),
    Parameter(
        "tool_choice",
        "required makes servers that can do so enforce a call. Default auto.",
        one_of("auto", "required"),
    ),
    Parameter(
        "reasoning_effort",
        "How long the model reasons, where the server has such a setting.",
        one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    ),
)

#: Headers that the library adds from the environment for its maker's own service.
_NOT_FOR_OTHERS = ("openai-organization", "openai-project")

#: The library wants a key; where none is sent it is given this word, and the header is left out.
_NO_KEY = "none"

_COMPLAINTS = {"length": wording.CUT_OFF, "content_filter": wording.DECLINED}


def check(settings: Mapping[str, Any]) -> HostedSettings:
    """The roster row's settings, checked without a call and without a key.

    Raises:
        SettingsRefused: see :func:`battles.agents.hosted.settings.read_settings`.
    """
    return read_settings(settings, takes=PARAMETERS, default_key_variable="", needs_base_url=True)


def agent(settings: Mapping[str, Any]) -> HostedAgent:
    """An agent for one lane.

    Raises:
        SettingsRefused: the row cannot be used.
        KeyMissing: the key is not in the environment.
    """
    checked = check(settings)
    sees = checked.parameters.get("images", True)
    return HostedAgent(ChatWire(checked), sees=sees, meter=meter_of(settings))


class ChatWire:
    """See :class:`battles.agents.hosted.wire.Wire`."""

    def __init__(self, settings: HostedSettings) -> None:
        self._settings = settings
        self._key = settings.key()
        self._connection = Connection(dropped_headers=_NOT_FOR_OTHERS)
        self._client = OpenAI(
            api_key=self._key or _NO_KEY,
            base_url=settings.base_url,
            max_retries=0,
            http_client=self._connection.client,
        )
        self._ids = CallIds()
        self._tools: list[Any] = [{"type": "function", "function": tool} for tool in wording.tool_schemas()]

    def send(self, conversation: Conversation, *, silence: float) -> Reply:
        """See :meth:`battles.agents.hosted.wire.Wire.send`."""
        request = self._request(conversation)
        body = read_body(
            PROVIDER,
            self._connection,
            lambda: self._client.chat.completions.create(**request),
            silence=silence,
            key=self._key,
            holds={"choices": list},
        )
        return self._reply(body)

    def close(self) -> None:
        """See :meth:`battles.agents.hosted.wire.Wire.close`."""
        self._connection.close()

    def _request(self, conversation: Conversation) -> dict[str, Any]:
        parameters = self._settings.parameters
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": _messages(conversation),
            "tools": self._tools,
            "tool_choice": parameters.get("tool_choice", "auto"),
            # The older of its two names: servers that know only the newer one do not matter here.
            "max_tokens": self._settings.max_output_tokens,
        }
        for name in ("temperature", "reasoning_effort"):
            if name in parameters:
                request[name] = parameters[name]
        if not self._key:
            request["extra_headers"] = {"Authorization": Omit()}
        return request

    def _reply(self, body: Mapping[str, Any]) -> Reply:
        usage = _usage(mapping(body.get("usage")))
        choices = objects(body["choices"])
        if not choices:
            raise unreadable_body(PROVIDER)
        message = mapping(choices[0].get("message"))
        said = _content(message.get("content"))
        refusal = text(message.get("refusal"))
        words = [text(message.get("reasoning_content")) or text(message.get("reasoning")), said, refusal]
        complaint = wording.DECLINED if refusal else _COMPLAINTS.get(text(choices[0].get("finish_reason")), "")
        if complaint:
            return Reply(None, (), "\n".join(filter(None, words)), usage, complaint=complaint)
        made = objects(message.get("tool_calls"))
        if made:
            calls = [self._call(each) for each in made]
            return reply_of(_native(said, made, calls), calls, words, usage)
        native = {"role": "assistant", "content": said} if said.strip() else None
        return Reply(native, written_calls(said, key=self._key), "\n".join(filter(None, words)), usage)

    def _call(self, made: Mapping[str, Any]) -> ToolCall:
        function = mapping(made.get("function"))
        name = function.get("name")
        return ToolCall(
            identifier=self._ids.take(made.get("id")),
            name=text(name) or text(made.get("type")) or "function",
            arguments=read_arguments(function.get("arguments"), key=self._key),
            answerable=is_tool_name(name),
        )


def _native(said: str, made: Any, calls: list[ToolCall]) -> dict[str, Any]:
    """The message as it goes back.

    Arguments that are no JSON object go back as an empty one: servers parse them once more for the model's template
    and fail on the whole conversation. The model is told in the result that they could not be read.
    """
    return {
        "role": "assistant",
        "content": said or None,
        "tool_calls": [
            {
                "id": call.identifier,
                "type": "function",
                "function": {"name": call.name, "arguments": _as_text(each, call)},
            }
            for each, call in zip(made, calls, strict=True)
        ],
    }


def _as_text(made: Mapping[str, Any], call: ToolCall) -> str:
    if not isinstance(call.arguments, dict):
        return "{}"
    given = mapping(made.get("function")).get("arguments")
    return given if isinstance(given, str) and given else json.dumps(call.arguments)


def _messages(conversation: Conversation) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": conversation.system},
        _user(conversation.opening, conversation.first),
    ]
    for exchange in conversation.exchanges:
        messages.append(exchange.native or {"role": "assistant", "content": NOTHING_USABLE})
        messages += _results(exchange)
        messages.append(_user(exchange.words, exchange.shown))
    return messages


def _results(exchange: Exchange) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": call.identifier, "content": result.text} for call, result in exchange.answered
    ]


def _user(words: str, shown: Shown) -> dict[str, Any]:
    """A user's message; plain text where there is no image, since some servers know nothing else."""
    if shown.image is None:
        return {"role": "user", "content": words}
    data = base64.b64encode(shown.image).decode("ascii")
    image = {"type": "image_url", "image_url": {"url": f"data:{shown.mime};base64,{data}"}}
    return {"role": "user", "content": [{"type": "text", "text": words}, image]}


def _content(content: Any) -> str:
    """The text of a message, which some servers send in parts."""
    return text(content) or "".join(text(part.get("text")) for part in objects(content))


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """Cached tokens are counted inside the prompt. Reasoning is part of the completion, or beside it where the total
    says so."""
    if not usage:
        return None
    within = mapping(usage.get("prompt_tokens_details"))
    prompt, output = tokens(usage.get("prompt_tokens")), tokens(usage.get("completion_tokens"))
    reasoning = tokens(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    if prompt is not None and output is not None and reasoning:
        beside = usage.get("total_tokens") == prompt + output + reasoning
        output += reasoning if beside else 0
    return usage_within_prompt(
        prompt=prompt,
        cache_read=tokens(within.get("cached_tokens")),
        cache_write=tokens(within.get("cache_write_tokens")),
        output=output,
        reasoning=reasoning,
    )
