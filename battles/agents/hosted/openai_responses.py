"""Models over OpenAI's Responses API, by its official library. Nothing is stored there: each request has it all."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from openai import OpenAI

from battles.agents.hosted import wording
from battles.agents.hosted.agent import HostedAgent
from battles.agents.hosted.answers import read_body
from battles.agents.hosted.bodies import fits, is_tool_name, mapping, objects, read_arguments, text
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
from battles.agents.hosted.troubles import error_trouble
from battles.agents.hosted.wire import NOTHING_USABLE, CallIds, Reply, reply_of
from battles.lanes.events import Usage

PROVIDER = "OpenAI"
BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"

PARAMETERS = (
    MAX_OUTPUT_TOKENS,
    TEMPERATURE,
    Parameter(
        "reasoning_effort",
        "How long the model reasons.",
        one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    ),
    Parameter(
        "reasoning_summary",
        "Asks for a summary of the reasoning, which is kept with the step.",
        one_of("auto", "concise", "detailed"),
    ),
    Parameter(
        "reasons",
        "Set false for a model that does not reason: it cannot be asked for its hidden reasoning. Default true.",
        true_or_false,
    ),
    Parameter("image_detail", "How finely images are read. Default high.", one_of("high", "original", "auto")),
)

#: Items that go back as they came, and what they must hold. Others do not come where nothing extra is asked for.
_OWN_ITEMS: Mapping[str, Mapping[str, type]] = {
    "message": {"content": list, "role": str},
    "reasoning": {"id": str, "summary": list},
    "function_call": {"call_id": str, "name": str, "arguments": str},
}
_MAY_HOLD: Mapping[str, type] = {"content": list, "summary": list, "id": str, "status": str, "encrypted_content": str}

_INCOMPLETE = {"max_output_tokens": wording.CUT_OFF, "content_filter": wording.DECLINED}


def check(settings: Mapping[str, Any]) -> HostedSettings:
    """The roster row's settings, checked without a call and without a key.

    Raises:
        SettingsRefused: see :func:`battles.agents.hosted.settings.read_settings`.
    """
    return read_settings(settings, takes=PARAMETERS, default_key_variable=KEY_VARIABLE)


def agent(settings: Mapping[str, Any]) -> HostedAgent:
    """An agent for one lane.

    Raises:
        SettingsRefused: the row cannot be used.
        KeyMissing: the key is not in the environment.
    """
    return HostedAgent(OpenAIWire(check(settings)), meter=meter_of(settings))


class OpenAIWire:
    """See :class:`battles.agents.hosted.wire.Wire`."""

    def __init__(self, settings: HostedSettings) -> None:
        self._settings = settings
        self._key = settings.key()
        self._connection = Connection()
        self._client = OpenAI(
            api_key=self._key,
            base_url=settings.base_url or BASE_URL,
            max_retries=0,
            http_client=self._connection.client,
        )
        self._ids = CallIds()
        self._item_ids: set[str] = set()
        # Strict tools must require every argument, and ours have optional ones.
        self._tools: list[Any] = [{"type": "function", **tool, "strict": False} for tool in wording.tool_schemas()]

    def send(self, conversation: Conversation, *, silence: float) -> Reply:
        """See :meth:`battles.agents.hosted.wire.Wire.send`."""
        request = self._request(conversation)
        body = read_body(
            PROVIDER,
            self._connection,
            lambda: self._client.responses.create(**request),
            silence=silence,
            key=self._key,
            holds={"output": list},
        )
        return self._reply(body)

    def close(self) -> None:
        """See :meth:`battles.agents.hosted.wire.Wire.close`."""
        self._connection.close()

    def _request(self, conversation: Conversation) -> dict[str, Any]:
        parameters = self._settings.parameters
        request: dict[str, Any] = {
            "model": self._settings.model,
            "instructions": conversation.system,
            "input": _input(conversation, parameters.get("image_detail", "high")),
            "tools": self._tools,
            "max_output_tokens": self._settings.max_output_tokens,
            "store": False,
        }
        if parameters.get("reasons", True):
            request["include"] = ["reasoning.encrypted_content"]
        if "temperature" in parameters:
            request["temperature"] = parameters["temperature"]
        reasoning = {"effort": parameters.get("reasoning_effort"), "summary": parameters.get("reasoning_summary")}
        if any(reasoning.values()):
            request["reasoning"] = {name: value for name, value in reasoning.items() if value}
        return request

    def _reply(self, body: Mapping[str, Any]) -> Reply:
        usage = _usage(mapping(body.get("usage")))
        items = objects(body["output"])
        words = [word for item in items for word in _words(item)]
        if body.get("status") == "failed":
            # A model that failed under way is an outage, whatever the transport's status said.
            raise error_trouble(PROVIDER, 500, mapping(body.get("error")), usage=usage)
        complaint = _INCOMPLETE.get(text(mapping(body.get("incomplete_details")).get("reason")), "")
        if not complaint and any(_refused(item) for item in items):
            complaint = wording.DECLINED
        if complaint:
            return Reply(None, (), "\n".join(words), usage, complaint=complaint)
        native, calls = self._taken_apart(items)
        return reply_of(native, calls, words, usage, well_formed=all(map(_is_well_formed, native)))

    def _taken_apart(self, items: Any) -> tuple[list[dict[str, Any]], list[ToolCall]]:
        """What goes back, and the calls in it."""
        native: list[dict[str, Any]] = []
        calls: list[ToolCall] = []
        for item in items:
            kind = text(item.get("type"))
            own = {name: value for name, value in item.items() if value is not None}
            if kind == "function_call":
                call = self._call(item)
                own |= {"call_id": call.identifier, "arguments": text(item.get("arguments")) or "{}"}
                calls.append(call)
            elif kind.endswith("_call"):
                calls.append(ToolCall(self._ids.take(item.get("call_id")), kind, dict(item), answerable=False))
            if kind == "reasoning":
                own.setdefault("summary", [])
            if kind in _OWN_ITEMS and (kind != "message" or any(_words(item))):
                native.append(self._with_own_id(own))
        # The API takes no reasoning back that nothing came of.
        while native and native[-1]["type"] == "reasoning":
            native.pop()
        return native, calls

    def _call(self, item: Mapping[str, Any]) -> ToolCall:
        name, arguments = item.get("name"), item.get("arguments")
        return ToolCall(
            identifier=self._ids.take(item.get("call_id")),
            name=text(name) or "function_call",
            arguments=read_arguments(arguments, key=self._key),
            answerable=is_tool_name(name) and (arguments is None or isinstance(arguments, str)),
        )

    def _with_own_id(self, item: dict[str, Any]) -> dict[str, Any]:
        """The item, without an identifier that an earlier one has: the API takes none twice, and needs none."""
        identifier = text(item.get("id"))
        if identifier in self._item_ids:
            del item["id"]
        elif identifier:
            self._item_ids.add(identifier)
        return item


def _input(conversation: Conversation, detail: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [_user(conversation.opening, conversation.first, detail)]
    for exchange in conversation.exchanges:
        items += exchange.native or [{"role": "assistant", "content": NOTHING_USABLE}]
        items += _results(exchange)
        items.append(_user(exchange.words, exchange.shown, detail))
    return items


def _results(exchange: Exchange) -> list[dict[str, Any]]:
    return [
        {"type": "function_call_output", "call_id": call.identifier, "output": result.text}
        for call, result in exchange.answered
    ]


def _user(words: str, shown: Shown, detail: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "input_text", "text": words}]
    if shown.image is not None:
        data = base64.b64encode(shown.image).decode("ascii")
        content.append({"type": "input_image", "image_url": f"data:{shown.mime};base64,{data}", "detail": detail})
    return {"role": "user", "content": content}


def _words(item: Mapping[str, Any]) -> list[str]:
    return [
        text(part.get("text")) or text(part.get("refusal"))
        for parts in (item.get("summary"), item.get("content"))
        for part in objects(parts)
    ]


def _is_well_formed(item: Mapping[str, Any]) -> bool:
    if not fits(item, _OWN_ITEMS[item["type"]], _MAY_HOLD):
        return False
    return all(fits(part, {"type": str, "text": str}) for part in (*item.get("content", ()), *item.get("summary", ())))


def _refused(item: Mapping[str, Any]) -> bool:
    return any(part.get("type") == "refusal" for part in objects(item.get("content")))


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """Input tokens count what was read from and written to the cache; reasoning is part of the output."""
    if not usage:
        return None
    within = mapping(usage.get("input_tokens_details"))
    return usage_within_prompt(
        prompt=tokens(usage.get("input_tokens")),
        cache_read=tokens(within.get("cached_tokens")),
        cache_write=tokens(within.get("cache_write_tokens")),
        output=tokens(usage.get("output_tokens")),
        reasoning=tokens(mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )
