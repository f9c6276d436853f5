"""chat.completions as strict servers take it: images in users' messages only, arguments that are JSON objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from battles.lanes.events import Usage
from tests.battles.agents.hosted.dialect import (
    MODEL,
    Malformed,
    Transcript,
    Turn,
    check_data_url,
    check_transcript,
    is_text,
    need,
    new_id,
    only,
)


class ChatDialect:
    adapter = "openai-compatible"
    key_variable = "LOCAL_MODEL_KEY"
    base_path = "/v1"
    malformed_kind = "BadRequestError"
    usages: Sequence[tuple[Any, Usage | None]] = (
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Usage(10, None, None, 5, None)),
        (
            {
                "prompt_tokens": 100,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
                "completion_tokens": 50,
                "completion_tokens_details": {"reasoning_tokens": 40},
                "total_tokens": 150,
            },
            Usage(10, 60, 30, 50, 40),
        ),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "completion_tokens_details": {"reasoning_tokens": 40},
                "total_tokens": 150,
            },
            Usage(100, None, None, 50, 40),
        ),
        (
            {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}, "completion_tokens": None},
            Usage(None, None, None, None, None),
        ),
        (
            {"prompt_tokens": -5, "prompt_tokens_details": None, "completion_tokens": 10**12},
            Usage(None, None, None, None, None),
        ),
        ({}, None),
        (None, None),
        (False, None),
    )

    def authorized(self, headers: Mapping[str, str], key: str) -> bool:
        return headers.get("authorization") == (f"Bearer {key}" if key else None)

    def check(self, request: Any) -> None:
        need(request.path == "/v1/chat/completions", f"no such path {request.path}")
        need("openai-organization" not in request.headers, "that is for somebody else")
        check_transcript(self.read(request.body))

    def model_of(self, request: Any) -> str:
        return str(request.body["model"])

    def read(self, body: Any) -> Transcript:
        only(body, has="model messages tools tool_choice max_tokens", may="temperature reasoning_effort")
        need(body["tool_choice"] in {"auto", "required"}, "tool_choice")
        tools = [
            only(only(tool, has="type function")["function"], has="name description parameters")
            for tool in body["tools"]
        ]
        system, *rest = body["messages"]
        need(only(system, has="role content")["role"] == "system", "the rules come first")
        turns: list[Turn] = []
        for message in rest:
            self._message(message, turns)
        return Transcript(
            system=system["content"],
            tools=[(tool["name"], tool["description"], tool["parameters"]) for tool in tools],
            turns=turns,
        )

    def _message(self, message: Any, turns: list[Turn]) -> None:
        role = message["role"]
        if role == "tool":
            only(message, has="role tool_call_id content")
            if not turns or turns[-1].role != "user" or turns[-1].words:
                turns.append(Turn("user"))
            turns[-1].results.append((message["tool_call_id"], is_text(message["content"])))
        elif role == "assistant":
            self._assistant(message, turns)
        elif role == "user":
            only(message, has="role content")
            if not turns or turns[-1].role != "user" or turns[-1].words:
                turns.append(Turn("user"))
            self._user(message["content"], turns[-1])
        else:
            raise Malformed(f"role {role}")

    def _user(self, content: Any, turn: Turn) -> None:
        if isinstance(content, str):
            turn.words.append(content)
            return
        for part in content:
            if part["type"] == "text":
                turn.words.append(is_text(only(part, has="type text")["text"]))
            else:
                check_data_url(only(only(part, has="type image_url")["image_url"], has="url")["url"])
                turn.images += 1

    def _assistant(self, message: Any, turns: list[Turn]) -> None:
        only(message, has="role content", may="tool_calls")
        turn = Turn("model", words=[message["content"]] if message["content"] is not None else [])
        for call in message.get("tool_calls", []):
            function = only(only(call, has="id type function")["function"], has="name arguments")
            try:
                arguments = json.loads(function["arguments"])
            except (TypeError, ValueError):
                raise Malformed("the template cannot render arguments that are no JSON") from None
            need(isinstance(arguments, dict), "the template cannot render arguments that are no object")
            turn.calls.append((call["id"], function["name"]))
        turns.append(turn)

    def sent_back(self, body: Any) -> Any:
        return [message for message in body["messages"] if message["role"] == "assistant"]

    def calls(self, *calls: tuple[str, Any], words: str = "", ids: Sequence[Any] = (), usage: Any = None) -> Any:
        made = [
            {
                "id": ids[place] if ids else new_id("call"),
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for place, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": words or None, "tool_calls": made}
        return self._completion(message, "tool_calls", usage)

    def _completion(self, message: Any, reason: Any = "stop", usage: Any = None) -> Any:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1795000000,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
            "usage": usage if usage is not None else {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }

    def says(self, words: str) -> Any:
        return self._completion({"role": "assistant", "content": words})

    def with_hidden(self, body: Any) -> Any:
        # This API takes no hidden pieces back.
        (choice,) = body["choices"]
        return {**body, "choices": [{**choice, "message": {**choice["message"], "reasoning_content": "Where is it?"}}]}

    def with_unknown(self, body: Any) -> Any:
        (choice,) = body["choices"]
        message = {**choice["message"], "hologram": {"beam": 1}, "annotations": None, "audio": 7}
        return {**body, "choices": [{**choice, "message": message}, None]}

    def pieces_of(self, body: Any) -> Any:
        message = body["choices"][0]["message"]
        return {name: value for name, value in message.items() if name != "reasoning_content"}

    def cut_off(self, words: str) -> Any:
        return self._completion({"role": "assistant", "content": words}, "length")

    def refusals(self) -> Sequence[Any]:
        return [
            self._completion({"role": "assistant", "content": None, "refusal": "I would rather not."}),
            self._completion({"role": "assistant", "content": None}, "content_filter"),
        ]

    def native_call(self) -> tuple[Any, str]:
        return self.calls(("computer_use", {"action": "left_click", "coordinate": [1, 2]})), "computer_use"

    def hollow(self) -> Sequence[Any]:
        return [
            self._completion({"role": "assistant", "content": None}),
            self._completion({"role": "assistant", "content": "", "tool_calls": []}),
            self._completion(None),
            self._completion({"role": "assistant", "content": {"text": "odd"}, "tool_calls": "odd"}, 7),
            self._completion({"role": "assistant", "content": [None, {"type": "text", "text": None}]}, None),
        ]

    def error(self, status: int, kind: str, message: str) -> tuple[Any, int]:
        return {"error": {"message": message, "type": kind, "param": None, "code": status}}, status

    def wrong_key(self) -> tuple[Any, int]:
        return {"error": "Unauthorized"}, 401

    def no_model(self) -> tuple[Any, int]:
        return self.error(404, "NotFoundError", "The model does not exist.")

    def no_credit(self) -> tuple[Any, int]:
        return self.error(402, "payment_required", "Insufficient credits")

    def too_long(self) -> Sequence[tuple[Any, int]]:
        return [
            self.error(
                400, "BadRequestError", "This model's maximum context length is 8192 tokens. However, you asked"
            ),
            self.error(400, "exceed_context_size_error", "the request exceeds the available context size"),
        ]

    def rate_limited(self) -> tuple[Any, int]:
        return self.error(429, "rate_limit", "slow down")

    def declined(self) -> Sequence[tuple[Any, int]]:
        return [(body, 200) for body in self.refusals()] + [self.error(400, "content_filter", "filtered")]
