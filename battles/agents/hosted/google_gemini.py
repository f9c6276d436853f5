"""Models over Google's generateContent API, by its official library."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from google import genai
from google.genai import types

from battles.agents.hosted import wording
from battles.agents.hosted.agent import HostedAgent
from battles.agents.hosted.answers import read_body
from battles.agents.hosted.bodies import fits, is_tool_name, mapping, objects, text
from battles.agents.hosted.connection import Connection
from battles.agents.hosted.conversation import Conversation, Exchange, Shown, ToolCall
from battles.agents.hosted.counting import tokens, usage_within_prompt
from battles.agents.hosted.settings import (
    MAX_OUTPUT_TOKENS,
    TEMPERATURE,
    HostedSettings,
    Parameter,
    SettingsRefused,
    one_of,
    read_settings,
    true_or_false,
    whole_number,
)
from battles.agents.hosted.spending import meter_of
from battles.agents.hosted.troubles import unreadable_body
from battles.agents.hosted.wire import NOTHING_USABLE, Reply, Trouble, WireTrouble, reply_of
from battles.lanes.events import Usage

PROVIDER = "Google"
BASE_URL = "https://generativelanguage.googleapis.com"
KEY_VARIABLE = "GEMINI_API_KEY"

PARAMETERS = (
    MAX_OUTPUT_TOKENS,
    TEMPERATURE,
    Parameter("thinking_level", "How long the model thinks.", one_of("minimal", "low", "medium", "high", "xhigh")),
    Parameter(
        "thinking_budget",
        "Tokens for thinking of models that take a number; 0 turns it off.",
        whole_number(0, 100_000),
    ),
    Parameter("include_thoughts", "Asks for a summary of the thoughts, which is kept with the step.", true_or_false),
)

#: What the known names of a part hold.
_PART: Mapping[str, type] = {"text": str, "thought": bool, "thoughtSignature": str, "functionCall": dict}

_COMPLAINTS = {
    "MAX_TOKENS": wording.CUT_OFF,
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"), wording.UNREADABLE),
    **dict.fromkeys(
        ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE", "IMAGE_SAFETY", "MODEL_ARMOR"),
        wording.DECLINED,
    ),
}


def check(settings: Mapping[str, Any]) -> HostedSettings:
    """The roster row's settings, checked without a call and without a key.

    Raises:
        SettingsRefused: see :func:`battles.agents.hosted.settings.read_settings`; or two parameters exclude each other.
    """
    checked = read_settings(settings, takes=PARAMETERS, default_key_variable=KEY_VARIABLE)
    if {"thinking_level", "thinking_budget"} <= set(checked.parameters):
        raise SettingsRefused("Set thinking_level or thinking_budget, not both.")
    return checked


def agent(settings: Mapping[str, Any]) -> HostedAgent:
    """An agent for one lane.

    Raises:
        SettingsRefused: the row cannot be used.
        KeyMissing: the key is not in the environment.
    """
    return HostedAgent(GoogleWire(check(settings)), meter=meter_of(settings))


class GoogleWire:
    """See :class:`battles.agents.hosted.wire.Wire`."""

    def __init__(self, settings: HostedSettings) -> None:
        self._settings = settings
        self._key = settings.key()
        self._connection = Connection()
        # Said outright, or the environment could make it another product at another address. Without
        # ``retry_options`` the library tries once.
        self._client = genai.Client(
            vertexai=False,
            api_key=self._key,
            http_options=types.HttpOptions(
                base_url=settings.base_url or BASE_URL, httpx_client=self._connection.client
            ),
        )
        self._tools = [
            types.FunctionDeclaration(
                name=tool["name"], description=tool["description"], parameters_json_schema=tool["parameters"]
            )
            for tool in wording.tool_schemas()
        ]

    def send(self, conversation: Conversation, *, silence: float) -> Reply:
        """See :meth:`battles.agents.hosted.wire.Wire.send`."""
        config = self._config(conversation)
        body = read_body(
            PROVIDER,
            self._connection,
            lambda: self._client.models.generate_content(
                model=self._settings.model, contents=conversation.opening, config=config
            ),
            silence=silence,
            key=self._key,
            holds={"candidates": list, "promptFeedback": dict},
        )
        return _reply(body)

    def close(self) -> None:
        """See :meth:`battles.agents.hosted.wire.Wire.close`."""
        self._connection.close()

    def _config(self, conversation: Conversation) -> types.GenerateContentConfig:
        parameters = self._settings.parameters
        thinking = {
            name: parameters[name]
            for name in ("thinking_level", "thinking_budget", "include_thoughts")
            if name in parameters
        }
        return types.GenerateContentConfig(
            system_instruction=conversation.system,
            tools=[types.Tool(function_declarations=self._tools)],
            max_output_tokens=self._settings.max_output_tokens,
            temperature=parameters.get("temperature"),
            thinking_config=types.ThinkingConfig(**thinking) if thinking else None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
            should_return_http_response=True,
            # As they came and as they go: the library's own types would refuse parts that they do not know.
            http_options=types.HttpOptions(extra_body={"contents": _contents(conversation)}),
        )


def _contents(conversation: Conversation) -> list[dict[str, Any]]:
    contents = [{"role": "user", "parts": [{"text": conversation.opening}, *_image(conversation.first)]}]
    for exchange in conversation.exchanges:
        contents.append(exchange.native or {"role": "model", "parts": [{"text": NOTHING_USABLE}]})
        contents.append({"role": "user", "parts": _what_came_of_it(exchange)})
    return contents


def _what_came_of_it(exchange: Exchange) -> list[dict[str, Any]]:
    """A response for each call, in order; an identifier goes back only where one came."""
    responses = [
        {
            "functionResponse": {
                **({"id": call.identifier} if call.identifier else {}),
                "name": call.name,
                "response": {"result": result.text},
            }
        }
        for call, result in exchange.answered
    ]
    return [*responses, {"text": exchange.words}, *_image(exchange.shown)]


def _image(shown: Shown) -> list[dict[str, Any]]:
    if shown.image is None:
        return []
    data = base64.b64encode(shown.image).decode("ascii")
    return [{"inlineData": {"mimeType": shown.mime, "data": data}}]


def _reply(body: Mapping[str, Any]) -> Reply:
    usage = _usage(mapping(body.get("usageMetadata")))
    candidates = objects(body.get("candidates"))
    if not candidates:
        if mapping(body.get("promptFeedback")).get("blockReason"):
            raise WireTrouble(Trouble.DECLINED, f"{PROVIDER} declined the request.", usage=usage)
        raise unreadable_body(PROVIDER)
    content = mapping(candidates[0].get("content"))
    parts = objects(content.get("parts"))
    words = [text(part.get("text")) for part in parts]
    complaint = _COMPLAINTS.get(text(candidates[0].get("finishReason")), "")
    if complaint:
        return Reply(None, (), "\n".join(words), usage, complaint=complaint)
    calls = [_call(mapping(part["functionCall"])) for part in parts if "functionCall" in part]
    well_formed = all(fits(part, {}, _PART) for part in parts) and len(parts) == len(content.get("parts") or ())
    # A content without parts is not taken back.
    native = {**content, "role": "model"} if parts else None
    return reply_of(native, calls, words, usage, well_formed=well_formed)


def _call(given: Mapping[str, Any]) -> ToolCall:
    name, arguments, identifier = given.get("name"), given.get("args"), given.get("id")
    return ToolCall(
        identifier=text(identifier),
        name=text(name) or "functionCall",
        arguments={} if arguments is None else arguments,
        answerable=is_tool_name(name)
        and (arguments is None or isinstance(arguments, dict))
        and (identifier is None or isinstance(identifier, str)),
    )


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """The prompt counts what was read from the cache; thoughts are counted beside the candidates.

    A count of candidates that is missing (nothing was said, or the sender leaves zeros out) follows from the total.
    """
    if not usage:
        return None
    prompt, thoughts = tokens(usage.get("promptTokenCount")), tokens(usage.get("thoughtsTokenCount"))
    said, total = tokens(usage.get("candidatesTokenCount")), tokens(usage.get("totalTokenCount"))
    if said is not None:
        output: int | None = said + (thoughts or 0)
    elif total is not None and prompt is not None and "candidatesTokenCount" not in usage:
        output = tokens(total - prompt)
    else:
        output = None
    return usage_within_prompt(
        prompt=prompt,
        cache_read=tokens(usage.get("cachedContentTokenCount")),
        cache_write=None,
        output=output,
        reasoning=thoughts,
    )
